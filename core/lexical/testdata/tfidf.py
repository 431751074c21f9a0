"""Prints tfidf.json: cosines of scikit-learn's TfidfVectorizer between questions and documents.

Printed with Python 3.11, scikit-learn 1.9.1:  python tfidf.py > tfidf.json
The token pattern is the engine's ascii analyzer (runs of a-z and 0-9, any length); the stop words are the same list.
"""
import json
import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer

stop = ['the', 'a', 'of', 'and']
documents = [
    'The dance of the honey bee tells the hive where nectar is.',
    'A bee, a wasp and a hornet; a bee again: BEE bee bee.',
    'Nectar x 7 is sugar-water.',
    'Entropy counts the ways in which heat may be spread.',
    'of the and',
    'Café heat: na\u00efve ideas of heat, heat2 and 2 heats.',
    'bee',
]
questions = ['where do bees dance? the bee dance!', 'heat and nectar', 'bee', 'x 7 7 7', 'the unknown word', 'heat heat bee nectar nectar nectar']
v = TfidfVectorizer(smooth_idf=True, sublinear_tf=False, norm='l2', use_idf=True, lowercase=True, token_pattern=r'[a-z0-9]+', stop_words=stop)
D = v.fit_transform(documents)
Q = v.transform(questions)
print(json.dumps({'version': sklearn.__version__, 'stop': stop, 'documents': documents, 'questions': questions,
                  'idf': dict(sorted((t, float(v.idf_[i])) for t, i in v.vocabulary_.items())), 'cosines': (Q @ D.T).toarray().tolist()}, indent=1))
