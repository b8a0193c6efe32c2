"""Documents that others must not see, jobs that learn them, and visits to the pages."""

import gzip
import io
import zipfile
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bnpexplorer.chains import chains_of
from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.compare.sequential import race_of
from bnpexplorer.compare.sweep import Axis, Sweep, sweeps_folder
from bnpexplorer.corpus import Corpus, DocTable
from bnpexplorer.corpus.documents.file_rows import FileRows
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.corpus.text import describe
from bnpexplorer.runs.plan import Plan
from bnpexplorer.ui.app import PAGES
from bnpexplorer.ui.compare.page import VIEWS as COMPARED
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.frame.session import JOBS
from bnpexplorer.ui.runs.table import TICKED
from bnpexplorer.ui.topics.page import VIEWS as OF_TOPICS
from tests.tools.pages import go

N_DOCS = 24
MARKS = ("Quimby goes to Zanzibar", "id-7-quimby", "label-quimby", "quimby met a zanzibar")
"""How documents are called (title, id, label), and words in the order of a text."""
COLUMN = "column of quimby"
"""What stands in a column of their file that pages do not show."""
KINDS = ("run", *JOBS)


def own_texts():
    """A small corpus whose documents are called, and say, what others must not see."""
    counts = np.random.default_rng(0).poisson(1.0, (N_DOCS, 12)) + 1
    title, name, label, text = (strings([f"{m} {d}" for d in range(N_DOCS)]) for m in MARKS)
    dates = np.datetime64("2001-01-01", "D") + np.arange(N_DOCS)
    words = ["quimby", "met", "zanzibar", *(f"word{i}" for i in range(9))]
    docs = DocTable(name, title, dates, label, text, row=np.arange(N_DOCS))
    column, file = [f"{COLUMN} {d}" for d in range(N_DOCS)], io.BytesIO()
    plain = {"compression": "none", "use_dictionary": False}
    pq.write_table(pa.table({COLUMN: column}), file, **plain)
    cells = np.frombuffer(file.getvalue(), np.uint8)
    rows = FileRows.of(range(1, N_DOCS + 1), "row", cells, {"form": "parquet"})
    corpus = replace(Corpus.from_csr(counts, words, docs, "own.csv"), file_rows=rows)
    return server.LoadedCorpus(corpus, describe(corpus))


def started(registry, kind, loaded):
    """A job of a kind on these texts; runs have ended, studies have not begun."""
    corpus = loaded.corpus
    plan = Plan.of("hdp-tsvi", passes=1, batch_size=12, n_heldout=4)
    if kind == "study":
        return registry.add(Study(CLAIMS["kappa-lda"], corpus, 600.0, 2), loaded)
    if kind == "sweep":
        sweep = Sweep("lda-svi", Axis("batch_size", (8.0,)))
        return registry.add(Study(sweep, corpus, 600.0, 1, sweeps_folder()), loaded)
    if kind == "run":
        entry = registry.add(plan.split_and_start(corpus), loaded, server.keep)
    elif kind == "race":
        plans = [replace(plan, method=Plan.of(name).method) for name in ("hdp-tsvi", "hdp-svi")]
        entry = registry.add(race_of(plans, corpus), loaded, server.keep_all)
    else:
        chains = chains_of(replace(plan, chains=2), corpus)
        entry = registry.add(chains, loaded, server.keep_all, chains.group)
    entry.background.start()
    assert entry.background.wait(300)
    assert entry.background.status == "finished", entry.background.error
    return entry


def address_of(jobs, owned=False, **more):
    """The address that shows these jobs, to their owner or to who watches."""
    found = dict(more)
    for kind, entry in jobs.items():
        found[kind] = entry.run_id
        if owned:
            found["own" if kind == "run" else JOBS[kind]] = entry.secret
    return found


def unpacked(data):
    """A file's bytes, and those of everything that is packed into it."""
    data = data.encode() if isinstance(data, str) else data
    found = [data]
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found += [part for name in archive.namelist() for part in unpacked(archive.read(name))]
    elif data[:2] == b"\x1f\x8b":
        found += unpacked(gzip.decompress(data))
    return found


def told(sent):
    """Which of the marks were sent since this was asked last, in the usual forms of letters."""
    everything = b"".join(sent)
    sent.clear()
    forms = ("utf-8", "utf-16-le", "utf-32-le")
    return {
        mark for mark in (*MARKS, COLUMN) if any(mark.encode(form) in everything for form in forms)
    }


ALL = tuple(page.name for page in PAGES)


def visited(app, pages=ALL):
    """These pages and all their views, one after the other: its name."""
    for name in pages:
        views = [("", "")]
        if name == "compare":
            views = [("compare", view) for view in COMPARED]
        elif name == "topics":
            views = [("topics-view", view) for view in OF_TOPICS]
        elif name == "documents":
            views = [("documents-way", way) for way in ("topic", "search", "own")]
        for key, view in views:
            if key:
                app.session_state[key] = view
            app.session_state["share"] = name in ("live", "topics", "documents")
            app.session_state["popover-documents"] = True
            app.session_state["documents-search"] = "quimby"
            app.session_state["topics-show-tree"] = True
            app.session_state["explored-word"] = "quimby"
            app.session_state[TICKED] = [saved.run_id for saved in server.library().saved()][:1]
            go(app, name)
            yield f"{name} {view}".strip()
