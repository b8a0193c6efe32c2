"""Builds as their process does them in a test: slowly, or on a disk without room."""

import errno
import os
import time

import pytest

from bnpexplorer.core.child import Channel
from bnpexplorer.plugins.building import builder, chunks, gathering
from bnpexplorer.plugins.building import builds as building

SECONDS, DOCUMENTS = "SLOW_SECONDS", "SLOW_DOCUMENTS"


def slow(monkeypatch: pytest.MonkeyPatch, seconds: float = 0.2, documents: int = 10) -> None:
    """Let builds read so few documents a chunk, and rest before each is written."""
    monkeypatch.setenv(SECONDS, str(seconds))
    monkeypatch.setenv(DOCUMENTS, str(documents))
    monkeypatch.setattr(building, "BUILDER", "tests.tools.builders:slowly")


def slowly(server: Channel, asked: dict[str, object]) -> None:
    """Build as `slow` says."""
    seconds, chunks.DOCUMENTS = float(os.environ[SECONDS]), int(os.environ[DOCUMENTS])
    write = gathering.write_chunk
    gathering.write_chunk = lambda *given: (time.sleep(seconds), write(*given))[1]
    builder.main(server, asked)


def without_room(server: Channel, asked: dict[str, object]) -> None:
    """Build on a disk that has room for three chunks."""
    chunks.DOCUMENTS, write = 20, gathering.write_chunk

    def refused(folder, chunk, columns):
        if chunk == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(folder, chunk, columns)

    gathering.write_chunk = refused
    builder.main(server, asked)
