"""The file beside a saved run that holds it with fewer topics (`runs/about.py`)."""

from pathlib import Path

from ...core import store
from ...state import invariants
from ...state.snapshot import Snapshot
from ..about import Granularity
from ..run import Run

FILE = "fewer.zip"


def write(folder: Path, at: Snapshot, found: tuple[Granularity, ...]) -> None:
    """Write `found` for the moment `at` of a run. Raises OSError."""
    arrays: store.Arrays = {}
    tree = {"stands": list(at.at("")), "found": store.pack(found, arrays, "found")}
    store.write(folder / FILE, tree, arrays, private=True)


def read(folder: Path, run: Run, at: Snapshot) -> tuple[Granularity, ...] | None:
    """Read fewer topics of the moment `at` of a run, or return None.

    Raises StoreError if the file is damaged.
    """
    if not (folder / FILE).exists():
        return None
    tree, arrays = store.read(folder / FILE)
    with store.named(FILE):
        if store.part(tree, "stands") != list(at.at("")):
            return None
        kind, packed = tuple[Granularity, ...], store.part(tree, "found")
        found: tuple[Granularity, ...] = store.unpack(kind, packed, arrays)
        for one in found:
            invariants.check(one, run.ground(), "found")
    return found
