"""What several tests of pages share."""

import pytest

from bnpexplorer.plugins.building import builds
from bnpexplorer.ui.frame import machine
from tests.tools.building import rows_of, write_csv


@pytest.fixture
def at_home(monkeypatch):
    """A tab of this machine, of a server that listens to it alone."""
    monkeypatch.setattr(machine, "called_at_home", lambda: True)
    builds._builds.clear()
    yield
    for one in builds._builds().values():
        one.end()
        assert one.wait(300)
    builds._builds.clear()


@pytest.fixture
def table(tmp_path):
    """A table whose columns are called as nobody would guess."""
    rows = [
        {"nr": row["id"], "body": row["text"], "kind": row["label"], "other": f"sea {d}"}
        for d, row in enumerate(rows_of(300))
    ]
    return write_csv(tmp_path / "notes.csv", rows)
