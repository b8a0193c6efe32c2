"""The sizes at which the app begins to work differently: `python -m benchmarks.scale limits`.

    slices    documents in a slice that is sent to a worker: what cutting costs, and what is sent
    order     when a rule orders the documents, and how many stand together in it
    opening   from how many bytes on a run is opened by a thread while the page waits
    pages     from how many documents on what goes through all of them is done by a thread

Each is measured around the value that is the default, by processor time of this process, which
other work disturbs least. The tables go into `benchmarks/scale.md`, between marks of this part.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bnpexplorer.corpus import order
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.corpus.order import Windows
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.stored.writer import ShardWriter
from bnpexplorer.explore.in_context import concordance
from bnpexplorer.explore.means import group_means
from bnpexplorer.explore.over_documents import correlations
from bnpexplorer.inference import slices
from bnpexplorer.inference.pool import Pieces, RemotePool, Threads
from bnpexplorer.plugins.cluster.message import Message
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.ui.frame import opening
from bnpexplorer.ui.parts import in_background

from .cluster import drawn
from .threads import PAGE, put

SLICES = (32, 64, 128, 256, 512, 1024)
BLOCKS = (8, 16, 32, 64, 128)
N_LABELS = 100
SIZES = (5_000, 10_000, 20_000, 40_000)
LOOKED_THROUGH = (12_500, 25_000, 50_000, 100_000, 200_000)
"""Documents of saved runs."""


class Elsewhere(RemotePool):
    """A pool whose memory is its own and whose only worker is this thread: steps are cut into
    slices and nothing is sent."""

    n_workers = 1

    def __init__(self) -> None:
        self.n_bytes = 0
        """Of the slices that were computed."""

    def here(self, work: Callable[[int, int], object], n: int) -> None:
        work(0, n)

    def each(self, work: Callable[..., Any], pieces: Pieces, given: Any) -> list[Any]:
        self.n_bytes += sum(Message(piece).n_bytes for piece in pieces)
        return [work(*piece, given) for piece in pieces]


@contextmanager
def changed(module: Any, **values: Any) -> Iterator[None]:
    """While this lasts, constants of a module have other values."""
    before = {name: getattr(module, name) for name in values}
    for name, value in values.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def seconds(work: Callable[[], object]) -> float:
    """Of processor time of this thread."""
    began = time.thread_time()
    work()
    return time.thread_time() - began


def of_slices(n_runs: int) -> list[str]:
    """Rows: a step of a mini-batch in slices beside the same uncut."""
    rows, corpus = [], drawn(8192)
    for batch in (256, 2048, 4096):
        plan = Plan.of("lda-svi", values={"n_topics": 100, "start": "random"}, batch_size=batch)
        for size in SLICES:
            if size > batch:
                continue
            with changed(slices, FEWEST=size, MOST=size):
                ratios, sent = zip(*(_cut(plan, corpus) for _ in range(n_runs)), strict=True)
            usual = size == slices.slice_size(batch)
            rows.append(
                f"| {batch:,} | {size}{' (default)' if usual else ''} | {-(-batch // size)} "
                f"| {median(ratios):.2f} | {median(sent) / 1e6:.2f} MB |"
            )
    return rows


def _cut(plan: Plan, corpus: Corpus) -> tuple[float, float]:
    """Two runs in turn, step by step: processor time of slices over none, and bytes of a step."""
    pool = Elsewhere()
    with Threads(1) as alone:
        whole, cut = (plan.start(corpus, pool=one) for one in (alone, pool))
    for run in (whole, cut):
        run.prepare()
        run.step()  # kernels are there
    pool.n_bytes, n = 0, max(4096 // plan.batch_size, 1)
    took = np.array([[seconds(run.step) for run in (whole, cut)] for _ in range(n)])
    one, other = took.sum(axis=0)
    return float(other / one), pool.n_bytes / n


def of_order(folder: Path, n_docs: int) -> list[str]:
    """Rows: what the order of so many documents takes, by an array and by the rule."""
    corpus, rows = _stored(n_docs, folder), []
    n_docs = corpus.n_docs  # whole chunks
    labels = np.arange(n_docs) * N_LABELS // n_docs
    shuffled = np.random.default_rng(0).permutation(n_docs)
    rows.append(_order_row("an array", corpus, shuffled, labels, shuffled.nbytes))
    for block in BLOCKS:
        with changed(order, BLOCK=block, LARGE_DOCS=0):
            _forget()
            rule = order.windows_of(corpus, 256, np.random.default_rng(0))
            held = sum(part.nbytes for part in order._blocks(n_docs, rule.seed))
            usual = " (default)" if block == 32 else ""
            rows.append(_order_row(f"blocks of {block}{usual}", corpus, rule, labels, held))
    _forget()
    return rows


def _forget() -> None:
    order._blocks.cache_clear()
    order._rows_of.cache_clear()


def _stored(n_docs: int, folder: Path) -> StoredCorpus:
    docs = drawn(8192)
    writer = ShardWriter(folder, docs.vocab, "drawn")
    for _ in range(-(-n_docs // 8192)):
        writer.add(docs)
    return writer.finish()


def _order_row(name: str, corpus: StoredCorpus, rows: Any, labels: np.ndarray, n_bytes: int) -> str:
    """How far labels are from even in a window (standard deviation over labels), and what reading
    in this order takes."""
    rule = rows if isinstance(rows, Windows) else None
    window = rule.window if rule else 60_000
    found = np.bincount(labels[rows[:window]], minlength=N_LABELS) / (window / N_LABELS)
    batches = [rows[i : i + 256] for i in range(0, 256 * 40, 256)]
    took = seconds(lambda: [corpus.take(batch) for batch in batches])
    each = 1e6 * took / (256 * 40)
    return f"| {name} | {found.std():.0%} | {each:.1f} µs | {n_bytes / 1e6:.2f} MB |"


def of_opening(folder: Path) -> list[str]:
    """Rows: seconds to open a saved run with texts, by its bytes on the disk."""
    rows = []
    for n_docs in SIZES:
        corpus = drawn(n_docs)
        run = Plan.of("hdp-svi", batch_size=256).split_and_start(corpus)
        run.step()
        library = Library(folder / str(n_docs))
        library.keep("opened", run, corpus, "paused", "")
        n_bytes = library.bytes_to_open("opened")
        took = min(seconds(partial(library.load, "opened")) for _ in range(3))
        page = "a thread" if n_bytes >= opening.LARGE else "the page"
        rows.append(f"| {n_docs:,} | {n_bytes / 2**20:.1f} MB | {took:.2f} s | {page} |")
    return rows


def of_pages() -> list[str]:
    """Rows: seconds of what pages work out of all documents, of 200 topics and of 100 labels."""
    rows, rng, texts = [], np.random.default_rng(0), np.empty(LOOKED_THROUGH[-1], object)
    for i in range(len(texts)):
        texts[i] = " ".join(f"w{word}x" for word in rng.integers(0, 2000, 100))
    for n_docs in LOOKED_THROUGH:
        shares = rng.dirichlet(np.full(200, 0.05), n_docs).astype(np.float32)
        groups = rng.integers(0, N_LABELS, n_docs)
        took = (
            seconds(partial(correlations, shares)),
            seconds(partial(group_means, shares, groups, N_LABELS)),
            seconds(partial(group_means, shares, groups, N_LABELS, columns=[0])),
            seconds(partial(concordance, texts[:n_docs], range(n_docs), "w17x w18x")),
        )
        page = "the page" if n_docs <= in_background.MANY else "a thread"
        rows.append(f"| {n_docs:,} | {' | '.join(f'{t:.2f} s' for t in took)} | {page} |")
    return rows


def section(
    cut: Sequence[str], ordered: Sequence[str], opened: Sequence[str], pages: Sequence[str]
) -> str:
    """What goes into the page."""
    return f"""\
