package text

import (
	"strconv"
	"strings"

	"retrace/core/records"
)

// ReadWords reads a list of words that an analyzer's tokens will be compared with, such as its stop words: one on each line.
// A word that the analyzer would never give as one token could match nothing, so it is an error, which says what the
// analyzer makes of it.
func (a *Analyzer) ReadWords(file string, data []byte) ([]string, error) {
	var words []string
	err := records.Lines(file, data, func(line int, word []byte) error {
		tokens := a.Token(string(word))
		if len(tokens) == 1 && tokens[0] == string(word) {
			words = append(words, tokens[0])
			return nil
		}
		hint := "leave the line out"
		if len(tokens) > 0 {
			hint = "write what the analyzer gives, one token on each line, or leave the line out"
		}
		return records.Errorf(file, line, hint, "%q is not one token of the %s analyzer, which gives %s", word, a.kind.Name, listed(tokens))
	})
	return words, err
}

// CheckPhrases checks phrases that are looked for in texts, all from one line of a file: each must be a sequence of the
// analyzer's tokens, parted by one character each. Other phrases, such as one that ends in a space, match nothing or less
// than they seem to.
func (a *Analyzer) CheckPhrases(file string, line int, phrases []string) error {
	for _, phrase := range phrases {
		tokens, rest, whole := a.Token(phrase), phrase, true
		for i, token := range tokens {
			if i > 0 && rest != "" {
				rest = rest[1:] // what parts two tokens; no token begins elsewhere
			}
			after, ok := strings.CutPrefix(rest, token)
			rest, whole = after, whole && ok
		}
		if !whole || rest != "" || len(tokens) == 0 {
			return records.Errorf(file, line, "write the words of each phrase with one space, hyphen or apostrophe between two of them, none before or after",
				"the phrase %q is not a sequence of tokens of the %s analyzer, which gives %s", phrase, a.kind.Name, listed(tokens))
		}
	}
	return nil
}

// listed writes tokens as they stand in a message.
func listed(tokens []string) string {
	if len(tokens) == 0 {
		return "none"
	}
	quoted := make([]string, len(tokens))
	for i, token := range tokens {
		quoted[i] = strconv.Quote(token)
	}
	return strings.Join(quoted, ", ")
}
