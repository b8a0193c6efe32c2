"""Slow twins of the ordered stick-breaking prior and its sampler, by enumeration from the model.

Nothing here uses the package: restaurants, tables and dishes are filled document by document with
the predictive probabilities of the generative story, and all histories are summed.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from scipy.special import betaln

from tests.twins.mixture import log_dm


@dataclass(frozen=True)
class Past:
    """What is kept of past batches: visits of each restaurant, its tables (documents, dish), and
    the word counts of each dish."""

    visits: tuple[int, ...]
    tables: tuple[tuple[tuple[int, int], ...], ...]
    words: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Prior:
    mu: float
    gamma: float
    base_gamma: float
    eta: float


def nu(j: int, prior: Prior) -> float:
    """nu_1 = gamma, nu_j = (1 - mu) nu_{j-1}."""
    return prior.gamma if j == 0 else (1.0 - prior.mu) * nu(j - 1, prior)


def log_marginal(z: Sequence[int], mu: float, gamma: float) -> float:
    """ln p(z_1, ..., z_T) of batches in restaurants 0, 1, ..., the sticks integrated out.

    Batch after batch: an old restaurant j needs v_j and 1 - v_l for l < j; a new one needs 1 - v_l
    for all restaurants there are. The powers are counted and integrated by Beta functions.
    """
    broken, passed = [0] * len(z), [0] * len(z)
    known = 0
    for j in z:
        for lower in range(min(j, known)):
            passed[lower] += 1
        if j < known:
            broken[j] += 1
        else:
            assert j == known
            known += 1
    total = 0.0
    for j in range(known):
        a, b = mu * gamma * (1.0 - mu) ** j, gamma * (1.0 - mu) ** (j + 1)
        total += betaln(a + broken[j], b + passed[j]) - betaln(a, b)
    return total


def sequences(n: int) -> Iterator[tuple[int, ...]]:
    """All restaurants of n batches, each new one the next number."""
    if n == 0:
        yield ()
        return
    for z in sequences(n - 1):
        for j in range(max(z, default=-1) + 2):
            yield (*z, j)


def restaurant_law(visits: Sequence[int], mu: float, gamma: float) -> list[float]:
    """p(next restaurant | visits) as ratios of marginal likelihoods, the new one last.

    Only the visits matter: any order in which the restaurants appear in turn will do.
    """
    z = [j for j, g in enumerate(visits) for _ in range(g)]
    before = log_marginal(z, mu, gamma)
    return [math.exp(log_marginal([*z, j], mu, gamma) - before) for j in range(len(visits) + 1)]


Seats = tuple[tuple[int, int], ...]
"""(table, dish) of every document: tables of the restaurant's past first, then by their first
document; dishes of the past first, then by their first document."""


def histories(x, past: Past, prior: Prior, z: int) -> Iterator[tuple[Seats, float]]:
    """Every way to seat the documents in restaurant z, with its joint probability with `x`."""
    old = list(past.tables[z]) if z < len(past.tables) else []
    every = [dish for tables in past.tables for _, dish in tables]
    n_known = len(past.words)
    served = [every.count(s) for s in range(n_known)]
    words = [[prior.eta + w for w in row] for row in past.words]
    concentration = prior.mu * nu(z, prior)

    def go(i, tables, served, words):
        if i == len(x):
            yield (), 1.0
            return
        n_seated = sum(m for m, _ in tables)
        n_tables = sum(served)
        for r in range(len(tables) + 1):
            if r < len(tables):
                choices = [(tables[r][1], tables[r][0] / (n_seated + concentration))]
            else:
                opens = concentration / (n_seated + concentration)
                base = [*served, prior.base_gamma]
                choices = [
                    (s, opens * b / (n_tables + prior.base_gamma)) for s, b in enumerate(base)
                ]
            for s, p in choices:
                row = words[s] if s < len(words) else [prior.eta] * len(x[i])
                p_words = math.exp(log_dm(x[i], row))
                then = [
                    *words[:s],
                    [a + b for a, b in zip(row, x[i], strict=True)],
                    *words[s + 1 :],
                ]
                if r < len(tables):
                    next_tables = [*tables[:r], (tables[r][0] + 1, s), *tables[r + 1 :]]
                    next_served = served
                else:
                    next_tables = [*tables, (1, s)]
                    longer = served if s < len(served) else [*served, 0]
                    next_served = [n + (k == s) for k, n in enumerate(longer)]
                for seats, rest in go(i + 1, next_tables, next_served, then):
                    yield ((r, s), *seats), p * p_words * rest

    yield from go(0, old, served, words)


def joint(x, past: Past, prior: Prior) -> dict[tuple[int, Seats], float]:
    """p(z_t, seats, x_t | past) over everything; sums to p(x_t | past)."""
    weights = restaurant_law(past.visits, prior.mu, prior.gamma) if past.visits else [1.0]
    return {
        (z, seats): weight * p
        for z, weight in enumerate(weights)
        for seats, p in histories(x, past, prior, z)
    }


def posterior(x, past: Past, prior: Prior) -> dict[tuple[int, Seats], float]:
    """p(z_t, seats | x_t, past)."""
    law = joint(x, past, prior)
    total = sum(law.values())
    return {key: p / total for key, p in law.items()}


def by_components(law: dict[tuple[int, Seats], float]) -> dict[tuple[int, tuple[int, ...]], float]:
    """The law of (z_t, y_t): tables summed out."""
    out: dict[tuple[int, tuple[int, ...]], float] = {}
    for (z, seats), p in law.items():
        key = (z, tuple(s for _, s in seats))
        out[key] = out.get(key, 0.0) + p
    return out


def in_order(seats: Sequence[tuple[int, int]], n_past: int, n_known: int) -> Seats:
    """The same seats with tables and dishes numbered as in `Seats`."""
    tables: dict[int, int] = {}
    dishes: dict[int, int] = {}
    return tuple(
        (
            int(r) if r < n_past else tables.setdefault(int(r), n_past + len(tables)),
            int(s) if s < n_known else dishes.setdefault(int(s), n_known + len(dishes)),
        )
        for r, s in seats
    )


def after_serving(x, seats: Seats, past: Past, prior: Prior, z: int) -> dict[Seats, float]:
    """The law of the seats after one visit to every table that the batch opened, from `seats`.

    Tables are visited in uniformly random order; each takes a dish from its full conditional.
    """
    n_past = len(past.tables[z]) if z < len(past.tables) else 0
    n_known = len(past.words)
    every = [dish for tables in past.tables for _, dish in tables]
    opened = sorted({r for r, _ in seats if r >= n_past})
    n_orders = math.factorial(len(opened))
    out: dict[Seats, float] = {}

    def visit(order, at, dish_of, p):
        if not order:
            end = [(r, dish_of[r] if r >= n_past else s) for r, s in at]
            key = in_order(end, n_past, n_known)
            out[key] = out.get(key, 0.0) + p
            return
        table = order[0]
        others = every + [dish_of[r] for r in opened if r != table]
        fresh = max([*others, n_known - 1]) + 1
        members = [x[i] for i, (r, _) in enumerate(at) if r == table]
        pooled = [sum(c) for c in zip(*members, strict=True)]
        scores = {}
        for s in sorted({*others, fresh}):
            row = list(past.words[s]) if s < n_known else [0] * len(x[0])
            for i, (r, kept) in enumerate(at):
                if r != table and (dish_of[r] if r >= n_past else kept) == s:
                    row = [a + b for a, b in zip(row, x[i], strict=True)]
            weight = others.count(s) if s != fresh else prior.base_gamma
            scores[s] = weight * math.exp(log_dm(pooled, [prior.eta + w for w in row]))
        total = sum(scores.values())
        for s, score in scores.items():
            visit(order[1:], at, {**dish_of, table: s}, p * score / total)

    for order in permutations(opened):
        visit(order, seats, {r: s for r, s in seats if r >= n_past}, 1.0 / n_orders)
    return out
