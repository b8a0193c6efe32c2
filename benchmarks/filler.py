"""Is filler recognised, and nothing else? `python -m benchmarks.filler FILE ...`

Corpora are drawn from an HDP (gamma 3: the largest topic holds half of the words) or from LDA with
20 topics of one size; their texts also hold one planted filler topic, or none: 200 words by Zipf's
law, half of them in no other topic, as often in every text as chance has it. The recommended method
learns each. Of the topics that hold 2 % of the words, one counts as planted that lies nearer than
`likeness.CLOSE` to the planted one, and as real one that lies nearest to another; what lies between
them counts for neither. Told are how many planted ones are recognised, how many real ones are taken
for filler, also by the rule without `STEADY`, and of how many topics the three words of the name
are likeliest under that topic.

Of each FILE (as the app reads it, or `sample:NAME`; 900 documents of it) the topics that are
recognised are printed with their share of the words: whether they are filler says who reads them.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from bnpexplorer.core.arrays import Bools
from bnpexplorer.corpus import Corpus
from bnpexplorer.explore.likeness import CLOSE, jensen_shannon
from bnpexplorer.inference.pool import Threads
from bnpexplorer.models.hdp import HDP
from bnpexplorer.models.lda import LDA
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.recommend import recommend
from bnpexplorer.state.filler import EVEN, NEAR, PRESENT, sample, spread
from bnpexplorer.state.moment import Moment

from .compare import chosen_corpus
from .defaults import read_alone

N_DOCS, N_WORDS, OWN = 600, 800, 100
"""Texts, words of the HDP, and words of the planted topic alone."""
PASSES = 100
LARGE, SMALL = 0.1, 0.02
"""Of the words: what a large topic holds, and the least that counts."""
EVENLY, ETA = 20, 0.05
SHARES = (0.0, 0.1, 0.25, 0.4)
"""Of the words of all texts: what the planted topic holds."""


@dataclass(frozen=True)
class Found:
    """One topic that was learned from a drawn corpus."""

    planted: bool
    """Whether it is the planted topic."""
    share: float
    steady: bool
    """Whether it is taken for filler by the whole rule, ..."""
    without: bool
    """... and by the rule without `STEADY`."""
    named: bool
    """Whether its name leads to it."""


def drawn(
    kind: str, seed: int, alpha: float, length: float, share: float
) -> tuple[Corpus, np.ndarray]:
    """Return a corpus and the topics (K, V) that made it, the planted one first if there is any."""
    rng = np.random.default_rng(seed)
    model = HDP(3.0, alpha, ETA) if kind == "HDP" else LDA(EVENLY, alpha / EVENLY, ETA)
    made = model.sample(rng, N_DOCS, N_WORDS, length * (1 - share))
    own = np.zeros((N_DOCS, OWN), np.int64)
    counts = np.hstack([made.corpus.to_csr().toarray(), own])
    topics = np.hstack([made.topic_word, np.zeros((len(made.topic_word), OWN))])
    vocab = [f"w{w}" for w in range(N_WORDS + OWN)]
    if not share:
        return Corpus.from_csr(counts, vocab), topics
    places = [*rng.permutation(N_WORDS)[:OWN], *range(N_WORDS, N_WORDS + OWN)]
    words = np.zeros(N_WORDS + OWN)
    words[rng.permutation(places)] = 1 / np.arange(1, 2 * OWN + 1)
    words /= words.sum()
    counts += [rng.multinomial(n, words) for n in rng.poisson(length * share, N_DOCS)]
    return Corpus.from_csr(counts, vocab), np.vstack([words, topics])


def learned(corpus: Corpus, seed: int) -> Moment:
    """Learn a corpus by the plan that the app recommends."""
    plan: Plan = replace(recommend(corpus), seed=seed, passes=PASSES, until="passes")
    run = plan.split_and_start(corpus, pool=Threads(1))
    while not run.done:
        run.step()
    return run.moment()


def without_steady(moment: Moment) -> Bools:
    """Return which topics are filler by the other measures: bool (K,)."""
    read = sample(moment.model, moment.corpus, moment.topics)
    found = spread(moment.topics, read.proportions, read.lengths)
    near = found.divergence <= NEAR
    return np.asarray((found.even >= EVEN) & (found.present >= PRESENT) & near)


def names_lead(moment: Moment) -> dict[int, bool]:
    """Return of every topic in use whether the words of its name are likeliest under it."""
    logs = np.log(moment.topics.topic_word.astype(np.float64) + 1e-12)
    words = {topic: list(moment.own_words[topic]) for topic in moment.in_use}
    return {i: int(logs[:, w].sum(axis=1).argmax()) == moment.row[i] for i, w in words.items()}


def found_in(
    kind: str, seeds: Sequence[int], alpha: float, length: float, share: float
) -> Iterator[Found]:
    """Draw and learn a corpus for each seed; tell of its topics."""
    for seed in seeds:
        corpus, true = drawn(kind, seed, alpha, length, share)
        moment = learned(corpus, seed)
        without, lead = without_steady(moment), names_lead(moment)
        for topic in moment.in_use:
            row = moment.row[topic]
            both = np.vstack([moment.topics.topic_word[row], true]).astype(np.float32)
            apart = jensen_shannon(both)[0, 1:]
            planted = share > 0 and int(apart.argmin()) == 0
            if planted and apart[0] >= CLOSE:
                continue
            taken = topic in moment.filler
            yield Found(planted, moment.share(topic), taken, bool(without[row]), lead[topic])


def row_of(name: str, found: Sequence[Found]) -> str:
    """Return a row of the table."""

    def part(topics: Sequence[Found], rule: str = "steady") -> str:
        return f"{sum(getattr(one, rule) for one in topics)} of {len(topics)}"

    seen = [one for one in found if one.share >= SMALL]
    planted = [one for one in seen if one.planted]
    real = [one for one in seen if not one.planted]
    large = [one for one in real if one.share >= LARGE]
    cells = (part(planted), part(real), part(large), part(large, "without"), part(seen, "named"))
    return f"| {' | '.join([name, *cells])} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.filler", description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--seeds", type=int, default=4)
    options = parser.parse_args(arguments)
    heads = [
        "Texts drawn from", "planted filler recognised", "real topics taken for it",
        "of these large ones", "large ones without `STEADY`", "names that lead to their topic",
    ]  # fmt: skip
    print(f"| {' | '.join(heads)} |\n| --- |{' ---: |' * (len(heads) - 1)}")
    every: list[Found] = []
    for kind, alpha, length in product(("HDP", "LDA"), (0.5, 2.0, 5.0), (20, 100)):
        found: list[Found] = []
        for share in SHARES:
            found += found_in(kind, range(options.seeds), alpha, length, share)
        every += found
        print(row_of(f"{kind}, alpha {alpha:g}, {length} words", found), flush=True)
    print(row_of("**all**", every))
    for file in options.files:
        moment = learned(read_alone(chosen_corpus(file, None), 900), 0)
        topics = [i for i in moment.ordered() if i in moment.filler]
        said = [f"{moment.name(i)} ({moment.share(i):.0%})" for i in topics]
        print(f"\n{file}: {'; '.join(said) or 'no filler'}, of {len(moment.in_use)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
