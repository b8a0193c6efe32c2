"""What many tests share: small corpora, a folder of their own, and the registry of the pages."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus


def draw_bars(n_docs: int, seed: int, mean_length: float = 60.0) -> tuple[Corpus, np.ndarray]:
    """Documents over a 5x5 image whose ten true topics are its rows and columns."""
    rng = np.random.default_rng(seed)
    image = np.arange(25).reshape(5, 5)
    topics = np.zeros((10, 25))
    for i in range(5):
        topics[i, image[i]] = topics[5 + i, image[:, i]] = 0.2
    counts = np.stack(
        [
            rng.multinomial(
                max(rng.poisson(mean_length), 2), rng.dirichlet(np.full(10, 0.2)) @ topics
            )
            for _ in range(n_docs)
        ]
    )
    vocab = [f"r{w // 5}c{w % 5}" for w in range(25)]
    return Corpus.from_csr(counts, vocab, name="bars"), topics


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests first: they wait more than they compute, so that one worker begins with them
    while the others compute, and all end together."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


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
    return draw_bars(300, seed=11)


@pytest.fixture(scope="session")
def dozen() -> Corpus:
    """Twelve short documents over nine words, two of them with one word only."""
    rng = np.random.default_rng(3)
    counts = rng.poisson(0.9, size=(12, 9))
    counts[0] = [3, 0, 0, 0, 0, 0, 0, 0, 0]
    counts[1] = [0, 0, 0, 0, 0, 0, 0, 0, 1]
    counts[2, 0] += 20  # one count beyond the table of small rising factorials
    return Corpus.from_csr(counts, name="dozen")
