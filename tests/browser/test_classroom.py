"""Lab and lessons in a browser: keyboard, play, less motion, the way back, and large type."""

import re

import pytest
from playwright.sync_api import expect

from .test_keyboard import HAS_FOCUS, tab_to

pytestmark = pytest.mark.browser

CLICK = "node => node.click()"


def counter(tab):
    return tab.page.get_by_text("Customer ", exact=False).filter(has_text="of 100")


def test_the_restaurant_by_keyboard(tab):
    tab.open("/lab?lab_show=restaurant")
    slider = tab.page.get_by_role("slider", name="Concentration (α)")
    before = slider.get_attribute("aria-valuetext") or slider.get_attribute("aria-valuenow")
    tab_to(tab, slider)
    tab.page.keyboard.press("ArrowRight")
    tab.settled()
    after = slider.get_attribute("aria-valuetext") or slider.get_attribute("aria-valuenow")
    assert after != before
    step = tab.button("Step")
    tab_to(tab, step)
    for n in (1, 2, 3):
        tab.page.keyboard.press("Enter")
        expect(counter(tab)).to_have_text(f"Customer {n} of 100")
        tab.settled()
    assert step.evaluate(HAS_FOCUS), "the button keeps the focus from step to step"


@pytest.mark.second
def test_what_a_step_moves_is_on_the_first_screen(tab):
    tab.page.set_viewport_size({"width": 1280, "height": 720})
    tab.open("/lab?lab_show=restaurant")
    steps = (
        ("Restaurant", ".lab-room li.last"),
        ("Franchise", ".lab-room li.last"),
        ("Assign a document", ".lab-words .last"),
    )
    for n, (words, moved) in enumerate(steps * 2):
        if n == len(steps):  # once more in large type, a step further
            tab.page.get_by_text("Large type").evaluate(CLICK)
            tab.settled()
        # Clicks that do not scroll: Playwright's own scroll where they have to be repeated.
        tab.page.get_by_text(words, exact=True).evaluate(CLICK)
        tab.settled()
        expect(tab.button("Step")).to_be_in_viewport(ratio=1)
        tab.button("Step").evaluate(CLICK)
        expect(tab.page.locator(moved)).to_be_in_viewport(ratio=1)
        tab.settled()
        assert tab.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


@pytest.mark.second
def test_play_goes_on_until_pause(tab):
    tab.open("/lab?lab_show=restaurant")
    tab.button("Play").click()
    expect(counter(tab)).to_have_text(re.compile(r"Customer ([3-9]|\d\d) of 100"))
    tab.button("Pause").click()
    expect(tab.button("Play")).to_be_visible()
    tab.settled()
    halted = counter(tab).inner_text()
    tab.button("Back").click()
    n = int(halted.split()[1])
    expect(counter(tab)).to_have_text(f"Customer {n - 1} of 100")


@pytest.mark.second
def test_less_motion_means_single_steps(open_tab):
    tab = open_tab()
    tab.page.emulate_media(reduced_motion="reduce")
    tab.open("/lab?lab_show=restaurant")
    expect(tab.button("Step")).to_be_visible()
    expect(tab.page.get_by_text("asks for less motion")).to_be_visible()
    expect(tab.button("Play")).to_be_hidden()
    tab.page.evaluate(HEAR_WALKS)
    tab.button("Step").click()
    expect(tab.page.locator(".lab-room .walker")).to_be_visible()
    tab.settled()
    assert tab.page.evaluate("window.walks") == [], "who sits down sits there at once"


HEAR_WALKS = """() => {
  const middle = (node) => {
    const box = node.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const atFirst = (node) => {
    const [walk] = node.getAnimations();
    const now = walk.currentTime;
    walk.currentTime = 0;
    const place = middle(node);
    walk.currentTime = now;
    return place;
  };
  // What has ended stays among a node's animations, also where no frame was drawn in between.
  const kept = document.head.appendChild(document.createElement("style"));
  kept.textContent = ".lab-room li.walker { animation-fill-mode: forwards !important }";
  window.walks = [];
  for (const [event, place] of [["animationstart", atFirst], ["animationend", middle]])
    document.addEventListener(event, ({ animationName, target }) => {
      if (animationName === "lab-walk") window.walks.push([event, ...place(target)]);
    });
}"""
"""Where a walk begins, however late its first frame is told, and where it ends."""


