"""`corpus build`: a corpus on the disk, of files of any size."""

import argparse
import sys
import time
from pathlib import Path

from ...cli.corpus import facts_of, lines_of
from ...cli.printing import Out
from ...cli.reading import chosen_of, told_how_far, warn
from ...cli.threads import threads_of
from ...core.environment import usable_cores
from ...core.progress import Bar
from ...corpus.documents.enough import too_little
from ...corpus.intake.api import load_with_report
from ...corpus.readers.source import shown
from .build import build, build_whole
from .steps import of_all


def build_corpus(options: argparse.Namespace) -> int:
    started, bar = time.monotonic(), Bar()

    def draw(what: str, share: float, said: str) -> None:
        bar.draw(of_all(what, share), f"{what}: {said}")

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
        corpus = build(paths, out, reading, words, threads, options.force, draw)
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
