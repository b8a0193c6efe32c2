"""The wheel alone, in a fresh environment and an empty folder: the app opens there and learns."""

import subprocess
import tomllib
from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.app import ROOT
from benchmarks.app import server as started
from bnpexplorer.ui.frame.reading import lesson_files
from bnpexplorer.ui.frame.server import FIRST_METHODS
from tests.tools.installing import Installed, installed_in, wheel_of

from .driver import Tab

pytestmark = [pytest.mark.browser, pytest.mark.second]
LISTED = """new MutationObserver(() => {
  if (document.querySelector('[data-testid="stSidebarNav"]')) window.bnpListed = true;
}).observe(document, {childList: true, subtree: true})"""
"""Whether Streamlit's own list of pages was ever there, as it is until a fresh server has run the
script for the first time, unless the settings say otherwise."""
SETTINGS = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The libraries are those of the environment that runs the tests, which a .pth file adds."""
    folder = tmp_path_factory.mktemp("wheel")
    return installed_in(folder / "environment", [wheel_of(ROOT, folder)])


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder; nothing in the environment leads back to the repository."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


def said(installed: Installed, folder: Path, *arguments: str) -> str:
    """What a command prints that is given in this folder."""
    command = [installed.command, *arguments]
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def test_the_wheel_opens_the_app_anywhere_and_writes_nothing_beside_itself(
    installed, elsewhere, browser, tmp_path, request
):
    before = installed.files()
    said(installed, elsewhere, "warm", *FIRST_METHODS)
    command = (installed.command, "app", "--")
    with started({}, tmp_path / "log.txt", command, elsewhere) as app:
        tab = Tab(browser.new_page(color_scheme="light"), app.url)
        request.node.server_log, request.node.tabs = app.log, [tab]
        tab.page.add_init_script(LISTED)
        tab.open("/")
        assert not tab.page.evaluate("() => window.bnpListed")
        shown = tab.button("Watch it learn").evaluate("b => getComputedStyle(b).backgroundColor")
        red, green, blue = bytes.fromhex(SETTINGS["theme"]["light"]["primaryColor"][1:])
        assert shown == f"rgb({red}, {green}, {blue})"

        tab.choose("Small CSV")
        tab.button("Watch it learn").click()
        tab.until_learning()
        tab.until_more_than(0)
        tab.stop_runs()
        tab.go("Lessons")
        expect(tab.button("Begin")).to_have_count(len(lesson_files()))
        tab.page.context.close()
        assert tab.problems == []
    log = app.log()
    assert "Traceback" not in log
    assert "usage statistics" not in log
    assert f"URL: {app.url}" in log
    assert "Network URL" not in log
    assert list(elsewhere.iterdir()) == []
    assert installed.files() == before
    # What had to be written lies in the user's cache.
    assert list(tmp_path.glob("cache/bnpexplorer/app-*/static/plotly-*.js"))


def test_the_installed_command_needs_no_repository(installed, elsewhere):
    assert said(installed, elsewhere, "--version").strip() != "from source"
    assert "Nothing is missing." in said(installed, elsewhere, "doctor")


def test_the_wheel_has_every_file_of_the_package(installed):
    there = {path.relative_to(installed.packages).as_posix() for path in installed.files()}
    listed = subprocess.run(
        ["git", "ls-files", "bnpexplorer"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    assert any(path.endswith(".html") for path in listed)
    assert set(listed) <= there
