"""The Compare page as a browser shows it: the view in the address, a race that moves, a phone."""

import re

import pytest
from playwright.sync_api import expect

from .driver import Tab

pytestmark = pytest.mark.browser


@pytest.mark.second
def test_a_race_moves_both_panels_and_a_reload_keeps_it(tab: Tab, finished: str) -> None:
    tab.open(f"/compare{finished}&compare=Race")
    tab.number("Passes", 400)
    tab.button("Start the race").click()
    for key in ("race-held-out-0", "race-held-out-1"):
        tab.until_points(key)
    tab.button("Pause").click()
    expect(tab.button("Resume")).to_be_visible()
    expect(tab.page.get_by_text("paused: all have read")).to_be_visible()
    tab.page.reload()
    tab.settled()
    assert re.search(r"[?&]race=\w+", tab.page.url)
    assert "compare=Race" in tab.page.url
    expect(tab.button("Resume")).to_be_visible()
    tab.button("Stop").click()
    expect(tab.button("Open its runs on Live")).to_be_visible()
    tab.button("Open its runs on Live").click()
    expect(tab.page.get_by_text("Topics, largest first")).to_be_visible()
    tab.go("Compare")
    tab.turn_to("Runs")
    tab.until_points("compare-heldout")
    tab.turn_to("Topics aligned")
    expect(tab.figure("alignment").locator("svg.main-svg").first).to_be_visible()


def test_nothing_is_wider_than_a_phone(open_tab) -> None:
    tab = open_tab(390, "dark")
    tab.open("/compare?compare=Race")
    for view in ("Race", "Chains", "Sweep", "Topics aligned", "When it fails", "Runs"):
        tab.turn_to(view)
        expect(tab.page.get_by_role("heading", name="Which way of learning")).to_be_visible()
        wide = tab.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390, view
