"""Prints reference.json: what the tiny model of internal/tinymodel gives, computed from the published formulas in float64.

The model's weights are made here again from their stated stream; nothing is shared with the Go code. For each text, given as ids:
the states of its tokens after the embeddings and after each layer, and the vectors by both kinds of pooling.

Printed with Python 3.11 and numpy 2.4.6:  python reference.py > reference.json
"""
import json, math
import numpy as np

H, LAYERS, HEADS, WIDE, VOCAB, PLACES, TYPES, EPS = 40, 2, 2, 72, 231, 40, 2, 1e-12
M = 2 ** 64 - 1


def tensor(name, centre, width, *shape):
    h = 0xcbf29ce484222325
    for b in name.encode():
        h = (h ^ b) * 0x100000001b3 & M
    out = []
    for _ in range(math.prod(shape)):
        h = h + 0x9e3779b97f4a7c15 & M
        z = (h ^ h >> 30) * 0xbf58476d1ce4e5b9 & M
        z = (z ^ z >> 27) * 0x94d049bb133111eb & M
        out.append(centre + (((z ^ z >> 31) >> 40) / 2 ** 24 - 0.5) * width)
    return np.array(out).reshape(shape)


def norm(x, name):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + EPS) * tensor(name + '.weight', 1, 0.5, H) + tensor(name + '.bias', 0, 0.5, H)


def linear(x, name, out):
    return x @ tensor(name + '.weight', 0, 1, out, x.shape[-1]).T + tensor(name + '.bias', 0, 0.5, out)


gelu = np.vectorize(lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2))))


def encode(ids):
    x = tensor('embeddings.word_embeddings.weight', 0, 0.5, VOCAB, H)[ids]
    x = x + tensor('embeddings.position_embeddings.weight', 0, 0.5, PLACES, H)[:len(ids)]
    x = x + tensor('embeddings.token_type_embeddings.weight', 0, 0.5, TYPES, H)[0]
    x = norm(x, 'embeddings.LayerNorm')
    stages = [x]
    for i in range(LAYERS):
        p = f'encoder.layer.{i}.'
        q, k, v = (linear(x, p + 'attention.self.' + n, H).reshape(-1, HEADS, H // HEADS).swapaxes(0, 1) for n in ('query', 'key', 'value'))
        s = q @ k.swapaxes(1, 2) / math.sqrt(H // HEADS)
        e = np.exp(s - s.max(-1, keepdims=True))
        context = (e / e.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(-1, H)
        x = norm(x + linear(context, p + 'attention.output.dense', H), p + 'attention.output.LayerNorm')
        x = norm(x + linear(gelu(linear(x, p + 'intermediate.dense', WIDE)), p + 'output.dense', H), p + 'output.LayerNorm')
        stages.append(x)
    unit = lambda v: (v / np.linalg.norm(v)).round(9).tolist()
    return {'ids': ids, 'stages': [s.round(7).ravel().tolist() for s in stages], 'mean': unit(x.mean(0)), 'cls': unit(x[0])}


texts = [[2, 3], [2, 49, 3], [2, 60, 61, 62, 200, 230, 3], [2] + list(range(40, 62)) + [3]]
lines = [json.dumps(encode(t), separators=(',', ':')) for t in texts]
print('[' + ',\n'.join(lines) + ']')
