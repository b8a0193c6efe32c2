"""Pause, step, resume, stop; zoom; the numbers behind a figure."""

import csv
import re

import pytest
from playwright.sync_api import expect

from bnpexplorer.plots.style import PAPER

from .driver import WAIT
from .prepared import finished_run, long_run

pytestmark = pytest.mark.browser

DRAWN = """lines => lines.map((line) => getComputedStyle(line))
  .filter((style) => style.display !== "none").map((style) => style.strokeWidth)"""
X_RANGE = "node => node._fullLayout.xaxis.range.map(Number)"


@pytest.fixture
def live(tab):
    """A tab with a run that learns and would go on for minutes."""
    tab.watch(long_run())
    return tab


def places(tab):
    """Where the buttons of the run stand, from left to right."""
    buttons = tab.page.locator('[class*="st-key-controls-"] .stButton').all()
    return [button.bounding_box() for button in buttons]


def documents_now(tab):
    """How many documents the run has seen by now. Where no run learns, the page asks for no news; a
    reload does."""
    tab.page.reload()
    tab.settled()
    return tab.documents()


@pytest.mark.second
def test_pause_step_resume_stop(tab):
    tab.start_long_run(batch_size=50)
    tab.until_learning()
    # The form was longer: what is left of its scrolling, the first click would take back.
    tab.page.get_by_test_id("stMain").evaluate("node => node.scrollTo(0, 0)")
    at_first = places(tab)
    assert len(at_first) == 4
    tab.button("Pause").click()
    expect(tab.status()).to_contain_text("paused")
    expect(tab.button("Resume")).to_be_enabled()
    assert places(tab) == at_first, "a click never lands on a neighbour"
    seen = tab.documents()
    assert documents_now(tab) == seen

    for steps in (1, 2):
        tab.button("Step").click()
        tab.until_documents(seen + 50 * steps)
        expect(tab.status()).to_contain_text("paused")
        tab.settled()
    assert documents_now(tab) == seen + 100, "exactly one mini-batch a step"

    tab.resume()
    expect(tab.status()).to_contain_text("learning")
    tab.until_more_than(seen + 200)

    tab.button("Stop").click()
    expect(tab.status()).to_contain_text("stopped")
    expect(tab.button("Remove")).to_be_enabled()
    assert places(tab) == at_first
    for name in ("Pause", "Step", "Stop"):
        expect(tab.button(name)).to_have_count(0)
    seen = tab.documents()
    assert documents_now(tab) == seen

    tab.button("Remove").click()
    expect(tab.status()).to_have_count(0)
    expect(tab.button("Find the topics")).to_be_visible()


def zoom(live, figure):
    """Drag over the middle of the figure, and wait until it shows that part alone."""
    end = figure.evaluate(X_RANGE)[1]
    figure.scroll_into_view_if_needed()
    box = figure.locator(".nsewdrag").first.bounding_box()
    mouse, y = live.page.mouse, box["y"] + box["height"] / 2
    mouse.move(box["x"] + 0.1 * box["width"], y)
    mouse.down()
    mouse.move(box["x"] + 0.3 * box["width"], y, steps=5)
    mouse.move(box["x"] + 0.5 * box["width"], y, steps=5)
    mouse.up()
    live.page.wait_for_function(
        "([node, end]) => node._fullLayout.xaxis.range[1] < 0.7 * end",
        arg=[figure.element_handle(), end],
    )
    return box["x"] + 0.3 * box["width"], y


def until_range(live, figure, expected):
    live.page.wait_for_function(
        """([node, range]) => node._fullLayout.xaxis.range.every(
            (x, i) => Math.abs(Number(x) - range[i]) <= 1e-6 * range[1])""",
        arg=[figure.element_handle(), expected],
    )


@pytest.mark.second
def test_zoom_survives_updates_and_a_double_click_shows_the_whole(live):
    figure = live.figure()
    whole = figure.evaluate(X_RANGE)
    inside = zoom(live, figure)
    zoomed = figure.evaluate(X_RANGE)
    assert zoomed[0] > whole[0]

    live.watch_updates()
    live.until_updates(3)
    assert figure.evaluate("node => node.bnpMark") == "the same node"
    assert figure.evaluate(X_RANGE) == zoomed

    live.page.mouse.dblclick(*inside)
    until_range(live, figure, whole)
    live.until_updates(5)
    assert figure.evaluate(X_RANGE) == pytest.approx(whole)

    zoom(live, figure)
    live.page.get_by_role("radio", name="passes").check(force=True)
    until_range(live, figure, [0, 1020])  # a zoom ends with the axis it was made on


