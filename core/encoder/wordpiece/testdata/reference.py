"""Prints what tokenizers 0.23.3 makes of hard strings, for wordpiece_test.go: small.json and reference.jsonl.

small.json is a tokenizer with a vocabulary of a few hundred pieces, so that tests need no model. Each line of reference.jsonl
changes some of its fields ("set", "added") and gives texts with ids; its last lines hash what normaliser and pre-tokenizer make
of each of Unicode's 1,112,064 scalar values, set between "A" and "b".

    pip install tokenizers==0.23.3
    python reference.py          (in this folder, about half a minute)
"""
import hashlib
import json
import random
import string
import tokenizers
from tokenizers import Tokenizer, normalizers, pre_tokenizers

assert tokenizers.__version__ == "0.23.3", tokenizers.__version__

LIMIT = 24  # word pieces of a text, so that truncation is met too
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
chars = string.ascii_letters + string.digits + "éàïßσςωΣıжשا가中日本क豈ー°Åǆœ"
vocab = SPECIAL + list(string.punctuation)
vocab += ["–", "…", "«", "\u0301", "\u0307", "\u0327", "\U0001d165", "\u1100", "##\u1161", "##\u11a8", "##\u0301", "##\u0307"]
vocab += [c for c in chars] + ["##" + c for c in chars]
vocab += "hello world the naive cafe resume straße ing tokens 🙂".split() + ["##ing", "##llo"]
vocab = list(dict.fromkeys(vocab))
flags = dict(single_word=False, lstrip=False, rstrip=False, normalized=False)
cls, sep, a, b = ({"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}})
small = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [dict(id=i, special=True, content=c, **flags) for i, c in enumerate(SPECIAL)],
    "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [cls, a, sep],
        "pair": [cls, a, sep, b, sep],
        "special_tokens": {c: {"id": c, "ids": [vocab.index(c)], "tokens": [c]} for c in ("[CLS]", "[SEP]")},
    },
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {p: i for i, p in enumerate(vocab)},
    },
}
with open("small.json", "w") as f:
    json.dump(small, f, separators=(",", ":"))
    f.write("\n")

BY_HAND = """
hello|Hello, World!|naïve café résumé|NAÏVE|straße STRASSE ẞ|ΣΑΣ ς σ|İstanbul ı|日本 中日|a中b|가각|क्षि|ǅ ǆ Ǆ|🙂|–…«»|don't_stop|$1 + 2 = ^3`
[CLS]|a[SEP]b|[cls]|[ MASK ]|[[UNK]]|hello [MASK] ing|the[MASK]the|ing sing the theing|Ⴀ Ა Ꭰ ꭰ
""".strip().replace("\n", "|").split("|") + [
    "", " ", "na\u0308ive", "e\u0301\u0327", "e\u0327\u0301", "\uf900", "\u1100\u1161\u11a8", "\u212b A\u030a", "a\u200db", "a\u00adb", "\ufeffhello", "a\ufffdb",
    "a\x00b", "a\x0bb\x0cc\x85d", "a\u00a0b\u2003c\u2028d\u3000e", "a\ue000b", "\U0001f469\u200d\U0001f467", "a" * 100, "a" * 101, "é" * 100, "e\u0301" * 50,
    "e\u0301" * 51, "\U0001d15e", "\U0001d165\u0301", "\u302e\u0301", "\u0345\u0334", "\u0378", "\U0010ffff", "tokens " * 30, "\U00016ea0", "\u1c89",
]
POOL = [
    (0x20, 0x7F), (0x00, 0x20), (0x80, 0x250), (0x300, 0x370), (0x370, 0x600), (0x900, 0xA00), (0x1100, 0x1200), (0x1E00, 0x2000), (0x2000, 0x2070),
    (0x3000, 0x3100), (0x4DB0, 0x4E10), (0xAC00, 0xD7A4), (0xF900, 0xFB50), (0xFE00, 0x10000), (0x10400, 0x10500), (0x1D100, 0x1D200), (0x1F300, 0x1F700),
    (0x20000, 0x2FA20), (0xE0000, 0xE0200), (0, 0xD800), (0xE000, 0x110000),
]


