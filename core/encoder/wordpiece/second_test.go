package wordpiece

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/model"
	sugarme "github.com/sugarme/tokenizer/model/wordpiece"
	"pgregory.net/rapid"
)

// TestSecondOpinion cuts words as github.com/sugarme/tokenizer's WordPiece does, whose own steps before that differ
// from the reference's. Its words are up to a hundred characters, as here.
func TestSecondOpinion(t *testing.T) {
	file := small(t, nil, nil)
	ours, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Model struct {
			Vocab    map[string]int
			MaxChars int `json:"max_input_chars_per_word"`
		}
	}
	if err := json.Unmarshal(file, &f); err != nil {
		t.Fatal(err)
	}
	vocab := model.Vocab(f.Model.Vocab)
	theirs := sugarme.NewWordPieceBuilder().Vocab(&vocab).UnkToken("[UNK]").ContinuingSubwordPrefix("##").
		MaxInputCharsPerWord(f.Model.MaxChars).Build()
	var parts []string
	for piece := range f.Model.Vocab {
		if piece = strings.TrimPrefix(piece, "##"); !strings.HasPrefix(piece, "[") {
			parts = append(parts, piece)
		}
	}
	slices.Sort(parts)
	parts = append(parts, "x", "é", "東", "qq")
	unknown, cut := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		word := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 40).Draw(t, "parts"), "")
		want, err := theirs.Tokenize(word)
		if err != nil {
			t.Fatal(err)
		}
		got := ours.vocabulary.cut(word, nil)
		same := slices.EqualFunc(got, want, func(a Piece, b tokenizer.Token) bool { return a.ID == b.Id && a.Text == b.Value })
		if !same {
			t.Fatalf("%q: %v, the other gives %v", word, got, want)
		}
		if got[0].Text == "[UNK]" {
			unknown++
		} else if len(got) > 1 {
			cut++
		}
	})
	if unknown == 0 || cut == 0 {
		t.Errorf("%d unknown words, %d words of several pieces: the words are not those that are meant", unknown, cut)
	}
}
