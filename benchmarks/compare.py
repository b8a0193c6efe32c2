"""Our methods beside other programs: `python -m benchmarks.compare`, from the project's folder.

One process a run, one thread each, the contestants in turn; all topics are scored by one scorer on
the same held-out documents. Prints medians (and extremes) of several runs with different seeds.
"""

import argparse
import csv
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from scipy import sparse

from bnpexplorer import Corpus, load
from bnpexplorer.corpus.documents.passages import divide
from bnpexplorer.corpus.text import make_corpus
from bnpexplorer.evaluate import PROTOCOLS, Heldout, Remembered, score, split_heldout, unigram_score
from bnpexplorer.models import MODELS
from bnpexplorer.samples import addresses, load_sample

from .measure import read_topics, write_corpus
from .peers import GROUPS, Group, Settings

ROOT = Path(__file__).resolve().parents[1]
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM")
}
INSTALL = "python -m pip install -r benchmarks/requirements-peers.txt"


@dataclass(frozen=True)
class Measured:
    """One run of one contestant."""

    group: str
    contestant: str
    seed: int
    start: float
    """Processor seconds before the first mini-batch."""
    memory: float
    """Peak MB of the process, and how much of it was there before learning."""
    memory_before: float
    points: tuple[dict[str, float], ...]
    """documents, seconds (of the processor), wall, heldout."""
    load: float = float("nan")
    """Of the machine when it ended: how many programs wanted to compute."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What the program ran with."""

    @property
    def rate(self) -> float:
        """Documents learned per processor second."""
        return self.points[-1]["documents"] / (self.points[-1]["seconds"] - self.start)

    @property
    def rate_with_start(self) -> float:
        """The same, with the time for making the start."""
        return self.points[-1]["documents"] / self.points[-1]["seconds"]


def measure(folder: Path, group: str, contestant: str, seed: int) -> dict[str, Any]:
    """Run `measure.py` in a process of its own. Raises RuntimeError with its last line."""
    command = [sys.executable, "-m", "benchmarks.measure", str(folder), group, contestant]
    done = subprocess.run(
        [*command, str(seed)],
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD},
        text=True,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"{contestant} failed: {last}")
    facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return facts


def scored(folder: Path, facts: dict[str, Any], model: str, heldout: Heldout) -> Any:
    """The points of one run, with the score of the topics that it left at each."""
    remembered, read = Remembered(), cache(lambda name: read_topics(folder / name))
    for point in facts["points"]:
        topics, *states = map(read, point.pop("states"))
        kept = tuple((1.0, state) for state in states)
        value = score(MODELS[model](), topics, heldout, kept=kept, remembered=remembered)
        yield {**point, "heldout": value}


def compare(
    corpus: Corpus,
    groups: dict[str, Group],
    runs: int,
    n_heldout: int | None = None,
    only: Sequence[str] = (),
    say: Any = print,
) -> list[Measured]:
    """All runs of all installed contestants, interleaved: A B C, A B C, ..."""
    train, heldout = split_heldout(corpus, seed=0, n=n_heldout)
    lengths = train.n_tokens / train.n_docs
    say(
        f"corpus: {corpus.name}, {train.n_docs:,} documents to learn of {lengths:.0f} tokens on "
        f"average, {heldout.whole.n_docs:,} held out, {corpus.n_words:,} words"
    )
    say(f"score: {PROTOCOLS[heldout.protocol].sentence}")
    say(f"  word frequencies alone: {unigram_score(train, heldout):.4f}")
    found: list[Measured] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_corpus(folder / "train.npz", train)
        settings = {key: asdict(group.settings) for key, group in groups.items()}
        (folder / "task.json").write_text(json.dumps({"settings": settings}))
        present = [
            (key, c)
            for key, group in groups.items()
            for c in group.contestants
            if c.installed and (not only or c.name in only)
        ]
        for missing in sorted(
            {c.name for g in groups.values() for c in g.contestants if not c.installed}
        ):
            say(f"not installed: {missing}; install with: {INSTALL}")
        for seed in range(runs):
            for key, c in present:
                facts = measure(folder, key, c.name, seed)
                points = tuple(scored(folder, facts, groups[key].settings.model, heldout))
                last = points[-1]
                run = Measured(
                    key,
                    c.name,
                    seed,
                    last["start"],
                    last["memory"],
                    facts["before"],
                    points,
                    facts["load"],
                    facts["settings"],
                )
                found.append(run)
                say(
                    f"run {seed + 1} of {runs}: {c.name}: ready after {facts['ready']:.1f} s, "
                    f"{last['seconds']:.2f} s on the processor, {last['wall']:.2f} s on the wall, "
                    f"{run.rate:,.0f} documents/s, score {last['heldout']:.4f}"
                )
    return found


# ---- what is printed ---------------------------------------------------------------------------


