"""Prints tables.go: what tokenizers 0.23.3 does with each of Unicode's 1,112,064 scalar values.

The reference's crates carry Unicode tables of different ages (categories about 8.0, decompositions 9.0, lower case 17.0), so
neither Go's tables (15.0) nor any one version of the standard gives its ids. This asks the reference itself. Go 1.26 and x/text
0.44 would drop 20 more format characters (U+0890 …), take 127 more characters for punctuation (U+061D …) and 2 fewer (U+166D,
U+111C9), strip 419 more nonspacing marks (U+07FD …) and 1 fewer (U+1734), not lower 55 new letters (U+1C89 …) and İ as the reference
does, decompose U+11938, and order 112 marks otherwise.

    pip install tokenizers==0.23.3
    python tables.py | gofmt > ../tables.go        (about a minute)
"""
import unicodedata
import tokenizers
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

assert tokenizers.__version__ == "0.23.3", tokenizers.__version__


def bert(**on):
    off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**off, **on}).normalize_str


clean, chinese, strip, lower = bert(clean_text=True), bert(handle_chinese_chars=True), bert(strip_accents=True), bert(lowercase=True)
nfd = normalizers.NFD().normalize_str
pieces = pre_tokenizers.BertPreTokenizer().pre_tokenize_str

# A tokenizer that knows one added token, "zq", which must stand as a word of its own: its neighbours show what a word character is.
words = Tokenizer(models.WordPiece({"[UNK]": 0, "zq": 1}, unk_token="[UNK]"))
words.add_tokens([AddedToken("zq", single_word=True, normalized=False)])

SCALARS = list(range(0xD800)) + list(range(0xE000, 0x110000))
removed, spaces, ideographs, marks, punctuation, wordchars = [], [], [], [], [], []
lowered, decomposed = {}, {}

for cp in SCALARS:
    c = chr(cp)
    # clean_text: removed, made a space, or kept
    out = clean("a" + c + "b")
    if out == "ab":
        removed.append(cp)
    elif out != "a" + c + "b" or c == " ":
        assert out == "a b", hex(cp)
    # handle_chinese_chars: padded with spaces, or kept
    if chinese(c) != c:
        assert chinese(c) == " " + c + " ", hex(cp)
        ideographs.append(cp)
    # strip_accents: decomposed, then nonspacing marks dropped
    d = nfd(c)
    if d == c:
        if strip(c) != c:
            assert strip(c) == "", hex(cp)
            marks.append(cp)
    elif not 0xAC00 <= cp <= 0xD7A3:  # Hangul syllables decompose by arithmetic
        decomposed[cp] = d
    # lowercase: no context but the character itself (no final sigma)
    low = lower("A" + c + "B")[1:-1]
    if low != c:
        assert low == lower(c), hex(cp)
        lowered[cp] = low
    # BertPreTokenizer: dropped at a space, alone as punctuation, or part of a word
    parts = [p for p, _ in pieces("a" + c + "b")]
    if parts == ["a", c, "b"]:
        punctuation.append(cp)
    elif parts == ["a", "b"]:
        spaces.append(cp)
    else:
        assert parts == ["a" + c + "b"], hex(cp)
    if 1 not in words.encode(c + "zq").ids:
        wordchars.append(cp)

# Canonical combining classes, found by which marks NFD exchanges: U+0334 has the lowest (1), U+0345 the highest (240).
LOW, HIGH = "\u0334", "\u0345"


def is_mark(c):
    return c in (LOW, HIGH) or nfd(HIGH + c) != HIGH + c or nfd(c + LOW) != c + LOW


samples = {}
for cp in SCALARS:
    k = unicodedata.combining(chr(cp))
    if k and k not in samples and nfd(chr(cp)) == chr(cp) and is_mark(chr(cp)):
        samples[k] = chr(cp)
classes = {}
for cp in SCALARS:
    c = chr(cp)
    if nfd(c) == c and is_mark(c):
        fits = [k for k, s in samples.items() if nfd(s + c) == s + c and nfd(c + s) == c + s]
        assert len(fits) == 1, (hex(cp), fits)
        classes[cp] = fits[0]


def runs(points):
    """Ascending code points as [first, last, stride], greedily."""
    out = []
    for p in points:
        if out and out[-1][0] == out[-1][1] and p - out[-1][1] <= 2:
            out[-1][1], out[-1][2] = p, p - out[-1][0]
        elif out and out[-1][0] != out[-1][1] and p - out[-1][1] == out[-1][2]:
            out[-1][1] = p
        else:
            out.append([p, p, 1])
    return out


def lines(items, per):
    for i in range(0, len(items), per):
        print("\t" + ", ".join(items[i : i + per]) + ",")


def table(name, doc, points):
    print(f"// {doc}\nvar {name} = &unicode.RangeTable{{")
    r16 = [r for r in runs([p for p in points if p < 0x10000])]
    r32 = [r for r in runs([p for p in points if p >= 0x10000])]
    for label, rs in (("R16: []unicode.Range16", r16), ("R32: []unicode.Range32", r32)):
        if rs:
            print(f"\t{label}{{")
            lines([f"{{{a:#x}, {b:#x}, {s}}}" for a, b, s in rs], 6)
            print("\t},")
    latin = sum(1 for a, b, s in r16 if b <= 0xFF)
    if latin:
        print(f"\tLatinOffset: {latin},")
    print("}\n")


def valued(name, doc, pairs):
    print(f"// {doc}\nvar {name} = []span{{")
    groups = []
    for value in sorted(set(pairs.values())):
        groups += [(a, b, s, value) for a, b, s in runs([p for p in sorted(pairs) if pairs[p] == value])]
    # runs of different values may interleave with stride 2: break those, so that a binary search finds the one that holds a point
    groups.sort()
    flat = []
    for a, b, s, v in groups:
        flat += [(a, b, s, v)] if s == 1 or not any(a < x <= b and v != w for x, _, _, w in groups) else [(p, p, 1, v) for p in range(a, b + 1, s)]
    flat.sort()
    lines([f"{{{a:#x}, {b:#x}, {s}, {v}}}" for a, b, s, v in flat], 5)
    print("}\n")


def quoted(s):
    return '"' + "".join(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in s) + '"'


print("// Code generated by testdata/tables.py from tokenizers 0.23.3; DO NOT EDIT.\n\npackage wordpiece\n\nimport \"unicode\"\n")
table("removed", "removed are the characters that clean_text drops: NUL, U+FFFD and the reference's control characters.", removed)
table("spaces", "spaces are the characters at which the pre-tokenizer parts words.", spaces)
table("ideographs", "ideographs are the characters that handle_chinese_chars pads with spaces.", ideographs)
table("marks", "marks are the nonspacing marks that strip_accents drops after decomposing.", marks)
table("punctuation", "punctuation are the characters that the pre-tokenizer makes words of their own.", punctuation)
table("wordChars", "wordChars are the characters beside which a single_word token is part of a longer word.", wordchars)
single = {p: ord(l) - p for p, l in lowered.items() if len(l) == 1}
assert {p: l for p, l in lowered.items() if len(l) > 1} == {0x130: "i\u0307"}  # written out in lower()
valued("lowerDeltas", "lowerDeltas give what to add to a character to get its lower case.", single)
valued("combiningClasses", "combiningClasses give the canonical combining class of each character where it is not 0.", classes)
print("// decompositions are the full canonical decompositions, Hangul syllables aside.\nvar decompositions = []decomposition{")
lines([f"{{{p:#x}, {quoted(d)}}}" for p, d in sorted(decomposed.items())], 4)
print("}")
