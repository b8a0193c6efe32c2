"""What the parallel sampler's settings are worth: `python -m benchmarks.parallel_gibbs FILE ...`.

Every variant below learns every corpus for the same processor seconds with one thread, and is
scored by document completion, averaged over its kept states, after a quarter, a half and all of
them. Two threads learn for `TWO` times the processor seconds that pass by the clock: the parallel
sampler is scored after so many, too, and where `hdp-gibbs` finishes it, two threads had the first
half of the time and one thread the second. `FILE`: as the app reads it, or `sample:NAME`;
`--documents` takes so many of each, evenly. Adds lines to `--out` and prints its tables in
Markdown; without files it prints them alone.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

from bnpexplorer.corpus import Batch, Corpus
from bnpexplorer.evaluate import Heldout, score, split_heldout
from bnpexplorer.inference.start import GivenTopics
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.runs.beginning import tokens_of

from .compare import chosen_corpus, machine
from .defaults import some

KEPT = Path(__file__).with_name("parallel-gibbs.jsonl")
COLLAPSED, PARALLEL = "hdp-gibbs", "hdp-parallel-gibbs"
TWO = 1.8
"""Processor seconds of two threads in one by the clock: two that gain 1.8 times."""
SECONDS, LEAST = 20e-6, 4.0
"""Of learning: for every token, and at least in all."""
CLOSE = 0.005
"""Scores that differ by less are as good as equal: two seeds of messages differ by more."""
ALONE, TWICE, FINISHED = COLLAPSED, f"{PARALLEL}, two threads", f"{COLLAPSED} finishes it"


COUNTS = {"draw": "poisson"}
"""All programs but one take Poisson counts, as the texts measured here are so many that `auto` does
or nearly does; `benchmarks.drawn_topics` tells where they may stand for exact draws."""


class Variant(NamedTuple):
    """One setting that differs from the default preset with `COUNTS`."""

    knob: str
    value: Any

    @property
    def name(self) -> str:
        return f"{self.knob} {self.value}"


VARIANTS = (
    Variant("draw", "exact"),
    Variant("start_passes", 5),
    Variant("start_passes", 40),
    Variant("burn_in", 5),
    Variant("burn_in", 40),
)
DEFAULT = "Poisson counts"


class Chain:
    """A sampler that goes on, and the processor seconds that it took."""

    def __init__(
        self, corpus: Corpus, name: str, seed: int, start: GivenTopics | None = None, **knobs: Any
    ) -> None:
        self.method = make_method(name, "default", knobs)
        self.rng, self.seconds, self.passes = np.random.default_rng((seed, 1)), 0.0, 0
        began = time.process_time()
        if start is None:
            self.state = self.method.init(corpus, self.rng)
        else:
            self.state = self.method.begin(corpus, start, self.rng)
        self.seconds += time.process_time() - began
        self.batches = list(blocks(corpus, METHODS[name].presets["default"].batch_size, seed))

    def learn_until(self, seconds: float) -> None:
        """Whole passes, until it took so many processor seconds."""
        while self.seconds < seconds:
            began = time.process_time()
            for batch in self.batches:
                self.state, _ = self.method.step(self.state, batch, self.rng, None)
            self.seconds += time.process_time() - began
            self.passes += 1

    def topics(self) -> GivenTopics:
        return GivenTopics(tokens_of(self.method.topics(self.state)))

    def scored(self, heldout: Heldout) -> dict[str, Any]:
        topics = self.method.topics(self.state)
        value = score(self.method.model, topics, heldout, kept=self.method.kept(self.state))
        return {
            "score": round(value, 4),
            "topics": int(topics.in_use.sum()),
            "passes": self.passes,
            "seconds": round(self.seconds, 2),
        }


def blocks(corpus: Corpus, size: int, seed: int) -> Iterator[Batch]:
    """The same random partition for equal seeds."""
    rows, n = np.random.default_rng((seed, 0)).permutation(corpus.n_docs), corpus.n_docs
    for index, first in enumerate(range(0, n, size)):
        chosen = rows[first : first + size]
        yield Batch(corpus.take(chosen), chosen, index, -(-n // size), corpus)


def rehearse(corpus: Corpus) -> None:
    """Let everything be compiled, on a few of the documents."""
    few = corpus.take(np.arange(min(30, corpus.n_docs)))
    for name, knobs in ((COLLAPSED, {}), (PARALLEL, COUNTS), (PARALLEL, {"draw": "exact"})):
        chain = Chain(few, name, 0, start_passes=1, **knobs)
        for _ in range(3):
            chain.learn_until(chain.seconds + 1e-9)
        last = Chain(few, name, 0, chain.topics())
        last.learn_until(last.seconds + 1e-9)  # a pass: its kernels are not those of `begin` alone


def measured(corpus: Corpus, seed: int, seconds: float) -> Iterator[dict[str, Any]]:
    """A line for every program and every share of the seconds."""
    train, heldout = split_heldout(corpus, seed=seed, n=max(corpus.n_docs // 10, 1))
    rehearse(train)
    facts = {"corpus": corpus.name, "documents": corpus.n_docs, "tokens": corpus.n_tokens}
    runs: list[tuple[str, str, dict[str, Any], tuple[float, ...]]] = [
        (ALONE, COLLAPSED, {}, (0.25, 0.5, 1.0)),
        (DEFAULT, PARALLEL, COUNTS, (0.25, 0.5, 1.0, TWO)),
        *((v.name, PARALLEL, COUNTS | {v.knob: v.value}, (0.25, 0.5, 1.0)) for v in VARIANTS),
    ]
    for name, method, knobs, shares in runs:
        chain = Chain(train, method, seed, **knobs)
        for share in shares:
            chain.learn_until(share * seconds)
            yield facts | {"program": name, "seed": seed, "share": share} | chain.scored(heldout)
    first = Chain(train, PARALLEL, seed, **COUNTS)
    first.learn_until(0.5 * TWO * seconds)
    last = Chain(train, COLLAPSED, seed, first.topics())
    last.learn_until(0.5 * seconds)
    yield facts | {"program": FINISHED, "seed": seed, "share": 1.0} | last.scored(heldout)


def by_program(lines: Sequence[dict[str, Any]]) -> dict[tuple[str, str, float], float]:
    """(corpus, program, share) -> mean score over seeds."""
    found: dict[tuple[str, str, float], list[float]] = {}
    for line in lines:
        key = line["corpus"], line["program"], float(line["share"])
        found.setdefault(key, []).append(line["score"])
    return {key: mean(values) for key, values in found.items()}


def gains(lines: Sequence[dict[str, Any]], share: float = 1.0) -> dict[str, dict[str, float]]:
    """Variant -> corpus -> how much better than Poisson counts, after `share` of the seconds."""
    scores = by_program(lines)
    corpora = list(dict.fromkeys(line["corpus"] for line in lines))
    return {
        v.name: {c: scores[c, v.name, share] - scores[c, DEFAULT, share] for c in corpora}
        for v in VARIANTS
    }


def better_settings(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Variants that beat the default by more than `CLOSE` on average over the corpora, and on more
    corpora than they lose: what should be the default instead, as far as so few seeds can tell."""
    found = []
    for name, by_corpus in gains(lines).items():
        won = sum(gain > CLOSE for gain in by_corpus.values())
        lost = sum(gain < -CLOSE for gain in by_corpus.values())
        if mean(by_corpus.values()) > CLOSE and won > lost:
            found.append(name)
    return found


