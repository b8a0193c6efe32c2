"""Changes of words, by simulation: `python -m benchmarks.changed_words [--worlds N]`.

The first table is about the parts of a word's change (`explore/mix.py`), where the mix of three
sources moves, the word does, or both. It counts how often all three intervals hold the truth, and
which part a sentence names as the larger one. The second table compares whole vocabularies between
two sides (`explore/changed_words.py`). It counts corpora with a false change, and how many of the
words that doubled are found.
"""

import argparse
from dataclasses import dataclass

import numpy as np

from benchmarks.mixes import EVEN, OTHER, truth
from bnpexplorer.core.arrays import F64, I64
from bnpexplorer.corpus import Corpus
from bnpexplorer.explore.changed_words import ChangedWords, changed_words
from bnpexplorer.explore.mix import Mix, decomposed

Rng = np.random.Generator


# ---- parts of a change ---------------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """Texts of three sources, and how often each source uses the word."""

    mix: tuple[tuple[float, ...], tuple[float, ...]]
    """The share of the texts of every source, before and after."""
    rate: tuple[tuple[float, ...], tuple[float, ...]]
    """The word's rate in every source, before and after."""
    n_texts: tuple[int, int] = (150, 150)
    kind: str = "single"
    """`single`: words are drawn one by one; `topical`: often in few texts; `bursty`: four times
    where it stands at all; `repeated`: five copies of each text."""
    length: float = 100.0
    """The median length; a logarithm of lengths has a standard deviation of 0.7."""
    compared: int = 1


LOW, HIGH = (2e-2, 2e-3, 8e-3), (3e-2, 3e-3, 1.2e-2)
RARE, MORE = (1e-3, 1e-4, 4e-4), (1.5e-3, 1.5e-4, 6e-4)
GONE = ((0.93, 0.05, 0.02), (0.02, 0.9, 0.08))
PARTS = {
    "nothing moves": World((EVEN, EVEN), (LOW, LOW)),
    "the mix alone": World((EVEN, OTHER), (LOW, LOW)),
    "the word alone": World((EVEN, EVEN), (LOW, HIGH)),
    "both, one way": World((OTHER, EVEN), (LOW, HIGH)),
    "both, against each other": World((EVEN, OTHER), (LOW, HIGH)),
    "a source goes, 93 % to 2 %": World(GONE, (LOW, LOW)),
    "the same, 1,000 words compared": World(GONE, (LOW, LOW), compared=1000),
    "the same, a rare word": World(GONE, (RARE, RARE)),
    "the same, a bursty word": World(GONE, (LOW, LOW), kind="bursty"),
    "the mix alone, a rare word": World((EVEN, OTHER), (RARE, RARE)),
    "both, a rare word, 1,500 texts a side": World((OTHER, EVEN), (RARE, MORE), (1500, 1500)),
    "both, a bursty word": World((OTHER, EVEN), (LOW, HIGH), kind="bursty"),
    "both, a topical word": World((OTHER, EVEN), (LOW, HIGH), kind="topical"),
    "both, a rare topical word": World((OTHER, EVEN), (RARE, MORE), kind="topical"),
    "both, five copies a text": World((OTHER, EVEN), (LOW, HIGH), kind="repeated"),
    "both, texts of 8 words": World((OTHER, EVEN), (LOW, HIGH), length=8.0),
    "the mix alone, 30 texts a side": World((EVEN, OTHER), (LOW, LOW), (30, 30)),
    "the word alone, 30 texts and 300": World((EVEN, EVEN), (LOW, HIGH), (30, 300)),
}


def often(kind: str, lengths: I64, rate: F64, rng: Rng) -> F64:
    """How often texts of these lengths and rates say the word."""
    if kind == "bursty":
        bursts = rng.poisson(rate / 4.0 * lengths)
        found = bursts + rng.negative_binomial(np.maximum(bursts, 1), 0.25) * (bursts > 0)
    else:
        tilt = rng.gamma(0.2, 5.0, len(lengths)) if kind == "topical" else 1.0
        found = rng.poisson(rate * lengths * tilt)
    return np.minimum(found, lengths).astype(np.float64)


def drawn(world: World, rng: Rng, by_counts: bool = True) -> tuple[Mix | None, F64]:
    """Draw the texts once; return the estimated parts, and the true mix, within and total."""
    side = np.repeat([0, 1], world.n_texts)
    p, x = np.array(world.mix), np.array(world.rate)
    label = np.concatenate([rng.choice(len(p[s]), n, p=p[s]) for s, n in enumerate(world.n_texts)])
    spread = np.exp(rng.normal(0.0, 0.7, len(side)))
    lengths = np.maximum(world.length * spread, 2.0).astype(np.int64)
    share = often(world.kind, lengths, x[side, label], rng) / lengths
    unit = np.repeat(np.arange(len(side)), 5 if world.kind == "repeated" else 1)
    found = decomposed(
        share[unit],
        label[unit],
        side[unit] == 0,
        side[unit] == 1,
        lengths[unit].astype(np.float64),
        unit if world.kind == "repeated" else None,
        world.compared,
        of_words=by_counts,
    )
    texts = np.zeros(p.shape, np.int64)
    np.add.at(texts, (side, label), 1)
    return found, truth(p, x, texts)


