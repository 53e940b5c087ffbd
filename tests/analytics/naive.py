"""BM25F written down a second time, slowly, from the formula; the oracle of the ranking queries."""

import math
from collections import Counter

from memkit.model import tokens
from memkit.model.decision import FIELDS, recall_fields

WEIGHTS = {"question": 2.0, "conclusion": 2.0, "synthesis": 1.0, "tags": 1.5}


class Naive:
    def __init__(self, entries, *, k1=1.2, b=0.75, weights=WEIGHTS, stem=str):
        self.k1, self.b, self.weights = k1, b, weights
        self.stem = stem
        self.docs = {
            e.id: {f: Counter(map(stem, tokens.terms(t))) for f, t in recall_fields(e).items()} for e in entries
        }
        n = len(self.docs)
        self.n = n
        self.average = {f: sum(d[f].total() for d in self.docs.values()) / n if n else 0.0 for f in FIELDS}

    def idf(self, term):
        df = sum(any(doc[f][term] for f in FIELDS) for doc in self.docs.values())
        return math.log(1 + (self.n - df + 0.5) / (df + 0.5))

    def weight(self, doc, field, term):
        tf, length = doc[field][term], doc[field].total()
        if not tf:
            return 0.0
        return self.weights[field] * tf / (1 - self.b + self.b * length / self.average[field])

    def parts(self, entry_id, query):
        """(term, field) -> share of the score."""
        doc = self.docs[entry_id]
        found = {}
        for term in dict.fromkeys(map(self.stem, tokens.terms(query))):
            weights = {f: self.weight(doc, f, term) for f in FIELDS}
            total = sum(weights.values())
            for field, weight in weights.items():
                if weight:
                    found[term, field] = self.idf(term) * weight / (self.k1 + total)
        return found

    def scores(self, query):
        """Entry id -> score, for those above 0."""
        scores = {i: math.fsum(self.parts(i, query).values()) for i in self.docs}
        return {i: score for i, score in scores.items() if score > 0}

    def coverage(self, entry_id, query):
        terms = list(dict.fromkeys(map(self.stem, tokens.terms(query))))
        doc = self.docs[entry_id]
        found = [t for t in terms if any(self.weight(doc, f, t) for f in FIELDS)]
        return sum(map(self.idf, found)) / sum(map(self.idf, terms))
