// Printed english.tsv with Lucene 9.12.1 (lucene-core, lucene-analysis-common) on OpenJDK 17.0.15: one text a line on standard
// input, its tokens on standard output, code points in hexadecimal, those of a token joined by commas. The texts were drawn at
// random: characters from either end of every run of one Word_Break, emoji and what joins them, words of Porter's suffixes.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.StringJoiner;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

public class English {
  public static void main(String[] arguments) throws Exception {
    Analyzer analyzer = new EnglishAnalyzer();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      StringBuilder text = new StringBuilder();
      for (String h : line.isEmpty() ? new String[0] : line.split(" ")) text.appendCodePoint(Integer.parseInt(h, 16));
      StringJoiner tokens = new StringJoiner(" ");
      try (TokenStream stream = analyzer.tokenStream("f", text.toString())) {
        CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
        stream.reset();
        while (stream.incrementToken()) {
          StringJoiner token = new StringJoiner(",");
          term.toString().codePoints().forEach(c -> token.add(Integer.toHexString(c)));
          tokens.add(token.toString());
        }
        stream.end();
      }
      System.out.println(tokens);
    }
  }
}
