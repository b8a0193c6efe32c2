"""Collapsed topic models written out slowly: prior draws, enumeration, and a second HDP sampler.

Documents are lists of words. Everything is recounted from scratch at every decision, so that there
is no bookkeeping that could go wrong; nothing is shared with the package.
"""

import itertools
from collections import Counter

import numpy as np
from scipy.special import gammaln

from tests.twins.drawing import pick

Docs = list[list[int]]


def log_dirichlet_multinomial(counts: np.ndarray, parameter):
    """ln p of a sequence with these counts, symmetric Dirichlet prior over len(counts);
    `parameter` is a number or an array."""
    total = parameter * len(counts)
    rising = sum(gammaln(parameter + n) for n in counts) - len(counts) * gammaln(parameter)
    return rising + gammaln(total) - gammaln(total + counts.sum())


def log_lda_joint(docs: Docs, topics: tuple[int, ...], n_topics: int, n_words: int, alpha, eta):
    """ln p(x, z) of LDA; `topics` runs through all tokens of all documents.

    `alpha` and `eta` are numbers or arrays.
    """
    by_doc, by_topic = np.zeros((len(docs), n_topics)), np.zeros((n_topics, n_words))
    tokens = [(d, w) for d, doc in enumerate(docs) for w in doc]
    for (d, w), k in zip(tokens, topics, strict=True):
        by_doc[d, k] += 1
        by_topic[k, w] += 1
    return sum(log_dirichlet_multinomial(row, alpha) for row in by_doc) + sum(
        log_dirichlet_multinomial(row, eta) for row in by_topic
    )


def enumerate_lda(
    docs: Docs, n_topics: int, n_words: int, alpha: float, eta: float
) -> dict[tuple[int, ...], float]:
    """The posterior of the topics of all tokens, over all K^N assignments."""
    every = itertools.product(range(n_topics), repeat=sum(map(len, docs)))
    logs = {z: log_lda_joint(docs, z, n_topics, n_words, alpha, eta) for z in every}
    top = max(logs.values())
    total = sum(np.exp(v - top) for v in logs.values())
    return {z: float(np.exp(v - top) / total) for z, v in logs.items()}


def draw_words(topics: list[int], n_words: int, eta: float, rng: np.random.Generator) -> list[int]:
    """Words of tokens with these topics, from Polya's urn of each topic."""
    urns: dict[int, list[float]] = {}
    words = []
    for k in topics:
        urn = urns.setdefault(k, [float(eta)] * n_words)
        words.append(pick(urn, rng))
        urn[words[-1]] += 1
    return words


def draw_franchise(
    lengths: tuple[int, ...], gamma: float, alpha: float, rng: np.random.Generator
) -> tuple[list[list[int]], list[Counter]]:
    """Topics of all tokens and tables of every (document, topic), from the HDP's prior."""
    served: Counter = Counter()
    topics, tables = [], []
    for length in lengths:
        sizes: list[int] = []
        dishes: list[int] = []
        row = []
        for j in range(length):
            if rng.random() * (j + alpha) < alpha:
                names = [*served, len(served)]
                dishes.append(names[pick([*served.values(), gamma], rng)])
                served[dishes[-1]] += 1
                sizes.append(1)
                row.append(dishes[-1])
            else:
                t = pick(sizes, rng)
                sizes[t] += 1
                row.append(dishes[t])
        topics.append(row)
        tables.append(Counter(dishes))
    return topics, tables


class Franchise:
    """Gibbs in the Chinese restaurant franchise (Teh et al. 2006, section 5.1)."""

    def __init__(
        self,
        docs: Docs,
        n_words: int,
        gamma: float,
        alpha: float,
        eta: float,
        rng: np.random.Generator,
    ) -> None:
        self.tokens = [(d, w) for d, doc in enumerate(docs) for w in doc]
        self.n_words, self.gamma, self.alpha, self.eta = n_words, gamma, alpha, eta
        self.rng = rng
        self.table: list[int | None] = [None] * len(self.tokens)
        self.dish: dict[int, int] = {}
        self.names = itertools.count()

    @property
    def topics(self) -> list[int]:
        return [self.dish[t] for t in self.table]

    def _choose(self, options: list, weights: list[float]):
        return options[pick(weights, self.rng)]

    def _words_of(self, dish: int | None, without: int | None = None) -> Counter:
        """Words served `dish` at all tables but one."""
        return Counter(
            w
            for (_, w), t in zip(self.tokens, self.table, strict=True)
            if t is not None and t != without and self.dish[t] == dish
        )

    def _likelihood(self, word: int, counts: Counter) -> float:
        return (counts[word] + self.eta) / (counts.total() + self.n_words * self.eta)

    def _forget_empty(self) -> None:
        self.dish = {t: k for t, k in self.dish.items() if t in self.table}

    def sweep(self) -> None:
        for i in range(len(self.tokens)):
            self._move_token(i)
        # In the order of their first customers: an order that depends on history biases the law.
        for table in dict.fromkeys(self.table):
            self._move_table(table)

    def _move_token(self, i: int) -> None:
        d, w = self.tokens[i]
        self.table[i] = None
        self._forget_empty()
        served = Counter(self.dish.values())
        f = {k: self._likelihood(w, self._words_of(k)) for k in served}
        here = Counter(
            t for (e, _), t in zip(self.tokens, self.table, strict=True) if e == d and t is not None
        )
        options: list = [("sit", t) for t in here]
        weights = [n * f[self.dish[t]] for t, n in here.items()]
        opening = self.alpha / (sum(served.values()) + self.gamma)
        options += [("open", k) for k in served] + [("open", None)]
        weights += [opening * m * f[k] for k, m in served.items()]
        weights += [opening * self.gamma / self.n_words]
        action, which = self._choose(options, weights)
        if action == "open":
            table = next(self.names)
            self.dish[table] = next(self.names) if which is None else which
            which = table
        self.table[i] = which

    def _move_table(self, table: int) -> None:
        words = [w for (_, w), t in zip(self.tokens, self.table, strict=True) if t == table]
        served = Counter(k for t, k in self.dish.items() if t != table)
        options, weights = [*served, None], []
        for k in options:
            counts = self._words_of(k, without=table) if k is not None else Counter()
            p = float(self.gamma if k is None else served[k])
            for w in words:
                p *= self._likelihood(w, counts)
                counts[w] += 1
            weights.append(p)
        dish = self._choose(options, weights)
        self.dish[table] = next(self.names) if dish is None else dish
