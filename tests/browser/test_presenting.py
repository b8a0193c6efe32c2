"""One figure a screen for a projector, by keys, with no secret in sight."""

import re
import time
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from bnpexplorer.core.display import text_beside
from bnpexplorer.ui.seam import styles

from .prepared import finished_run, two_long_runs

pytestmark = pytest.mark.browser

RUNS = ("hdp-svi", "lda-svi")
CUT = """() => {
  const shown = [...document.querySelectorAll(".st-key-presentation *")];
  const main = document.querySelector('[data-testid="stMain"]');
  return [main.scrollHeight, ...shown.map((x) => x.getBoundingClientRect().bottom)]
    .filter((y) => y > 720).concat(shown.map((x) => x.getBoundingClientRect().right)
    .filter((x) => x > 1280));
}"""

SCRIPT = text_beside(styles.__file__, "presenting.js")
BEGIN = """async ([script, presents, since]) => {
  window.bnpBegun ??= import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  const data = { presents, since, what: "", whole: "" };
  const leave = document.exitFullscreen;
  let left = false;
  document.exitFullscreen = () => {
    left = true;
    return leave.call(document);
  };
  (await window.bnpBegun).default({ data, setStateValue: () => undefined });
  document.exitFullscreen = leave;
  return left;
}"""
"""Whether the script of a page, begun with this, leaves the full screen."""


def present(tab):
    """In the window of a projector, by the button."""
    tab.page.set_viewport_size({"width": 1280, "height": 720})
    tab.button("Present").click()
    expect(tab.page.locator(".st-key-presentation")).to_be_visible()
    tab.settled()


def turn_to(tab, key, shown):
    """Press a digit; all of what it shows is on the screen, in large type."""
    tab.page.keyboard.press(key)
    expect(tab.page.locator(shown)).to_have_count(1)
    tab.still()
    assert tab.page.evaluate(CUT) == []
    expect(tab.page.locator("html")).to_have_css("font-size", "21px")


@pytest.mark.second
def test_a_lecture_by_keys_alone(tab):
    address = two_long_runs()
    secrets = parse_qs(urlparse(address).query)["own"][0].split(",")
    tab.open(address)
    present(tab)
    for key, shown in (
        ("2", ".st-key-topics svg[role=img]"),
        ("3", ".bnp-topics"),
        ("4", ".st-key-weights svg[role=img]"),
        ("1", ".st-key-heldout svg[role=img]"),
    ):
        turn_to(tab, key, shown)
    for place in (tab.page.url, tab.words()):
        assert not any(secret in place for secret in secrets)
    expect(tab.page.get_by_text("To watch it on your own screen")).to_contain_text("/live?run=")

    tab.page.keyboard.press("Space")
    for name in RUNS:
        expect(tab.status(name)).to_contain_text("learning")
    tab.settled()
    tab.page.keyboard.press("Space")
    for name in RUNS:
        expect(tab.status(name)).to_contain_text("paused")
    tab.settled()
    seen = tab.documents("lda-svi")
    tab.page.keyboard.press("ArrowRight")
    expect(tab.status("lda-svi")).not_to_contain_text(f"{seen:,} documents", use_inner_text=True)
    expect(tab.status("lda-svi")).to_contain_text("paused")
    tab.settled()
    size = tab.documents("lda-svi") - seen
    assert 0 < size <= 256, "one mini-batch, the last of a pass a smaller one"

    tab.button("2 Topics in use").focus()  # what has the focus gets the key
    tab.page.keyboard.press("Space")
    expect(tab.figure("topics")).to_be_visible()
    tab.settled()
    tab.page.keyboard.press("3")
    tab.settled()
    expect(tab.page.locator(".bnp-topics")).to_have_count(0)
    expect(tab.button("Resume all")).to_be_visible()

    tab.page.reload()
    expect(tab.button("Resume all")).to_be_visible()
    tab.settled()
    assert "own=" not in tab.page.url
    tab.page.keyboard.press("Escape")
    expect(tab.button("Present")).to_be_visible()
    expect(tab.page).to_have_url(re.compile("own="))
    expect(tab.page.locator("html")).not_to_have_css("font-size", "21px")


