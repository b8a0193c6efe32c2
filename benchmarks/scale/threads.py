"""One thread, two threads, and two processes of one thread: `python -m benchmarks.scale threads`.

Every run is a whole process of the command line (`python -m bnpexplorer fit --threads N`), which
says how many documents it learned in a second of the clock, without reading and scoring. The three
take turns, so that whatever else the machine does meets all of them. Two processes at once are what
two cores can do: they share memory and caches, but wait for nobody. State and held-out score after
two threads must have the bits of those after one.

The corpus is drawn: topics over Zipf's words, so many documents of so many tokens. The table goes
into `benchmarks/scale.md`, between the marks of this part.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import numpy as np
from scipy import sparse

from bnpexplorer import Run

from ..compare import ONE_THREAD, machine
from ..fingerprints import fingerprint

PAGE = Path(__file__).resolve().parents[1] / "scale.md"
INDEPENDENT = (
    "lda-batch",
    "lda-svi",
    "hdp-batch",
    "hdp-svi",
    "hdp-memoized",
    "hdp-splitmerge",
    "dpm-batch",
    "dpm-svi",
)
"""Methods whose documents are independent given the topics."""
GOAL = 0.9
"""Of what two processes learn together: what two threads should reach at 2,048."""


@dataclass(frozen=True)
class Task:
    """What is learned: the same by all three."""

    method: str
    batch_size: int
    passes: int
    heldout: int
    corpus: Path
    vocab: Path

    def command(self, n_threads: int, out: Path) -> list[str]:
        of = [str(self.corpus), "--vocab", str(self.vocab), "--heldout", str(self.heldout)]
        how = ["--method", self.method, "--batch-size", str(self.batch_size)]
        how += ["--passes", str(self.passes), "--threads", str(n_threads), "--seed", "1"]
        fit = [sys.executable, "-m", "bnpexplorer", "fit"]
        return [*fit, *of, *how, "--json", "--force", "--out", str(out)]


@dataclass(frozen=True)
class Learned:
    """What one process says it did."""

    rate: float
    """Documents a second of the clock."""
    score: float
    """Log likelihood per held-out word."""
    bits: str
    """A fingerprint of the state at the end."""


@dataclass(frozen=True)
class Turn:
    """One thread, two threads and two processes, one after the other."""

    one: Learned
    two: Learned
    processes: float
    """Documents a second of both together."""


def write_corpus(folder: Path, n_docs: int, length: int, n_words: int) -> tuple[Path, Path]:
    """A corpus of 50 topics over Zipf's words, as UCI's counts: its file and its vocabulary's."""
    rng = np.random.default_rng(0)
    zipf = 1.0 / np.arange(1, n_words + 1)
    cumulative = np.cumsum(zipf * rng.gamma(0.3, size=(50, n_words)), axis=1)
    cumulative /= cumulative[:, -1:]
    topic_of = np.concatenate(
        [rng.choice(50, length, p=mix) for mix in rng.dirichlet(np.full(50, 0.1), n_docs)]
    )
    chance, word = rng.random(len(topic_of)), np.empty(len(topic_of), np.int64)
    for k, row in enumerate(cumulative):
        own = topic_of == k
        word[own] = np.minimum(np.searchsorted(row, chance[own]), n_words - 1)
    ones, doc = np.ones(len(word), np.int64), np.repeat(np.arange(n_docs), length)
    counts = sparse.coo_matrix((ones, (doc, word)), shape=(n_docs, n_words)).tocsr().tocoo()
    lines = np.column_stack((counts.row + 1, counts.col + 1, counts.data))
    corpus, vocab = folder / "docword.scale.txt", folder / "vocab.scale.txt"
    head = f"{n_docs}\n{n_words}\n{counts.nnz}"
    np.savetxt(corpus, lines, fmt="%d", header=head, comments="")
    vocab.write_text("".join(f"word{w}\n" for w in range(n_words)), encoding="utf-8")
    return corpus, vocab


