"""Runs to export: small, and with whatever is awkward in names, words and settings."""

from dataclasses import replace

import numpy as np

from bnpexplorer import Run, make_method, split_heldout
from bnpexplorer.corpus import Corpus, DocTable
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.evaluate import default_protocol
from bnpexplorer.export import result_of
from bnpexplorer.samples import load_sample
from bnpexplorer.state.labels import Labels

EVIL = "</script><img src=x onerror=alert(1)>\"'&"


def learned(corpus, method="hdp-tsvi", seed=0, steps=None, held_out=True, order="shuffled"):
    """A run that has learned `steps` mini-batches, or all."""
    made = make_method(method)
    train, heldout = corpus, None
    if held_out:
        protocol = default_protocol(made.model.name, corpus)
        train, heldout = split_heldout(corpus, seed, protocol=protocol)
    run = Run(made, train, seed, batch_size=40, passes=2, order=order, heldout=heldout)
    while not run.done and (steps is None or run.snapshot().step < steps):
        run.step()
    return run


def small_result(method="hdp-tsvi", **more):
    """A finished run of the small sample; topic names and a hidden one."""
    corpus = load_sample("small-csv").corpus
    run = learned(corpus, method, **more)
    snapshot = run.snapshot()
    largest = snapshot.topics.topic_ids[np.argsort(-snapshot.topics.size)]
    labels = Labels({int(largest[0]): EVIL, int(largest[1]): "=1+1"}, frozenset([int(largest[1])]))
    return result_of(run, run.moment(snapshot, corpus, labels, "abc123"), corpus)


def at(result, **changed):
    """The same of a snapshot that differs so."""
    return replace(
        result, moment=replace(result.moment, snapshot=replace(result.snapshot, **changed))
    )


def own_corpus(n_docs=60, seed=5):
    """A corpus as if uploaded: words, titles and a name that mean harm."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.8, (n_docs, 14))
    counts[:, 0] += 1
    words = ["=cmd|' /C calc'!A0", "+plus", "-minus", "@at", "<b>bold</b>", "new york"]
    words += [f"word{i}" for i in range(7)] + ["never"]
    counts[:, -1] = 0
    docs = DocTable(
        id=strings([f"=doc {d}" for d in range(n_docs)]),
        title=strings([EVIL] * n_docs),
        date=np.datetime64("2001-01-01") + np.arange(n_docs),
        text=strings([f"text of {d}" for d in range(n_docs)]),
    )
    return replace(Corpus.from_csr(counts, words, docs), name=f"mine {EVIL}\nsecond line")
