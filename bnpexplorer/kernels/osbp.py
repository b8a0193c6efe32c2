"""The ordered stick-breaking prior (OSBP): the kernels of `dpm-sumo` (Das et al. 2015).

A mini-batch sits in one of several restaurants that share their dishes. Documents are customers,
components dishes. R rows for components: those of the past come first and stay, the others are in
use while they have tables. A kernel that runs out of rows returns where it stopped, so that the
caller can make room and go on.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import kernel, within
from .mixture import BLOCK
from .mixture_sampler import Sampler, component_value, place_document
from .special import draw_from_logs, log_rising

NO_TABLE = -1


class Restaurant(NamedTuple):
    """The restaurant of the batch: T slots for tables, those of the past first."""

    concentration: float
    n_past: int
    docs: I64
    """int64 (T,): documents at each table, of the past and of the batch."""
    dish: I64
    """int64 (T,): the component that each table serves; -1 where there is no table."""
    past_docs: I64
    """int64 (R,): past documents of this restaurant in each component."""
    at: I64
    """int64 (S,): the table of each document of the batch; -1 while it stands."""


@kernel
def _first_unused(entries: I64, unused: int, start: int) -> int:
    """The first place from `start` on of `entries` int64 (any number,) that holds `unused`; the
    length if there is none."""
    place = start
    while place < entries.size and entries[place] != unused:
        place += 1
    return place


@kernel
def _draw_table(room: Restaurant, k: int, new_weight: float, u: float) -> int:
    """A table that serves k by its documents, or with `new_weight` an unused slot."""
    total = new_weight
    for r in range(room.dish.size):
        if room.dish[r] == k:
            total += room.docs[r]
    left = u * total
    for r in range(room.dish.size):
        if room.dish[r] == k:
            left -= room.docs[r]
            if left < 0.0:
                return r
    return _first_unused(room.dish, NO_TABLE, room.n_past)


@kernel
def _sit(room: Restaurant, tables: I64, i: int, r: int, k: int) -> None:
    """Document i takes a seat at table r, which is opened if it is not there.

    `tables` int64 (R,): of all restaurants, by component; counts along.
    """
    if room.dish[r] == NO_TABLE:
        room.dish[r] = k
        tables[k] += 1
    room.docs[r] += 1
    room.at[i] = r


@within
def _leave(room: Restaurant, tables: I64, i: int) -> int:
    """Document i gets up; an empty table is removed. Returns the dish.

    `tables` int64 (R,): of all restaurants, by component; counts along.
    """
    r = room.at[i]
    k = int(room.dish[r])
    room.at[i] = NO_TABLE
    room.docs[r] -= 1
    if room.docs[r] == 0:
        room.dish[r] = NO_TABLE
        tables[k] -= 1
    return k


@kernel
def seat_documents(
    s: Sampler,
    room: Restaurant,
    tables: I64,
    start: int,
    base_gamma: float,
    new_value: F64,
    rng: np.random.Generator,
) -> int:
    """Draw the tables of documents `start` to S-1 in turn (equations 13 and 14).

    Document i joins a table of m documents that serves k with weight m DM(x_i | k), or opens a
    table that serves k with weight gamma_j J_k / (J + base_gamma) DM(x_i | k), where k may be new.
    Drawn as the dish, then the table that serves it. `tables` int64 (R,): J_k, tables of all
    restaurants; counts along. `new_value` float64 (S,): ln DM(x_i | eta). Returns the first
    document not seated, S if all are.
    """
    n_rows, n_known = tables.size, s.base.total.size - 1
    logs = np.empty(n_rows + 1)
    for i in range(start, room.at.size):
        new_row = _first_unused(tables, 0, n_known)
        if new_row == n_rows:
            return i
        old = -1
        if room.at[i] != NO_TABLE:
            old = _leave(room, tables, i)
            place_document(s, i, old, -1)
        n_tables = 0
        for k in range(n_rows):
            n_tables += tables[k]
        rate = room.concentration / (n_tables + base_gamma)
        for k in range(n_rows):
            logs[k] = -math.inf
            if tables[k] > 0:
                seated = room.past_docs[k] + s.held_docs[k]
                logs[k] = math.log(seated + rate * tables[k]) + component_value(s, i, k)
        logs[n_rows] = math.log(rate * base_gamma) + new_value[i]
        k = draw_from_logs(logs, n_rows + 1, rng.random())
        if k == n_rows:
            k = new_row
        r = _draw_table(room, k, rate * tables[k], rng.random())
        _sit(room, tables, i, r, k)
        place_document(s, i, k, 1)
        if k != old:
            s.version[k] += 1
            if old >= 0:
                s.version[old] += 1
    return room.at.size


@kernel
def _move_table(s: Sampler, room: Restaurant, r: int, k: int, sign: int) -> None:
    """Put the documents of the batch at table r into component k, or take them out."""
    for i in range(room.at.size):
        if room.at[i] == r:
            place_document(s, i, k, sign)


@within
def _pool(s: Sampler, room: Restaurant, r: int, pooled: I64, words: I32) -> int:
    """Word counts of table r; returns how many distinct words it has.

    `pooled` int64 (W,): the counts, added. `words` int32 (W,): out, the distinct words first.
    """
    indptr, local, counts = s.docs
    n_distinct = 0
    for i in range(room.at.size):
        if room.at[i] == r:
            for n in range(indptr[i], indptr[i + 1]):
                w = local[n]
                if pooled[w] == 0:
                    words[n_distinct] = w
                    n_distinct += 1
                pooled[w] += counts[n]
    return n_distinct


@kernel
def _pooled_value(s: Sampler, k: int, pooled: I64, words: I32, n_distinct: int) -> float:
    """ln DM(pooled | base_k + held_k); an unused row of the batch stands for a new component.

    `pooled` int64 (W,): word counts. `words` int32 (W,): `n_distinct` words that have any. One
    logarithm for every `BLOCK` factors, as for single documents.
    """
    own = min(k, s.base.total.size - 1)
    base, held = s.base.lam[own], s.held[k]
    total, product = 0.0, 1.0
    length, factors = 0, 0
    for j in range(n_distinct):
        w = words[j]
        x, count = base[w] + held[w], pooled[w]
        length += count
        if count > BLOCK:
            total += log_rising(x, count)
            continue
        if factors + count > BLOCK:
            total += math.log(product)
            product, factors = 1.0, 0
        for n in range(count):
            product *= x + n
        factors += count
    return total + math.log(product) - log_rising(s.base.total[own] + s.held_tokens[k], length)


@kernel
def serve_tables(
    s: Sampler,
    room: Restaurant,
    tables: I64,
    order: I64,
    start: int,
    base_gamma: float,
    rng: np.random.Generator,
) -> int:
    """Draw the dishes of the tables `order[start:]` in turn (equations 17 and 18).

    Table r gets dish k with weight J_k DM(X_r | k), a new one with base_gamma DM(X_r | eta), where
    X_r are the pooled documents and neither J_k nor k counts table r. `tables` int64 (R,): J_k;
    counts along. `order` int64 (any number,): tables; it must not depend on which slots the tables
    happen to have, and holds no table of the past: the words of its documents are gone and could
    not move with it. Returns how many of `order` are done.
    """
    n_rows, n_known, n_words = tables.size, s.base.total.size - 1, s.base.lam.shape[1]
    logs = np.empty(n_rows + 1)
    pooled, words = np.zeros(n_words, np.int64), np.empty(n_words, np.int32)
    for place in range(start, order.size):
        new_row = _first_unused(tables, 0, n_known)
        if new_row == n_rows:
            return place
        r = order[place]
        old = room.dish[r]
        _move_table(s, room, r, old, -1)
        tables[old] -= 1
        n_distinct = _pool(s, room, r, pooled, words)
        for k in range(n_rows):
            logs[k] = -math.inf
            if tables[k] > 0:
                logs[k] = math.log(tables[k]) + _pooled_value(s, k, pooled, words, n_distinct)
        new_value = _pooled_value(s, new_row, pooled, words, n_distinct)
        logs[n_rows] = math.log(base_gamma) + new_value
        k = draw_from_logs(logs, n_rows + 1, rng.random())
        if k == n_rows:
            k = new_row
        room.dish[r] = k
        tables[k] += 1
        _move_table(s, room, r, k, 1)
        if k != old:
            s.version[k] += 1
            s.version[old] += 1
        for j in range(n_distinct):
            pooled[words[j]] = 0
    return order.size


@kernel
def seat_by_dish(
    room: Restaurant, tables: I64, dish_of: I64, base_weights: F64, rng: np.random.Generator
) -> None:
    """Seat every document at a table of its dish, the base's weights h given.

    A table of m documents has weight m, a new one gamma_j h_k. `tables` int64 (R,): of all
    restaurants, by component; counts along. `dish_of` int64 (S,): each document's component.
    `base_weights` float64 (R,): h.
    """
    for i in range(dish_of.size):
        k = dish_of[i]
        r = _draw_table(room, k, room.concentration * base_weights[k], rng.random())
        _sit(room, tables, i, r, k)