def learn(task: Task, n_threads: int, n_processes: int, folder: Path) -> list[Learned]:
    """So many processes at once; raises RuntimeError with what one of them said if it failed."""
    outs = [folder / f"{i}.run" for i in range(n_processes)]
    running = [
        subprocess.Popen(
            task.command(n_threads, out),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | ONE_THREAD,  # of every library: only `--threads` counts
        )
        for out in outs
    ]
    found = []
    for process, out in zip(running, outs, strict=True):
        said, wrong = process.communicate()
        if process.returncode:
            raise RuntimeError(f"{' '.join(task.command(n_threads, out))}\n{wrong}")
        facts = json.loads(said)
        bits = fingerprint(Run.load(out).state)
        found.append(Learned(facts["documents_per_second"], facts["heldout"], bits))
    return found


def turn(task: Task, folder: Path) -> Turn:
    """Raises AssertionError where two threads learned other numbers than one."""
    (one,), (two,) = learn(task, 1, 1, folder), learn(task, 2, 1, folder)
    both = learn(task, 1, 2, folder)
    if len({(x.bits, x.score) for x in (one, two, *both)}) > 1:
        raise AssertionError(f"{task.method}: two threads learned other numbers than one")
    return Turn(one, two, sum(x.rate for x in both))


def row(task: Task, turns: Sequence[Turn]) -> str:
    """A row of the table: medians, with the extremes of the ratios where there are several."""
    rates = zip(*((t.one.rate, t.two.rate, t.processes) for t in turns), strict=True)
    cells = [f"`{task.method}`", f"{task.batch_size:,}", *(f"{median(r):,.0f}" for r in rates)]
    cells += [_spread([t.two.rate / t.one.rate for t in turns])]
    cells += [_spread([t.two.rate / t.processes for t in turns])]
    cells += [f"{turns[0].one.score:.4f}"]
    return "| " + " | ".join(cells) + " |"


def _spread(values: Sequence[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


HEAD = """\
| method | mini-batch | one thread | two threads | two processes | two threads / one \
| two threads / two processes | held-out score |
|---|---:|---:|---:|---:|---:|---:|---:|"""


def section(options: argparse.Namespace, began: str, rows: Sequence[str]) -> str:
    """What goes into the page."""
    return f"""\
## All cores of one machine

`python -m benchmarks.scale threads`: documents a second of the clock, of whole processes of the
command line in turn, medians of {options.runs} (extremes in brackets); the goal is {GOAL} of two
processes at mini-batches of 2,048. {options.documents:,} documents of {options.length} tokens,
{options.words:,} words, {options.passes} passes, every knob at its default. State and held-out
score have equal bits in each row's runs. {datetime.now(UTC):%Y-%m-%d}; {began} before,
{machine().rpartition(", ")[2]} after.

{HEAD}
{chr(10).join(rows)}
"""


def put(page: Path, name: str, text: str) -> None:
    """`text` between the marks of `name` on `page`, at its end if it has none yet."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    old = page.read_text(encoding="utf-8") if page.exists() else "# How far it goes\n\n"
    if begin in old:
        before, _, rest = old.partition(begin)
        after = rest.partition(end)[2]
    else:
        before, after = old, ""
    page.write_text(f"{before}{begin}{text}{end}{after}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 1 where the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale threads", description=__doc__)
    parser.add_argument("--methods", nargs="+", default=list(INDEPENDENT), metavar="NAME")
    parser.add_argument("--batches", nargs="+", type=int, default=[256, 2048], metavar="DOCUMENTS")
    parser.add_argument("--documents", type=int, default=40_000)
    parser.add_argument("--length", type=int, default=100, help="tokens of a document")
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--page", type=Path, default=PAGE, help="where the table goes")
    options = parser.parse_args(arguments)
    began, rows, missed = machine(), [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_corpus(folder, options.documents, options.length, options.words)
        print(HEAD, flush=True)
        for method in options.methods:
            for size in options.batches:
                task = Task(method, size, options.passes, min(500, options.documents // 5), *files)
                turns = [turn(task, folder) for _ in range(options.runs)]
                rows.append(row(task, turns))
                print(rows[-1], flush=True)
                if size >= 2048 and median(t.two.rate / t.processes for t in turns) < GOAL:
                    missed.append(f"{method} at {size:,}")
    put(options.page, "threads", section(options, began, rows))
    print(f"below {GOAL} of two processes: {', '.join(missed)}" if missed else "all reach the goal")
    return 1 if missed else 0
