"""What goes from the disk: deleted runs after a week, what was never whole, texts without a run."""

import contextlib
import math
import os
import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..core import store
from ..core.private import private_folder
from .index import Index
from .jobs import Jobs
from .rows import Damaged, Saved

DAY = 86_400.0
KEPT_AFTER_DELETION = 7 * DAY
"""Seconds that a deleted run can still be brought back, by the clock and counted (`_count`)."""
UNFINISHED = 3600.0
"""Seconds after which a file that was not written to its end is taken for abandoned."""


class Removal:
    """Removes what lies below the folder of a library. Raises StoreError if the index refuses."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._index = folder, Index(folder)

    def purge(self, deleted_before: float = math.inf, counted: float = 0.0) -> None:
        """Remove from the disk what was deleted before that time, and at least so many counted
        seconds ago; what was never saved to its end; and corpora without a run.

        So an index that was lost must never pass for an empty one: it is made again from the rows
        beside the runs (`index.py`).
        """
        now, seconds = self._count()
        for saved in self._index.rows(deleted=True, sure=True):
            asked = saved.deleted is not None and saved.deleted < deleted_before
            if asked and self._long_ago(saved, now, seconds, counted):
                self._remove(saved.run_id)
        there = [saved.run_id for saved in self._index.rows(deleted=True, sure=True)]
        kept = {run_id: seconds.get(run_id, 0.0) for run_id in there}
        with contextlib.suppress(OSError):  # a full disk: they are kept for longer
            store.write_json(self._counted_path, {"at": now, "seconds": kept})
        self.unfinished(time.time() - UNFINISHED)
        self.corpora_without_run()

    def _remove(self, run_id: str) -> None:
        """The row first: a folder that is whole is listed again should the process be killed here;
        then the folder at once, by its name, so that no half of it can be brought back."""
        self._index.remove(run_id)
        for folder in self._index.folders():  # an identity may be no name of a folder at all
            if folder.name == run_id:
                with contextlib.suppress(OSError):  # it stays as it is, and is listed again
                    os.replace(folder, private_folder(self._gone) / secrets.token_hex(4))
        shutil.rmtree(self._gone, ignore_errors=True)

    @property
    def _gone(self) -> Path:
        """Where folders lie while they are being removed."""
        return self._folder / "gone"

    def forget(self, run_ids: Sequence[str]) -> None:
        """Remove these for good, and corpora without a run."""
        for run_id in run_ids:
            self._remove(run_id)
        self.corpora_without_run()

    def days_left(self, run_id: str) -> float:
        """How long a deleted run can still be brought back, at least."""
        return max(0.0, KEPT_AFTER_DELETION - self._count()[1].get(run_id, 0.0)) / DAY

    @staticmethod
    def _long_ago(saved: Saved, now: float, seconds: Mapping[str, float], counted: float) -> bool:
        """Whether it was deleted `counted` seconds ago, counted and, unless that was in the
        future, by the clock, too: it may have been brought back and deleted again."""
        by_clock = saved.deleted is None or not 0.0 <= now - saved.deleted < counted
        return by_clock and seconds.get(saved.run_id, 0.0) >= counted

    def _count(self) -> tuple[float, dict[str, float]]:
        """(now, run -> seconds since it was seen deleted first).

        Counted from one purge to the next, a day at most and never back, whatever the clock says:
        one that jumps forward by a year takes a day of the week, and one that was ahead when a run
        was deleted does not keep it for years.
        """
        now, before = time.time(), store.read_json(self._counted_path)
        try:
            gone = min(max(now - float(before["at"]), 0.0), DAY)
            return now, {str(r): float(s) + gone for r, s in before["seconds"].items()}
        except (LookupError, TypeError, ValueError, AttributeError):
            return now, {}  # the first purge, or a damaged file: counted from now on

    @property
    def _counted_path(self) -> Path:
        return self._folder / "deleted.json"

    # ---- what was damaged ------------------------------------------------------------------

    def damaged(self) -> list[Damaged]:
        """Runs that cannot be listed, and what was left of those whose server was killed before
        they were saved first; what may be on its way there now is left out."""
        old = time.time() - UNFINISHED
        return [one for one in self._index.damaged() if not self._under_way(one.run_id, old)]

    def discard(self, run_id: str) -> None:
        """Remove a damaged run for good. Raises StoreError if there is none of that name."""
        if run_id not in {one.run_id for one in self._index.damaged()}:
            raise store.StoreError(f"There is no damaged run {run_id}.")
        self._remove(run_id)
        self.corpora_without_run()

    def _under_way(self, run_id: str, before: float) -> bool:
        """Whether a folder without a row may be one that is being saved for the first time."""
        folder = self._folder / "runs" / run_id
        try:
            fresh = folder.stat().st_mtime >= before
        except OSError:  # a row without a folder
            return False
        return fresh and not (folder / "row.json").exists()

    def corpora_without_run(self) -> None:
        """Remove texts that neither a run nor a job needs, and races that lost all their runs."""
        self._races_without_runs()
        saved_runs = (*self._index.rows(sure=True), *self._index.rows(deleted=True, sure=True))
        needed = {saved.corpus_key for saved in saved_runs}
        needed |= {job.corpus_key for job in Jobs(self._folder).all()}
        listed = {saved.run_id for saved in saved_runs}
        rows = (self._folder / "runs").glob("*/row.json")
        if any(path.parent.name not in listed for path in rows):
            return  # its row cannot be read: any corpus may be the one that it needs
        for path in (self._folder / "corpora").glob("*.zip"):
            if path.stem not in needed:
                path.unlink(missing_ok=True)

    def _races_without_runs(self) -> None:
        """Remove races whose runs are all gone for good: nothing is left that could go on."""
        jobs = Jobs(self._folder).all()  # first: the runs of a race are on the disk before it is
        saved_runs = (*self._index.rows(sure=True), *self._index.rows(deleted=True, sure=True))
        there = {saved.run_id for saved in saved_runs}
        there |= {folder.name for folder in self._index.folders()}
        for job in jobs:
            run_ids = job.about.get("run_ids")
            if isinstance(run_ids, list) and there.isdisjoint(map(str, run_ids)):
                Jobs(self._folder).remove(job.job_id)

    def unfinished(self, before: float) -> None:
        """What a process that was killed had not written to its end."""
        for path in self._folder.rglob("*.part"):
            with contextlib.suppress(FileNotFoundError):  # written to its end meanwhile
                if path.stat().st_mtime < before:
                    path.unlink()
        shutil.rmtree(self._gone, ignore_errors=True)  # its process was killed
        for one in self._index.damaged():
            folder = self._folder / "runs" / one.run_id
            saved = any((folder / name).exists() for name in ("row.json", "standing.zip"))
            if not saved and folder.is_dir() and folder.stat().st_mtime < before:
                shutil.rmtree(folder, ignore_errors=True)
