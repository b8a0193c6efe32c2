"""A server as a person starts it, and a Chromium to look at it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from benchmarks.app import ARGS, ROOT, Server, find_chromium
from benchmarks.app import server as started
from bnpexplorer.runs.saved.library import Library

from .driver import Tab
from .prepared import finished_run

GRACE_SECONDS = 86_400
"""No run is paused while a page is loaded again, however long that takes on a busy machine."""
STEP_SECONDS = 0.1
"""No run learns faster: a core it took would be missing to the browser that watches it."""
SETTINGS = {
    "BNPEXPLORER_GRACE_SECONDS": str(GRACE_SECONDS),
    "BNPEXPLORER_STEP_SECONDS": str(STEP_SECONDS),
    "BNPEXPLORER_THREADS": "1",
}
WARM = ("hdp-tsvi", "hdp-svi", "lda-svi")
"""The methods that the tests watch."""
NO_BROWSER = (
    "The browser tests want a Chromium: get it with apt-get install chromium, or set "
    "BNPEXPLORER_BROWSER to one."
)
HEIGHT = 900
NAME = "class.example"
"""By which a browser of these tests finds this machine, as if others did (RFC 2606)."""


@pytest.fixture(scope="package")
def browser_path() -> str:
    path = find_chromium()
    if path is None and os.environ.get("BNPEXPLORER_REQUIRE_BROWSER") == "1":
        pytest.fail(NO_BROWSER)
    if path is None:
        pytest.skip(NO_BROWSER)
    return path


@pytest.fixture(scope="package")
def server(browser_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    # Compiling while pages are watched made every wait depend on the machine's load.
    subprocess.run([sys.executable, "-m", "bnpexplorer", "warm", *WARM], cwd=ROOT, check=True)
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with started(SETTINGS, log) as app:
        yield app
    assert "Traceback" not in app.log(), app.log()


@pytest.fixture(scope="package")
def browser(browser_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        named = f"--host-resolver-rules=MAP {NAME} 127.0.0.1"
        chromium = playwright.chromium.launch(executable_path=browser_path, args=[*ARGS, named])
        yield chromium
        chromium.close()


Contexts = Callable[[int, str], BrowserContext]


@pytest.fixture(scope="package")
def contexts(browser: Browser) -> Contexts:
    """One context for each width and colour scheme, since a fresh one loads the app anew."""
    made: dict[tuple[int, str], BrowserContext] = {}

    def context(width: int, scheme: str) -> BrowserContext:
        if (width, scheme) not in made:
            made[width, scheme] = browser.new_context(
                viewport={"width": width, "height": HEIGHT}, color_scheme=scheme
            )
            # Stays open, and its window with it: of 4.3 s of a core that each page took Chromium,
            # a window of its own took 0.6 s.
            made[width, scheme].new_page()
        return made[width, scheme]

    return context


OpenTab = Callable[..., Tab]


@pytest.fixture
def open_tab(
    contexts: Contexts, server: Server, request: pytest.FixtureRequest
) -> Iterator[OpenTab]:
    """Opens tabs; at the end stops their runs and complains of whatever went wrong in them."""
    start, tabs = len(server.log()), []
    request.node.server_log = lambda: server.log(start)
    request.node.tabs = tabs

    def open_tab(width: int = 1280, scheme: str = "light") -> Tab:
        tabs.append(Tab(contexts(width, scheme).new_page(), server.url))
        return tabs[-1]

    yield open_tab
    for tab in tabs:
        if not tab.page.is_closed():
            tab.stop_runs()
            tab.page.close()
    stop_what_learns(contexts(1280, "light"), server)
    problems = [problem for tab in tabs for problem in tab.problems]
    assert not problems, "\n".join(problems)
    assert "Traceback" not in server.log(start), server.log(start)


def stop_what_learns(context: BrowserContext, server: Server) -> None:
    """Stop the runs that a test left learning on a page without their buttons, such as a
    presentation; the next test finds both places free."""
    library = Library()
    left = [saved.run_id for saved in library.saved() if saved.interrupted]
    if left:
        tab = Tab(context.new_page(), server.url)
        tab.open(f"/live?run={','.join(left)}&own={','.join(map(library.secret, left))}")
        tab.stop_runs()
        tab.page.close()


@pytest.fixture(scope="package")
def finished() -> str:
    """Two finished runs of the sample "Small CSV", as an address has them after a page's name.

    With their owner's secrets, so that whoever opens it may also change them.
    """
    own = dict(finished_run(name) for name in ("hdp-tsvi", "hdp-svi"))
    return f"?run={','.join(own)}&own={','.join(own.values())}"


@pytest.fixture
def tab(open_tab: OpenTab) -> Tab:
    """One tab of 1280 pixels."""
    return open_tab()


@pytest.fixture
def fast_tab(browser: Browser, tmp_path: Path) -> Iterator[Tab]:
    """One tab on a server of its own, that learns as fast as it can."""
    with started(SETTINGS | {"BNPEXPLORER_STEP_SECONDS": "0"}, tmp_path / "log.txt") as app:
        tab = Tab(browser.new_page(accept_downloads=True), app.url)
        yield tab
        tab.page.close()
    assert "Traceback" not in app.log(), app.log()
    assert not tab.problems


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """The server's log beside a failure, and what the tabs show."""
    report = yield
    if report.failed and hasattr(item, "server_log"):
        report.sections.append(("server log", item.server_log()))
        for tab in item.tabs:
            report.sections.append((f"tab at {tab.page.url}", tab.words()))
    return report
