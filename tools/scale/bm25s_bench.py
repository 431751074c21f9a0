"""bm25s_bench.py CORPUS QUESTIONS FOLDER: bm25s with numba on what tools/bench-scale measures, one thread, in seconds of
processor time: the same tokens (words are lower-case ASCII letters with single spaces between them) and parameters.

Indexing is from the file to the saved index. Its own tokenizer splits with a regular expression; str.split is faster and
gives the same tokens, so that is what it gets.
"""
import json
import os
import resource
import sys
import time

import bm25s

corpus, questions, folder = sys.argv[1:]


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000


start = time.process_time()
with open(corpus, encoding="utf-8") as f:
    tokens = [json.loads(line)["text"].split() for line in f]
model = bm25s.BM25(k1=1.2, b=0.75, method="lucene", backend="numba")
model.index(tokens, show_progress=False)
del tokens
model.save(folder, show_progress=False) if "show_progress" in model.save.__code__.co_varnames else model.save(folder)
seconds = time.process_time() - start
size = sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder))
print(f"index {seconds:.2f} {size // 1_000_000} {peak()}")

with open(questions, encoding="utf-8") as f:
    asked = [line.split() for line in f]
rates = []
for turn in range(4):  # the first compiles
    start = time.process_time()
    found, _ = model.retrieve(asked, k=10, n_threads=1, show_progress=False)
    if turn == 0:
        with open(folder + ".best", "w") as f:
            for row in found:
                print(*(d + 1 for d in row), file=f)
    else:
        rates.append(len(asked) / (time.process_time() - start))
print("search", *(round(r) for r in rates), peak(), 0)
