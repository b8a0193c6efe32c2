"""`corpus show`: what a corpus on the disk holds."""

import argparse
from dataclasses import fields

from ..corpus.settings import TextSettings
from ..corpus.source import plural
from ..corpus.stored import StoredCorpus
from ..corpus.stored.reporting import report_of
from .corpus_build import lines_of


def add_corpus_show(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_show)
    parser.add_argument("folder", help="the folder that `corpus build` wrote")


def _show(options: argparse.Namespace) -> int:
    corpus = StoredCorpus(options.folder)
    report, usual = report_of(corpus), TextSettings()
    for line in lines_of(corpus):
        print(line)
    if corpus.docs.names():
        print(f"of each document: {', '.join(corpus.docs.names())}")
    for note in corpus.manifest.report.get("notes", ()):
        print(f"read: {note}")
    for why, removed in report.removed.items():
        print(f"left out: {plural(removed.total, 'word')} ({why})")
    if report.left_out:
        print(f"left out: {report.left_out}")
    if report.repeated:
        print(f"repeated: {report.repeated}")
    for f in fields(TextSettings):
        value = getattr(report.settings, f.name)
        if value != getattr(usual, f.name):
            print(f"setting: {f.name} = {value}")
    return 0
