"""Pack the learned and held-out documents of a run for its file: word counts, never texts.

A file names a corpus on the disk and does not contain it. A file that this machine wrote for itself
names a folder; for a file from elsewhere, `from_elsewhere` decides which corpora it may open.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core import store
from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus, CorpusError
from ..corpus.documents.absent import AbsentCorpus
from ..corpus.documents.file_rows import FileRows
from ..corpus.stored import StoredCorpus
from ..evaluate import PROTOCOLS, Heldout
from ..explore.likeness import check_known
from ..inference.start import GivenTopics
from ..state.snapshot import Topics
from .limits import memory_limit

FOLDERS = "BNPEXPLORER_CORPORA"
"""The environment variable of a folder that is also searched for stored corpora."""
SHOWN = "without_texts"
"""The key in an exported file of the words and topics that show its run without its corpus."""
AtHand = Callable[[str], StoredCorpus | None]
"""Returns the stored corpus of a fingerprint, if the person who imports the file may open it."""


def pack_texts(
    corpus: Corpus, heldout: Heldout | None, given: GivenTopics | None = None
) -> store.Packed:
    """Pack the documents to learn and those held out, with ids, titles, dates and labels, and the
    topics from which the run started."""
    arrays: store.Arrays = {}
    manifest = {
        "corpus": pack_corpus(corpus.without_text(), arrays, "corpus"),
        "heldout": store.pack(heldout and heldout.without_text(), arrays, "heldout"),
        "fingerprint": None if isinstance(corpus, StoredCorpus) else corpus.fingerprint,
        "given": store.pack(given, arrays, "given"),
    }
    return manifest, arrays


def unpack_texts(manifest: dict[str, Any], arrays: store.Arrays) -> tuple[Corpus, Heldout | None]:
    """Return the corpus and held-out documents of `pack_texts`. Raises one of `store.DAMAGE` if the
    file is damaged."""
    corpus = unpack_corpus(store.part(manifest, "corpus"), arrays)
    if isinstance(corpus, StoredCorpus):
        corpus = corpus.without_text()
    corpus = _with_columns(corpus, manifest.get("whole"), arrays)
    heldout = store.unpack(Heldout | None, store.part(manifest, "heldout"), arrays)
    for part in heldout.parts if heldout is not None else ():
        _check(part)
    if heldout is not None and heldout.protocol not in PROTOCOLS:
        raise ValueError(f"its documents are scored by {heldout.protocol!r:.40}, which is unknown")
    if manifest.get("fingerprint") not in (None, corpus.fingerprint):
        raise ValueError("the texts are not those of its fingerprint")
    return corpus, heldout


def _with_columns(corpus: Corpus, whole: Any, arrays: store.Arrays) -> Corpus:
    """Return `corpus` with the columns of its file, if a bundle has them."""
    rows = corpus.file_rows
    if rows is None or not isinstance(whole, dict) or not whole.get("file_rows"):
        return corpus
    kept: FileRows = store.unpack(FileRows, whole["file_rows"], arrays)
    if kept.number.tolist() != rows.number.tolist():
        raise ValueError("the rows of its file are not those of its texts")
    return replace(corpus, file_rows=replace(rows, cells=kept.cells, how=kept.how))


def unpack_given(manifest: dict[str, Any], arrays: store.Arrays) -> GivenTopics | None:
    """Return the topics from which the run of `pack_texts` started, or None."""
    given: GivenTopics | None = store.unpack(GivenTopics | None, manifest.get("given"), arrays)
    return given


def unpack_known(tree: Any, arrays: store.Arrays, n_words: int) -> F64 | None:
    """Return the true topics, float64 (J, V), or None. Raises one of `store.DAMAGE` if they do not
    have `n_words` words."""
    topics: F64 | None = store.unpack(F64 | None, tree, arrays)
    if topics is not None:
        check_known(topics, n_words)
    return topics


def pack_corpus(corpus: Corpus, arrays: store.Arrays, path: str) -> Any:
    """Pack a corpus.

    A corpus on the disk is packed as its folder, fingerprint and left-out rows; a missing one as
    its size and words.
    """
    if isinstance(corpus, AbsentCorpus):
        return {
            "absent": corpus.name,
            "n_docs": corpus.n_docs,
            "vocab": list(corpus.vocab),
            "totals": store.pack(corpus.totals, arrays, f"{path}.totals"),
        }
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
    """Return `manifest` with only the folder names of its corpora, without paths and columns. So an
    export does not reveal paths, and an import chooses neither paths nor columns."""

    def named(part: Any) -> Any:
        if not _on_disk(part):
            return part
        kept = {key: value for key, value in part.items() if key != "columns"}
        return {**kept, "folder": Path(str(part["folder"])).name}

    return {key: named(part) for key, part in manifest.items()}


def pack_shown(corpus: Corpus, topics: Topics | None, arrays: store.Arrays) -> Any:
    """Pack the words and topics that show a run without its stored corpus."""
    return {
        "name": corpus.name,
        "vocab": list(corpus.vocab),
        "totals": store.pack(corpus.word_totals, arrays, f"{SHOWN}.totals"),
        "topics": store.pack(topics, arrays, f"{SHOWN}.topics"),
    }


def from_elsewhere(manifest: dict[str, Any], at_hand: AtHand | None, file: str) -> dict[str, Any]:
    """Return a manifest from elsewhere with the stored corpora that it may open.

    `at_hand` says which; None allows any in `FOLDERS`, for the account of this machine. Without its
    corpus the run opens without texts. Raises StoreError, naming `file`, if that is not possible.
    """
    manifest = by_name(manifest)
    wanted = {key: part for key, part in manifest.items() if _on_disk(part)}
    if at_hand is None or not wanted:
        return manifest
    opened = {key: at_hand(str(store.part(part, "fingerprint"))) for key, part in wanted.items()}
    if "corpus" in opened and opened["corpus"] is None:
        return _without_texts(manifest, file)
    for key, corpus in opened.items():
        if corpus is None:
            del manifest[key]
            continue
        own = {"folder": str(corpus.folder), "columns": list(corpus.docs.names())}
        manifest[key] = {**wanted[key], **own}
    return manifest


def _without_texts(manifest: dict[str, Any], file: str) -> dict[str, Any]:
    """Return the manifest with the run's words and topics in place of its stored corpus."""
    shown, corpus = manifest.get(SHOWN), manifest["corpus"]
    if not isinstance(shown, dict):
        raise store.StoreError(
            f"{file} has neither its texts nor topics to show without them, since an earlier "
            "version wrote it. Export the run again where its texts are."
        )
    absent = {
        "absent": store.part(shown, "name"),
        "n_docs": store.part(corpus, "n_docs"),
        "left_out": store.part(corpus, "left_out"),
        "vocab": store.part(shown, "vocab"),
        "totals": store.part(shown, "totals"),
    }
    kept = {key: part for key, part in manifest.items() if key != "whole"}
    return {
        **kept,
        "corpus": absent,
        "topics": store.part(shown, "topics"),
        "state": None,
        "given": None,
    }


