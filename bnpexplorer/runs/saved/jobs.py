"""Unfinished races, studies and sweeps, saved so that a server can continue them.

    jobs/ID.json     its kind, its secret, the key of its texts, and its settings

The file is written at the start; runs and results are saved elsewhere, as they come.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...core import store
from ...core.faults import note
from ...core.owned_files import private_folder

IDENTITY = re.compile(r"\w{1,40}")


@dataclass(frozen=True)
class UnfinishedJob:
    """A race, study or sweep that is going on, or was when its server ended."""

    job_id: str
    kind: str
    """`race`, `study` or `sweep`."""
    secret: str
    """Controls it."""
    corpus_key: str
    """Key of its texts in the library."""
    texts: str
    """Name of its texts."""
    about: Mapping[str, Any]
    """Its settings."""


class Jobs:
    """The jobs below one folder. Raises OSError if the disk refuses."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "jobs"

    def all(self) -> list[UnfinishedJob]:
        """Return all jobs, the latest first, without damaged ones, which can be started again."""
        paths = [(path.stat().st_mtime_ns, path) for path in self._folder.glob("*.json")]
        found = (self.get(path.stem) for _, path in sorted(paths, reverse=True))
        return [job for job in found if job is not None]

    def get(self, job_id: str) -> UnfinishedJob | None:
        if not IDENTITY.fullmatch(job_id):  # it may stand in anybody's address
            return None
        try:
            tree = json.loads(self._path(job_id).read_text(encoding="utf-8"))
            job: UnfinishedJob = store.unpack(UnfinishedJob, tree, {})
        except store.DAMAGE as problem:
            note(str(self._path(job_id)), problem)
            return None
        return job if job.job_id == job_id else None

    def write(self, job: UnfinishedJob) -> None:
        private_folder(self._folder)
        store.write_json(self._path(job.job_id), asdict(job))

    def remove(self, job_id: str) -> None:
        self._path(job_id).unlink(missing_ok=True)

    def _path(self, job_id: str) -> Path:
        return self._folder / f"{job_id}.json"
