"""What lies in the folder of a stored corpus, and the one file that says so.

    manifest.json        what the others hold, their sizes and hashes; there once all is complete
    building.json        the same while the corpus is being written: shards that are complete
    vocabulary.json      the words, a list
    indptr.npy           int64 (D+1,), word_ids.npy and counts.npy int32 (U,): as in `Corpus`
    lengths.npy          int64 (D,): tokens of every document
    totals.npy           int64 (2, V): tokens of every word, and documents in which it occurs
    fields/00000.parquet the texts and names of the documents of a shard, in row groups

A shard is a range of documents: where it lies in the arrays follows from its entry, so that any
program that opens .npy and Parquet files reads a corpus, whole or in part, with no word of ours.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from ...core import store
from ...core.faults import told
from ...core.installation import versions
from ..corpus import CorpusError, DocTable

FORMAT, VERSION = "bnpexplorer-corpus", 1
MANIFEST, JOURNAL, VOCABULARY = "manifest.json", "building.json", "vocabulary.json"
INDPTR, WORD_IDS, COUNTS = "indptr.npy", "word_ids.npy", "counts.npy"
LENGTHS, TOTALS = "lengths.npy", "totals.npy"
FIELDS = "fields"
TYPES = {INDPTR: "<i8", WORD_IDS: "<i4", COUNTS: "<i4", LENGTHS: "<i8", TOTALS: "<i8"}
"""Of the numbers in each file: little-endian on every machine."""
HEADER = 128
"""Bytes before the numbers of a .npy file of one axis, however long: numpy leaves room for it."""
GROUP = 2_000
"""Rows of a row group of `fields`, the least that is read: 1 MB of texts of 100 words."""
SHARD_DOCS = 50_000
"""Documents of a shard: 28 MB of counts at 70 words each, and a killed build loses as much."""
REMEDY = "Build it again from its files, or bring the folder back as it was."


@dataclass(frozen=True)
class Shard:
    """A range of documents, and how its parts are known again."""

    first: int
    """Its first document; it ends where the next begins."""
    last: int
    begin: int
    """The first of its entries in `word_ids` and `counts`."""
    end: int
    n_tokens: int
    fingerprint: str
    """`Corpus.fingerprint` of its documents alone."""
    fields_bytes: int = 0
    fields_sha256: str = ""
    """Of its Parquet file; empty where documents have words only."""

    @property
    def n_docs(self) -> int:
        return self.last - self.first


@dataclass(frozen=True)
class Manifest:
    """All that is known of a stored corpus without looking at its documents."""

    name: str
    n_words: int
    vocabulary_sha256: str
    columns: tuple[str, ...] = ()
    """Fields of `DocTable` that its Parquet files hold."""
    shard_docs: int = SHARD_DOCS
    shards: tuple[Shard, ...] = ()
    fingerprint: str = ""
    """`Corpus.fingerprint` of the same corpus in memory; empty while it is being written."""
    totals_sha256: str = ""
    n_empty_dropped: int = 0
    made: Mapping[str, Any] = field(default_factory=dict)
    """Of what and how it is made: what must be the same for a build to go on."""
    report: Mapping[str, Any] = field(default_factory=dict)
    """What was left out and why, and whatever else the reading has to say."""
    versions: Mapping[str, str] = field(default_factory=versions)
    """Of the programs that wrote it."""

    @property
    def n_docs(self) -> int:
        return self.shards[-1].last if self.shards else 0

    @property
    def n_pairs(self) -> int:
        """U, pairs of a document and one of its words."""
        return self.shards[-1].end if self.shards else 0

    @property
    def n_tokens(self) -> int:
        return sum(shard.n_tokens for shard in self.shards)

    def lengths(self) -> dict[str, int]:
        """How many numbers each file of one axis holds."""
        n_docs, n_pairs = self.n_docs, self.n_pairs
        return {INDPTR: n_docs + 1, WORD_IDS: n_pairs, COUNTS: n_pairs, LENGTHS: n_docs}

    def sizes(self) -> dict[str, int]:
        """Bytes of every file but the JSON ones, by its name in the folder."""
        found = {name: HEADER + int(TYPES[name][2]) * n for name, n in self.lengths().items()}
        found[TOTALS] = HEADER + 8 * 2 * self.n_words
        if self.columns:
            found |= {fields_of(i): s.fields_bytes for i, s in enumerate(self.shards)}
        return found

    def tree(self) -> dict[str, Any]:
        """As JSON; D, V, U and N stand there for whoever reads it."""
        counted = {key: getattr(self, key) for key in ("n_docs", "n_pairs", "n_tokens")}
        return {"format": FORMAT, "version": VERSION, **counted, **asdict(self)}


KINDS: Mapping[type, tuple[str, ...]] = {
    int: ("n_words", "n_empty_dropped", "shard_docs"),
    str: ("name", "vocabulary_sha256", "fingerprint", "totals_sha256"),
    dict: ("made", "report", "versions"),
}
"""Of the manifest's entries, which a hand may have changed."""


