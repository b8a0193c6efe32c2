"""`corpus check`: whether a corpus on the disk is what it was when it was built."""

import argparse

from ..core.bar import Bar
from ..corpus.source import plural
from ..corpus.stored import StoredCorpus
from ..corpus.stored.checking import faults


def add_corpus_check(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_check)
    parser.add_argument("folder", help="the folder that `corpus build` wrote")


def _check(options: argparse.Namespace) -> int:
    corpus, bar = StoredCorpus(options.folder), Bar()
    found = []
    for fault in faults(options.folder, lambda n, of: bar.draw(n / of, f"shard {n}", n == of)):
        found.append(fault)
        print(fault, flush=True)
    bar.end()
    if found:
        print(f"{len(found)} found.")
        return 1
    print(
        f"{corpus.name}: {plural(corpus.n_docs, 'document')}, {plural(corpus.n_words, 'word')}, "
        f"{corpus.n_tokens:,} tokens in {plural(len(corpus.manifest.shards), 'shard')}: as built, "
        f"fingerprint {corpus.fingerprint}."
    )
    return 0
