package english

// A stemmer strips suffixes by Porter's algorithm (An algorithm for suffix stripping, Program 14(3), 1980), in the form of
// his own later program, which departs from the paper in two rules of step 2: bli becomes ble (the paper has abli, able),
// and logi becomes log. Words of one or two letters stay. Letters are UTF-16 code units, of which aeiou and some y are
// vowels and all others consonants, as Lucene has it.
type stemmer struct {
	word []uint16 // what is left of the word
	stem int      // length of what stands before the suffix that was found last
}

// of returns the stem of a lower-case word, in the same place.
func (p *stemmer) of(word []uint16) []uint16 {
	if len(word) <= 2 {
		return word
	}
	p.word = word
	p.plural()
	p.pastOrGerund()
	if p.ends("y") && p.hasVowel() {
		p.word[p.stem] = 'i'
	}
	if len(p.word) > 1 {
		p.replace(step2, 0)
	}
	p.replace(step3, 0)
	if len(p.word) > 1 {
		p.replace(step4, 1)
	}
	p.finalE()
	return p.word
}

// consonant reports whether a letter is a consonant: any but aeiou, and but a y after a consonant.
func (p *stemmer) consonant(i int) bool {
	switch p.word[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !p.consonant(i-1)
	}
	return true
}

// measure is the paper's m: how often a vowel is followed by a consonant in what stands before the suffix.
func (p *stemmer) measure() int {
	m, vowel := 0, false
	for i := range p.stem {
		consonant := p.consonant(i)
		if consonant && vowel {
			m++
		}
		vowel = !consonant
	}
	return m
}

func (p *stemmer) hasVowel() bool {
	for i := range p.stem {
		if !p.consonant(i) {
			return true
		}
	}
	return false
}

// double reports whether the word ends in two equal consonants (the paper's *d).
func (p *stemmer) double() bool {
	last := len(p.word) - 1
	return last >= 1 && p.word[last] == p.word[last-1] && p.consonant(last)
}

// short reports whether the first n letters end in consonant, vowel, consonant, the last not w, x or y (the paper's *o).
func (p *stemmer) short(n int) bool {
	if n < 3 || !p.consonant(n-1) || p.consonant(n-2) || !p.consonant(n-3) {
		return false
	}
	c := p.word[n-1]
	return c != 'w' && c != 'x' && c != 'y'
}

// ends reports whether the word ends in a suffix, and if so notes what stands before it.
func (p *stemmer) ends(suffix string) bool {
	n := len(p.word) - len(suffix)
	if n < 0 {
		return false
	}
	for i := len(suffix) - 1; i >= 0; i-- { // most differ at the end
		if p.word[n+i] != uint16(suffix[i]) {
			return false
		}
	}
	p.stem = n
	return true
}

// set writes letters where the suffix stood; they are never more than fit.
func (p *stemmer) set(letters string) {
	p.word = p.word[:p.stem]
	for i := range len(letters) {
		p.word = append(p.word, uint16(letters[i]))
	}
}

// plural is step 1a: sses becomes ss, ies becomes i, s falls off.
func (p *stemmer) plural() {
	switch {
	case p.ends("sses"):
		p.set("ss")
	case p.ends("ies"):
		p.set("i")
	case p.ends("s") && p.word[p.stem-1] != 's':
		p.set("")
	}
}

// pastOrGerund is step 1b: ed and ing fall off where a vowel is left, and the end is mended.
func (p *stemmer) pastOrGerund() {
	if p.ends("eed") {
		if p.measure() > 0 {
			p.set("ee")
		}
		return
	}
	if !(p.ends("ed") || p.ends("ing")) || !p.hasVowel() {
		return
	}
	p.set("")
	switch {
	case p.ends("at") || p.ends("bl") || p.ends("iz"):
		p.word = append(p.word, 'e')
	case p.double():
		if c := p.word[len(p.word)-1]; c != 'l' && c != 's' && c != 'z' {
			p.word = p.word[:len(p.word)-1]
		}
	case p.measure() == 1 && p.short(len(p.word)):
		p.word = append(p.word, 'e')
	}
}

// A rule says what a suffix becomes.
type rule struct{ suffix, letters string }

// Rules in the order in which they are tried; the first whose suffix is found decides, whether its stem is long enough or not.
// In step 4 nothing is put in a suffix's place; the letter beside ion is what must stand before it.
var (
	step2 = []rule{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"bli", "ble"},
		{"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"},
		{"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
		{"iviti", "ive"}, {"biliti", "ble"}, {"logi", "log"},
	}
	step3 = []rule{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	step4 = []rule{
		{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""}, {"ement", ""},
		{"ment", ""}, {"ent", ""}, {"sion", "s"}, {"tion", "t"}, {"ou", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""},
		{"ous", ""}, {"ive", ""}, {"ize", ""},
	}
)

// replace replaces the first suffix of a list that is found where the measure of what stands before it is above a bound.
// In step 4 the s or t before ion belongs to the stem.
func (p *stemmer) replace(rules []rule, above int) {
	for i := range rules {
		r := &rules[i]
		if !p.ends(r.suffix) {
			continue
		}
		letters := r.letters
		if above == 1 {
			p.stem += len(letters)
			letters = ""
		}
		if p.measure() > above {
			p.set(letters)
		}
		return
	}
}

// finalE is step 5: a final e falls off a long stem, and one of two final l.
func (p *stemmer) finalE() {
	last := len(p.word) - 1
	p.stem = len(p.word)
	if p.word[last] == 'e' {
		if m := p.measure(); m > 1 || m == 1 && !p.short(last) {
			p.word = p.word[:last]
		}
	}
	last = len(p.word) - 1
	if p.stem = len(p.word); p.word[last] == 'l' && p.double() && p.measure() > 1 {
		p.word = p.word[:last]
	}
}
