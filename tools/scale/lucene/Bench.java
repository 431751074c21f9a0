import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.util.CharTokenizer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.MMapDirectory;

/**
 * Bench CORPUS QUESTIONS FOLDER: Lucene on what tools/bench-scale measures, one thread for indexing and for searching, one
 * segment at the end, frequencies without positions (as there are none on the other side), the same tokens (maximal runs of
 * ASCII letters and digits; the texts are lower case) and parameters. Questions are Boolean queries of term queries; a term
 * that occurs twice has a boost of 2. Hits need not be counted (threshold 0 of the collector): that lets Lucene prune most.
 */
public class Bench {
  static final class Words extends CharTokenizer {
    @Override
    protected boolean isTokenChar(int c) {
      return c >= 'a' && c <= 'z' || c >= '0' && c <= '9';
    }
  }

  public static void main(String[] args) throws IOException {
    Analyzer analyzer = new Analyzer() {
      @Override
      protected TokenStreamComponents createComponents(String field) {
        return new TokenStreamComponents(new Words());
      }
    };
    FieldType freqs = new FieldType();
    freqs.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    freqs.setTokenized(true);
    freqs.freeze();
    BM25Similarity bm25 = new BM25Similarity(1.2f, 0.75f);
    MMapDirectory directory = new MMapDirectory(Path.of(args[2]));
    long start = processor();
    IndexWriterConfig config = new IndexWriterConfig(analyzer).setSimilarity(bm25).setRAMBufferSizeMB(512)
        .setMergeScheduler(new SerialMergeScheduler()).setUseCompoundFile(false);
    try (IndexWriter writer = new IndexWriter(directory, config); BufferedReader lines = Files.newBufferedReader(Path.of(args[0]))) {
      for (String line; (line = lines.readLine()) != null; ) {
        int id = line.indexOf("\",\"text\":\"");
        Document document = new Document();
        document.add(new StoredField("id", line.substring(8, id)));
        document.add(new Field("text", line.substring(id + 10, line.length() - 2), freqs));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
      writer.commit();
    }
    double seconds = (processor() - start) / 1e9;
    long size = 0;
    for (String file : directory.listAll()) {
      size += directory.fileLength(file);
    }
    System.out.printf("index %.2f %d %d%n", seconds, size / 1_000_000, peak());

    List<String> questions = Files.readAllLines(Path.of(args[1]));
    try (DirectoryReader reader = DirectoryReader.open(directory); PrintWriter best = new PrintWriter(args[2] + ".best")) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setSimilarity(bm25);
      searcher.setQueryCache(null);
      double[] rates = new double[3];
      for (int round = -3; round < 3; round++) { // three rounds to compile
        long from = processor();
        for (String question : questions) {
          ScoreDoc[] hits = searcher.search(query(question), new TopScoreDocCollectorManager(10, null, 0, false)).scoreDocs;
          if (round == -3) {
            for (ScoreDoc hit : hits) {
              best.print((hit.doc + 1) + " "); // IDs are numbers from 1, in order
            }
            best.println();
          }
        }
        if (round >= 0) {
          rates[round] = questions.size() / ((processor() - from) / 1e9);
        }
      }
      System.out.printf("search %.0f %.0f %.0f %d 0%n", rates[0], rates[1], rates[2], peak());
    }
  }

  /** Nanoseconds of processor time of this thread: not those of compiling and of collecting garbage. */
  static long processor() {
    return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  static Query query(String question) {
    java.util.TreeMap<String, Integer> terms = new java.util.TreeMap<>();
    for (String word : question.split(" ")) {
      terms.merge(word, 1, Integer::sum);
    }
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    terms.forEach((term, tf) -> {
      Query one = new TermQuery(new Term("text", term));
      all.add(tf == 1 ? one : new BoostQuery(one, tf), BooleanClause.Occur.SHOULD);
    });
    return all.build();
  }

  /** The most memory that the process had, in MB. */
  static long peak() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1000;
      }
    }
    return 0;
  }
}