def spread(values: Sequence[float], digits: int) -> str:
    """The median, and the extremes where there are several runs."""
    middle = f"{median(values):,.{digits}f}"
    if len(values) < 2:
        return middle
    return f"{middle} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def table(runs: Sequence[Measured]) -> list[str]:
    """The lines of one group's table, as Markdown."""
    lines = [
        "| program | documents | held-out score | seconds | of them start | documents/s "
        "| peak MB (learning) |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in dict.fromkeys(run.contestant for run in runs):
        own = [run for run in runs if run.contestant == name]
        last = [run.points[-1] for run in own]
        peak, growth = (
            median([run.memory for run in own]),
            median([run.memory - run.memory_before for run in own]),
        )
        cells = [
            name,
            f"{last[0]['documents']:,.0f}",
            spread([p["heldout"] for p in last], 3),
            spread([p["seconds"] for p in last], 2),
            f"{median([run.start for run in own]):.2f}",
            spread([run.rate for run in own], 0),
            f"{peak:,.0f} ({growth:,.0f})",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def ratios(group: Group, runs: Sequence[Measured]) -> list[str]:
    """How many times as many documents per second, run by run, and how much better the score."""
    lines = []
    for ours, theirs in group.ratios:
        pairs = [
            (a, b)
            for a in runs
            for b in runs
            if (a.contestant, b.contestant) == (ours, theirs) and a.seed == b.seed
        ]
        if pairs:
            times = spread([a.rate / b.rate for a, b in pairs], 1)
            whole = spread([a.rate_with_start / b.rate_with_start for a, b in pairs], 1)
            better = spread(
                [a.points[-1]["heldout"] - b.points[-1]["heldout"] for a, b in pairs], 3
            )
            lines.append(
                f"- {ours} / {theirs}: documents/s x {times}, with the start x {whole}; "
                f"score {better} higher"
            )
    return lines


def curves(runs: Sequence[Measured]) -> list[str]:
    """Held-out score against processor seconds: medians at every checkpoint."""
    lines = []
    for name in dict.fromkeys(run.contestant for run in runs):
        steps = zip(*(run.points for run in runs if run.contestant == name), strict=True)
        pairs = []
        for step in steps:
            seconds, heldout = (median([p[key] for p in step]) for key in ("seconds", "heldout"))
            pairs.append(f"{seconds:.2f} s {heldout:.3f}")
        lines.append(f"- {name}: {'; '.join(pairs)}")
    return lines


def write_csv(path: Path, runs: Sequence[Measured]) -> None:
    """One row for each checkpoint of each run."""
    columns = ["documents", "seconds", "wall", "heldout"]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["group", "program", "seed", *columns])
        for run in runs:
            for point in run.points:
                writer.writerow(
                    [run.group, run.contestant, run.seed, *(point[column] for column in columns)]
                )


def machine() -> str:
    """The machine and the programs in words."""
    found = [f"{os.cpu_count()} cores", platform.system(), f"Python {platform.python_version()}"]
    for package in ("numpy", "numba", "scikit-learn", "gensim", "tomotopy"):
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    if hasattr(os, "getloadavg"):
        found.append("load {:.1f} {:.1f} {:.1f}".format(*os.getloadavg()))
    return ", ".join(found)


PASSAGES, FOUR_TIMES = "sotu:passages", "sotu:passages-four-times"
PASSAGE_WORDS = "200"
"""Of whole addresses, in the place of their paragraphs, which have some 90."""


def chosen_corpus(path: str, vocab: str | None) -> Corpus:
    """A sample, the State of the Union in passages of 200 words, these as if there were four times
    as many, or a file."""
    if path in (PASSAGES, FOUR_TIMES):
        passages = make_corpus(divide(addresses(), PASSAGE_WORDS))[0]
        name = f"State of the Union in passages of {PASSAGE_WORDS} words"
        if path == PASSAGES:
            return replace(passages, name=name)
        rows = sparse.vstack([passages.to_csr()] * 4).tocsr()
        return Corpus.from_csr(rows, passages.vocab, name=f"{name}, four times over")
    if path.startswith("sample:"):
        return load_sample(path.removeprefix("sample:")).corpus
    return load(path, vocab=vocab)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument(
        "--corpus", default="sample:sotu", help="a corpus file or folder, or sample:NAME"
    )
    parser.add_argument("--vocab", help="the vocabulary of a counts file")
    parser.add_argument("--groups", nargs="+", choices=list(GROUPS), default=list(GROUPS))
    parser.add_argument("--only", nargs="+", default=[], metavar="PROGRAM", help="only these")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--heldout", type=int, metavar="N", help="documents kept for the score")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="all scores against time")
    for name, about in (
        ("topics", "topics of LDA, truncation of the HDP"),
        ("passes", "passes through the corpus"),
        ("sweeps", "sweeps of Gibbs samplers"),
        ("batch-size", "documents per mini-batch"),
    ):
        parser.add_argument(f"--{name}", type=int, metavar="N", help=about)
    options = parser.parse_args(arguments)
    changed = {
        "n_topics": options.topics,
        "passes": options.passes,
        "sweeps": options.sweeps,
        "batch_size": options.batch_size,
    }
    changed = {name: value for name, value in changed.items() if value is not None}
    groups = {
        key: replace(GROUPS[key], settings=Settings(**{**asdict(GROUPS[key].settings), **changed}))
        for key in options.groups
    }
    try:
        print(machine())
        corpus = chosen_corpus(options.corpus, options.vocab)
        runs = compare(corpus, groups, options.runs, options.heldout, options.only)
    except (ValueError, RuntimeError) as problem:
        print(f"compare: {problem}", file=sys.stderr)
        return 2
    for key, group in groups.items():
        own = [run for run in runs if run.group == key]
        print(f"\n{group.title}: {group.settings}\n")
        print("\n".join([*table(own), "", *ratios(group, own), "", "score after", *curves(own)]))
    if options.csv:
        write_csv(options.csv, runs)
    print(f"\n{machine()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