def in_time(lines: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Corpus -> program -> score after equal seconds by the clock: two threads and one, and where
    one thread finishes what two began."""
    scores = by_program(lines)
    return {
        corpus: {
            ALONE: scores[corpus, ALONE, 1.0],
            TWICE: scores[corpus, DEFAULT, TWO],
            FINISHED: scores[corpus, FINISHED, 1.0],
        }
        for corpus in dict.fromkeys(line["corpus"] for line in lines)
    }


def tables(lines: Sequence[dict[str, Any]]) -> str:
    """Both tables in Markdown, and what follows."""
    scores, corpora = by_program(lines), list(dict.fromkeys(line["corpus"] for line in lines))
    rows = [["score after a quarter, a half and all", *corpora], ["---", *["---"] * len(corpora)]]
    for program in (ALONE, DEFAULT, *(v.name for v in VARIANTS)):
        cells = (
            ", ".join(f"{scores[c, program, share]:.3f}" for share in (0.25, 0.5, 1.0))
            for c in corpora
        )
        rows.append([program, *cells])
    clock = in_time(lines)
    names = [ALONE, TWICE, FINISHED]
    other = [["score after equal seconds by the clock", *names], ["---", *["---:"] * len(names)]]
    other += [[c, *(f"{clock[c][name]:.3f}" for name in names)] for c in corpora]
    parts = ["\n".join(f"| {' | '.join(row)} |" for row in table) for table in (rows, other)]
    better = better_settings(lines)
    verdict = f"Better than the defaults: {', '.join(better) if better else 'none'}."
    return "\n\n".join([*parts, verdict])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.parallel_gibbs", description=__doc__
    )
    parser.add_argument("files", nargs="*")
    parser.add_argument("--vocab", help="the vocabulary of a counts file")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--seconds", type=float, help="of every run [20 for a million tokens, 4]")
    parser.add_argument("--out", type=Path, default=KEPT)
    options = parser.parse_args(arguments)
    for file in options.files:
        try:
            corpus = some(chosen_corpus(file, options.vocab), options.documents)
        except ValueError as problem:
            print(f"parallel_gibbs: {problem}", file=sys.stderr)
            return 2
        seconds = options.seconds or max(SECONDS * corpus.n_tokens, LEAST)
        for seed in options.seeds:
            for line in measured(corpus, seed, seconds):
                with options.out.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(line) + "\n")
    text = options.out.read_text(encoding="utf-8") if options.out.exists() else ""
    if not text:
        print(f"parallel_gibbs: nothing is kept in {options.out}; name a corpus.", file=sys.stderr)
        return 2
    print(tables([json.loads(line) for line in text.splitlines()]))
    print(f"\n{machine()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