@pytest.mark.second
def test_the_numbers_behind_a_figure_stay_open_and_download(live):
    live.page.get_by_role("button", name="Read as table").first.click()
    table = live.page.get_by_test_id("stPopoverBody").get_by_test_id("stDataFrame")
    expect(table).to_be_visible()
    live.watch_updates()
    live.until_updates(3)
    expect(table).to_be_visible()
    with live.page.expect_download(timeout=WAIT) as download:
        live.page.get_by_test_id("stDownloadButton").click()
    with open(download.value.path(), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    drawn = live.figure().evaluate("node => Array.from(node._fullData[0].y)")
    assert download.value.suggested_filename == "bnpexplorer-heldout.csv"
    assert {row["run"] for row in rows} == {"hdp-tsvi"}
    numbers = [float(row["held-out"]) for row in rows]
    shared = min(len(numbers), len(drawn))
    assert shared >= 2
    assert numbers[:shared] == pytest.approx(drawn[:shared])
    documents = [int(row["documents"]) for row in rows]
    assert documents == sorted(set(documents))
    expect(table).to_be_visible()


def test_the_bars_are_drawn_beside_the_true_ones_as_they_are_learned(live):
    pictures = live.page.locator(".bnp-sheet .pair img")
    expect(pictures).to_have_count(20)
    sheet = live.page.locator(".bnp-sheet")
    before, drawn = sheet.inner_html(), "nodes => nodes.every((node) => node.naturalWidth > 0)"
    assert pictures.evaluate_all(drawn)
    live.until("before => document.querySelector('.bnp-sheet').innerHTML !== before", before)
    assert pictures.evaluate_all(drawn)
    live.until_points("found-again")


MARK = """(node, word) => {
  const trace = node._fullData.find((t) => t.name.endsWith(word) && t.x.length);
  const box = node.getBoundingClientRect(), plot = node._fullLayout, k = trace.x.length - 1;
  return [box.x + plot.xaxis._offset + plot.xaxis.c2p(trace.x[k]),
          box.y + plot.yaxis._offset + plot.yaxis.c2p(trace.y[k])];
}"""
BORN = """(key) => {
  const node = document.querySelector(`.st-key-${key} .bnp-figure`);
  return node?._fullData?.some((t) => t.name.endsWith("born") && t.x.length);
}"""


@pytest.mark.second
def test_a_click_on_a_birth_says_why_on_live_and_on_topics(tab):
    """And the list says it by the keyboard; of a short run, which keeps the numbers of all."""
    run_id, secret = finished_run("hdp-tsvi", passes=1)
    page, field = tab.page, "A birth, a death, a merge or a split, the newest first"
    for address, key in (("/live", "topics"), ("/topics", "topics-river")):
        view = "&topics-view=Through+the+run" if address == "/topics" else ""
        tab.open(f"{address}?run={run_id}&own={secret}{view}")
        chosen = page.get_by_role("combobox", name=field)
        expect(chosen).to_have_value("")
        tab.until(BORN, key)
        figure = tab.figure(key)
        figure.scroll_into_view_if_needed()
        page.mouse.click(*figure.evaluate(MARK, "born"))
        expect(chosen).to_have_value(re.compile(r"born at [\d,]+ documents$"))
        panel = page.locator('[class*="st-key-why-panel"]')
        expect(panel.get_by_role("heading", level=3)).to_contain_text("was born at step")
        expect(panel.locator(".bnp-weighed tbody tr").last).to_contain_text("a new topic ← taken")
        expect(panel.locator(".bnp-text")).to_be_visible()
        heading = panel.get_by_role("heading", level=3).inner_text()
        chosen.press("ArrowDown")
        chosen.press("ArrowDown")
        chosen.press("Enter")
        expect(panel.get_by_role("heading", level=3)).not_to_have_text(heading)
    panel.get_by_role("link", name="in the Lab").click()
    expect(page.locator(".bnp-weighed tbody tr")).to_have_count(2)


@pytest.mark.second
@pytest.mark.parametrize("dark", [False, True])
def test_what_the_pointer_tells_stands_on_its_own_ground_beside_one_thin_line(
    dark, open_tab, finished
):
    tab = open_tab(1280, "dark" if dark else "light")
    tab.open(f"/live{finished}")
    tab.until_points()
    figure = tab.figure()
    figure.hover()
    box = figure.locator(".hoverlayer .legend")
    expect(box).to_contain_text("hdp-svi")
    red, green, blue = bytes.fromhex(PAPER[dark][1:])
    expect(box.locator("rect.bg")).to_have_css("fill", f"rgb({red}, {green}, {blue})")
    assert figure.locator(".spikeline").evaluate_all(DRAWN) == ["1px"]
