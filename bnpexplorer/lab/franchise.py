"""The Chinese restaurant franchise (Teh, Jordan, Beal & Blei 2006, section 4.1).

Restaurants share their dishes. A customer of restaurant j joins table t with probability n_jt /
(n_j + alpha) or opens one with alpha / (n_j + alpha); a new table orders dish k, which m_k tables
of all restaurants have, with probability m_k / (m + gamma), or a new dish with gamma / (m + gamma).
"""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64, I64
from . import restaurant


@dataclass(frozen=True)
class FranchiseTable:
    """A table: its dish, counted from 0 in the order of the first orders, and its customers."""

    dish: int
    customers: int


Franchise = tuple[tuple[FranchiseTable, ...], ...]
"""The tables of every restaurant."""


@dataclass(frozen=True)
class Arrival:
    """What the last customer did."""

    restaurant: int
    table: int
    new_table: bool
    new_dish: bool


def tables_of_dishes(franchise: Franchise) -> I64:
    """m_k: how many tables have each dish, int64 (K,)."""
    dishes = [table.dish for tables in franchise for table in tables]
    return np.bincount(dishes, minlength=0) if dishes else np.zeros(0, np.int64)


def table_choices(tables: tuple[FranchiseTable, ...], alpha: float) -> F64:
    """Probabilities of the tables of one restaurant, float64 (T+1,); the last is a new one."""
    return restaurant.choices([table.customers for table in tables], alpha)


def dish_choices(franchise: Franchise, gamma: float) -> F64:
    """Probabilities of the dish of a new table, float64 (K+1,); the last is a new dish."""
    return restaurant.choices(tables_of_dishes(franchise).tolist(), gamma)


def turn(n: int, n_restaurants: int) -> int:
    """The restaurant of customer `n`, counted from 0: they come to each in turn."""
    return n % n_restaurants


def fill(
    n: int, n_restaurants: int, alpha: float, gamma: float, seed: int
) -> tuple[Franchise, Arrival | None]:
    """The franchise after `n` customers, and what the last of them did (None: nobody came yet)."""
    chances = np.random.default_rng(seed).random((n, 2))
    tables: list[list[FranchiseTable]] = [[] for _ in range(n_restaurants)]
    last = None
    for i, (chance, order) in enumerate(chances):
        j = turn(i, n_restaurants)
        at = restaurant.pick(table_choices(tuple(tables[j]), alpha), chance)
        new_table, new_dish = at == len(tables[j]), False
        if new_table:
            offer = dish_choices(tuple(map(tuple, tables)), gamma)
            dish = restaurant.pick(offer, order)
            new_dish = dish == len(offer) - 1
            tables[j].append(FranchiseTable(dish, 0))
        tables[j][at] = FranchiseTable(tables[j][at].dish, tables[j][at].customers + 1)
        last = Arrival(j, at, new_table, new_dish)
    return tuple(map(tuple, tables)), last


def expected_tables(n: int, n_restaurants: int, alpha: float) -> float:
    """Expected tables of all restaurants after `n` customers in turn."""
    each = [len(range(j, n, n_restaurants)) for j in range(n_restaurants)]
    return float(sum(restaurant.expected_tables(size, alpha)[-1] for size in each))


def expected_dishes(n: int, n_restaurants: int, alpha: float, gamma: float) -> float:
    """Expected dishes after `n` customers: the tables are the customers of the dishes."""
    law = np.ones(1)
    for j in range(n_restaurants):
        size = len(range(j, n, n_restaurants))
        law = np.convolve(law, restaurant.tables_law(size, alpha))
    return float(law @ restaurant.expected_tables(len(law) - 1, gamma))
