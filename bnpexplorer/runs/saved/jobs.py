"""Races, studies and sweeps that have not ended: what a server needs to go on with them.

    jobs/ID.json     what it is, who controls it, the key of its texts, and what it is made from

Their runs and findings are kept elsewhere, as they go; the file is written when they begin.
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
    """One that goes on, or did when its server ended."""

    job_id: str
    kind: str
    """`race`, `study` or `sweep`."""
    secret: str
    """By which it is controlled."""
    corpus_key: str
    """Of its texts in the library."""
    texts: str
    """Their name."""
    about: Mapping[str, Any]
    """What it is made from."""


class Jobs:
    """The jobs below one folder. Raises OSError if the disk refuses."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "jobs"

    def all(self) -> list[UnfinishedJob]:
        """The latest first; a damaged file counts as none, since nothing is lost but a click."""
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
