"""Steps on the workers of a cluster beside threads: `python -m benchmarks.scale.cluster`.

Two processes against two threads of one machine, step by step in turn, as a cluster is run (a
scheduler and two workers at a port of this machine) and as `local:2`, which encrypts; what a step
sends, also where workers read the corpus themselves and where batches come again; what its parts
take; and from these numbers what more machines would do. Writes its section of `scale.md`.
"""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from scipy import sparse

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.corpus.stored.writer import ShardWriter
from bnpexplorer.inference.pool import Pieces, RemotePool, Threads
from bnpexplorer.inference.slices import MOST
from bnpexplorer.plugins.cluster import ClusterPool, connect
from bnpexplorer.plugins.cluster.message import Message
from bnpexplorer.plugins.cluster.parts import compute
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run

from .threads import PAGE, put

BATCH, LENGTH, WORDS, TOPICS = 4096, 100, 8000, 100
METHOD, VALUES = "lda-svi", {"n_topics": TOPICS, "start": "random"}
TITLE = "## More than one machine"
BANDWIDTH = 1.25e9 * 0.8
"""Bytes a second of a network of 10 Gb/s, of which a fifth is lost."""
DELAY = 0.01
"""Seconds for the messages of a step, measured with steps of three slices of nothing."""
HERE = 16
"""Threads of the machine that runs the steps."""


def drawn(n_docs: int) -> Corpus:
    """Documents of 100 tokens over 8,000 words of a Zipf's law, from 50 topics."""
    rng = np.random.default_rng(1)
    law = 1 / (np.arange(WORDS) + 10.0)
    topics = np.array([rng.dirichlet(300 * law / law.sum()) for _ in range(50)]).cumsum(1)
    share = rng.dirichlet(np.full(50, 0.1), n_docs).cumsum(1)
    rows = np.repeat(np.arange(n_docs), LENGTH)
    topic = (rng.random((len(rows), 1)) > share[rows]).sum(1).clip(0, 49)
    word = np.empty(len(rows), int)
    for k in range(50):
        mine = topic == k
        word[mine] = np.searchsorted(topics[k], rng.random(mine.sum())).clip(0, WORDS - 1)
    counts = sparse.csr_matrix((np.ones(len(rows), int), (rows, word)), (n_docs, WORDS))
    counts.sum_duplicates()
    return Corpus.from_csr(counts)


def processor_seconds() -> float:
    """Of this process and all that it has begun."""
    one = psutil.Process()
    times = [p.cpu_times() for p in [one, *one.children(recursive=True)]]
    return sum(t.user + t.system for t in times)


@dataclass
class Found:
    """Medians, seconds and bytes a step."""

    wall: float
    """A step by two processes over one by two threads."""
    processor: float
    """The same of processor time."""
    sent: float
    received: float
    parts: dict[str, float]
    """Of one thread."""


class Spy(Threads, RemotePool):
    """Notes what a step would send, and the processor time of what workers would compute."""

    def each(self, work: Any, pieces: Pieces, given: Any) -> list[Any]:
        self.seen, started = (work, pieces, given), time.thread_time()
        found = super().each(work, pieces, given)
        self.took = time.thread_time() - started
        return found


def parts_of(run: Run) -> dict[str, float]:
    """Processor time of the parts of a step, each by one thread."""
    spy = Spy(1)
    run.pool = spy
    started = time.thread_time()
    run.step()
    times = {"all else of a step": time.thread_time() - started - spy.took}
    work, pieces, given = spy.seen

    def timed(name: str, act: Callable[[], Any]) -> Any:
        took = []
        for _ in range(3):
            started = time.thread_time()  # other work makes the clock on the wall tell four times
            found = act()
            took.append(time.thread_time() - started)
        times[name] = min(took)
        return found

    given_message, message = timed("pack", lambda: (Message((None, given)), Message(list(pieces))))
    found = timed("compute", lambda: compute(work, given_message, message))
    timed("unpack", found.value)
    return times