## Where sizes change the way

`python -m benchmarks.scale limits`: processor time, which other work disturbs least.

**Slices of a mini-batch** (`inference/slices.py`): a step of `lda-svi`, 100 topics, documents of
100 tokens over 8,000 words, cut and computed slice by slice in one process, beside the same uncut.

| mini-batch | documents in a slice | slices | times the uncut step | sent a step, topics left out |
|---:|---:|---:|---:|---:|
{chr(10).join(cut)}

**The order of documents** (`corpus/order.py`): texts sorted by {N_LABELS} labels. How far the
share of a label in the first window is from what it should be (standard deviation), reading 256
documents at a time of what the system keeps of the disk, and what is held of the order.

| order | a label's share is off by | reading a document | held |
|---|---:|---:|---:|
{chr(10).join(ordered)}

**Opening a saved run** (`ui/frame/opening.py`): by the page that is drawn, or by a thread while the
page waits.

| documents of 100 tokens | on the disk | to open | by |
|---:|---:|---:|---|
{chr(10).join(opened)}

**What goes through all documents** (`ui/parts/in_background.py`): by the page that is drawn, which
has to answer within a second, or by a thread while the page says so. 200 topics, 100 words a text.

| documents | which topics go together | topics by label | one by label | a phrase in texts | by |
|---:|---:|---:|---:|---:|---|
{chr(10).join(pages)}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale limits", description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--documents", type=int, default=400_000, help="of the order")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the tables go")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = section(
            of_slices(options.runs),
            of_order(folder / "sorted", options.documents),
            of_opening(folder),
            of_pages(),
        )
    print(found)
    put(options.page, "limits", found)
    return 0
