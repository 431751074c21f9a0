"""bench-bm25.py ROUNDS: BM25's ten best for R01's 360 questions on one thread with bm25s and numba, as tools/bench-bm25 asks.

The same text, tokens and parameters as the study: ASCII letters and digits, its stop list, title twice, k1 1.2, b 0.75, idf of
Lucene. Prints the milliseconds of indexing and the best milliseconds of a round from the questions' text to their ten best, and
how many of the first places it shares with the study's frozen observations.
"""
import json
import re
import sys
import time

import bm25s

rounds = int(sys.argv[1])
stop = set(open("kit/r01/stopwords.txt").read().split())
lower = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def tokens(text):
    return [t for t in re.findall("[a-z0-9]+", text.translate(lower)) if t not in stop]


with open("kit/concepts/corpus.jsonl", encoding="utf-8") as f:
    docs = [json.loads(line) for line in f]
with open("kit/r01/questions.jsonl", encoding="utf-8") as f:
    questions = [json.loads(line) for line in f]
first = {}
with open("kit/r01/frozen/observations.jsonl", encoding="utf-8") as f:
    for o in map(json.loads, f):
        if o["method"] == "bm25":
            first[o["question"]] = o["best"][0]["id"]

start = time.perf_counter()
model = bm25s.BM25(k1=1.2, b=0.75, method="lucene", backend="numba")
model.index([tokens(" ".join((d["title"], d["title"], d["text"]))) for d in docs], show_progress=False)
index = 1000 * (time.perf_counter() - start)

best = None
for _ in range(rounds + 1):  # the first compiles
    start = time.perf_counter()
    asked = [tokens(q["text"]) for q in questions]
    found, _ = model.retrieve(asked, k=10, n_threads=1, show_progress=False)
    took = 1000 * (time.perf_counter() - start)
    best = took if best is None else min(best, took)
same = sum(docs[row[0]]["_id"] == first[q["_id"]] for row, q in zip(found, questions))
print(f"{index:.1f} {best:.2f} {same}")
