"""A lesson that travels: its question beside the page, by keyboard, on a phone, in print."""

import re

import pytest
from playwright.sync_api import expect

from .test_keyboard import tab_to

pytestmark = pytest.mark.browser

LEFT_OF = """() => {
  const panel = document.querySelector(".st-key-lesson-panel").getBoundingClientRect();
  const figure = document.querySelector(".st-key-heldout .bnp-figure").getBoundingClientRect();
  return panel.right <= figure.left && panel.top < 720 && figure.top < 720;
}"""


@pytest.mark.second
def test_a_lesson_goes_from_page_to_page_by_keyboard(tab):
    page = tab.page
    page.set_viewport_size({"width": 1280, "height": 720})
    tab.open("/lessons")
    begin = page.get_by_role("button", name="Begin").nth(1)
    tab_to(tab, begin)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/lab\?.*lesson=truncation&step=1"))
    shown = page.get_by_role("slider", name="Sticks shown")
    expect(shown).to_have_value("5")
    tab.settled()
    tab_to(tab, tab.button("Next"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/live\?.*step=2"))
    tab.settled()
    tab_to(tab, tab.button("Set it up"))
    page.keyboard.press("Enter")
    tab.until_points()
    tab.settled()
    assert page.evaluate(LEFT_OF), "the question stands beside the picture"

    guess = page.get_by_label("Your guess")
    tab_to(tab, guess, most=3)
    tab.watch_updates()
    page.keyboard.type("the one with five")
    page.keyboard.press("Enter")
    tab.settled()
    tab_to(tab, tab.button("Show the answer"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your guess. the one with five")).to_be_visible()
    expect(page.get_by_text("Answer. Truncation 5")).to_be_visible()
    assert tab.figure().evaluate("node => node.bnpMark") == "the same node"

    page.reload()
    tab.until_points()
    expect(page.get_by_role("heading", name="Too few")).to_be_visible()
    expect(page.get_by_text("Answer. Truncation 5")).to_have_count(0)
    tab.go("Runs")
    page.get_by_role("link", name="Back to the lesson").click()
    expect(page).to_have_url(re.compile(r"/live\?"))
    tab.settled()
    tab_to(tab, tab.button("Leave the lesson"))
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-lesson-panel")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("lesson="))
    tab.until_points()


def test_on_a_phone_the_first_screen_shows_the_picture_and_unfolds_the_question(tab, finished):
    page = tab.page
    page.set_viewport_size({"width": 390, "height": 844})
    tab.open(f"/live{finished}&lesson=tour&step=4")
    tab.until_points()
    tab.still()
    box = tab.figure().bounding_box()
    assert box["y"] > 0
    assert box["y"] + box["height"] <= 844
    question = page.get_by_text("Which of the two predicts better in the end?")
    expect(question).to_be_hidden()
    expect(tab.button("Leave the lesson")).to_be_visible()
    tab.button("Unfold").click()
    expect(question).to_be_visible()
    tab.settled()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    tab.button("Fold").click()
    expect(question).to_be_hidden()
    tab.settled()
