"""What many tests share: small corpora, a folder of their own, and the registry of the pages."""

import gc
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.checks import expecting
from bnpexplorer.core.environment import usable_cores
from bnpexplorer.corpus.corpus import Corpus
from tests import tiers
from tests.reached.selecting import Reach, changed_since, select, sentence
from tests.tools import profiles
from tests.tools.waiting import NEVER, until

LONG = (("browser",), ("cluster", "faults", "building", "intake", "export"))
"""Rooms whose tests wait more than they compute, by the worker that begins with them: for pages, or
for processes that they begin."""


LEFT_OUT = pytest.StashKey[str]()
# Before pytest looks for the profile that `--hypothesis-profile` names.
profiles.begin(Path(tempfile.gettempdir()) / "bnpexplorer-hypothesis")


def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as there are cores, for the while in which tests wait for pages and for
    processes that they begin."""
    return max(usable_cores() * 3 // 2, 1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--reached",
        nargs="?",
        const="HEAD",
        metavar="BASE",
        help="only tests that the changes since BASE reach (a commit; by default HEAD: what is not "
        "committed)",
    )
    parser.addoption("--all", action="store_true", help="the tests of the second tier, too")
    parser.addoption(
        "--by-room", action="store_true", help="at the end, tests and processor seconds by room"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Run both tiers where a file, folder, test, name or marker is asked for."""
    asked = config.args_source == pytest.Config.ArgsSource.ARGS
    config.option.all |= bool(asked or config.option.keyword or config.option.markexpr)


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.nodeid.startswith(tiers.PLUGINS):
        item.add_marker("second")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[tiers.COLLECTED] = list(items)
    if base := config.getoption("reached"):
        items[:], left = select(items, Reach(changed_since(base)))
        config.hook.pytest_deselected(items=left)
        config.stash[LEFT_OUT] = sentence(items, left)
    elif not config.getoption("all"):
        items[:], left = tiers.first(items)
        config.hook.pytest_deselected(items=left)
        config.stash[LEFT_OUT] = f"the first tier; --all runs {len(left):,} more"
    _long_first(items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    tiers.begin(item)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    if call.when == "teardown":
        tiers.end(item)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if terminalreporter.config.getoption("by_room"):
        kinds = ("passed", "skipped", "failed", "error", "")
        reports = [r for kind in kinds for r in terminalreporter.stats.get(kind, [])]
        terminalreporter.write_line(tiers.by_room(reports))


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """What `--reached` leaves out."""
    return config.stash.get(LEFT_OUT, "")


def _long_first(items: list[pytest.Item]) -> None:
    """Long tests first: short ones are left for the end, where no worker waits long for another.

    Each worker is given one part of the list to begin with, and takes from the ends of others' when
    it is through. Two parts begin with what waits, so that others compute meanwhile.
    """
    long: list[list[pytest.Item]] = [[] for _ in LONG]
    others: list[pytest.Item] = []
    for item in items:
        room = item.path.parent.name
        next((long[k] for k, rooms in enumerate(LONG) if room in rooms), others).append(item)
    n_parts = max(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")), len(LONG))
    dealt: list[pytest.Item] = []
    for k in range(n_parts):
        begins = long[k] if k < len(long) else []
        filled = max((len(items) - len(dealt)) // (n_parts - k) - len(begins), 0)
        dealt += begins + others[:filled]
        del others[:filled]
    items[:] = dealt


def pytest_collection_finish() -> None:
    """What collecting has made stays until the end: the collector of garbage need not go through it
    again and again, which took 0.3 s of a core each time."""
    gc.collect()
    gc.freeze()


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
    monkeypatch.setattr(explore, "SHORT", NEVER)
    for one in (server.registry, server.library, server._sources):
        one.clear()
    runs = server.registry()
    yield runs
    runs.stop_all(NEVER)
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):  # what a page would have done later
            thread.cancel()
            thread.join(NEVER)
    until(lambda: all(thread.name != "run" for thread in threading.enumerate()))
    server.registry.clear()
    server.library.clear()


@pytest.fixture(scope="session")
def bars() -> tuple[Corpus, np.ndarray]:
    return expecting.draw_bars(300, 11)


@pytest.fixture(scope="session")
def dozen() -> Corpus:
    """Twelve short documents over nine words, two of them with one word only."""
    return expecting.dozen()


@pytest.fixture
def elsewhere() -> Iterator[None]:
    """A place whose clocks are not those of Greenwich; on Windows, this one."""
    set_clock = getattr(time, "tzset", lambda: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Asia/Kathmandu")
        set_clock()
        yield
    set_clock()
