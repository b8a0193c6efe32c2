"""A saved run as a .zip, its parts, and files made of other parts."""

import io
import zipfile

import numpy as np

from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.text import describe
from bnpexplorer.evaluate import split_heldout
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.state.labels import Labels

SECRET = "nobody else may read this sentence"


def with_texts(bars):
    """Give each document a title and a secret text."""
    docs = DocTable(
        title=np.array([f"title {d}" for d in range(bars.n_docs)], dtype=object),
        text=np.array([f"{SECRET} {d}" for d in range(bars.n_docs)], dtype=object),
    )
    return type(bars)(bars.indptr, bars.word_ids, bars.counts, bars.vocab, docs, "bars")


def a_library(folder, corpus, method="hdp-tsvi", n_steps=3):
    """A library with one saved run, and that run."""
    train, heldout = split_heldout(corpus, 4, n=20)
    run = Run(make_method(method), train, 4, batch_size=40, passes=2, heldout=heldout)
    for _ in range(n_steps):
        run.step()
    library = Library(folder)
    library.keep("a", run, corpus, "paused", report=describe(corpus))
    library.rename("a", "Öl & <b>war</b>")
    library.tag("a", ("lecture",))
    library.label("a", Labels().rename(2, "war"))
    return library, run


def exported(library, with_text=False):
    file = io.BytesIO()
    bundle.export(library, "a", file, with_text)
    return file.getvalue()


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts):
    return zipped_list(parts.items())


def zipped_list(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts:
            archive.writestr(name, data)
    return file.getvalue()


def npy(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, array)
    return out.getvalue()
