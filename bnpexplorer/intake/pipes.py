"""What stands at a path that a person wrote: a child opens files and folders itself, but a pipe
belongs to the process that was given it, and so does everything below these folders."""

import os
import stat
from pathlib import Path

import numpy as np

from ..corpus.corpus import CorpusError
from ..corpus.paths import refusing, shown
from .limits import reading_limits
from .work import Place

OURS = (Path("/dev/stdin"), Path("/dev/fd"), Path("/proc"))
"""A child's /dev/stdin is the pipe of its requests, even where ours is a file."""


def place_of(path: str | Path) -> Place:
    """The file or folder at this path, with its content where only this process can read it.

    Raises CorpusError if it is not there, not to be read, or a pipe without end.
    """
    path, most = Path(path), reading_limits().handed_over
    with refusing(path):
        where, mode = path.absolute(), path.stat().st_mode
        name = np.frombuffer(os.fsencode(where), np.uint8)
        if stat.S_ISDIR(mode):
            return Place(name)
        with path.open("rb") as file:
            if stat.S_ISREG(mode) and not any(map(where.is_relative_to, OURS)):
                return Place(name)
            content = file.read(most + 1)
    if len(content) > most:
        raise CorpusError(
            f"{shown(path)} gives more than {most / 2**20:,.0f} MB, the most that is read from a "
            "pipe; write it to a file and give that, or raise BNPEXPLORER_READ_MB (five times as "
            "much)."
        )
    return Place(name, np.frombuffer(content, np.uint8))