def measured(pool: ClusterPool, corpus: Corpus, n_steps: int) -> Found:
    passes = -(-(n_steps + 2) * BATCH // corpus.n_docs)
    plan = Plan.of(METHOD, values=VALUES, batch_size=BATCH, passes=passes, seed=1)
    wall: list[float] = []
    processor: list[float] = []
    with Threads(2) as threads:
        by = [plan.start(corpus, pool=threads), plan.start(corpus, pool=pool)]
        for run in by:
            run.prepare()
            run.step()  # kernels are there
        before = (pool.moved.sent, pool.moved.received)
        for _ in range(n_steps):
            took, spent = [], []
            for run in by:
                started, cpu = time.perf_counter(), processor_seconds()
                run.step()
                took.append(time.perf_counter() - started)
                spent.append(processor_seconds() - cpu)
            wall.append(took[1] / took[0])
            processor.append(spent[1] / spent[0])
        moved = [now - then for now, then in zip(_moved(pool), before, strict=True)]
        a, b = (run.method.topics(run.state).topic_word for run in by)
        assert np.array_equal(a, b), "a cluster learned otherwise"
        parts = parts_of(by[0])
    return Found(
        statistics.median(wall), statistics.median(processor), *(x / n_steps for x in moved), parts
    )


def sent_a_step(name: str, pool: ClusterPool, corpus: Corpus) -> list[tuple[float, float]]:
    """Bytes, and those of what all tasks share: the means of each of two passes."""
    plan = Plan.of(name, values=VALUES, batch_size=BATCH, passes=2, seed=1)
    run, sent = plan.start(corpus, pool=pool), []
    run.prepare()
    for _ in range(2):
        before = pool.moved.sent, pool.moved.shared
        for _ in range(run.n_batches):
            run.step()
        now = pool.moved.sent, pool.moved.shared
        sent.append(tuple((b - a) / run.n_batches for a, b in zip(before, now, strict=True)))
    return sent


def sendings(pool: ClusterPool, corpus: Corpus) -> list[str]:
    """What is sent of documents that workers read or have: rows of a table."""
    with tempfile.TemporaryDirectory() as folder:
        writer = ShardWriter(Path(folder) / "drawn", corpus.vocab)
        writer.add(corpus)
        stored = writer.finish()
        there = {"in memory": corpus, "on a disk that workers read": stored}
        found = {place: sent_a_step("lda-svi", pool, c) for place, c in there.items()}
        again = sent_a_step("lda-batch", pool, corpus)
    rows = [("lda-svi", place, sent[0]) for place, sent in found.items()]
    passes = ("in memory, first pass", "in memory, later passes")
    rows += [("lda-batch", place, sent) for place, sent in zip(passes, again, strict=True)]
    lines = ["| method | documents | sent a step | beside the topics |", "|---|---|---:|---:|"]
    for method, place, (sent, topics) in rows:
        rest = (sent - topics) / 1e6
        lines.append(f"| `{method}` | {place} | {sent / 1e6:.1f} MB | {rest:.2f} MB |")
    return lines


def _moved(pool: ClusterPool) -> tuple[int, int]:
    return pool.moved.sent, pool.moved.received


# ---- on paper ------------------------------------------------------------------------------------


def step_on_paper(found: Found, n_workers: int, batch: int) -> dict[str, float]:
    """Seconds of a step of `batch` documents by workers of one thread on a network of 10 Gb/s.

    What one slice sends back is as measured; this machine receives all of it, sends slices and up
    to eight copies of the topics, of which the others get theirs from each other, and does all else
    of a step with `HERE` threads.
    """
    scale = batch / BATCH
    n_slices = batch / MOST
    given = min(n_workers, 8) * WORDS * TOPICS * 8 + (n_workers > 8) * WORDS * TOPICS * 8
    slices = scale * max(found.sent - 2 * WORDS * TOPICS * 8, 0.0)
    rounds = -(-n_slices // n_workers)
    return {
        "send": (given + slices) / BANDWIDTH,
        "compute": rounds * found.parts["compute"] / (BATCH / MOST),
        "receive": scale * found.received / BANDWIDTH,
        "here": scale * sum(t for name, t in found.parts.items() if name != "compute") / HERE
        + DELAY,
    }


def on_paper(found: Found) -> list[str]:
    lines = [
        "| documents a step | workers | send | compute | receive | all else here | a step "
        "| times one worker | 1e9 documents |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for batch in (BATCH, 16 * BATCH, 256 * BATCH):
        one = sum(step_on_paper(found, 1, batch).values())
        for n_workers in (1, 2, 16, 256):
            parts = step_on_paper(found, n_workers, batch)
            whole = sum(parts.values())
            cells = " | ".join(f"{seconds:.2f} s" for seconds in parts.values())
            lines.append(
                f"| {batch:,} | {n_workers} | {cells} | {whole:.2f} s | {one / whole:.1f} "
                f"| {1e9 / batch * whole / 3600:,.1f} h |"
            )
    return lines


HOW = """`python -m benchmarks.scale.cluster`: two processes of a cluster on this machine, workers
of a scheduler at `tcp://` or those of `local:2`, which encrypts, against two threads; `{method}`,
{batch:,} documents of {length} tokens a step, {words:,} words, {topics} topics. Steps in turn,
medians of {n} ratios; {cores} cores, with all other work halted. Parts are processor time of one
thread. The topics learned were equal to the last bit."""
SLOWER = """What a step takes beyond two threads: the topics go to each worker before it can begin,
some 7 ms; what is moved is copied at both ends by the cores that compute, some 25 ms of processor
time a step; and each slice takes its words from the topics anew. `local:2` adds encryption, 2 ms
for each megabyte. On one machine threads are faster than either."""
NAMED = """Documents are sent as rows where workers read the corpus, or have kept what comes again
in every pass; the topics at the words of a batch go to each worker in every step. `lda-batch` also
sends where each document's fit begins, one number a topic."""
PAPER = """**On paper**, from the numbers of `{name}`: workers of one thread, and a network of
10 Gb/s, of which {speed:.1f} GB/s arrive; all else of a step by {here} threads of one machine."""
WHY = """A slice holds {slice} documents, so that a step of {batch:,} keeps {busy} workers busy and
no more: more workers need larger mini-batches. What then ends the growth is that one machine cuts
the batches, receives every document's fit, and sums up its words. Computing takes as long as that
at {limit:.0f} workers; beyond that more of them change little."""


def report(all_found: dict[str, Found], sent: list[str], n_steps: int) -> list[str]:
    first = next(iter(all_found.values()))
    heads = ["cluster", "step, processes over threads", "processor time, the same"]
    heads += ["sent a step", "received a step", *first.parts]
    rows = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for address, found in all_found.items():
        sizes = [f"{size / 1e6:.1f} MB" for size in (found.sent, found.received)]
        parts = [f"{1000 * seconds:.1f} ms" for seconds in found.parts.values()]
        ratios = [f"{ratio:.2f}" for ratio in (found.wall, found.processor)]
        rows.append([f"`{address}`", *ratios, *sizes, *parts])
    how = HOW.format(
        batch=BATCH,
        length=LENGTH,
        words=WORDS,
        topics=TOPICS,
        n=n_steps,
        cores=os.cpu_count(),
        method=METHOD,
    )
    rest = {part: t for part, t in step_on_paper(first, 1, 256 * BATCH).items() if part != "send"}
    limit = rest["compute"] / (rest["receive"] + rest["here"])
    why = WHY.format(slice=MOST, batch=BATCH, busy=BATCH // MOST, limit=limit)
    paper = PAPER.format(name=METHOD, speed=BANDWIDTH / 1e9, here=HERE)
    table = [f"| {' | '.join(row)} |" for row in rows]
    lines = [
        TITLE,
        "",
        how,
        "",
        *table,
        "",
        SLOWER,
        "",
        NAMED,
        "",
        *sent,
        "",
        paper,
        "",
        *on_paper(first),
    ]
    return [*lines, "", why, ""]


@contextmanager
def as_it_is_run() -> Iterator[str]:
    """The address of a scheduler with two workers, each a process of its own."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = ["dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = ["dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    with ExitStack() as all_of_them:
        for name, *options in (scheduler, worker, worker):
            command = [sys.executable, "-m", f"distributed.cli.{name}", *options]
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            all_of_them.callback(process.wait)
            all_of_them.callback(process.kill)
        yield address


def connected(address: str) -> ClusterPool:
    """As soon as both workers are there."""
    deadline = time.monotonic() + 60.0
    while True:
        try:
            pool = connect(address)
            while len(pool.workers) < 2:
                pool.ready()
            return pool
        except ValueError:
            if time.monotonic() > deadline:
                raise


def main(arguments: list[str]) -> None:
    n_steps = int(arguments[0]) if arguments else 15
    corpus = drawn(2 * BATCH)
    with as_it_is_run() as address, connected(address) as pool:
        found = {"tcp://": measured(pool, corpus, n_steps)}
    with connected("local:2") as pool:
        found["local:2"] = measured(pool, corpus, n_steps)
        sent = sendings(pool, corpus)
    section = report(found, sent, n_steps)
    print("\n".join(section))
    put(PAGE, "cluster", "\n".join(section))


if __name__ == "__main__":
    main(sys.argv[1:])