def texts(seed, n):
    rnd = random.Random(seed)
    for _ in range(n):
        s = ""
        for _ in range(rnd.choice([2, 3, 5, 8])):
            if rnd.random() < 0.3:
                s += rnd.choice(vocab).removeprefix("##") + rnd.choice(["", " "])
            else:
                s += chr(rnd.randrange(*rnd.choice(POOL)))
        yield s


def changed(set_=None, added=None):
    t = json.loads(json.dumps(small))
    for section, fields in (set_ or {}).items():
        t[section].update(fields)
    t["added_tokens"] += added or []
    return t


def added(content, number=None, **on):
    number = vocab.index(content) if number is None else number
    return {**flags, "id": number, "special": False, "content": content, **on}


n = len(vocab)
VARIANTS = [
    (None, None, BY_HAND + list(texts(1, 150))),
    ({"normalizer": {"lowercase": False}}, None, BY_HAND + list(texts(2, 30))),
    ({"normalizer": {"strip_accents": False}}, None, BY_HAND + list(texts(3, 30))),
    ({"normalizer": {"strip_accents": True, "lowercase": False}}, None, list(texts(4, 30))),
    ({"normalizer": {"clean_text": False}}, None, BY_HAND + list(texts(5, 30))),
    ({"normalizer": {"handle_chinese_chars": False}}, None, list(texts(6, 30))),
    ({"model": {"max_input_chars_per_word": 3}}, None, ["abc", "abcd", "ab中cde", "é" * 4]),
    (
        None,
        [added("the", lstrip=True), added("ing", rstrip=True), added("world", lstrip=True, rstrip=True)],
        ["a the b", "a  the\u00a0 b", "the ing", "ing  the", " world ", "world world", "a\u2003worlding", "THE"],
    ),
    (
        None,
        [added("hello", single_word=True), added("tokens", single_word=True, lstrip=True)],
        ["hello", "hello world", "ahello", "hello_", "hello-a", "éhello", "hello\u0301", "hello\u200d", "tokens tokens", "tokenstokens", "(tokens)", "hellohello", "日hello"],
    ),
    (
        None,
        [added("ÉA", n, normalized=True), added("naive", normalized=True), added("[CLS][SEP]", n + 1), added("Hello", n + 2, normalized=True, single_word=True)],
        ["éa", "xea", "E\u0301A", "NAÏVE", "anaïveb", "[CLS][SEP]", "[CLS][CLS][SEP]", "HELLO", "hello", "hellos", "xhello"],
    ),
]
with open("reference.jsonl", "w") as f:
    for set_, extra, cases in VARIANTS:
        t = Tokenizer.from_str(json.dumps(changed(set_, extra)))
        t.enable_truncation(LIMIT)
        encoded = [(s, t.encode(s)) for s in cases]
        line = {"printedBy": "tokenizers 0.23.3", "limit": LIMIT, "set": set_, "added": extra}
        line["cases"] = [{"text": s, "ids": e.ids, "truncated": bool(e.overflowing)} for s, e in encoded]
        f.write(json.dumps(line, separators=(",", ":")) + "\n")
    for on in ({}, {"lowercase": False, "strip_accents": False}, {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False}):
        normalize = normalizers.BertNormalizer(**{**dict(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True), **on}).normalize_str
        words = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
        h = hashlib.sha256()
        for cp in list(range(0xD800)) + list(range(0xE000, 0x110000)):
            h.update("\t".join(w for w, _ in words(normalize("A" + chr(cp) + "b"))).encode() + b"\n")
        f.write(json.dumps({"printedBy": "tokenizers 0.23.3", "set": {"normalizer": on}, "words": h.hexdigest()}, separators=(",", ":")) + "\n")
