"""One measured run in a process of its own: `python -m benchmarks.measure FOLDER CONTESTANT SEED`.

`FOLDER` holds `task.json` and `train.npz`, written by `compare.py`. The topics at the checkpoints
are left there for the scorer; times and memory are printed as JSON.
"""

import json
import logging
import math
import os
import resource
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from bnpexplorer.corpus import Batch, Corpus
from bnpexplorer.state.snapshot import Topics

from .peers import AS_IT_COMES, GROUPS, Learner, Settings


def write_corpus(path: Path, corpus: Corpus) -> None:
    np.savez(
        path,
        indptr=corpus.indptr,
        word_ids=corpus.word_ids,
        counts=corpus.counts,
        n_words=corpus.n_words,
    )


def read_corpus(path: Path) -> Corpus:
    with np.load(path) as arrays:
        words = tuple(str(w) for w in range(int(arrays["n_words"])))
        return Corpus(arrays["indptr"], arrays["word_ids"], arrays["counts"], words)


def write_topics(path: Path, topics: Topics) -> None:
    np.savez(path, **{f.name: getattr(topics, f.name) for f in fields(topics)})


def read_topics(path: Path) -> Topics:
    with np.load(path) as arrays:
        return Topics(**{k: a if a.ndim else a.item() for k, a in arrays.items()})


def batches(
    learner: Learner, corpus: Corpus, passes: int, batch_size: int, seed: int
) -> Iterator[Batch]:
    """The mini-batches of all passes: the same documents in the same order for equal seeds."""
    rng = np.random.default_rng((seed, 1))
    n_docs = corpus.n_docs
    n_batches = -(-n_docs // batch_size)
    rows = np.arange(n_docs)
    for number in range(1 if learner.batching == "once" else passes):
        if learner.batching == "shuffled" or (learner.batching == "fixed" and number == 0):
            rows = rng.permutation(n_docs)
        for index in range(n_batches):
            chosen = rows[index * batch_size : (index + 1) * batch_size]
            yield Batch(corpus.take(chosen), chosen, index, n_batches)


def peak_memory() -> float:
    """MB of this process so far at most.

    Linux counts the peak of the parent process in `getrusage`, so its own file is asked first.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024.0


class Stopwatch:
    """Adds up processor seconds and seconds on the wall."""

    def __init__(self) -> None:
        self.seconds = self.wall = 0.0

    def __enter__(self) -> None:
        self._wall, self._seconds = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.process_time() - self._seconds
        self.wall += time.perf_counter() - self._wall


N_MARKS = 9
"""Checkpoints where learning lasts for so many seconds: at the end, and each time 0.71 of that."""


def checkpoints(n_steps: int) -> set[int]:
    """Steps after which topics are scored: 1, 2, 4, 8, ... and the last."""
    return {2**i for i in range(int(math.log2(n_steps)) + 1)} | {n_steps}


def run(
    learner: Learner, corpus: Corpus, settings: Settings, seed: int
) -> Iterator[tuple[dict[str, float], Topics]]:
    """Learn `corpus`; yields times so far and topics at every checkpoint. Only `start` and `learn`
    are timed."""
    watch, docs_seen = Stopwatch(), 0
    with watch:
        learner.start(corpus, seed)
    start_seconds = watch.seconds
    n_docs, whole = corpus.n_docs, learner.sweeps
    batch_size = n_docs if whole else min(learner.batch_size or settings.batch_size, n_docs)
    passes = settings.sweeps if whole else settings.passes
    n_steps = passes * -(-n_docs // batch_size)
    due = checkpoints(n_steps)
    marks = [settings.seconds * 2.0 ** (-i / 2) for i in range(N_MARKS)]  # nan: none is reached
    passes = passes if math.isnan(settings.seconds) else 10**6
    for step, batch in enumerate(batches(learner, corpus, passes, batch_size, seed), start=1):
        prepared = learner.prepare(batch)
        with watch:
            learner.learn(prepared)
        docs_seen += batch.docs.n_docs
        reached = [mark for mark in marks if mark <= watch.seconds]
        if reached or (math.isnan(settings.seconds) and step in due):
            point = {"documents": docs_seen, "seconds": watch.seconds, "wall": watch.wall}
            yield {**point, "start": start_seconds, "memory": peak_memory()}, learner.topics()
            marks = [mark for mark in marks if mark not in reached]
            if not marks:
                return


def rehearse(learner: Learner, settings: Settings) -> float:
    """Let everything be imported and compiled on eight tiny documents; seconds on the wall."""
    began = time.perf_counter()
    counts = np.tile([[2, 1, 0, 1], [0, 1, 3, 0], [1, 0, 1, 20], [0, 2, 2, 0]], (2, 1))
    tiny = Corpus.from_csr(counts)
    few = Settings(**{**asdict(settings), "batch_size": 4, "sweeps": 2, "seconds": math.nan})
    list(run(learner, tiny, few, seed=0))  # it learns as it is read
    return time.perf_counter() - began


def main(folder: Path, group: str, contestant: str, seed: int) -> dict[str, Any]:
    """Everything that is known of one run; topics are left in `folder`."""
    task = json.loads((folder / "task.json").read_text())
    settings = Settings(**task["settings"][group])
    chosen = next(c for c in {**GROUPS, **AS_IT_COMES}[group].contestants if c.name == contestant)
    corpus = read_corpus(folder / "train.npz")
    ready = rehearse(chosen.make(settings), settings)
    learner = chosen.make(settings)
    facts: dict[str, Any] = {"ready": ready, "before": peak_memory(), "points": []}
    written: list[Topics] = []
    for point, topics in run(learner, corpus, settings, seed):
        names = []
        for state in [topics, *(state for _, state in learner.kept())]:
            number = next((i for i, known in enumerate(written) if known is state), len(written))
            names.append(f"topics-{number}.npz")
            if number == len(written):
                write_topics(folder / names[-1], state)
                written.append(state)
        facts["points"].append({**point, "states": names})
    facts["settings"] = learner.chosen()
    facts["load"] = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return facts


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))))
