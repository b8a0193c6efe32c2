"""The local law of the truncation-free HDP written out slowly: enumeration and a second sampler.

Both work on restaurants (Teh et al. 2006): tokens sit at tables, tables serve dishes, which are the
topics; the corpus sticks are integrated out. Nothing is shared with the package. A batch is a list
of documents, each a list of words; `lam` holds T rows of V, the sticks are Beta(u_k, v_k), and
dishes from T on are those that the batch has opened.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from tests.twins.drawing import pick


@dataclass(frozen=True)
class Prior:
    """What the batch is drawn from: the posterior so far."""

    lam: tuple[tuple[float, ...], ...]
    u: tuple[float, ...]
    v: tuple[float, ...]
    gamma: float
    alpha: float
    eta: float
    n_words: int


def dish_predictive(prior: Prior, tables: dict[int, int]) -> dict[int | None, float]:
    """P(dish of the next table | `tables` of every dish); None stands for a dish never served.

    Old dishes: their sticks' predictive. What those leave is a Chinese restaurant with
    concentration gamma over the dishes that the batch opened.
    """
    n_old = len(prior.u)
    result: dict[int | None, float] = {}
    left = 1.0
    for k in range(n_old):
        later = sum(s for dish, s in tables.items() if dish > k)
        a, b = prior.u[k] + tables.get(k, 0), prior.v[k] + later
        result[k] = left * a / (a + b)
        left *= b / (a + b)
    opened = {dish: s for dish, s in tables.items() if dish >= n_old and s > 0}
    total = sum(opened.values()) + prior.gamma
    for dish, s in opened.items():
        result[dish] = left * s / total
    result[None] = left * prior.gamma / total
    return result


def word_predictive(prior: Prior, dish: int | None, word: int, counts: Counter) -> float:
    """P(word | dish and the batch's `counts` of (dish, word) and (dish, None))."""
    if dish is None:
        return 1.0 / prior.n_words
    known = dish < len(prior.lam)
    lam = prior.lam[dish][word] if known else prior.eta
    total = sum(prior.lam[dish]) if known else prior.eta * prior.n_words
    return (lam + counts[dish, word]) / (total + counts[dish, None])


def canonical(topics: list[int], n_old: int) -> tuple[int, ...]:
    """New topics renamed n_old, n_old + 1, ... by first appearance."""
    names: dict[int, int] = {}
    return tuple(
        int(k) if k < n_old else names.setdefault(int(k), n_old + len(names)) for k in topics
    )


Law = dict[tuple[int, ...], float]


def enumerate_law(prior: Prior, docs: list[list[int]]) -> tuple[Law, np.ndarray]:
    """q(topics of all tokens) and the mean number of tables of every old dish.

    All seatings of all tokens, each by the chain rule.
    """
    tokens = [(d, w) for d, doc in enumerate(docs) for w in doc]
    law: Law = defaultdict(float)
    mean_tables = np.zeros(len(prior.u))

    def seat(i: int, p: float, seats: list[list[list[int]]], topics: list[int]) -> None:
        if i == len(tokens):
            law[canonical(topics, len(prior.u))] += p
            for table in (table for doc in seats for table in doc if table[0] < len(prior.u)):
                mean_tables[table[0]] += p
            return
        d, w = tokens[i]
        counts: Counter = Counter()
        for (_, word), k in zip(tokens, topics, strict=False):
            counts[k, word] += 1
            counts[k, None] += 1
        for table in seats[d]:  # a table is [dish, customers]
            table[1] += 1
            share = (table[1] - 1) * word_predictive(prior, table[0], w, counts)
            seat(i + 1, p * share, seats, [*topics, table[0]])
            table[1] -= 1
        tables = Counter(table[0] for doc in seats for table in doc)
        fresh = max([len(prior.u) - 1, *tables]) + 1
        for dish, weight in dish_predictive(prior, tables).items():
            share = prior.alpha * weight * word_predictive(prior, dish, w, counts)
            k = fresh if dish is None else dish
            seats[d].append([k, 1])
            seat(i + 1, p * share, seats, [*topics, k])
            seats[d].pop()

    seat(0, 1.0, [[] for _ in docs], [])
    total = sum(law.values())
    return {topics: p / total for topics, p in law.items()}, mean_tables / total


class RestaurantSampler:
    """Gibbs on seatings: the table of every token, then the dish of every table."""

    def __init__(self, prior: Prior, docs: list[list[int]], rng: np.random.Generator) -> None:
        self.prior, self.rng = prior, rng
        self.tokens = [(d, w) for d, doc in enumerate(docs) for w in doc]
        self.seat = [-1] * len(self.tokens)
        self.dish: dict[int, int] = {}
        self.doc: dict[int, int] = {}
        self.size: Counter = Counter()
        self.counts: Counter = Counter()
        self.next_name = len(prior.u)
        self.next_table = 0

    @property
    def topics(self) -> list[int]:
        return [self.dish[t] for t in self.seat]

    @property
    def tables(self) -> Counter:
        """Tables of every dish."""
        return Counter(self.dish.values())

    def _count(self, dish: int, word: int, by: int) -> None:
        self.counts[dish, word] += by
        self.counts[dish, None] += by

    def _name(self, dish: int | None) -> int:
        if dish is not None:
            return dish
        self.next_name += 1
        return self.next_name - 1

    def sweep(self) -> None:
        for i in range(len(self.tokens)):
            self._move_token(i)
        for table in list(self.dish):
            self._move_table(table)

    def _move_token(self, i: int) -> None:
        d, w = self.tokens[i]
        old = self.seat[i]
        if old >= 0:
            self._count(self.dish[old], w, -1)
            self.size[old] -= 1
            if not self.size[old]:
                del self.dish[old], self.doc[old]
        f = {
            k: word_predictive(self.prior, k, w, self.counts)
            for k in (None, *range(len(self.prior.u)), *self.tables)
        }
        mine = [t for t in self.dish if self.doc[t] == d]
        dishes = list(dish_predictive(self.prior, self.tables).items())
        weights = [self.size[t] * f[self.dish[t]] for t in mine]
        weights += [self.prior.alpha * p * f[k] for k, p in dishes]
        choice = pick(weights, self.rng)
        if choice < len(mine):
            table = mine[choice]
        else:
            table = self.next_table
            self.next_table += 1
            self.dish[table] = self._name(dishes[choice - len(mine)][0])
            self.doc[table] = d
        self.seat[i] = table
        self.size[table] += 1
        self._count(self.dish[table], w, 1)

    def _move_table(self, table: int) -> None:
        words = [self.tokens[i][1] for i, t in enumerate(self.seat) if t == table]
        for w in words:
            self._count(self.dish[table], w, -1)
        del self.dish[table]
        dishes = list(dish_predictive(self.prior, self.tables).items())
        weights = []
        for k, p in dishes:
            trial = -1 if k is None else k  # a new dish is tried under a name of its own
            for w in words:
                if k is None:
                    prior = self.prior
                    p *= (prior.eta + self.counts[trial, w]) / (
                        prior.eta * prior.n_words + self.counts[trial, None]
                    )
                else:
                    p *= word_predictive(self.prior, k, w, self.counts)
                self._count(trial, w, 1)
            for w in words:
                self._count(trial, w, -1)
            weights.append(p)
        self.dish[table] = self._name(dishes[pick(weights, self.rng)][0])
        for w in words:
            self._count(self.dish[table], w, 1)
