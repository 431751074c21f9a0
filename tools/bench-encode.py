"""bench-encode.py MODELDIR CORPUS THREADS PIECES: encodes a corpus with Python's onnxruntime, as tools/bench-encode asks.

The same work as native encode: the reference tokenizer, batches of like length of at most PIECES word pieces, mean pooling
in float64. Prints the seconds from texts to unit vectors, without loading, and the processor's seconds.
"""
import json
import sys
import time
import numpy as np
import onnxruntime
from tokenizers import Tokenizer

folder, corpus, threads, pieces = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
tokenizer.no_padding()
tokenizer.enable_truncation(256)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = threads
session = onnxruntime.InferenceSession(f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"])
hidden = next(o.name for o in session.get_outputs() if len(o.shape) == 3)
with open(corpus, encoding="utf-8") as f:
    texts = [" ".join((d["title"], d["title"], d["text"])) for d in map(json.loads, f)]

start, cpu = time.perf_counter(), time.process_time()
ids = [e.ids for e in tokenizer.encode_batch(texts)]
order = sorted(range(len(ids)), key=lambda i: -len(ids[i]))
vectors = np.empty((len(ids), 384), "<f4")
while order:
    length = len(ids[order[0]])
    n = max(1, pieces // length)
    rows, order = order[:n], order[n:]
    tokens, mask = np.zeros((len(rows), length), np.int64), np.zeros((len(rows), length), np.int64)
    for i, row in enumerate(rows):
        tokens[i, : len(ids[row])] = ids[row]
        mask[i, : len(ids[row])] = 1
    states = session.run([hidden], {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)})[0]
    mean = np.einsum("btd,bt->bd", states.astype(np.float64), mask) / mask.sum(1)[:, None]
    vectors[rows] = mean / np.linalg.norm(mean, axis=1)[:, None]
print(f"{time.perf_counter() - start:.3f} {time.process_time() - cpu:.3f}")
