"""Whether a stored corpus is what it was when it was built: every number is read."""

from collections.abc import Callable, Iterator
from pathlib import Path

from ..corpus import CorpusError, fingerprint_of
from .counts import file_hash
from .layout import REMEDY, TOTALS, fields_of
from .stored import StoredCorpus


def faults(folder: str | Path, tell: Callable[[int, int], None] | None = None) -> Iterator[str]:
    """What is wrong with a corpus, a sentence for each shard or file; nothing for a sound one.

    `tell(done, of)` is called after every shard. Raises CorpusError where it cannot be opened.
    """
    corpus = StoredCorpus(folder)
    manifest = corpus.manifest
    for i, shard in enumerate(manifest.shards):
        try:
            docs = corpus.part(shard.first, shard.last)
            arrays = (docs.indptr, docs.word_ids, docs.counts)
            if fingerprint_of(arrays, corpus.vocab) != shard.fingerprint:
                yield f"Shard {i} of the corpus in {corpus.folder} has other counts. {REMEDY}"
        except CorpusError as problem:
            yield str(problem)
        if shard.fields_bytes:
            path = corpus.folder / fields_of(i)
            if file_hash(path) != shard.fields_sha256:
                yield f"{path} has other texts or names than when it was built. {REMEDY}"
        if tell is not None:
            tell(i + 1, len(manifest.shards))
    if file_hash(corpus.folder / TOTALS) != manifest.totals_sha256:
        yield f"{corpus.folder / TOTALS} has other sums than when it was built. {REMEDY}"
    lengths = sum(int(piece.sum()) for piece in corpus.length_pieces())
    if lengths != manifest.n_tokens:
        yield f"The lengths of documents in {corpus.folder} are others than they were. {REMEDY}"
