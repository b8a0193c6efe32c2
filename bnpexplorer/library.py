"""Saved runs and corpora on this machine's disk, with an index in SQLite.

    library.sqlite3           one row a run: name, tags, settings, where it stands
    corpora/KEY.zip           a corpus with its documents' texts, written once
    runs/ID/texts.zip         the run's own split of the corpus as counts, written once
    runs/ID/standing.zip      state, history and generators, written anew as the run goes on

Any thread may call a library; every call opens its own connection.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from . import store
from .corpus.corpus import Corpus
from .corpus.text import TextSettings
from .labels import Labels
from .run import Run

TABLE = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, name TEXT NOT NULL, secret TEXT NOT NULL, corpus_key TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL, deleted REAL,
    facts TEXT NOT NULL, tags TEXT NOT NULL, labels TEXT NOT NULL
)
"""
KEPT_AFTER_DELETION = 7 * 86_400.0
"""Seconds that a deleted run can still be brought back."""


class LibraryFull(ValueError):
    """The disk that saved runs may take is used up."""


@dataclass(frozen=True)
class Saved:
    """A row of the index: one saved run."""

    run_id: str
    name: str
    corpus_key: str
    created: float
    """Seconds since 1970."""
    updated: float
    facts: Mapping[str, Any]
    """What `facts_of` wrote when the run was saved last."""
    tags: tuple[str, ...] = ()
    labels: Labels = field(default_factory=Labels)
    deleted: float | None = None
    """When it was deleted; it can be brought back for a week."""
    n_bytes: int = 0
    """Bytes on disk, without the corpus, which several runs may share."""


def disk_limit() -> int:
    """Bytes that saved runs may take: 4 GB, or what BNPEXPLORER_DISK_MB says."""
    asked = os.environ.get("BNPEXPLORER_DISK_MB", "")
    return (int(asked) if asked.isdecimal() else 4096) * 2**20


def key_of(corpus: Corpus) -> str:
    """A name for a corpus with everything that is known of its documents."""
    digest = hashlib.sha256(corpus.name.encode())
    for name, column in corpus.docs.columns().items():
        digest.update(f"\0{name}\0".encode())
        digest.update("\0".join(map(str, column)).encode())
    return f"{corpus.fingerprint}-{digest.hexdigest()[:8]}"


def facts_of(run: Run, status: str) -> dict[str, Any]:
    """What a list of runs shows of one, as plain numbers and words."""
    last = run.history[-1] if run.history else None
    scores = [point.heldout for point in run.history if point.heldout == point.heldout]
    return {
        "method": run.method.name,
        "model": run.method.model.name,
        "corpus": run.corpus.name,
        "protocol": run.protocol,
        "status": status,
        "seed": run.seed,
        "docs_seen": run.docs_seen,
        "planned_docs": run.planned_docs,
        "seconds": run.seconds,
        "n_topics": last.n_topics if last else 0,
        "heldout": scores[-1] if scores else None,
    }


