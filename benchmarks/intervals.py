"""Do intervals keep their word, and what is sure? `python -m benchmarks.intervals`

Simulated texts whose true rates and shares are known, each world some hundred times, three tables:
how often a word's intervals hold its rate by month, and how wide they are; how often the intervals
of topics' shares do; and, between two sets of documents or from month to month, how many corpora
without a change show a sure one, how many of the true changes are sure, and how often all intervals
hold together. What was tried and not taken stands beside what the app does. About a minute and a
half of processor time; with `--times 10` a tenth of it.
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bnpexplorer.core.arrays import F64, I64
from bnpexplorer.explore.change import changes, turns
from bnpexplorer.explore.means import LEVEL, group_means, normal_above
from bnpexplorer.explore.together import ends_of
from bnpexplorer.explore.word_rates import word_means

MONTHS, RESAMPLES = 6, 200
Rng = np.random.Generator
Both = tuple[F64, F64]


# ---- words ---------------------------------------------------------------------------------------


class Words(NamedTuple):
    """One word in D texts: its counts, the words of each text, months, texts of their own."""

    often: F64
    lengths: F64
    months: I64
    units: I64
    rate: float


def words(kind: str, n_docs: int, rng: Rng) -> Words:
    """Texts of 20 to 500 words. A `rare` or `common` word falls at random; a `topical` one stands
    often in few texts, a `bursty` one four times where it stands, and `repeated` are five copies of
    every text, some in other months."""
    rate = {"common": 5e-3, "topical": 1e-3, "repeated": 1e-3}.get(kind, 2e-4)
    lengths = np.maximum(np.exp(rng.normal(4.6, 0.7, n_docs)), 20.0).astype(np.int64)
    own = {"topical": 0.05, "repeated": 0.2}.get(kind)
    tilt = rng.gamma(own, 1.0 / own, n_docs) if own else np.ones(n_docs)
    if kind == "bursty":
        bursts = rng.poisson(rate / 4.0 * lengths)
        often = bursts + rng.negative_binomial(np.maximum(bursts, 1), 0.25) * (bursts > 0)
    else:
        often = rng.poisson(rate * lengths * tilt)
    months, units = np.arange(n_docs) % MONTHS, np.arange(n_docs)
    if kind == "repeated":
        units = rng.integers(0, max(n_docs // 5, 1), n_docs)
        often, lengths = often[units], lengths[units]
    often = np.minimum(often, lengths)
    return Words(often.astype(float), lengths.astype(float), months, units, rate)


def as_a_share(w: Words) -> Both:
    """What the app did: like the share of a topic."""
    share = (w.often / w.lengths)[:, None]
    means = group_means(share, w.months, MONTHS, w.lengths, w.units)
    return column(replace(means, exact=True).interval())


def by_counts(w: Words) -> Both:
    """What the app does."""
    return column(word_means(w.often, w.lengths, w.months, MONTHS, w.units).interval())


def column(both: Both) -> Both:
    return both[0][:, 0], both[1][:, 0]


def by_delta(w: Words) -> Both:
    """The ratio of sums with its error by texts."""
    found = [_sums_of_texts(w, month) for month in range(MONTHS)]
    rate = np.array([y.sum() / n.sum() for y, n in found])
    around = [((y - p * n) ** 2).sum() for (y, n), p in zip(found, rate, strict=True)]
    error = np.sqrt(around) / np.array([n.sum() for _, n in found])
    z = normal_above((1.0 - LEVEL) / 2.0)
    return np.maximum(rate - z * error, 0.0), rate + z * error


def by_bootstrap(w: Words) -> Both:
    """Percentiles of texts drawn again."""
    rng, ends = np.random.default_rng(0), np.zeros((MONTHS, 2))
    for month in range(MONTHS):
        y, n = _sums_of_texts(w, month)
        drawn = rng.integers(0, len(y), (RESAMPLES, len(y)))
        ends[month] = np.quantile(y[drawn].sum(1) / n[drawn].sum(1), [0.025, 0.975])
    return ends[:, 0], ends[:, 1]


def by_bernstein(w: Words) -> Both:
    """Empirical Bernstein (Maurer & Pontil 2009), of texts that use it for at most a tenth."""
    low, high = [], []
    for month in range(MONTHS):
        y, n = _sums_of_texts(w, month)
        x, m, log = y / n.mean(), max(len(y), 2), np.log(4.0 / (1.0 - LEVEL))
        wide = np.sqrt(2.0 * x.var() * log / m) + 7.0 * 0.1 * log / (3.0 * (m - 1))
        low.append(max(x.mean() - wide, 0.0))
        high.append(x.mean() + wide)
    return np.array(low), np.array(high)


def _sums_of_texts(w: Words, month: int) -> Both:
    mine = w.months == month
    units = w.units[mine]
    y, n = np.bincount(units, w.often[mine]), np.bincount(units, w.lengths[mine])
    return np.asarray(y[n > 0], float), np.asarray(n[n > 0], float)


WORD_WAYS: Mapping[str, Callable[[Words], Both]] = {
    "as a share (before)": as_a_share,
    "by counts (now)": by_counts,
    "delta method": by_delta,
    "bootstrap": by_bootstrap,
    "Bernstein": by_bernstein,
}


def word_table(times: int) -> list[str]:
    """Coverage in percent and median width in true rates, by month."""
    lines = _head(["word", "texts a month", *WORD_WAYS])
    for kind in ("rare", "common", "bursty", "topical", "repeated"):
        for n_docs in (30, 300, 3000):
            rng = np.random.default_rng(n_docs)
            inside: dict[str, list[float]] = {way: [] for way in WORD_WAYS}
            wide: dict[str, list[float]] = {way: [] for way in WORD_WAYS}
            for _ in range(times if n_docs < 3000 else max(times // 3, 1)):
                drawn = words(kind, n_docs, rng)
                for way, interval in WORD_WAYS.items():
                    low, high = interval(drawn)
                    inside[way].append(float(np.mean((low <= drawn.rate) & (drawn.rate <= high))))
                    wide[way].append(float(np.median(high - low)) / drawn.rate)
            cells = [f"{100 * np.mean(inside[w]):.0f} ({np.mean(wide[w]):.2g})" for w in WORD_WAYS]
            lines.append(f"| {kind} | {n_docs // MONTHS} | {' | '.join(cells)} |")
    return lines


# ---- topics --------------------------------------------------------------------------------------

N_TOPICS, CHANGED = 60, slice(3, 9)


class World(NamedTuple):
    """Texts by side, with the true mean shares of each."""

    shares: F64
    lengths: F64
    groups: I64
    units: I64
    true: F64


def world(kind: str, sizes: tuple[int, ...], factor: float, rng: Rng) -> World:
    """Topics as unequal as by Zipf. `single`: every text has one topic; `sparse`: some; `mixed`:
    many; `repeated`: sparse ones, five copies on average; `unlike`: single on the first side, mixed
    on the other. In the last side six topics are multiplied by `factor`, and the first two make up
    for it."""
    usual = 1.0 / np.arange(1, N_TOPICS + 1)
    usual = usual / usual.sum()
    turned = usual.copy()
    turned[CHANGED] *= factor
    turned[:2] *= 1.0 - (turned.sum() - 1.0) / turned[:2].sum()
    true = np.array([usual] * (len(sizes) - 1) + [turned])
    parts = []
    for side, (n, mean) in enumerate(zip(sizes, true, strict=True)):
        own = "mixed" if kind == "unlike" and side else "single" if kind == "unlike" else kind
        parts.append(_documents(own, n, mean, rng))
    shares, groups = np.concatenate(parts), np.repeat(np.arange(len(sizes)), sizes)
    lengths, units = np.exp(rng.normal(4.6, 0.6, len(shares))), np.arange(len(shares))
    if kind == "repeated":
        copies = np.repeat(units, rng.geometric(0.2, len(units)))
        return World(shares[copies], lengths[copies], groups[copies], copies, true)
    return World(shares, lengths, groups, units, true)


def _documents(kind: str, n: int, mean: F64, rng: Rng) -> F64:
    if kind == "single":
        return np.eye(N_TOPICS)[rng.choice(N_TOPICS, n, p=mean)]
    drawn = rng.gamma(np.tile({"mixed": 8.0}.get(kind, 1.5) * mean, (n, 1))) + 1e-12
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def share_table(times: int) -> list[str]:
    """Of intervals that stand alone: coverage in percent, and median width in points."""
    lines = _head(["documents", "texts of a label", "exact (before)", "now", "width, exact", "now"])
    for kind in ("single", "sparse", "mixed", "repeated"):
        for n in (5, 30, 300, 3000):
            rng = np.random.default_rng(n)
            inside: list[list[float]] = [[], []]
            wide: list[list[float]] = [[], []]
            for _ in range(times if n < 3000 else max(times // 3, 1)):
                w = world(kind, (n, n), 1.0, rng)
                found = group_means(w.shares, w.groups, 2, w.lengths, w.units)
                for place, means in enumerate((replace(found, exact=True), found)):
                    low, high = means.interval()
                    inside[place].append(float(np.mean((low <= w.true) & (w.true <= high))))
                    wide[place].append(100.0 * float(np.median(high - low)))
            cells = [f"{100 * np.mean(part):.1f}" for part in inside]
            cells += [f"{np.mean(part):.2g}" for part in wide]
            lines.append(f"| {kind} | {n} | {' | '.join(cells)} |")
    return lines


# ---- what is sure --------------------------------------------------------------------------------


class Found(NamedTuple):
    """Which comparisons (steps, topics) are sure, and whether all intervals hold."""

    risen: F64
    hold: bool


def bonferroni(w: World) -> Found:
    return _at(w, 0)


def holm(w: World) -> Found:
    """Bonferroni's, and again for those that are left until no other becomes sure."""
    sure, found = -1, _at(w, 0)
    while int((found.risen != 0).sum()) > sure:
        sure = int((found.risen != 0).sum())
        found = _at(w, sure)
    return found


