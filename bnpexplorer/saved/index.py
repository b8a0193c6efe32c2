"""The index of saved runs: one row a run in SQLite, safe for several processes at once.

The index is the truth, since it alone puts the changes of several processes into one order. Every
row stands in its run's folder too, as row.json, written before a change is acknowledged: what that
saves is an index that is missing, new or damaged, which is made again from those, and one in a
folder that cannot be written, which is then read from those (`tests/faults/kills.py`).
"""

import contextlib
import json
import math
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..core import owned_files, store
from ..core.faults import note, told
from ..core.installation import writable
from ..core.owned_files import private_file, private_folder
from ..runs.run import Run
from .rows import IN_JSON, NAME_LENGTH, Damaged, Saved, facts_of, one_line, saved_of

TABLE = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, name TEXT NOT NULL, secret TEXT NOT NULL, corpus_key TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL, deleted REAL,
    facts TEXT NOT NULL, tags TEXT NOT NULL, labels TEXT NOT NULL
)
"""
BESIDE = ("-wal", "-shm")
"""Ends of the names of the files that SQLite keeps beside an index in use."""
FILLED = 1
"""`user_version` of an index that has the rows of all folders."""
COLUMNS = ("run_id", "name", "secret", "corpus_key", "created", "updated", "deleted", *IN_JSON)
ROW = f"runs ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
ONE = "SELECT * FROM runs WHERE run_id = ?"


class Index:
    """The rows below one folder. Every call opens its own connection.

    Raises StoreError if the file cannot be used, or if a run is changed that is not there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "library.sqlite3"

    def rows(self, deleted: bool = False, sure: bool = False) -> list[Saved]:
        """All runs that are not deleted (or those that are), the latest first.

        `sure`: as the index says, for whoever removes something; what stands in a folder may never
        have been acknowledged.
        """
        which = "NOT " if deleted else ""
        found, _ = self._execute(
            f"SELECT * FROM runs WHERE deleted IS {which}NULL ORDER BY updated DESC", sure=sure
        )
        return [saved for row in found if isinstance(saved := self._read(dict(row)), Saved)]

    def get(self, run_id: str) -> Saved | None:
        """One run, deleted or not. Raises StoreError if its row is damaged."""
        found, _ = self._execute(ONE, (run_id,))
        saved = self._read(dict(found[0])) if found else None
        if isinstance(saved, Damaged):
            raise store.StoreError(f"The row of the run {run_id} is damaged ({saved.why}).")
        return saved

    def damaged(self) -> list[Damaged]:
        """Rows that cannot be read, and folders of ours that have none. A folder whose row is
        sound, but not in the index, is listed from now on: its server was killed before it said
        so."""
        rows = {str(row["run_id"]): dict(row) for row in self._execute("SELECT * FROM runs")[0]}
        without = [path for path in self.folders() if path.name not in rows]
        if any(os.path.exists(path / "row.json") for path in without) and self.writable():
            self.take_in()
            rows = {str(row["run_id"]): dict(row) for row in self._execute("SELECT * FROM runs")[0]}
            without = [path for path in without if path.name not in rows]
        found = [read for row in rows.values() if isinstance(read := self._read(row), Damaged)]
        left = filter(owned_files.is_left_of_run, without)
        return found + [Damaged(p.name, _why_no_row(p), store.bytes_below(p)) for p in left]

    def secret(self, run_id: str) -> str:
        """The secret that controls the run; empty for an unknown one."""
        found, _ = self._execute(ONE, (run_id,))
        return str(found[0]["secret"]) if found else ""

    def insert(self, run_id: str, run: Run, secret: str, corpus_key: str, status: str) -> float:
        """A new row; returns its mark, which is `updated`."""
        now, facts = time.time(), json.dumps(facts_of(run, status))
        name = one_line(run.name, NAME_LENGTH) or run_id
        row = (run_id, name, secret, corpus_key, now, now, None, facts, "[]", "{}")
        self._execute(f"INSERT INTO {ROW}", row, run_id)
        return now

    def claim(self, run_id: str, mark: float | None) -> float | None:
        """Write a new mark, and return it; None if the mark is not `mark`."""
        now = time.time()
        if now == mark:  # as a clock that was put back may say
            now = math.nextafter(now, math.inf)
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
        self, statement: str, values: tuple[object, ...] = (), changed: str = "", sure: bool = False
    ) -> tuple[list[sqlite3.Row], int]:
        """Rows found and number of rows changed; the row of the run `changed` is written out."""
        try:
            seen = self._inode()
            try:
                return self._once(statement, values, changed)
            except sqlite3.DatabaseError as problem:
                reads = statement.startswith("SELECT") and not sure
                if reads and not self.writable():
                    return self._from_folders(statement, values), 0
                damaged = type(problem) is sqlite3.DatabaseError  # not locked, full, read-only, ...
                if not damaged and seen is not None and seen == self._inode():
                    raise
                self._make_anew(seen)
                return self._once(statement, values, changed)
        except (sqlite3.Error, OSError) as problem:
            raise self._unusable(problem) from problem

    def _once(
        self, statement: str, values: tuple[object, ...], changed: str
    ) -> tuple[list[sqlite3.Row], int]:
        there = f"{self.path.absolute().as_uri()}?mode=rw"  # one that is missing is made elsewhere
        with contextlib.closing(sqlite3.connect(there, timeout=10.0, uri=True)) as index:
            _read_whole(index)
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
            self._insert_rows(index)
            for row in index.execute("SELECT * FROM runs").fetchall():
                self._write_row(row)
            index.execute(f"PRAGMA user_version = {FILLED}")

    def _insert_rows(self, index: sqlite3.Connection) -> None:
        index.execute(TABLE)
        for row in self._rows_of_folders():
            index.execute(f"INSERT OR IGNORE INTO {ROW}", row)

    def take_in(self) -> None:
        """List the folders whose rows are sound and not in the index, which is there."""
        try:
            with contextlib.closing(sqlite3.connect(self.path, timeout=10.0)) as index, index:
                index.execute("BEGIN IMMEDIATE")
                self._insert_rows(index)
        except sqlite3.Error as problem:
            raise self._unusable(problem) from problem

    def _from_folders(self, statement: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
        """What the index would answer, where it cannot be opened since nothing can be written."""
        with contextlib.closing(sqlite3.connect(":memory:")) as index:
            _read_whole(index)
            self._insert_rows(index)
            return index.execute(statement, values).fetchall()

    def _unusable(self, problem: Exception) -> store.StoreError:
        return store.StoreError(
            f"The list of saved runs, {self.path}, cannot be used ({store.short(problem)})."
        )

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
                _read_whole(index)
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

    def writable(self) -> bool:
        """Whether anything can be written in the folder, which is made if it is not there."""
        try:
            return writable(private_folder(self.folder))
        except OSError:
            return False

    def folders(self) -> list[Path]:
        """Of runs, whether they have a row or not, and of whatever else lies there."""
        folders = (path for path in sorted(self.folder.glob("runs/*")) if path.is_dir())
        return [path for path in folders if not path.name.startswith(owned_files.HIDDEN)]

    def _rows_of_folders(self) -> Iterator[tuple[object, ...]]:
        for path in (folder / "row.json" for folder in self.folders()):
            try:
                row = json.loads(path.read_text(encoding="utf-8"))
                row |= {name: json.dumps(store.part(row, name)) for name in IN_JSON}
                saved_of(row, 0)
                values = tuple(store.part(row, name) for name in COLUMNS)
                "".join(filter(lambda value: isinstance(value, str), values)).encode()
            except store.DAMAGE as problem:
                note(str(path), problem)
                continue  # listed as damaged; its folder stays as it is, and so do all corpora
            if row["run_id"] == path.parent.name:
                yield values

    def _write_row(self, row: Mapping[str, Any]) -> None:
        folder = self.folder / "runs" / row["run_id"]
        if not folder.is_dir():  # a run whose files are gone
            return
        facts = {name: row[name] for name in COLUMNS}
        facts |= {name: json.loads(row[name]) for name in IN_JSON}
        store.write_json(folder / "row.json", facts)

    def _read(self, row: Mapping[str, Any]) -> Saved | Damaged:
        n_bytes = store.bytes_below(self.folder / "runs" / str(row["run_id"]))
        try:
            return saved_of(row, n_bytes)
        except store.DAMAGE as problem:
            why = told("Its row", problem, store.short(problem))
            return Damaged(str(row["run_id"]), why, n_bytes)


def _read_whole(index: sqlite3.Connection) -> None:
    """Rows by name; of text that is none, what can be read."""
    index.row_factory = sqlite3.Row
    index.text_factory = lambda data: data.decode(errors="replace")


def _why_no_row(folder: Path) -> str:
    if (folder / "row.json").exists():
        return "its row.json cannot be read"
    return "its server was killed before it was saved to its end"
