"""What a run learns and is scored on, as a file holds it: word counts, never the texts."""

import os
from pathlib import Path
from typing import Any

from ..core import store
from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus, CorpusError
from ..corpus.stored import StoredCorpus
from ..evaluate import PROTOCOLS, Heldout
from ..explore.known import check_known
from ..inference.given import GivenTopics

FOLDERS = "BNPEXPLORER_CORPORA"
"""The environment variable that names a folder in which stored corpora are looked for, too."""


def pack_texts(
    corpus: Corpus, heldout: Heldout | None, given: GivenTopics | None = None
) -> store.Packed:
    """The documents to learn and those held out, with identities, titles, dates and labels; and
    the topics at which their run began."""
    arrays: store.Arrays = {}
    manifest = {
        "corpus": pack_corpus(corpus.without_text(), arrays, "corpus"),
        "heldout": store.pack(heldout and heldout.without_text(), arrays, "heldout"),
        "fingerprint": None if isinstance(corpus, StoredCorpus) else corpus.fingerprint,
        "given": store.pack(given, arrays, "given"),
    }
    return manifest, arrays


def unpack_texts(manifest: dict[str, Any], arrays: store.Arrays) -> tuple[Corpus, Heldout | None]:
    """What `pack_texts` packed. Raises one of `store.DAMAGE` if it is not sound."""
    corpus = unpack_corpus(store.part(manifest, "corpus"), arrays)
    heldout = store.unpack(Heldout | None, store.part(manifest, "heldout"), arrays)
    for part in heldout.parts if heldout is not None else ():
        _check(part)
    if heldout is not None and heldout.protocol not in PROTOCOLS:
        raise ValueError(f"its documents are scored by {heldout.protocol!r:.40}, which is unknown")
    if manifest.get("fingerprint") not in (None, corpus.fingerprint):
        raise ValueError("the texts are not those of its fingerprint")
    return corpus, heldout


def unpack_given(manifest: dict[str, Any], arrays: store.Arrays) -> GivenTopics | None:
    """The topics at which the run of `pack_texts` began, as far as they are of its shape."""
    given: GivenTopics | None = store.unpack(GivenTopics | None, manifest.get("given"), arrays)
    return given


def unpack_known(tree: Any, arrays: store.Arrays, n_words: int) -> F64 | None:
    """The topics that texts were drawn from: float64 (J, V). Raises one of `store.DAMAGE` if they
    are not of these words."""
    topics: F64 | None = store.unpack(F64 | None, tree, arrays)
    if topics is not None:
        check_known(topics, n_words)
    return topics


def pack_corpus(corpus: Corpus, arrays: store.Arrays, path: str) -> Any:
    """A corpus; of one on the disk its folder, its fingerprint and what a view of it lacks."""
    if not isinstance(corpus, StoredCorpus):
        return store.pack(corpus, arrays, path)
    return {
        "folder": str(corpus.folder.absolute()),
        "fingerprint": corpus.manifest.fingerprint,
        "n_docs": corpus.manifest.n_docs,
        "left_out": store.pack(corpus.left_out, arrays, f"{path}.left_out"),
        "columns": list(corpus.docs.names()),
    }


def by_name(manifest: dict[str, Any]) -> dict[str, Any]:
    """What goes elsewhere or comes from there: its corpora on the disk by the name of their folder
    alone. A file tells nobody how folders here are called, and none from elsewhere chooses one."""

    def named(part: Any) -> Any:
        on_disk = isinstance(part, dict) and "folder" in part
        return {**part, "folder": Path(str(part["folder"])).name} if on_disk else part

    return {key: named(part) for key, part in manifest.items()}


def unpack_corpus(tree: Any, arrays: store.Arrays) -> Corpus:
    """A corpus that kernels may walk.

    Raises StoreError if it lies on the disk and is no longer there, or is another one; one of
    `store.DAMAGE` if it is not sound.
    """
    if isinstance(tree, dict) and "folder" in tree:
        for name in ("fingerprint", "left_out"):
            store.part(tree, name)
        store.unpack(list[str], store.part(tree, "columns"), arrays)
        return _reopened(tree, arrays)
    corpus: Corpus = store.unpack(Corpus, tree, arrays)
    _check(corpus)
    return corpus


def _reopened(tree: Any, arrays: store.Arrays) -> StoredCorpus:
    """The corpus of a folder, where it was or among `FOLDERS`; of one that has a name alone, there
    alone. Raises StoreError."""
    was, problems = Path(str(tree["folder"])), []
    others, folders = os.environ.get(FOLDERS, ""), [was] if was.is_absolute() else []
    if others and was.name not in ("", ".."):
        folders.append(Path(others) / was.name)
    for folder in folders:
        try:
            corpus = StoredCorpus(folder)
        except CorpusError as problem:
            problems.append(str(problem))
            continue
        if corpus.manifest.fingerprint == tree["fingerprint"]:
            left_out = store.unpack(I64, tree["left_out"], arrays)
            if not _ascending(left_out.tolist(), corpus.n_docs):
                raise ValueError("its documents are not those of its corpus")
            known = tuple(str(n) for n in tree["columns"] if n in corpus.manifest.columns)
            return StoredCorpus(corpus.opened, left_out, known)
        problems.append(
            f"The corpus in {folder} has changed since the run learned it: it is another than that "
            f"of the fingerprint {tree['fingerprint']}."
        )
    back = "bring the corpus back there, or " if was.is_absolute() else ""
    raise store.StoreError(
        f"The texts of this run are not in it but in {was}. {' '.join(problems[:1])} The run stays "
        f"as it is: {back}name the folder that holds {was.name} in {FOLDERS}.".replace("  ", " ")
    )


def _ascending(rows: list[int], n_docs: int) -> bool:
    before = [-1, *rows]
    return all(a < b < n_docs for a, b in zip(before, rows, strict=False))


def _check(corpus: Corpus) -> None:
    if fault := corpus.fault():
        raise ValueError(fault)
