"""What many tests share: small corpora, a folder of their own, and the registry of the pages."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.checks import expecting
from bnpexplorer.corpus.corpus import Corpus

FIRST = ("browser", "cluster", "faults", "building", "export")
"""Rooms with the longest tests, most of which begin processes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests first: they wait more than they compute, so that one worker begins with them
    while the others compute. Then other long ones, so that short ones are left for the end, where
    no worker waits long for another."""

    def place(item: pytest.Item) -> int:
        room = item.path.parent.name
        return FIRST.index(room) if room in FIRST else len(FIRST)

    items.sort(key=place)


@pytest.fixture(scope="session", autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the tests save stays out of the user's folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BNPEXPLORER_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[object]:
    """The pages' registry: empty at first, and at the end it has not left a thread behind.

    The library is a test's own. The app's work in advance (compiling, reading the big sample) is
    left out. A page waits until the documents are read, however busy the machine is.
    """
    from bnpexplorer.ui.frame import server  # most tests do without Streamlit
    from bnpexplorer.ui.parts import explore

    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(server, "prepare_first_page", lambda: None)
    monkeypatch.setattr(explore, "SHORT", 60.0)
    for one in (server.registry, server.library, server._sources):
        one.clear()
    runs = server.registry()
    yield runs
    runs.stop_all(60)
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):  # what a page would have done later
            thread.cancel()
            thread.join(60)
    left = [thread for thread in threading.enumerate() if thread.name == "run"]
    assert not left, "worker threads are still there"
    server.registry.clear()
    server.library.clear()


@pytest.fixture(scope="session")
def bars() -> tuple[Corpus, np.ndarray]:
    return expecting.draw_bars(300, 11)


@pytest.fixture(scope="session")
def dozen() -> Corpus:
    """Twelve short documents over nine words, two of them with one word only."""
    return expecting.dozen()
