"""`corpus check`: whether a corpus on the disk is what it was when it was built."""

import argparse

from ..core.display import plural
from ..core.progress import Bar
from ..corpus.stored import StoredCorpus
from ..corpus.stored.checking import faults
from .corpus_build import facts_of
from .printing import Out


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
