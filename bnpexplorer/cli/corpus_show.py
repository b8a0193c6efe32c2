"""`corpus show`: what a corpus on the disk holds."""

import argparse
from dataclasses import fields

from ..core.display import plural
from ..corpus.stored import StoredCorpus
from ..corpus.stored.reporting import report_of
from ..corpus.words.settings import TextSettings
from .corpus_build import facts_of, lines_of
from .printing import Out


def show_corpus(options: argparse.Namespace) -> int:
    corpus = StoredCorpus(options.folder)
    report, usual, out = report_of(corpus), TextSettings(), Out(options)
    notes = corpus.manifest.report.get("notes", ())
    values = {f.name: getattr(report.settings, f.name) for f in fields(TextSettings)}
    changed = {name: value for name, value in values.items() if value != getattr(usual, name)}
    out.say(*lines_of(corpus))
    if corpus.docs.names():
        out.say(f"of each document: {', '.join(corpus.docs.names())}")
    out.say(*(f"read: {note}" for note in notes))
    for why, removed in report.removed.items():
        out.say(f"left out: {plural(removed.total, 'word')} ({why})")
    if report.left_out:
        out.say(f"left out: {report.left_out}")
    if report.repeated:
        out.say(f"repeated: {report.repeated}")
    out.say(*(f"setting: {name} = {value}" for name, value in changed.items()))
    out.give(
        {
            **facts_of(corpus),
            "columns": list(corpus.docs.names()),
            "read": list(notes),
            "words_left_out": {why: removed.total for why, removed in report.removed.items()},
            "documents_left_out": report.dropped,
            "repeated": report.repeated or None,
            "settings": changed,
        }
    )
    return 0
