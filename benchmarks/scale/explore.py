"""What pages and exports of a corpus on the disk hold in memory, part by part.

    python -m benchmarks.scale explore --n 1e5 --folder /tmp/scale

Short texts (`short_texts.py`) are built into a folder, 200 topics learn for one step, and what
pages and exports ask for is done one after the other in one process. Printed for each part: the
most resident memory that it came to, mapped pages included; how much of its own the process had at
most, which leaves out pages that the system may drop, and by how much that grew meanwhile; and
processor seconds. Linux only.
"""

import argparse
import gc
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bnpexplorer import export
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.evaluate import npmi
from bnpexplorer.explore import changed_words, documents, in_context, over_documents
from bnpexplorer.explore.over_documents import word_trend
from bnpexplorer.plugins.interchange import write_mallet, write_pyldavis
from bnpexplorer.runs.plan import Plan

from ..app import bnpexplorer
from .short_texts import write

SETTINGS = {"max_iterations": 5, "start": "random"}
WATCHED = 0.005
"""Seconds between two looks at the memory."""


def status(name: str) -> float:
    """A line of /proc/self/status, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(row for row in lines if row.startswith(name)).split()[1]) / 1024


def measured(name: str, work: Callable[[], object]) -> None:
    """Do it, and print its line of the table."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # begins VmHWM anew
    before, most, ended = status("RssAnon"), [status("RssAnon")], threading.Event()

    def watch() -> None:
        while not ended.wait(WATCHED):
            most.append(max(most.pop(), status("RssAnon")))

    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.process_time()
    work()
    seconds = time.process_time() - began
    ended.set()
    watcher.join()
    cells = (f"{mb:,.0f} MB" for mb in (status("VmHWM"), most[0], most[0] - before))
    print(f"| {name} | {' | '.join(cells)} | {seconds:.1f} s |", flush=True)


def built(folder: Path, n_docs: int, n_topics: int) -> StoredCorpus:
    """The corpus, which is made unless it is there."""
    out = folder / f"texts-{n_docs}.corpus"
    if not out.exists():
        folder.mkdir(parents=True, exist_ok=True)
        texts = folder / f"texts-{n_docs}.csv"
        write(texts, n_docs, n_topics)
        bnpexplorer("corpus", "build", str(texts), str(out), environment={})
    return StoredCorpus(out)


def parts(corpus: StoredCorpus, n_topics: int) -> dict[str, Callable[[], object]]:
    """What pages and exports ask for, in their order: name -> what does it."""
    settings = SETTINGS | {"n_topics": n_topics}
    plan = Plan.of("lda-svi", values=settings, batch_size=2048, passes=1, n_heldout=500)
    run = plan.split_and_start(corpus)
    run.step()
    moment = run.moment()
    result, topics = export.result_of(run, moment, corpus), moment.topics
    half = np.arange(corpus.n_docs) % 2 == 0

    def nearest() -> object:
        theta, counts = result.shares[11].astype(np.float64), documents.counts_of(corpus, 11)
        return documents.nearest(corpus, result.shares, theta, counts, 6)

    def by_year() -> object:
        lengths, days = documents.lengths_of(corpus).astype(np.float64), corpus.docs.date
        assert days is not None
        shares, units = result.shares, corpus.units
        return over_documents.prevalence(shares, days, "year", lengths, units=units)

    def to_file(make: Callable[..., None]) -> Callable[[], None]:
        def made() -> None:
            with tempfile.TemporaryFile() as file:
                make(file, result)

        return made

    return {
        "shares of all documents": lambda: result.shares,
        "which texts are one": lambda: corpus.units,
        "documents of a topic, in order": lambda: documents.rank_by_share(
            topics, corpus, result.shares, 2, 3
        ),
        "documents near to one": nearest,
        "search": lambda: documents.search(corpus, [2, 3], "abc"),
        "words between two halves": lambda: changed_words.changed_words(corpus, half, ~half),
        "topics by year": by_year,
        "a word by year": lambda: word_trend(corpus, 3, "year", True),
        "words beside a word": lambda: in_context.companions(corpus, 3, 9),
        "coherence": lambda: npmi(topics.topic_word, corpus),
        "report": lambda: export.report(result),
        "tables": to_file(export.write_tables),
        "arrays for pyLDAvis": to_file(write_pyldavis),
        "MALLET's files": to_file(write_mallet),
    }


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="explore", description=__doc__)
    parser.add_argument("--n", type=float, default=1e5, help="documents")
    parser.add_argument("--topics", type=int, default=200)
    parser.add_argument("--folder", type=Path, required=True, help="where the corpus lies")
    options = parser.parse_args(arguments)
    corpus = built(options.folder, int(options.n), options.topics)
    works = parts(corpus, options.topics)
    print(f"{corpus.n_docs:,} documents, {corpus.n_pairs:,} pairs, {options.topics} topics\n")
    print("| part | most resident | most of its own | grew by | processor time |")
    print("|---|---:|---:|---:|---:|")
    for name, work in works.items():
        measured(name, work)


if __name__ == "__main__":
    main(sys.argv[1:])