def fields_of(shard: int) -> str:
    """The name of a shard's Parquet file."""
    return f"{FIELDS}/{shard:05d}.parquet"


def is_stored(folder: str | Path) -> bool:
    """Whether a folder holds a corpus of ours, complete or not."""
    return any((Path(folder) / name).is_file() for name in (MANIFEST, JOURNAL))


def write_tree(path: Path, tree: Mapping[str, Any] | Sequence[Any]) -> None:
    """A JSON file, whole or not at all. Raises OSError, which names it."""
    with store.replacing(path) as file:
        file.write(json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode())


def read_manifest(folder: Path, name: str = MANIFEST) -> Manifest:
    """The manifest, or the journal of what is complete.

    Raises CorpusError if there is none, or if it is damaged, foreign or from a newer version.
    """
    path = folder / name
    if folder.is_file():
        raise CorpusError(
            f"{folder} is a file, and no corpus on the disk; give the folder that `corpus build` "
            "wrote, or build one of this file."
        )
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise ValueError("it is no file")
        written = path.read_text("utf-8")
    except FileNotFoundError:
        if (folder / JOURNAL).is_file():
            raise CorpusError(
                f"The corpus in {folder} is not complete; start the same build again, which goes "
                "on where it ended."
            ) from None
        raise CorpusError(
            f"There is no stored corpus in {folder}; it has no {name}. Check the address, or build "
            "the corpus there."
        ) from None
    except (OSError, ValueError) as problem:
        raise CorpusError(f"{path} cannot be read ({store.short(problem)}). {REMEDY}") from problem
    return manifest_of(written, str(folder), str(path))


def manifest_of(written: str, folder: str, path: str) -> Manifest:
    """The manifest of the folder at an address, as it stands in the file at `path`.

    Raises CorpusError if it is damaged, foreign or from a newer version.
    """
    try:
        tree = json.loads(written)
    except (ValueError, RecursionError) as problem:
        raise CorpusError(f"{path} cannot be read ({store.short(problem)}). {REMEDY}") from problem
    if not isinstance(tree, dict) or tree.get("format") != FORMAT:
        raise CorpusError(f"{path} is not the manifest of a stored corpus; give its folder.")
    if not isinstance(tree.get("version"), int) or tree["version"] > VERSION:
        raise CorpusError(
            f"The corpus in {folder} was built by a newer version of bnpexplorer; update the "
            "program to open it."
        )
    try:
        manifest = _manifest(tree)
    except store.DAMAGE as problem:
        damaged = f"{path} is damaged ({store.short(problem)}). {REMEDY}"
        raise CorpusError(told(path, problem, damaged)) from problem
    return manifest


def _manifest(tree: Mapping[str, Any]) -> Manifest:
    values = {f.name: store.part(tree, f.name) for f in fields(Manifest)}
    shards = store.unpack(tuple[Shard, ...], values["shards"], {})
    columns = store.unpack(tuple[str, ...], values["columns"], {})
    manifest = Manifest(**values | {"shards": shards, "columns": columns})
    for of_kind, parts in KINDS.items():
        for part in parts:
            if type(getattr(manifest, part)) is not of_kind:
                raise ValueError(f"its {part} is no {of_kind.__name__}")
    if manifest.n_words < 1 or min(manifest.n_empty_dropped, manifest.shard_docs - 1) < 0:
        raise ValueError("its numbers are none of a corpus")
    if not set(manifest.columns) <= {f.name for f in fields(DocTable)}:
        raise ValueError("its columns are others than documents have")
    if any(type(shard.fields_bytes) is not int or shard.fields_bytes < 0 for shard in shards):
        raise ValueError("its shards have no sizes")
    ends = [(0, 0), *((shard.last, shard.end) for shard in shards)]
    begins = [(shard.first, shard.begin) for shard in shards]
    if begins != ends[:-1] or any(a >= b for shard in shards for a, b in _ranges(shard)):
        raise ValueError("its shards do not follow each other")
    counted = {key: getattr(manifest, key) for key in ("n_docs", "n_pairs", "n_tokens")}
    if counted != {key: store.part(tree, key) for key in counted}:
        raise ValueError("its sums are not those of its shards")
    return manifest


def _ranges(shard: Shard) -> tuple[tuple[int, int], ...]:
    return (shard.first, shard.last), (shard.begin, shard.end)
