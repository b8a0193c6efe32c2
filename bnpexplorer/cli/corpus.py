"""The command `corpus`: builds a corpus on the disk, describes it and checks its files."""

import argparse
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from ..core.display import plural
from ..core.plugins import plugin
from ..core.progress import Bar
from ..corpus.stored import StoredCorpus
from ..corpus.stored.checking import faults
from ..corpus.stored.reporting import report_of
from ..corpus.words.settings import TextSettings
from .printing import Out


def build_corpus(options: argparse.Namespace) -> int:
    build: Callable[[argparse.Namespace], int] = plugin("corpus build")
    return build(options)


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


def facts_of(corpus: StoredCorpus) -> dict[str, Any]:
    """Return the facts of a corpus as JSON gives them."""
    return {
        "name": corpus.name,
        "documents": corpus.n_docs,
        "words": corpus.n_words,
        "tokens": corpus.n_tokens,
        "shards": len(corpus.manifest.shards),
        "bytes": sum(corpus.manifest.sizes().values()),
        "fingerprint": corpus.fingerprint,
    }


def lines_of(corpus: StoredCorpus) -> list[str]:
    """Return the lines about a corpus that `build` and `show` print."""
    size = sum(corpus.manifest.sizes().values())
    return [
        f"{corpus.name}: {plural(corpus.n_docs, 'document')}, {plural(corpus.n_words, 'word')}, "
        f"{corpus.n_tokens:,} tokens in {plural(len(corpus.manifest.shards), 'shard')}",
        f"{size / 1e6:,.1f} MB on the disk, fingerprint {corpus.fingerprint}",
    ]


def check_corpus(options: argparse.Namespace) -> int:
    corpus, bar, out = StoredCorpus(options.folder), Bar(), Out(options)
    found = []
    for fault in faults(options.folder, lambda n, of: bar.draw(n / of, f"shard {n}", n == of)):
        found.append(fault)
        out.say(fault)
    bar.end()
    out.give({"sound": not found, "faults": found, **facts_of(corpus)})
    if found:
        out.say(f"{len(found)} found.")
        return 1
    out.say(
        f"{corpus.name}: {plural(corpus.n_docs, 'document')}, {plural(corpus.n_words, 'word')}, "
        f"{corpus.n_tokens:,} tokens in {plural(len(corpus.manifest.shards), 'shard')}: as built, "
        f"fingerprint {corpus.fingerprint}."
    )
    return 0