def parts_row(name: str, n_worlds: int, by_counts: bool = True) -> list[float]:
    """Return the numbers of the table for `n_worlds` drawings, in percent of them; the last is the
    mean width of the three intervals, in parts of the true rate before."""
    world, rng = PARTS[name], np.random.default_rng(0)
    counts = np.zeros(8)
    for _ in range(n_worlds):
        found, true = drawn(world, rng, by_counts)
        if found is None:
            continue
        held = (found.low <= true) & (true <= found.high)
        because = found.sure and found.moved
        wide = (found.high - found.low).mean() / np.dot(*np.array([world.mix[0], world.rate[0]]))
        counts += [
            held.all(), *held, found.moved, because and found.larger == "mix",
            because and found.larger == "within", wide / 100.0,
        ]  # fmt: skip
    return [100.0 * float(n) / n_worlds for n in counts]


# ---- which words changed -------------------------------------------------------------------------


@dataclass(frozen=True)
class Vocabulary:
    """Texts of two sides whose V words are as unequal as by Zipf."""

    n_texts: tuple[int, int] = (300, 300)
    kind: str = "bursty"
    """`single`: drawn one by one; `bursty`: by each text's own shares (Dirichlet); `topical`: by
    one of 20 subjects a text; `repeated`: bursty, with a geometric number of copies, five on
    average."""
    length: float = 100.0
    n_words: int = 1000
    longer: float = 1.0
    """So many times as long are the texts of the side after."""


WHOLE = {
    "words drawn one by one": Vocabulary(kind="single"),
    "bursty words": Vocabulary(),
    "bursty words, 30 texts a side": Vocabulary((30, 30)),
    "bursty words, 30 texts and 1,000": Vocabulary((30, 1000)),
    "bursty words, 1,500 texts a side": Vocabulary((1500, 1500)),
    "bursty words, the later texts ten times as long": Vocabulary(length=30.0, longer=10.0),
    "texts of 8 words": Vocabulary((1000, 1000), length=8.0),
    "a subject a text": Vocabulary(kind="topical"),
    "a subject a text, 30 texts and 300": Vocabulary((30, 300), kind="topical"),
    "copies of texts": Vocabulary(kind="repeated"),
    "copies of texts, 30 texts and 300": Vocabulary((30, 300), kind="repeated"),
}
DOUBLED = slice(20, 220, 10)
"""Words that doubled; the commonest and the rarest words do not."""


def corpus_of(world: Vocabulary, doubled: bool, rng: Rng) -> tuple[Corpus, F64]:
    """Return one drawing, and bool (D,): the texts after."""
    usual = 1.0 / np.arange(1, world.n_words + 1) ** 0.9
    later = usual.copy()
    later[DOUBLED] *= 2.0 if doubled else 1.0
    subjects = rng.gamma(0.3, 1.0, (20, world.n_words)) + 1e-9
    rows, after = [], []
    for side, n in enumerate(world.n_texts):
        base = (later if side else usual) / (later if side else usual).sum()
        longer = world.longer if side else 1.0
        lengths = np.maximum(world.length * longer * np.exp(rng.normal(0, 0.7, n)), 2.0)
        for length in lengths.astype(np.int64):
            own = base
            if world.kind == "topical":
                own = base * subjects[rng.integers(20)]
            elif world.kind != "single":
                own = rng.gamma(100.0 * base, 1.0) + 1e-12
            text = rng.multinomial(length, own / own.sum())
            copies = int(rng.geometric(0.2)) if world.kind == "repeated" else 1
            rows += [text] * copies
            after += [bool(side)] * copies
    return Corpus.from_csr(np.array(rows)), np.array(after)


def found_in(world: Vocabulary, doubled: bool, rng: Rng) -> ChangedWords:
    corpus, after = corpus_of(world, doubled, rng)
    return changed_words(corpus, ~after, after)


def whole_row(name: str, n_worlds: int) -> list[float]:
    """Return, in percent, corpora without a change that have a sure one, and of the words that
    doubled those that are sure; and the mean number of words that are compared."""
    world, rng = WHOLE[name], np.random.default_rng(0)
    if sum(world.n_texts) > 1000:
        n_worlds = max(n_worlds // 3, 1)
    wrong, right, compared = [], [], []
    for _ in range(n_worlds):
        nothing, something = (found_in(world, doubled, rng) for doubled in (False, True))
        wrong.append(bool(nothing.sure.any()))
        right.append(float((something.sure & (something.z > 0.0))[DOUBLED].mean()))
        compared.append(nothing.n_compared)
    return [100.0 * float(np.mean(wrong)), 100.0 * float(np.mean(right)), float(np.mean(compared))]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.changed_words")
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--as-shares", action="store_true", help="intervals as those of topics")
    given = parser.parse_args()
    print("| what moves | all three | mix | within | total | mix moves | by mix | within | width |")
    print("|---|" + "---:|" * 8)
    for name in PARTS:
        numbers = parts_row(name, given.worlds, not given.as_shares)
        print(f"| {name} | {' | '.join(f'{n:.1f}' for n in numbers)} |", flush=True)
    print("\n| texts | false | found | words compared |\n|---|---:|---:|---:|")
    for name in WHOLE:
        wrong, right, compared = whole_row(name, given.worlds)
        print(f"| {name} | {wrong:.1f} | {right:.1f} | {compared:.0f} |", flush=True)


if __name__ == "__main__":
    main()
