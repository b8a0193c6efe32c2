"""The index of saved runs: one row a run in SQLite, safe for several processes at once.

Every row stands in its run's folder too, as row.json. An index that is missing, new or damaged is
made again from those.
"""

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..core import store
from ..core.private import private_file, private_folder
from ..evaluate import topics_in_use
from ..runs.draws import Chain
from ..runs.run import Run
from ..state.labels import Labels

TABLE = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, name TEXT NOT NULL, secret TEXT NOT NULL, corpus_key TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL, deleted REAL,
    facts TEXT NOT NULL, tags TEXT NOT NULL, labels TEXT NOT NULL
)
"""
IN_JSON = ("facts", "tags", "labels")
"""Columns that hold JSON."""
BESIDE = ("-wal", "-shm")
"""Ends of the names of the files that SQLite keeps beside an index in use."""
FILLED = 1
"""`user_version` of an index that has the rows of all folders."""
COLUMNS = ("run_id", "name", "secret", "corpus_key", "created", "updated", "deleted", *IN_JSON)
ROW = f"runs ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
ONE = "SELECT * FROM runs WHERE run_id = ?"
AT_REST = ("finished", "stopped", "failed", "paused")
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
    def chain(self) -> Chain | None:
        """Which of several chains it is, if it is one."""
        found = self.facts.get("chain")
        return None if found is None else Chain(**found)

    @property
    def failure(self) -> str:
        """How it ended, if with an error, and where it goes on; else empty."""
        if self.facts["status"] != "failed":
            return ""
        step = self.facts.get("step")  # older rows have none
        where = "where it was saved last" if step is None else f"step {step:,}"
        error = self.facts.get("error", "").rstrip(".")
        return f"stopped with an error: {error}. Resume goes on from {where}."

    @property
    def progress(self) -> float:
        """The share of its documents that it has learned, 1 if it has converged."""
        done = self.facts["status"] == "finished"
        return 1.0 if done else self.facts["docs_seen"] / max(self.facts["planned_docs"], 1)


def facts_of(run: Run, status: str) -> dict[str, Any]:
    """What a list of runs shows of one, as plain numbers and words."""
    topics = run.method.topics(run.state) if run.n_steps else None
    scores = [point.heldout for point in run.history if point.heldout == point.heldout]
    chain = {} if run.chain is None else {"chain": asdict(run.chain)}
    return {
        "method": run.method.name,
        "model": run.method.model.name,
        "corpus": run.corpus.name,
        "protocol": run.protocol,
        "status": status,
        "seed": run.seed,
        "step": run.n_steps,
        "docs_seen": run.docs_seen,
        "planned_docs": run.planned_docs,
        "seconds": run.seconds,
        "n_topics": 0 if topics is None else topics_in_use(topics),
        "heldout": scores[-1] if scores else None,
        **chain,
    }


class Index:
    """The rows below one folder. Every call opens its own connection.

    Raises StoreError if the file cannot be used, or if a run is changed that is not there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "library.sqlite3"

    def rows(self, deleted: bool = False) -> list[Saved]:
        """All runs that are not deleted (or those that are), the latest first."""
        which = "NOT " if deleted else ""
        found, _ = self._execute(
            f"SELECT * FROM runs WHERE deleted IS {which}NULL ORDER BY updated DESC"
        )
        return [self._saved(dict(row)) for row in found]

    def get(self, run_id: str) -> Saved | None:
        """One run, deleted or not."""
        found, _ = self._execute(ONE, (run_id,))
        return self._saved(dict(found[0])) if found else None

    def secret(self, run_id: str) -> str:
        """The secret that controls the run; empty for an unknown one."""
        found, _ = self._execute(ONE, (run_id,))
        return str(found[0]["secret"]) if found else ""

    def insert(self, run_id: str, run: Run, secret: str, corpus_key: str, status: str) -> float:
        """A new row; returns its mark, which is `updated`."""
        now, facts = time.time(), json.dumps(facts_of(run, status))
        row = (run_id, run.name, secret, corpus_key, now, now, None, facts, "[]", "{}")
        self._execute(f"INSERT INTO {ROW}", row, run_id)
        return now

    def claim(self, run_id: str, mark: float | None) -> float | None:
        """Write a new mark, and return it; None if the mark is not `mark`."""
        now = time.time()
        _, claimed = self._execute(
            "UPDATE runs SET updated = ? WHERE run_id = ? AND updated = ?", (now, run_id, mark)
        )
        return now if claimed else None

    def record(self, run_id: str, run: Run, status: str) -> None:
        """Write where the run stands, once that is on the disk."""
        self.set(run_id, "facts", json.dumps(facts_of(run, status)))

    def record_failure(self, run_id: str, error: str) -> None:
        """Write why it ended; all else stays as it is on the disk."""
        saved = self.get(run_id)
        if saved is not None:
            facts = {**saved.facts, "status": "failed", "error": error}
            self.set(run_id, "facts", json.dumps(facts))

    def set(self, run_id: str, column: str, value: object) -> None:
        """Change one column of one row."""
        _, changed = self._execute(
            f"UPDATE runs SET {column} = ? WHERE run_id = ?", (value, run_id), run_id
        )
        if not changed:
            raise store.StoreError(f"There is no saved run {run_id}.")

    def remove(self, run_id: str) -> None:
        self._execute("DELETE FROM runs WHERE run_id = ?", (run_id,))

    # ---- the file --------------------------------------------------------------------------

    def _execute(
        self, statement: str, values: tuple[object, ...] = (), changed: str = ""
    ) -> tuple[list[sqlite3.Row], int]:
        """Rows found and number of rows changed; the row of the run `changed` is written out."""
        try:
            seen = self._inode()
            try:
                return self._once(statement, values, changed)
            except sqlite3.DatabaseError as problem:
                damaged = type(problem) is sqlite3.DatabaseError  # not locked, full, read-only, ...
                if not damaged and seen is not None and seen == self._inode():
                    raise
                self._make_anew(seen)
                return self._once(statement, values, changed)
        except (sqlite3.Error, OSError) as problem:
            raise store.StoreError(
                f"The list of saved runs, {self.path}, cannot be used ({store.short(problem)})."
            ) from problem

    def _once(
        self, statement: str, values: tuple[object, ...], changed: str
    ) -> tuple[list[sqlite3.Row], int]:
        there = f"{self.path.absolute().as_uri()}?mode=rw"  # one that is missing is made elsewhere
        with contextlib.closing(sqlite3.connect(there, timeout=10.0, uri=True)) as index:
            index.row_factory = sqlite3.Row
            if index.execute("PRAGMA user_version").fetchone()[0] < FILLED:
                self._fill(index)
            with index:
                cursor = index.execute(statement, values)
                found, count = cursor.fetchall(), cursor.rowcount
                if changed and count:  # before others may write: the last one writes the last file
                    self._write_row(index.execute(ONE, (changed,)).fetchone())
        return found, count

    def _fill(self, index: sqlite3.Connection) -> None:
        """Take in the rows that stand in the folders."""
        index.execute("PRAGMA journal_mode = WAL")
        with index:
            index.execute("BEGIN IMMEDIATE")
            index.execute(TABLE)
            for row in self._rows_of_folders():
                index.execute(f"INSERT OR IGNORE INTO {ROW}", row)
            for row in index.execute("SELECT * FROM runs").fetchall():
                self._write_row(row)
            index.execute(f"PRAGMA user_version = {FILLED}")

    def _inode(self) -> int | None:
        """Which file stands at the path; None if there is none."""
        try:
            return self.path.stat().st_ino
        except FileNotFoundError:
            return None

    def _make_anew(self, failed: int | None) -> None:
        """Put an index made from the folders at the path, if `failed` or nothing stands there.

        It gets its name when it is complete; a damaged file is set aside, and nothing of it is
        thrown away. Whoever finds another file than `failed` comes after somebody who did this.
        """
        private_folder(self.folder)
        with self._alone():
            if self._inode() not in (failed, None):
                return
            fresh = self.path.with_name("library.fresh.sqlite3")
            for end in ("", *BESIDE):  # of somebody who was killed while making it
                fresh.with_name(fresh.name + end).unlink(missing_ok=True)
            with contextlib.closing(sqlite3.connect(private_file(fresh))) as index:
                index.row_factory = sqlite3.Row
                self._fill(index)
            with contextlib.suppress(FileNotFoundError):
                os.replace(self.path, self.path.with_name("library.damaged.sqlite3"))
            for end in BESIDE:  # now that nobody can open what they belong to
                self.path.with_name(self.path.name + end).unlink(missing_ok=True)
            os.replace(fresh, self.path)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """One thread of one process at a time: the lock of an empty database ends with its holder,
        however that ends."""
        path = private_file(self.folder / "library.lock")
        with contextlib.closing(sqlite3.connect(path, timeout=60.0, isolation_level=None)) as lock:
            lock.execute("BEGIN EXCLUSIVE")
            yield

    def _rows_of_folders(self) -> Iterator[tuple[object, ...]]:
        for path in sorted(self.folder.glob("runs/*/row.json")):
            try:
                row = json.loads(path.read_text(encoding="utf-8"))
                row |= {name: json.dumps(row[name]) for name in IN_JSON}
                self._saved(row)
            except store.DAMAGE:
                continue  # its run is not listed; its folder stays as it is, and so do all corpora
            if row["run_id"] == path.parent.name:
                yield tuple(row[name] for name in COLUMNS)

    def _write_row(self, row: Mapping[str, Any]) -> None:
        folder = self.folder / "runs" / row["run_id"]
        if not folder.is_dir():  # a run whose files are gone
            return
        facts = {name: row[name] for name in COLUMNS}
        facts |= {name: json.loads(row[name]) for name in IN_JSON}
        store.write_json(folder / "row.json", facts)

    def _saved(self, row: Mapping[str, Any]) -> Saved:
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
