"""A file system that is no folder of this machine, as an object store is: for workers of tests."""

from pathlib import Path
from typing import Any

import fsspec


class Far(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """`far://` and the path of a folder here, of which it tells bytes alone; it counts them."""

    protocol = "far"
    read = 0
    gone = False

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        found = Path(self._strip_protocol(path))
        return {"name": path, "size": found.stat().st_size, "type": "file"}

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        if Far.gone:
            raise ConnectionError("nobody answers")
        found = Path(self._strip_protocol(path)).read_bytes()[start:end]
        Far.read += len(found)
        return found


fsspec.register_implementation("far", Far, clobber=True)


def is_known() -> None:
    """Imported on a worker, which then knows it, and has read nothing there so far."""
    Far.read, Far.gone = 0, False


def has_read() -> int:
    return Far.read


def goes() -> None:
    """From now on it does not answer."""
    Far.gone = True
