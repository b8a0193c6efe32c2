"""The index of saved runs: one row a run in SQLite, safe for several processes at once."""

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import store
from .labels import Labels
from .run import Run

TABLE = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, name TEXT NOT NULL, secret TEXT NOT NULL, corpus_key TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL, deleted REAL,
    facts TEXT NOT NULL, tags TEXT NOT NULL, labels TEXT NOT NULL
)
"""
AT_REST = ("finished", "stopped", "paused")
"""What a run's last row says if its thread came to rest before its server did."""


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

    @property
    def interrupted(self) -> bool:
        """Whether it was learning when it was saved last: true too while it still does."""
        return self.facts["status"] not in AT_REST

    @property
    def progress(self) -> float:
        """The share of its documents that it has learned, 1 if it has converged."""
        done = self.facts["status"] == "finished"
        return 1.0 if done else self.facts["docs_seen"] / max(self.facts["planned_docs"], 1)


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


class Index:
    """The rows below one folder. Every call opens its own connection.

    Raises StoreError if the file cannot be used, or if a run is changed that is not there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def rows(self, deleted: bool = False) -> list[Saved]:
        """All runs that are not deleted (or those that are), the latest first."""
        with self._open() as index:
            found = index.execute(
                f"SELECT * FROM runs WHERE deleted IS {'NOT ' if deleted else ''}NULL "
                "ORDER BY updated DESC"
            ).fetchall()
        return [self._row(row) for row in found]

    def get(self, run_id: str) -> Saved | None:
        """One run, deleted or not."""
        with self._open() as index:
            row = index.execute("SELECT * FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        return self._row(row) if row else None

    def secret(self, run_id: str) -> str:
        """The secret that controls the run; empty for an unknown one."""
        with self._open() as index:
            row = index.execute("SELECT secret FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        return str(row["secret"]) if row else ""

    def insert(self, run_id: str, run: Run, secret: str, corpus_key: str, status: str) -> float:
        """A new row; returns its mark, which is `updated`."""
        now, facts = time.time(), json.dumps(facts_of(run, status))
        with self._open() as index:
            index.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, NULL, ?, '[]', '{}')",
                (run_id, run.name, secret, corpus_key, now, now, facts),
            )
        return now

    def claim(self, run_id: str, run: Run, status: str, mark: float | None) -> float | None:
        """Write the facts and a new mark, and return it; None if the mark is not `mark`."""
        now, facts = time.time(), json.dumps(facts_of(run, status))
        with self._open() as index:
            claimed = index.execute(
                "UPDATE runs SET updated = ?, facts = ? WHERE run_id = ? AND updated = ?",
                (now, facts, run_id, mark),
            ).rowcount
        return now if claimed else None

    def set(self, run_id: str, column: str, value: object) -> None:
        """Change one column of one row."""
        with self._open() as index:
            changed = index.execute(
                f"UPDATE runs SET {column} = ? WHERE run_id = ?", (value, run_id)
            ).rowcount
        if not changed:
            raise store.StoreError(f"There is no saved run {run_id}.")

    def remove(self, run_id: str) -> None:
        with self._open() as index:
            index.execute("DELETE FROM runs WHERE run_id = ?", (run_id,))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        path = self.folder / "library.sqlite3"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(sqlite3.connect(path, timeout=10.0)) as connection:
                connection.row_factory = sqlite3.Row
                with connection:
                    connection.execute("PRAGMA journal_mode = WAL")
                    connection.execute(TABLE)
                    yield connection
        except (sqlite3.Error, OSError) as problem:
            raise store.StoreError(
                f"The list of saved runs, {path}, cannot be used ({store.short(problem)})."
            ) from problem

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
            store.bytes_below(self.folder / "runs" / row["run_id"]),
        )
