"""Prints models.json: scores of questions and documents by bm25s and scikit-learn.

Printed with Python 3.11, bm25s 0.3.16, scikit-learn 1.9.1:  python models.py > models.json
Tokens are runs of a-z and 0-9 in lower case, as of the engine's ascii analyzer without stop words. k1 = 1.3, b = 0.6, δ = 0.7.
"""
import importlib.metadata
import json
import re

import bm25s
from sklearn.feature_extraction.text import TfidfVectorizer

documents = [
    'The dance of the honey bee tells the hive where nectar is.',
    'A bee, a wasp and a hornet; a bee again: BEE bee bee.',
    'Nectar x 7 is sugar-water.',
    'Entropy counts the ways in which heat may be spread.',
    'the heat of the sun and the heat of the hive',
    'heat2 and 2 heats.',
    'bee',
]
questions = ['where do bees dance the bee dance', 'heat and nectar', 'bee', 'x 7 7 7', 'the unknown word', 'heat heat bee nectar']
k1, b, delta = 1.3, 0.6, 0.7
tokens = lambda s: re.findall('[a-z0-9]+', s.lower())
corpus = [tokens(d) for d in documents]
out = {'versions': {p: importlib.metadata.version(p) for p in ('bm25s', 'scikit-learn')}, 'documents': documents, 'questions': questions,
       'k1': k1, 'b': b, 'delta': delta, 'scores': {}}
known = {t for d in corpus for t in d}
for form in ('robertson', 'lucene', 'atire', 'bm25l', 'bm25+'):
    r = bm25s.BM25(method=form, k1=k1, b=b, delta=delta, dtype='float64')
    r.index(corpus, show_progress=False)
    out['scores'][form] = [[float(x) for x in r.get_scores([t for t in tokens(q) if t in known])] for q in questions]
for form, settings in (('plain', {'smooth_idf': False}), ('sublinear', {'sublinear_tf': True})):
    v = TfidfVectorizer(norm='l2', token_pattern='[a-z0-9]+', **settings)
    d = v.fit_transform(documents)
    out['scores'][form] = (v.transform(questions) @ d.T).toarray().tolist()
print(json.dumps(out, indent=1))
