"""Files that a person named, and what is said of one that cannot be read."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from .corpus import CorpusError


@contextlib.contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Raise CorpusError, with the path as it was written, where it is not there or not to be
    read."""
    try:
        yield
    except (FileNotFoundError, ValueError):  # ValueError: no system has such a name
        raise CorpusError(
            f"There is no file {shown(path)}; check the name and the folder."
        ) from None
    except OSError as error:
        raise CorpusError(f"{shown(path)} cannot be read: {error.strerror}.") from None


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises CorpusError."""
    with refusing(path):
        return path.read_bytes()


def shown(path: str | Path) -> str:
    """A path for a sentence: bytes that are no UTF-8 become question marks."""
    return str(path).encode("utf-8", "replace").decode("utf-8")