def _on_disk(part: Any) -> bool:
    return isinstance(part, dict) and "folder" in part


def unpack_corpus(tree: Any, arrays: store.Arrays) -> Corpus:
    """Return a checked corpus, which is safe for kernels.

    Raises StoreError if it lies on the disk and is missing or another one; one of `store.DAMAGE` if
    it is damaged.
    """
    if isinstance(tree, dict) and "absent" in tree:
        return _absent(tree, arrays)
    if _on_disk(tree):
        for name in ("fingerprint", "left_out"):
            store.part(tree, name)
        return _reopened(tree, arrays)
    corpus: Corpus = store.unpack(Corpus, tree, arrays)
    _check(corpus)
    return corpus


def _absent(tree: Any, arrays: store.Arrays) -> AbsentCorpus:
    """Return the corpus of a run without texts. Raises one of `store.DAMAGE`."""
    name, vocab = (
        store.unpack(kind, store.part(tree, key), arrays)
        for kind, key in ((str, "absent"), (tuple[str, ...], "vocab"))
    )
    left_out = store.unpack(I64, tree["left_out"], arrays) if "left_out" in tree else ()
    n_docs = store.unpack(int, store.part(tree, "n_docs"), arrays) - len(left_out)
    if 8 * n_docs > memory_limit():
        raise ValueError("its corpus has more documents than a run may have here")
    return AbsentCorpus.of(
        name, n_docs, vocab, store.unpack(I64, store.part(tree, "totals"), arrays)
    )


def _reopened(tree: Any, arrays: store.Arrays) -> StoredCorpus:
    """Return the corpus of a folder, looked up at its path and in `FOLDERS`; a mere name only in
    `FOLDERS`. Raises StoreError."""
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
            columns = tree.get("columns", list(corpus.manifest.columns))
            asked = store.unpack(list[str], columns, arrays)
            known = tuple(n for n in corpus.manifest.columns if n in asked)
            return StoredCorpus(corpus.opened, left_out, known)
        problems.append(
            f"The corpus in {folder} has changed since the run learned it: its fingerprint is not "
            f"{tree['fingerprint']}."
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