def test_the_script_of_the_page_before_does_not_end_what_has_begun(tab):
    tab.open(two_long_runs())
    present(tab)
    full = "() => document.fullscreenElement !== null"
    tab.until(full)
    now = time.time()
    assert not tab.page.evaluate(BEGIN, [SCRIPT, True, now])
    assert not tab.page.evaluate(BEGIN, [SCRIPT, False, now - 60])
    assert tab.page.evaluate(full)
    expect(tab.page.locator(".st-key-presentation")).to_be_visible()
    assert tab.page.evaluate(BEGIN, [SCRIPT, False, now + 60])
    tab.until("() => document.fullscreenElement === null")


@pytest.mark.second
def test_a_race_is_presented_and_shared(tab, open_tab, finished):
    tab.open(f"/compare{finished}&compare=Race")
    tab.number("Passes", 400)
    tab.button("Start the race").click()
    tab.until_points("race-held-out-1")
    present(tab)
    turn_to(tab, "2", ".st-key-race-topics-1 svg[role=img]")
    assert "key=" not in tab.page.url
    tab.page.keyboard.press("Space")
    expect(tab.page.get_by_text("paused: all have read")).to_be_visible()
    tab.settled()
    turn_to(tab, "3", "h2:has-text('Largest topics now')")
    turn_to(tab, "1", ".st-key-race-held-out-1 svg[role=img]")
    tab.page.keyboard.press("Escape")
    expect(tab.button("Resume")).to_be_visible()
    tab.settled()
    tab.button("Share").click()
    code = tab.page.get_by_test_id("stPopoverBody").get_by_test_id("stCode").first
    expect(code).to_contain_text("race=")
    link = code.inner_text().strip()
    assert "key=" not in link
    guest = open_tab()
    guest.open(link)
    guest.until_points("race-held-out-0")
    expect(guest.page.get_by_text("watching only")).to_be_visible()
    expect(guest.button("Resume")).to_have_count(0)
    tab.page.keyboard.press("Escape")


@pytest.mark.second
def test_pictures_of_many_runs_are_on_the_screen_whole(tab, open_tab):
    six = [finished_run("hdp-svi", passes=1, sample="bars") for _ in range(6)]
    ids, secrets = zip(*six, strict=True)
    tab.open(f"/live?run={','.join(ids)}&own={','.join(secrets)}")
    present(tab)
    turn_to(tab, "5", ".bnp-sheet")
    expect(tab.page.locator(".bnp-sheet .pair")).to_have_count(10)
    turn_to(tab, "1", ".st-key-heldout svg[role=img]")
    names = tab.page.locator(".st-key-heldout .annotation-text")
    expect(names).to_have_count(len(six) + 1)
    top = tab.figure().bounding_box()["y"]
    assert min(name.bounding_box()["y"] for name in names.all()) >= top - 1
    whole = "node => node.scrollWidth <= node.clientWidth"
    rows = tab.page.locator(".st-key-presentation .bnp-name").all()
    assert all(row.evaluate(whole) for row in rows), "whose name tells its start and its number"
    race = open_tab()
    race.open(f"/compare?run={ids[0]}&own={secrets[0]}&compare=Race")
    race.page.get_by_role("combobox", name="Methods, two to four").click()
    race.page.get_by_role("option").filter(has_text="lda-svi").first.click()
    race.page.keyboard.press("Escape")
    race.settled()
    race.number("Passes", 1)
    race.button("Start the race").click()
    race.until_points("race-held-out-2")
    present(race)
    turn_to(race, "5", "h2:has-text('beside the true ones')")
    expect(race.page.locator(".bnp-compact .pair img").first).to_be_visible()
    assert race.page.evaluate(CUT) == []


@pytest.mark.second
def test_no_key_is_lost_and_none_comes_before_another_however_fast(tab):
    tab.open(two_long_runs(batch_size=16))
    present(tab)
    for keys, shown in (("4321", "heldout"), ("2341", "heldout"), ("142", "topics")):
        for key in keys:
            tab.page.keyboard.press(key)
        expect(tab.figure(shown)).to_be_visible()
        tab.settled()
        expect(tab.figure(shown)).to_be_visible()
        expect(tab.page.locator(".bnp-figure")).to_have_count(1)
    seen = tab.documents("lda-svi")
    for _ in range(4):
        tab.page.keyboard.press("ArrowRight")
    tab.until_documents(seen + 4 * 16, "lda-svi")
    expect(tab.status("lda-svi")).to_contain_text("paused")
    tab.settled()
    for _ in range(3):
        tab.page.keyboard.press("Space")
    for name in RUNS:
        expect(tab.status(name)).to_contain_text("learning")
    expect(tab.button("Pause all")).to_be_visible()
