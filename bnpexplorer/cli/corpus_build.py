"""`corpus build`: a corpus on the disk, of files of any size."""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from ..core.display import plural
from ..core.environment import usable_cores
from ..core.progress import Bar
from ..corpus.building.build import build, build_whole
from ..corpus.building.steps import of_all
from ..corpus.documents.enough import too_little
from ..corpus.readers.source import shown
from ..corpus.stored import StoredCorpus
from ..intake.api import load_with_report
from .printing import Out
from .reading import chosen_of, told_how_far, warn
from .threads import threads_of


def build_corpus(options: argparse.Namespace) -> int:
    started, bar = time.monotonic(), _Steps()
    reading, words = chosen_of(options)
    paths, out = [Path(path) for path in options.paths], Path(options.out)
    if options.vocab is None:
        threads = threads_of(options)
        if threads is not None and threads > usable_cores():
            print(
                f"bnpexplorer: {threads:,} processes would count no faster than "
                f"{usable_cores():,}, one for each core: so many are begun.",
                file=sys.stderr,
            )
        corpus = build(paths, out, reading, words, threads, options.force, bar.draw)
    else:
        if len(paths) > 1:
            raise ValueError(f"--vocab goes with one file of counts; got {len(paths)}.")
        with told_how_far(paths[0]):
            loaded = load_with_report(paths[0], options.vocab, reading, words)
        warn(loaded.warnings)
        corpus = build_whole(
            loaded.corpus, loaded.report, loaded.notes, loaded.warnings, out, options.force
        )
    bar.end()
    said, seconds = corpus.manifest.report.get("notes", ()), time.monotonic() - started
    result = Out(options)
    if said:
        result.say(f"read: {' '.join(said)}")
    result.say(*lines_of(corpus))
    result.say(f"built in {seconds:,.0f} s; learn it with: fit {shown(out)}")
    result.give({**facts_of(corpus), "folder": shown(out), "read": list(said), "seconds": seconds})
    warn([too_little(corpus)])
    return 0


class _Steps:
    """All steps as one bar."""

    def __init__(self) -> None:
        self._bar = Bar()

    def draw(self, what: str, share: float, said: str) -> None:
        self._bar.draw(of_all(what, share), f"{what}: {said}")

    def end(self) -> None:
        self._bar.end()


def facts_of(corpus: StoredCorpus) -> dict[str, Any]:
    """What a corpus holds, for programs."""
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
    """What a corpus holds, for `build` and `show`."""
    size = sum(corpus.manifest.sizes().values())
    return [
        f"{corpus.name}: {plural(corpus.n_docs, 'document')}, {plural(corpus.n_words, 'word')}, "
        f"{corpus.n_tokens:,} tokens in {plural(len(corpus.manifest.shards), 'shard')}",
        f"{size / 1e6:,.1f} MB on the disk, fingerprint {corpus.fingerprint}",
    ]
