"""Millions of synthetic documents, written to the disk and learned from there in bounded memory.

    python -m benchmarks.scale documents --n 1e5 1e6 --folder /tmp/scale
    python -m benchmarks.scale documents --n 1e7 --folder /tmp/scale
    python -m benchmarks.scale documents --n 1e5 --folder /tmp/scale --beside-memory 3

Documents of 100 tokens of three of 100 topics over 20,000 words. Each corpus is built (a build that
was killed goes on) and read once by lda-svi with 50 topics, at most 20 iterations a document, from
random topics, in mini-batches of 1,024, with 500 documents held out: cheap settings, so that
reading shows. Every part runs in a process of its own; peaks are VmHWM of /proc, which counts
mapped pages. `--beside-memory` learns the same corpus from memory in turn with the disk and
compares processor time, which other work on the machine disturbs least.
A line of JSON for each part; 1e7 documents take 7 GB of disk.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bnpexplorer.corpus.corpus import Corpus, CorpusError
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.stored.writer import ShardWriter
from bnpexplorer.models.base import draw_dirichlet
from bnpexplorer.runs.plan import Plan

N_WORDS, N_TOPICS, LENGTH, OF_EACH = 20_000, 100, 100, 3
CHUNK = 25_000
"""Documents drawn at once: 60 MB."""
TABLE = 2**16
"""Entries of a topic's table of words, from which tokens are drawn."""
SETTINGS = {"n_topics": 50, "max_iterations": 20, "start": "random"}
BATCH, HELD_OUT, ROW = 1024, 500, 200_000


def tables(seed: int) -> np.ndarray:
    """For every topic its words, each as often as it is likely: int32 (K, TABLE)."""
    rng = np.random.default_rng((seed, 0))
    topics = draw_dirichlet(np.full(N_WORDS, 0.005), N_TOPICS, rng)
    places = (np.arange(TABLE) + 0.5) / TABLE
    words = [np.searchsorted(np.cumsum(topic), places) for topic in topics]
    return np.minimum(words, N_WORDS - 1).astype(np.int32)


