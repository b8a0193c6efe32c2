"""A corpus without some words, as the Topics page and the Corpus page make it."""

from dataclasses import replace

from ...corpus.source import plural
from ...intake.door import leave_out
from ..frame.server import Loaded

NAMED = 3
"""Words left out that the new texts are named by; more are counted."""


def without(loaded: Loaded, words: list[str]) -> Loaded:
    """The texts counted again without `words`, under a name that says so. Raises CorpusError."""
    before = loaded.report
    corpus, report = leave_out(loaded.corpus, words, before.settings if before else None)
    if before and before.reading:
        report = replace(report, reading=before.reading.without(words))
    left_out = ", ".join(words) if len(words) <= NAMED else plural(len(words), "word")
    corpus = replace(corpus, name=f"{loaded.corpus.name} without {left_out}")
    return replace(loaded, corpus=corpus, report=report, true_topics=None)
