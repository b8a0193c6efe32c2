"""The Claims page: what is in view, names that do not meet, studies of other tabs."""

import itertools
import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PAPERS = ["Wang & Blei 2012", "Wang et al. 2011", "Hoffman et al. 2013", "Das et al. 2015"]
NAMES = """node => [...node.querySelectorAll(".annotation")].map((a) => {
  const box = a.getBoundingClientRect();
  return [box.left, box.right, box.top, box.bottom];
})"""


def choose_paper(tab, paper):
    tab.page.get_by_test_id("stButtonGroup").get_by_text(paper, exact=True).click()
    tab.settled()


def test_the_form_is_in_view_without_scrolling(tab, finished):
    tab.page.set_viewport_size({"width": 1280, "height": 800})
    tab.open(f"/claims{finished}")
    for paper in PAPERS:
        choose_paper(tab, paper)
        tab.page.get_by_role("radiogroup", name="Claim").get_by_role("radio").nth(1).check(
            force=True
        )
        tab.settled()
        expect(tab.button("Try again here")).to_be_in_viewport(ratio=1)
        expect(tab.page.get_by_text(re.compile("trials that (learn for|read)"))).to_be_in_viewport()


@pytest.mark.second
@pytest.mark.parametrize("width", [1280, 390])
def test_names_in_a_figure_do_not_meet_and_are_not_cut(tab, width):
    tab.page.set_viewport_size({"width": width, "height": 900})
    tab.open("/claims")
    tab.until_points("claim-0")
    boxes = tab.figure("claim-0").evaluate(NAMES)
    assert len(boxes) == 4
    for left, right, _, _ in boxes:
        assert 0 <= left < right <= width
    for (l1, r1, t1, b1), (l2, r2, t2, b2) in itertools.combinations(boxes, 2):
        assert min(r1, r2) <= max(l1, l2) or min(b1, b2) <= max(t1, t2) + 1, "they meet"


@pytest.mark.second
def test_on_a_phone_columns_are_no_farther_apart_than_all_else(tab):
    tab.page.set_viewport_size({"width": 390, "height": 900})
    tab.open("/claims")
    claims = tab.page.get_by_role("radiogroup", name="Claim").bounding_box()
    quote = tab.page.locator("blockquote").first.bounding_box()
    assert 0 < quote["y"] - (claims["y"] + claims["height"]) <= 32


@pytest.mark.second
def test_a_study_of_another_tab_is_listed_watched_and_left(tab, open_tab, finished):
    tab.open(f"/claims{finished}")
    choose_paper(tab, "Wang et al. 2011")
    tab.choose("Online HDP against online LDA and batch HDP")
    tab.button("Try again here").click()
    expect(tab.button("Pause")).to_be_visible()
    guest = open_tab()
    guest.open("/claims")
    expect(guest.page.get_by_text("somebody else's")).to_be_visible()
    guest.button("Watch").click()
    expect(guest.page.get_by_text("watching only")).to_be_visible()
    for name in ("Pause", "Resume", "Another claim"):
        expect(guest.button(name)).to_have_count(0)
    assert "key=" not in guest.page.url
    guest.button("All claims").click()
    expect(guest.page.get_by_text("somebody else's")).to_be_visible()

    tab.button("Another claim").click()
    expect(tab.page.get_by_text("yours")).to_be_visible()
    expect(
        tab.page.get_by_role("radio", name="Online HDP against online LDA and batch HDP")
    ).to_be_checked()
    tab.button("Go on").click()
    expect(tab.button("Pause")).to_be_visible()
    tab.button("Another claim").click()  # pauses it, so that the next test finds a place
    tab.settled()
