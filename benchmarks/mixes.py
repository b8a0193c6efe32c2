"""Coverage of the parts of a change, by simulation: `python -m benchmarks.mixes [--worlds N]`.

A topic's share of the texts of three sources, of which each sends some of the texts before and
after. Nothing moves, the mix of sources does, what they write does, or both; texts may be few,
repeated, cut into passages, nearly without the topic, or of very unequal lengths. Counted is how
often all three intervals hold the truth, how often a mix is said to move, and what is said to be
the larger part.
"""

import argparse
from dataclasses import dataclass

import numpy as np

from bnpexplorer.core.arrays import F64, I64
from bnpexplorer.explore.mix import FEW, ByLabel, Mix, decomposed


@dataclass(frozen=True)
class World:
    """What is drawn."""

    mix: tuple[tuple[float, ...], tuple[float, ...]]
    """The share of the texts of every source, before and after."""
    topic: tuple[tuple[float, ...], tuple[float, ...]]
    """The topic's mean share in the texts of every source, before and after."""
    n_texts: tuple[int, int] = (150, 150)
    spread: float = 8.0
    """Sum of both parameters of the Beta distribution of a text's share; small ones are peaky."""
    passages: int = 1
    """Of each text, all with its share."""
    lengths: float = 0.0
    """Standard deviation of the logarithm of lengths; 0: every text counts the same."""
    compared: int = 1
    """Comparisons that are to hold together."""


EVEN, OTHER = (0.4, 0.3, 0.3), (0.1, 0.5, 0.4)
LOW, HIGH = (0.5, 0.1, 0.3), (0.6, 0.2, 0.4)
WORLDS = {
    "nothing moves": World((EVEN, EVEN), (LOW, LOW)),
    "the mix alone": World((EVEN, OTHER), (LOW, LOW)),
    "the topic alone": World((EVEN, EVEN), (LOW, HIGH)),
    "both, one way": World((OTHER, EVEN), (LOW, HIGH)),
    "both, against each other": World((EVEN, OTHER), (LOW, HIGH)),
    "a source goes, 93 % to 2 %": World(((0.93, 0.05, 0.02), (0.02, 0.9, 0.08)), (LOW, LOW)),
    "the same, 65 comparisons": World(
        ((0.93, 0.05, 0.02), (0.02, 0.9, 0.08)), (LOW, LOW), compared=65
    ),
    "a source on one side": World(((0.5, 0.5, 0.0), (0.0, 0.5, 0.5)), (LOW, LOW)),
    "the mix alone, 30 texts a side": World((EVEN, OTHER), (LOW, LOW), (30, 30)),
    "the topic alone, 30 texts and 300": World((EVEN, EVEN), (LOW, HIGH), (30, 300)),
    "both, a topic in few texts": World(
        (OTHER, EVEN), ((0.05, 0.01, 0.03), (0.1, 0.02, 0.06)), spread=0.5
    ),
    "both, ten passages a text": World((OTHER, EVEN), (LOW, HIGH), (60, 60), passages=10),
    "both, unequal lengths": World((OTHER, EVEN), (LOW, HIGH), lengths=1.0),
}


def drawn(world: World, rng: np.random.Generator) -> tuple[Mix | None, F64]:
    """Return what is found in one drawing of the texts, and the true mix, within and total."""
    side = np.repeat([0, 1], world.n_texts)
    p, x = np.array(world.mix), np.array(world.topic)
    label = np.concatenate([rng.choice(len(p[s]), n, p=p[s]) for s, n in enumerate(world.n_texts)])
    mean = x[side, label]
    share = rng.beta(world.spread * mean, world.spread * (1.0 - mean))
    length = np.exp(world.lengths * rng.standard_normal(len(side)))
    unit = np.repeat(np.arange(len(side)), world.passages)
    found = decomposed(
        share[unit],
        label[unit],
        side[unit] == 0,
        side[unit] == 1,
        length[unit] if world.lengths else None,
        unit if world.passages > 1 else None,
        world.compared,
    )
    texts = np.zeros(p.shape, np.int64)
    np.add.at(texts, (side, label), 1)
    return found, truth(p, x, texts)


def truth(p: F64, x: F64, texts: I64) -> F64:
    """Return the true mix, within and total for `texts` int64 (2, L) of each side and source.

    As in what is found, sources with few texts count as one, and those with few on one side belong
    to the mix.
    """
    enough = texts.sum(axis=0) * texts.sum(axis=1).min() >= 2 * FEW * texts.sum()
    place = np.where(enough, np.arange(len(enough)), len(enough))
    shape = 2, len(enough) + 1
    weight, held, n = (np.zeros(shape) for _ in range(3))
    for value, of in ((weight, p), (held, p * x), (n, texts)):
        np.add.at(value, (slice(None), place), of)
    mean = held / np.maximum(weight, 1e-300)
    mix, within = ByLabel(weight, mean, (n >= FEW).all(axis=0)).parts()
    return np.array([mix, within, mix + within])


def row(name: str, world: World, n_worlds: int) -> str:
    """Return the line of the table for `n_worlds` drawings, in percent of them."""
    rng = np.random.default_rng(0)
    counts = np.zeros(7)
    for _ in range(n_worlds):
        found, true = drawn(world, rng)
        if found is None:
            continue
        held = (found.low <= true) & (true <= found.high)
        because = found.sure and found.moved
        counts += [
            held.all(), *held, found.moved, because and found.larger == "mix",
            because and found.larger == "within",
        ]  # fmt: skip
    return f"| {name} | " + " | ".join(f"{100.0 * n / n_worlds:.1f}" for n in counts) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mixes")
    parser.add_argument("--worlds", type=int, default=1000)
    n_worlds = parser.parse_args().worlds
    print("| what moves | all three | mix | within | total | mix moves | by mix | within labels |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, world in WORLDS.items():
        print(row(name, world, n_worlds), flush=True)


if __name__ == "__main__":
    main()
