"""In front of a class: runs are lines, and the first screen shows a figure."""

import pytest
from playwright.sync_api import expect

from .prepared import finished_run, two_long_runs

pytestmark = [pytest.mark.browser, pytest.mark.second]

BOX = """node => {
  const box = node.getBoundingClientRect();
  return [box.top, box.bottom];
}"""


def first_figure(tab, width, height, address):
    """Where the first figure begins and ends, in pixels, and how high every run's row is."""
    tab.page.set_viewport_size({"width": width, "height": height})
    tab.open(address)
    tab.until_points()
    tab.still()
    rows = tab.page.locator('[class*="st-key-row-"]').all()
    return tab.figure().evaluate(BOX), [row.bounding_box()["height"] for row in rows]


def test_the_first_screen_shows_a_whole_figure_under_ended_runs(tab, finished):
    (top, bottom), heights = first_figure(tab, 1280, 720, f"/live{finished}&large=on")
    assert top > 0
    assert bottom <= 720
    assert len(heights) == 2
    assert max(heights) <= 50, "a line each, in letters of 21 pixels"
    third = finished_run("lda-svi", passes=1)
    three = finished.replace("&own=", f",{third[0]}&own=") + f",{third[1]}"
    (top, bottom), heights = first_figure(tab, 390, 844, f"/live{three}")
    assert top > 0
    assert bottom <= 844
    assert len(heights) == 3
    assert max(heights) <= 50
    for name in ("Pause", "Step", "Stop"):
        expect(tab.button(name)).to_have_count(0)
    expect(tab.button("Remove")).to_have_count(3)


def test_an_ended_run_says_its_name_and_status_on_a_phone_in_large_type(tab, finished):
    tab.page.set_viewport_size({"width": 390, "height": 844})
    tab.open(f"/live{finished}&large=on")
    tab.until_points()
    tab.still()
    for words in tab.page.locator(".bnp-status .bnp-name, .bnp-status .bnp-phase").all():
        within = words.evaluate(
            """node => {
              const row = node.closest(".bnp-status").getBoundingClientRect();
              return node.scrollWidth <= node.clientWidth + 1
                && node.getBoundingClientRect().right <= row.right + 1;
            }"""
        )
        assert within, words.inner_text()
    for button in tab.button("Remove").all():
        assert button.bounding_box()["x"] > 300, "at its place"


def test_one_button_pauses_all_runs_and_lets_all_go_on(tab):
    tab.open(two_long_runs())
    tab.button("Resume all").click()
    for name in ("hdp-svi", "lda-svi"):
        tab.until_learning(name)
    tab.button("Pause all").click()
    for name in ("hdp-svi", "lda-svi"):
        expect(tab.status(name)).to_contain_text("paused")
    expect(tab.button("Resume all")).to_be_visible()
    expect(tab.button("Pause")).to_have_count(0)