class Library:
    """All saved runs below one folder, by default the user's. Raises StoreError for damage."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        return self._folder if self._folder is not None else store.home()

    # ---- writing ---------------------------------------------------------------------------

    def keep(
        self,
        run_id: str,
        run: Run,
        source: Corpus,
        status: str,
        secret: str = "",
        settings: TextSettings | None = None,
    ) -> None:
        """Write where the run stands. Call it from the thread that owns the run, between steps.

        `source` is the whole corpus with its texts, `settings` how they were cut.
        Raises LibraryFull, with what to do, if the run is not yet in the library and there is no
        room.
        """
        place = self.folder / "runs" / run_id
        known = self.get(run_id)
        key = known.corpus_key if known else key_of(source)
        if known is None:
            self._make_room()
            place.mkdir(parents=True, exist_ok=True)
            self._write_corpus(source, key, settings)
            store.write(place / "texts.zip", *run.pack_texts())
        store.write(place / "standing.zip", *run.pack_standing(), compressed=status != "running")
        now, facts = time.time(), json.dumps(facts_of(run, status))
        with self._index() as index:
            index.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, NULL, ?, '[]', '{}') "
                "ON CONFLICT (run_id) DO UPDATE SET updated = excluded.updated, facts = "
                "excluded.facts",
                (run_id, run.name, secret, key, now, now, facts),
            )

    def _write_corpus(self, corpus: Corpus, key: str, settings: TextSettings | None) -> None:
        path = self.folder / "corpora" / f"{key}.zip"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            arrays: store.Arrays = {}
            manifest = {"corpus": store.pack(corpus, arrays, "corpus")}
            if settings is not None:
                manifest["settings"] = asdict(settings)
            store.write(path, manifest, arrays)

    def _make_room(self) -> None:
        self.purge(time.time() - KEPT_AFTER_DELETION)
        taken, limit = self.n_bytes, disk_limit()
        if taken >= limit:
            raise LibraryFull(
                f"Saved runs take {taken / 2**20:,.0f} MB of the {limit / 2**20:,.0f} MB that they "
                "may; delete some on the Runs page, or raise BNPEXPLORER_DISK_MB."
            )

    # ---- reading ---------------------------------------------------------------------------

    def saved(self, deleted: bool = False) -> list[Saved]:
        """All runs that are not deleted (or those that are), the latest first."""
        with self._index() as index:
            rows = index.execute(
                f"SELECT * FROM runs WHERE deleted IS {'NOT ' if deleted else ''}NULL "
                "ORDER BY updated DESC"
            ).fetchall()
        return [self._row(row) for row in rows]

    def get(self, run_id: str) -> Saved | None:
        """One run, deleted or not."""
        with self._index() as index:
            row = index.execute("SELECT * FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        return self._row(row) if row else None

    def secret(self, run_id: str) -> str:
        """The secret that controls the run; empty for an unknown one."""
        with self._index() as index:
            row = index.execute("SELECT secret FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        return str(row["secret"]) if row else ""

    def load(self, run_id: str) -> Run:
        """The run, which goes on exactly where it was saved."""
        place = self.folder / "runs" / run_id
        texts, arrays = store.read(place / "texts.zip")
        standing, more = store.read(place / "standing.zip")
        return Run.unpack({**texts, **standing}, {**arrays, **more}, f"The run {run_id}")

    def corpus(self, run_id: str) -> Corpus:
        """The whole corpus of the run, before the split, with its documents' texts."""
        return self.source(run_id)[0]

    def source(self, run_id: str) -> tuple[Corpus, TextSettings | None]:
        """The corpus of the run, and how its texts were cut into words (None if that is lost)."""
        saved = self.get(run_id)
        if saved is None:
            raise store.StoreError(f"There is no saved run {run_id}.")
        manifest, arrays = store.read(self.folder / "corpora" / f"{saved.corpus_key}.zip")
        corpus: Corpus = store.unpack(Corpus, manifest["corpus"], arrays)
        if "settings" not in manifest:
            return corpus, None
        try:
            return corpus, TextSettings(**manifest["settings"])
        except (TypeError, ValueError) as problem:
            raise store.StoreError(f"The corpus of {run_id} is damaged ({problem}).") from problem

    @property
    def n_bytes(self) -> int:
        """Bytes of all saved runs and corpora on disk."""
        return sum(_bytes_below(self.folder / name) for name in ("runs", "corpora"))

    # ---- what a person changes -------------------------------------------------------------

    def rename(self, run_id: str, name: str) -> None:
        self._set(run_id, "name", name.strip() or run_id)

    def tag(self, run_id: str, tags: tuple[str, ...]) -> None:
        """Give the run these tags; spaces around them and repetitions go."""
        clean = sorted({tag.strip() for tag in tags} - {""})
        self._set(run_id, "tags", json.dumps(clean))

    def label(self, run_id: str, labels: Labels) -> None:
        """Keep the names that a person gave to topics, and which are hidden or pinned."""
        self._set(run_id, "labels", json.dumps(labels.to_json()))

    def delete(self, run_id: str) -> None:
        """Take the run off the list; `restore` brings it back for a week."""
        self._set(run_id, "deleted", time.time())

    def restore(self, run_id: str) -> None:
        self._set(run_id, "deleted", None)

    def purge(self, deleted_before: float = float("inf")) -> None:
        """Remove from the disk what was deleted before that time, and corpora without a run."""
        for saved in self.saved(deleted=True):
            if saved.deleted is not None and saved.deleted < deleted_before:
                shutil.rmtree(self.folder / "runs" / saved.run_id, ignore_errors=True)
                with self._index() as index:
                    index.execute("DELETE FROM runs WHERE run_id = ?", (saved.run_id,))
        needed = {saved.corpus_key for saved in (*self.saved(), *self.saved(deleted=True))}
        for path in (self.folder / "corpora").glob("*.zip"):
            if path.stem not in needed:
                path.unlink(missing_ok=True)

    # ---- the index -------------------------------------------------------------------------

    @contextmanager
    def _index(self) -> Iterator[sqlite3.Connection]:
        self.folder.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.folder / "library.sqlite3", timeout=10.0)
        connection.row_factory = sqlite3.Row
        try:
            with connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(TABLE)
                yield connection
        finally:
            connection.close()

    def _set(self, run_id: str, column: str, value: object) -> None:
        with self._index() as index:
            changed = index.execute(
                f"UPDATE runs SET {column} = ? WHERE run_id = ?", (value, run_id)
            ).rowcount
        if not changed:
            raise store.StoreError(f"There is no saved run {run_id}.")

    def _row(self, row: sqlite3.Row) -> Saved:
        return Saved(
            row["run_id"],
            row["name"],
            row["corpus_key"],
            row["created"],
            row["updated"],
            json.loads(row["facts"]),
            tuple(json.loads(row["tags"])),
            Labels.from_json(json.loads(row["labels"])),
            row["deleted"],
            _bytes_below(self.folder / "runs" / row["run_id"]),
        )


def _bytes_below(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