def drawn(n_docs: int, seed: int, first_chunk: int) -> Iterator[Corpus]:
    """The documents, chunk after chunk, each from its own seed."""
    words_of, vocab = tables(seed), vocabulary()
    for chunk in range(first_chunk, -(-n_docs // CHUNK)):
        rng = np.random.default_rng((seed, 1, chunk))
        n = min(CHUNK, n_docs - chunk * CHUNK)
        own = rng.integers(N_TOPICS, size=(n, OF_EACH), dtype=np.int32)
        which = own[np.arange(n)[:, None], rng.integers(OF_EACH, size=(n, LENGTH))]
        tokens = words_of[which, rng.integers(TABLE, size=(n, LENGTH))]
        pairs = np.sort((tokens + np.arange(n)[:, None] * N_WORDS).ravel())
        starts = np.flatnonzero(np.diff(pairs, prepend=-1))
        counts = np.diff(starts, append=len(pairs))
        docs, words = np.divmod(pairs[starts], N_WORDS)
        indptr = np.searchsorted(docs, np.arange(n + 1))
        yield Corpus(indptr, words.astype(np.int32), counts.astype(np.int32), vocab)


def vocabulary() -> tuple[str, ...]:
    return tuple(f"w{w:05d}" for w in range(N_WORDS))


def peak_mb() -> float:
    """The most memory that this process has had at once, mapped pages included, in MB."""
    status = Path("/proc/self/status").read_text()
    line = next(row for row in status.splitlines() if row.startswith("VmHWM"))
    return round(int(line.split()[1]) / 1024, 1)


def build(folder: Path, n_docs: int, seed: int) -> dict[str, object]:
    """Write the corpus, or what is missing of it."""
    began = time.perf_counter()
    try:
        corpus = StoredCorpus(folder)
    except CorpusError:
        made = {"documents": n_docs, "seed": seed, "chunk": CHUNK}
        writer = ShardWriter(folder, vocabulary(), f"{n_docs:,} drawn documents", made)
        for docs in drawn(n_docs, seed, writer.done // CHUNK):
            writer.add(docs)
        corpus = writer.finish()
    return {
        "part": "build",
        "documents": corpus.n_docs,
        "tokens": corpus.n_tokens,
        "pairs": corpus.n_pairs,
        "gigabytes": round(sum(corpus.manifest.sizes().values()) / 1e9, 3),
        "seconds": round(time.perf_counter() - began, 1),
        "peak_mb": peak_mb(),
        "fingerprint": corpus.fingerprint,
    }


def learn(folder: Path, where: str, seed: int) -> dict[str, object]:
    """One pass, from the disk or from memory; seconds and processor seconds of all but warming up
    and the first step, reading included."""
    corpus: Corpus = StoredCorpus(folder)
    if where == "memory":
        corpus = corpus.loaded()
    plan = Plan.of(
        "lda-svi", values=SETTINGS, seed=seed, batch_size=BATCH, passes=1, n_heldout=HELD_OUT
    )
    began = time.perf_counter()
    run = plan.split_and_start(corpus)
    run.step()
    ready = time.perf_counter() - began
    began, cpu, told = time.perf_counter(), time.process_time(), run.docs_seen
    next_row = ROW
    while not run.done:
        run.step()
        if run.docs_seen >= next_row:
            next_row += ROW
            seconds = time.perf_counter() - began
            print(f"{run.docs_seen:,} documents, {seconds:.0f} s, {peak_mb()} MB", file=sys.stderr)
    seconds, cpu, n = time.perf_counter() - began, time.process_time() - cpu, run.docs_seen - told
    return {
        "part": "learn",
        "from": where,
        "documents": corpus.n_docs,
        "ready_seconds": round(ready, 2),
        "documents_per_second": round(n / seconds),
        "microseconds_per_document": round(1e6 * seconds / n, 2),
        "cpu_microseconds_per_document": round(1e6 * cpu / n, 2),
        "peak_mb": peak_mb(),
        "run_memory_mb": round(run.memory / 2**20, 1),
        "heldout": run.snapshot().heldout,
        "settings": {"method": "lda-svi", **SETTINGS, "batch_size": BATCH},
    }


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="documents", description=__doc__)
    parser.add_argument("--n", nargs="+", type=float, default=[1e5], help="documents")
    parser.add_argument("--folder", type=Path, required=True, help="where the corpora lie")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--beside-memory", type=int, default=0, metavar="TIMES")
    parser.add_argument("--only", choices=("build", "disk", "memory"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    for n in map(int, options.n):
        folder = options.folder / f"documents-{n}"
        if options.only is not None:
            found = (
                build(folder, n, options.seed)
                if options.only == "build"
                else learn(folder, options.only, options.seed)
            )
            print(json.dumps(found), flush=True)
            continue
        options.folder.mkdir(parents=True, exist_ok=True)
        _alone("build", n, options)
        turns = [("disk", "memory")] * options.beside_memory or [("disk",)]
        costs: dict[str, list[float]] = {}
        for where in (where for turn in turns for where in turn):
            found = _alone(where, n, options)
            costs.setdefault(where, []).append(float(found["cpu_microseconds_per_document"]))
        if "memory" in costs:
            ratio = float(np.median(costs["memory"]) / np.median(costs["disk"]))
            print(json.dumps({"part": "ratio", "documents": n, "speed_of_memory": round(ratio, 3)}))


def _alone(only: str, n: int, options: argparse.Namespace) -> dict[str, object]:
    """One part in a process of its own; its line is printed."""
    command = [sys.executable, "-m", "benchmarks.scale", "documents", "--only", only]
    command += ["--n", str(n), "--folder", str(options.folder), "--seed", str(options.seed)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    print(done.stdout, end="", flush=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