def _at(w: World, fewer: int) -> Found:
    n = len(w.true)
    means = group_means(w.shares, w.groups, n, w.lengths, w.units)
    ends = ends_of(means, np.arange(n - 1), np.arange(1, n))
    n_compared = (n - 1) * N_TOPICS - fewer
    return _found(w, *ends.interval((1.0 - LEVEL) / max(n_compared, 1)))


def _found(w: World, low: F64, high: F64) -> Found:
    change = np.diff(w.true, axis=0)
    return Found(
        (low > 0.0).astype(float) - (high < 0.0), bool(((low <= change) & (change <= high)).all())
    )


def resampled(w: World) -> Found:
    """What the app does."""
    n = len(w.true)
    if n == 2:
        found = changes(w.shares, w.groups == 0, w.groups == 1, w.lengths, units=w.units)
        return _found(w, found.low[None], found.high[None])
    days = np.datetime64("2020-01-01") + 31 * w.groups
    risen = np.zeros((n - 1, N_TOPICS))
    for turn in turns(w.shares, days, "month", range(N_TOPICS), w.lengths, 99, w.units):
        risen[int((turn.later - days.min()).astype(int) + 15) // 31 - 1, turn.column] = turn.sure
    return Found(risen, True)


SURE_WAYS: Mapping[str, Callable[[World], Found]] = {
    "Bonferroni": bonferroni,
    "Holm": holm,
    "resampled (now)": resampled,
}
SIDES = {
    "30 and 30": (30, 30),
    "30 and 1,000": (30, 1000),
    "300 and 300": (300, 300),
    "1,500 and 1,500": (1500, 1500),
    "10 months of 250": (250,) * 10,
}


def sure_table(times: int) -> list[str]:
    """In percent: corpora without a change that have a sure one, true changes that are sure, and
    corpora with changes in which all intervals hold."""
    lines = _head(["documents", "sides", *(f"{w}: false, found, hold" for w in SURE_WAYS)])
    every: dict[str, list[tuple[float, float, float]]] = {way: [] for way in SURE_WAYS}
    for kind in ("single", "sparse", "mixed", "repeated", "unlike"):
        for name, sizes in SIDES.items():
            if kind == "unlike" and len(sizes) > 2:
                continue
            rng = np.random.default_rng(len(name))
            runs = times if sum(sizes) < 2000 else max(times // 2, 1)
            cells: dict[str, list[tuple[float, float, float]]] = {way: [] for way in SURE_WAYS}
            for _ in range(runs):
                same, other = (world(kind, sizes, factor, rng) for factor in (1.0, 2.0))
                for way, find in SURE_WAYS.items():
                    nothing, something = find(same), find(other)
                    power = float((something.risen[-1, CHANGED] > 0).mean())
                    hold = float(something.hold)
                    cells[way].append((float((nothing.risen != 0).any()), power, hold))
            two = len(sizes) == 2
            lines.append(f"| {kind} | {name} | {' | '.join(_told(cells[w], two) for w in cells)} |")
            for way, found in cells.items():
                every[way] += found
    n = len(next(iter(every.values())))
    lines.append(f"| all | {n} corpora | {' | '.join(_told(every[way], False) for way in every)} |")
    return lines


def _told(found: list[tuple[float, float, float]], hold: bool) -> str:
    means = [f"{100 * mean:.1f}" for mean in np.mean(found, axis=0)]
    return ", ".join(means if hold else means[:2])


def _head(names: list[str]) -> list[str]:
    return [f"| {' | '.join(names)} |", "|---" * 2 + "|---:" * (len(names) - 2) + "|"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=60, help="corpora of each world")
    times = parser.parse_args().times
    for table in (word_table, share_table, sure_table):
        print(*table(times), sep="\n", end="\n\n", flush=True)


if __name__ == "__main__":
    main()