@pytest.mark.second
def test_a_customer_walks_from_the_door_to_the_table(tab):
    tab.open("/lab?lab_show=restaurant")
    tab.page.evaluate(HEAR_WALKS)
    for n in range(1, 4):
        tab.page.evaluate("() => { window.walks = []; }")
        tab.button("Step").click()
        expect(counter(tab)).to_have_text(f"Customer {n} of 100")
        tab.until("() => window.walks.length === 2")
        tab.settled()
        door, table = (
            tab.page.locator(f".lab-room {part}").bounding_box()
            for part in (".door", "li.last > i")
        )
        (begun, x, y), (ended, at_x, at_y) = tab.page.evaluate("window.walks")
        assert (begun, ended) == ("animationstart", "animationend")
        assert abs(x - door["x"] - door["width"] / 2) < 40
        assert abs(y - door["y"] - door["height"] / 2) < 40
        assert table["x"] < at_x <= table["x"] + table["width"]
        assert table["y"] < at_y <= table["y"] + table["height"]


@pytest.mark.second
def test_a_lesson_by_keyboard_and_the_way_back(tab):
    tab.open("/lessons?lesson=birth&step=2")
    answer = tab.button("Show the answer")
    tab_to(tab, answer)
    tab.page.keyboard.press("Enter")
    expect(tab.page.get_by_text("Answer.")).to_be_visible()
    tab.settled()
    following = tab.button("Next")
    tab_to(tab, following)
    tab.page.keyboard.press("Enter")
    expect(tab.page.get_by_role("heading", name="Births in a run")).to_be_visible()
    set_up = tab.button("Set it up")
    tab_to(tab, set_up)
    tab.page.keyboard.press("Enter")
    tab.until_points()
    expect(tab.page).to_have_url(re.compile(r"lesson=birth.*step=3"))
    tab.page.reload()
    tab.settled()
    expect(tab.page.get_by_role("heading", name="Births in a run")).to_be_visible()
    tab.go("Runs")
    back = tab.page.get_by_role("link", name="Back to the lesson")
    expect(back).to_be_visible()
    expect(tab.page.get_by_role("heading", name="Births in a run")).to_have_count(0)
    back.click()
    expect(tab.page.get_by_role("heading", name="Births in a run")).to_be_visible()
    tab.go("Lab")
    tab.button("Leave the lesson").click()
    expect(back).to_have_count(0)
    expect(tab.page).not_to_have_url(re.compile("lesson="))


@pytest.mark.second
def test_a_step_opened_by_link_gets_the_runs_of_the_step_before(tab):
    tab.open("/compare?lesson=tour&step=5")
    expect(tab.page.get_by_text("none is here")).to_be_visible()
    tab.button("Set it up").click()
    expect(tab.page).to_have_url(re.compile(r"/compare\?.*run=\w+%2C\w+"))
    expect(tab.page.get_by_text("none is here")).to_have_count(0)


CLEAR = """() => {
  const left = document.querySelector(".st-key-frame-large").getBoundingClientRect().left;
  const links = [...document.querySelectorAll("[data-testid=stTopNavSection]")];
  return links.every((link) => link.getBoundingClientRect().right < left);
}"""


@pytest.mark.second
def test_large_type_reaches_the_lab_and_the_claims(tab):
    for address, key in (("/lab?lab_show=sticks", "lab_strips"), ("/claims", "claim-0")):
        tab.open(address)
        size = "node => node._fullLayout.font.size"
        figure = tab.figure(key)
        expect(figure.locator('svg[role="img"]')).to_have_count(1)
        small = figure.evaluate(size)
        tab.page.get_by_text("Large type").click()
        tab.page.wait_for_function(
            "([key, small]) => document.querySelector(`.st-key-${key} .bnp-figure`)"
            "._fullLayout.font.size > small",
            arg=[key, small],
        )


SIZES = """() => {
  window.bnpSizes = new Set();
  const look = () => {
    window.bnpSizes.add(getComputedStyle(document.documentElement).fontSize);
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest.mark.second
def test_large_type_stands_while_a_lesson_opens_a_page_and_after_a_reload(tab):
    tab.open("/lessons?lesson=birth&step=3&large=on")
    html = tab.page.locator("html")
    expect(html).to_have_css("font-size", "21px")
    tab.page.evaluate(SIZES)
    tab.button("Set it up").click()
    expect(tab.page).to_have_url(re.compile("/live.*large=on"))
    tab.until_points()
    assert tab.page.evaluate("() => [...window.bnpSizes]") == ["21px"], "at every moment"
    tab.page.reload()
    expect(html).to_have_css("font-size", "21px")


@pytest.mark.second
def test_the_menu_keeps_clear_of_the_switch_for_large_type(tab):
    tab.open("/lessons")
    for width in (1280, 850):
        tab.page.set_viewport_size({"width": width, "height": 900})
        for large in (False, True):
            if large:
                tab.page.get_by_text("Large type").click()
                tab.settled()
            tab.page.wait_for_function(CLEAR)
        tab.page.get_by_text("Large type").click()
        tab.settled()
