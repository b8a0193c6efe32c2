"""Several tabs, reloads, foreign addresses, and a tab that is gone."""

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from benchmarks.app import server
from bnpexplorer.runs.saved.library import Library
from tests.tools.waiting import until

from .conftest import SETTINGS
from .driver import Tab
from .prepared import long_run

pytestmark = pytest.mark.browser

CONTROLS = ("Pause", "Resume", "Step", "Stop", "Remove")


def test_a_reload_finds_the_same_run_and_still_controls_it(tab):
    tab.start_long_run()
    tab.until_learning()
    seen, address = tab.documents(), tab.page.url
    assert re.search(r"/live\?view=study&run=[\w-]+&own=[\w-]+$", address)
    tab.page.reload()
    tab.until_learning()
    assert tab.page.url == address
    assert tab.documents() >= seen, "it went on"
    tab.until_more_than(seen + 100)
    tab.button("Pause").click()
    expect(tab.status()).to_contain_text("paused")
    tab.resume()
    expect(tab.status()).to_contain_text("learning")


@pytest.mark.second
def test_others_watch_but_do_not_control(tab, open_tab):
    tab.watch(long_run())
    address = tab.page.url
    guest = open_tab()
    for foreign in (re.sub("&own=.*", "", address), re.sub("own=.*", "own=guess", address)):
        guest.open(foreign)
        guest.until_learning()
        expect(guest.page.get_by_text("watching only")).to_be_visible()
        guest.watch_updates()
        guest.until_updates(2)
        for name in CONTROLS:
            expect(guest.button(name)).to_have_count(0)
    expect(tab.button("Pause")).to_be_enabled()


@pytest.mark.second
def test_an_unknown_run_is_explained_and_the_page_stays_usable(tab):
    tab.open("/live?run=nosuchrun&own=x")
    expect(tab.page.get_by_role("status")).to_contain_text("nosuchrun is no longer on this server")
    tab.go("Start")
    assert "run=" not in tab.page.url
    tab.choose("Small CSV")
    tab.watch_it_learn()
    tab.until_learning()


@pytest.mark.second
def test_two_tabs_at_once_and_a_third_in_line(tab, open_tab):
    second, third = open_tab(), open_tab()
    third.prepare_long_run()
    for each in (tab, second):
        each.watch(long_run())
    third.watch_it_learn()
    expect(third.status()).to_contain_text("waiting in line, number 1")
    assert len({each.page.url for each in (tab, second, third)}) == 3
    for each in (tab, second, third):
        expect(each.page.locator(".bnp-status")).to_have_count(1)

    second.button("Pause").click()
    expect(second.status()).to_contain_text("paused")
    seen = tab.documents()
    tab.until_more_than(seen)
    expect(tab.status()).to_contain_text("learning")

    third.until_learning()  # the pause freed a place
    second.resume()
    expect(second.status()).to_contain_text("waiting in line, number 1")
    tab.button("Stop").click()
    expect(tab.status()).to_contain_text("stopped")
    seen = second.documents()
    expect(second.status()).to_contain_text("learning")
    second.until_more_than(seen)
    seen = third.documents()
    third.until_more_than(seen)


@pytest.fixture
def open_impatient(browser, tmp_path):
    """Opens tabs of a server that waits one second for a tab to come back."""
    settings = SETTINGS | {"BNPEXPLORER_GRACE_SECONDS": "1"}
    with server(settings, tmp_path / "log.txt") as app, browser.new_context() as context:
        yield lambda: Tab(context.new_page(), app.url)
    assert "Traceback" not in app.log(), app.log()


@pytest.mark.second
def test_closing_the_only_tab_pauses_the_run_after_a_while(open_impatient):
    tab, later, address = open_impatient(), open_impatient(), long_run()
    tab.watch(address)
    tab.until_more_than(tab.documents())
    seen = tab.documents()
    tab.page.close()
    later.open("/")
    run_id = parse_qs(urlparse(address).query)["run"][0]

    def paused_since():
        facts = Library().get(run_id).facts
        return facts["status"] == "paused" and facts["docs_seen"] >= seen

    until(paused_since)
    later.open(address)
    expect(later.status()).to_contain_text("paused")
    seen = later.documents()
    later.resume()
    later.until_more_than(seen)
    expect(later.status()).to_contain_text("learning")
