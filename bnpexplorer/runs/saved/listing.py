"""The list of saved runs: one `row.json` in the folder of each run, and nowhere else.

A row is renamed into place once it is complete on the disk, so a killed server leaves the old row
or the new one. Changes read and write a row under one lock of the folder. Reading takes no lock and
works on a read-only disk. There is no second copy, since kills and full disks leave every row whole
(`tests/faults/kills.py`, `disks.py`).
"""

import contextlib
import json
import math
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...core import owned_files, store
from ...core.faults import told
from ...core.installation import writable
from ...core.owned_files import private_file, private_folder
from ..run import Run
from .rows import NAME_LENGTH, Damaged, Saved, facts_of, one_line, saved_of

NAME = re.compile(r"[^./\\:\0][^/\\:\0]{0,199}")
"""An identity that may name a folder: it may stand in anybody's address."""
IN_JSON = ("facts", "tags", "labels")
"""Columns that were JSON in an index of an earlier version."""


class Listing:
    """The rows below one folder.

    Raises StoreError if the disk refuses, or if a run is changed that is not there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def rows(self, deleted: bool = False) -> list[Saved]:
        """Return all runs that are not deleted (or those that are), the latest first."""
        self._carry_over()
        every = [self._read(one) for one in self.folders() if os.path.exists(one / "row.json")]
        found = [s for s in every if isinstance(s, Saved) and (s.deleted is not None) == deleted]
        return sorted(found, key=lambda saved: saved.updated, reverse=True)

    def get(self, run_id: str) -> Saved | None:
        """Return one run, deleted or not. Raises StoreError if its row is damaged."""
        self._carry_over()
        if not NAME.fullmatch(run_id) or not os.path.exists(self._path(run_id)):
            return None
        saved = self._read(self._path(run_id).parent)
        if isinstance(saved, Damaged):
            raise store.StoreError(f"The row of the run {run_id} is damaged ({saved.why}).")
        return saved

    def damaged(self) -> list[Damaged]:
        """Return the folders of ours whose row is missing or cannot be shown."""
        self._carry_over()
        read = map(self._read, filter(owned_files.is_left_of_run, self.folders()))
        return [one for one in read if isinstance(one, Damaged)]

    def secret(self, run_id: str) -> str:
        """Return the secret that controls the run; empty for an unknown one."""
        self._carry_over()
        row = store.read_json(self._path(run_id)) if NAME.fullmatch(run_id) else {}
        return str(row.get("secret", ""))

    def insert(self, run_id: str, run: Run, secret: str, corpus_key: str, status: str) -> float:
        """Write a new row; returns its mark, which is `updated`."""
        now = time.time()
        row = {
            "run_id": run_id,
            "name": one_line(run.name, NAME_LENGTH) or run_id,
            "secret": secret,
            "corpus_key": corpus_key,
            "created": now,
            "updated": now,
            "deleted": None,
            "facts": facts_of(run, status),
            "tags": [],
            "labels": {},
        }
        with self._alone():
            store.write_json(self._path(run_id), row)
        return now

    def claim(self, run_id: str, mark: float | None) -> float | None:
        """Write and return a new mark; None if the present mark is not `mark`."""
        now = time.time()
        if now == mark:  # a clock that was set back may repeat it
            now = math.nextafter(now, math.inf)
        with self._alone():
            row = store.read_json(self._path(run_id))
            if mark is None or row.get("updated") != mark:
                return None
            store.write_json(self._path(run_id), {**row, "updated": now})
        return now

    def record(self, run_id: str, run: Run, status: str) -> None:
        """Write where the run stands, once that is on the disk."""
        self.set(run_id, "facts", facts_of(run, status))

    def record_failure(self, run_id: str, error: str) -> None:
        """Write why the run failed, and change nothing else on the disk."""
        failed = {"status": "failed", "error": error}
        self._change(run_id, lambda row: {"facts": {**row["facts"], **failed}})

    def set(self, run_id: str, column: str, value: object) -> None:
        """Change one column of one row."""
        self._change(run_id, lambda row: {column: value})

    # ---- the files -------------------------------------------------------------------------

    def _change(
        self, run_id: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    ) -> None:
        with self._alone():
            row = store.read_json(self._path(run_id)) if NAME.fullmatch(run_id) else {}
            if not row:
                raise store.StoreError(f"There is no saved run {run_id}.")
            store.write_json(self._path(run_id), {**row, **change(row)})

    def _path(self, run_id: str) -> Path:
        return self.folder / "runs" / run_id / "row.json"

    def _read(self, folder: Path) -> Saved | Damaged:
        path, n_bytes = folder / "row.json", store.bytes_below(folder)
        row = store.read_json(path)
        if not row:
            why = "its row.json cannot be read"
            if not os.path.exists(path):
                why = "its server was killed before it was saved to its end"
            return Damaged(folder.name, why, n_bytes)
        try:
            saved = saved_of(row, n_bytes)
            json.dumps(row, ensure_ascii=False).encode()  # halves of letters can be shown nowhere
        except store.DAMAGE as problem:
            return Damaged(folder.name, told("Its row", problem, store.short(problem)), n_bytes)
        if saved.run_id != folder.name:
            return Damaged(folder.name, f"its row is of the run {saved.run_id}", n_bytes)
        return saved

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock of the folder within the block: that of an empty database, which ends when
        its process does. Raises StoreError for errors of the disk."""
        try:
            path = private_file(private_folder(self.folder) / "library.lock")
            lock = sqlite3.connect(path, timeout=60.0, isolation_level=None)
            with contextlib.closing(lock):
                lock.execute("BEGIN EXCLUSIVE")
                yield
        except (sqlite3.Error, OSError) as problem:
            raise store.StoreError(
                f"The list of saved runs in {self.folder} cannot be used ({store.short(problem)})."
            ) from problem

    def _carry_over(self) -> None:
        """Write the rows that only the index of an earlier version has, and rename that index."""
        old = self.folder / "library.sqlite3"
        if not old.exists() or not self.writable():
            return
        with self._alone():
            if not old.exists():  # another server came first
                return
            folders = {folder.name for folder in self.folders()}
            for row in _rows_of(old):
                if row["run_id"] in folders and _is_lost(self._path(row["run_id"])):
                    store.write_json(self._path(row["run_id"]), row)
            for end in ("-wal", "-shm"):
                old.with_name(old.name + end).unlink(missing_ok=True)
            os.replace(old, old.with_name("library.before.sqlite3"))

    def writable(self) -> bool:
        """Whether anything can be written in the folder, which is made if it is not there."""
        try:
            return writable(private_folder(self.folder))
        except OSError:
            return False

    def folders(self) -> list[Path]:
        """Return all folders in `runs`, with or without a row."""
        folders = (path for path in sorted(self.folder.glob("runs/*")) if path.is_dir())
        return [path for path in folders if not path.name.startswith(owned_files.HIDDEN)]


def _rows_of(old: Path) -> list[dict[str, Any]]:
    """Return the rows of an index of an earlier version, none if it is damaged. Raises
    sqlite3.Error if it is locked or cannot be opened."""
    with contextlib.closing(sqlite3.connect(old, timeout=10.0)) as index:
        index.row_factory = sqlite3.Row
        index.text_factory = lambda data: data.decode(errors="replace")
        try:
            if not index.execute("SELECT * FROM sqlite_master WHERE name = 'runs'").fetchall():
                return []
            rows = [dict(row) for row in index.execute("SELECT * FROM runs")]
            return [{**row, **{name: json.loads(row[name]) for name in IN_JSON}} for row in rows]
        except sqlite3.DatabaseError as problem:
            if type(problem) is not sqlite3.DatabaseError:  # locked, a full disk, ...
                raise
            return []
        except ValueError:
            return []


def _is_lost(row: Path) -> bool:
    """Whether no sound row stands there. Raises OSError if that cannot be told."""
    try:
        return not json.loads(row.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return True
