"""The local law and the global step of Liu et al. 2022 written out slowly, sharing no code.

A batch is a list of documents, each a list of words. Topics are named by their place: first those
of the posterior, then those that the batch opens, in the order in which it opens them.
"""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy.special import digamma


@dataclass(frozen=True)
class Given:
    """What stands still while a batch is drawn."""

    lam: tuple[tuple[float, ...], ...]
    weight: tuple[float, ...]
    rest: float
    gamma: float
    alpha: float
    eta: float
    n_words: int
    uniform: bool = False
    warm: bool = True

    def old_factor(self, k: int, word: int) -> float:
        return math.exp(digamma(self.lam[k][word]) - digamma(sum(self.lam[k])))

    def new_factor(self, n_word: int, n_topic: int) -> float:
        """A topic that the batch opened and that holds these tokens now."""
        if not self.warm:
            n_word = n_topic = 0
        top = digamma(self.eta + n_word)
        return math.exp(top - digamma(self.n_words * self.eta + n_topic))

    def opening_factor(self) -> float:
        return 1.0 / self.n_words if self.uniform else self.new_factor(0, 0)


def joint_law(given: Given, doc: list[int]) -> dict[tuple[int, ...], float]:
    """The law of a document's topics, whose conditionals are (B.3) if nothing can be opened.

    Dirichlet moments of (alpha m_1, ..., alpha m_K) times the word factors, over all seatings.
    """
    n_topics = len(given.weight)
    law = {}
    for topics in product(range(n_topics), repeat=len(doc)):
        p = 1.0
        for k in range(n_topics):
            b, n = given.alpha * given.weight[k], topics.count(k)
            p *= math.gamma(b + n) / math.gamma(b)
        for k, word in zip(topics, doc, strict=True):
            p *= given.old_factor(k, word)
        law[topics] = p
    total = sum(law.values())
    return {topics: p / total for topics, p in law.items()}


@dataclass
class Path:
    """One history of draws: what it left behind and its probability."""

    weight: list[float]
    rest: float
    counts: Counter = field(default_factory=Counter)
    """Tokens of opened topics: (topic, word) and (topic, None)."""
    done: tuple[int, ...] = ()
    """Topics after the last sweep over the documents that are finished."""
    p: float = 1.0


def path_law(
    given: Given, docs: list[list[int]], n_sweeps: int
) -> dict[tuple[tuple[int, ...], int], float]:
    """The law of (topics after the last sweep over each document, topics opened).

    Opening a topic changes the weights for good, so that the chain has no law of its own: all
    histories are followed instead, from the seating of the first token on.
    """
    paths = [Path(list(given.weight), given.rest)]
    for doc in docs:
        paths = [finished for path in paths for finished in _document(given, path, doc, n_sweeps)]
    law: dict[tuple[tuple[int, ...], int], float] = defaultdict(float)
    for path in paths:
        law[path.done, len(path.weight) - len(given.weight)] += path.p
    return law


def _document(given: Given, start: Path, doc: list[int], n_sweeps: int) -> list[Path]:
    n_old = len(given.weight)
    states: list[tuple[Path, list[int]]] = [(start, [])]
    for sweep, i in product(range(n_sweeps), range(len(doc))):
        word, after = doc[i], []
        for path, topics in states:
            others = topics if sweep == 0 else [*topics[:i], *topics[i + 1 :]]
            counts = path.counts.copy()
            if sweep > 0:
                counts[topics[i], word] -= 1
                counts[topics[i], None] -= 1
            shares = []
            for k, m in enumerate(path.weight):
                old = k < n_old
                f = (
                    given.old_factor(k, word)
                    if old
                    else given.new_factor(counts[k, word], counts[k, None])
                )
                shares.append((others.count(k) + given.alpha * m) * f)
            shares.append(given.alpha * path.rest * given.opening_factor())
            for k, share in enumerate(shares):
                weight, rest = list(path.weight), path.rest
                if k == len(weight):
                    part = 1.0 / (1.0 + given.gamma)  # the mean of Beta(1, gamma)
                    weight.append(part * rest)
                    rest *= 1.0 - part
                now = counts.copy()
                now[k, word] += 1
                now[k, None] += 1
                seated = [*topics, k] if sweep == 0 else [*topics[:i], k, *topics[i + 1 :]]
                p = path.p * share / sum(shares)
                after.append((Path(weight, rest, now, path.done, p), seated))
        states = after
    return [
        Path(path.weight, path.rest, path.counts, path.done + tuple(topics), path.p)
        for path, topics in states
    ]


@dataclass
class Topic:
    """One topic of the dense twin."""

    m: float
    lam: np.ndarray
    users: float | None
    """None: born in this batch."""


def global_step(
    topics: list[Topic],
    rest: float,
    sweeps: list[list[list[list[int]]]],
    docs: list[list[int]],
    n_corpus: int,
    rho: float,
    gamma: float,
    concentration: float,
    eta: float,
    rule: str,
) -> tuple[float, float]:
    """Equations (B.1) and (B.2) on dense arrays; `sweeps[t][s]` are the topics of document s.

    Changes `topics`; returns the rest and sum_k c_k.
    """
    scale, n_sweeps = n_corpus / len(docs), len(sweeps)
    star = []
    for k, topic in enumerate(topics):
        b, tables, users, tokens = concentration * topic.m, 0.0, 0.0, np.zeros_like(topic.lam)
        for sweep in sweeps:
            for labels, doc in zip(sweep, docs, strict=True):
                n = labels.count(k)
                tables += scale / n_sweeps * sum(b / (b + j) for j in range(n))
                users += scale / n_sweeps * (n > 0)
                for label, word in zip(labels, doc, strict=True):
                    if label == k:
                        tokens[word] += scale / n_sweeps
        star.append(tables)
        topic.lam = (1 - rho) * topic.lam + rho * (eta + tokens)
        topic.users = users if topic.users is None else (1 - rho) * topic.users + rho * users
    n_tables = sum(star)
    of_rest = {"map": gamma - 1, "mean": gamma, "jacobian": gamma - 1 + len(topics)}[rule]
    if rule != "mean":
        star = [max(c - 1, 1e-12) for c in star]
    total = sum(star) + of_rest
    for topic, c in zip(topics, star, strict=True):
        topic.m = (1 - rho) * topic.m + rho * c / total
    return (1 - rho) * rest + rho * of_rest / total, n_tables


def ten_bars(concentration: float, n_docs: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts (D, 25) of documents of 60 tokens that mix ten bars as Dir(concentration / 10), and
    1,000 tokens of each bar (10, 25), for a posterior that knows the topics."""
    grid = np.zeros((10, 5, 5))
    for i in range(5):
        grid[i, i, :] = grid[5 + i, :, i] = 0.2
    bars = grid.reshape(10, 25)
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.full(10, concentration / 10), n_docs)
    return np.stack([rng.multinomial(60, t @ bars) for t in theta]), 1000.0 * bars
