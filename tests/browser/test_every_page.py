"""Every page and view, light and dark, wide and narrow: nothing fails, all is named, all fits."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from bnpexplorer.ui.topics.page import VIEWS as OF_TOPICS

from .driver import Tab

pytestmark = [pytest.mark.browser, pytest.mark.second]

NAMELESS_FIELDS = """() => [...document.querySelectorAll("input, select, textarea")]
  .filter((field) => field.type !== "hidden" && field.type !== "file")
  .filter((field) => !field.closest("[aria-hidden=true]"))
  .filter((field) => !field.getAttribute("aria-label") && !field.getAttribute("aria-labelledby")
    && ![...(field.labels || [])].some((label) => label.innerText.trim()))
  .map((field) => field.outerHTML.slice(0, 200))"""
SIDEWAYS = """() => [document.documentElement, ...document.querySelectorAll("[data-testid=stMain]")]
  .filter((node) => node.scrollWidth > node.clientWidth)
  .map((node) => `${node.tagName} is ${node.scrollWidth} pixels wide`)"""
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
COLOURS = ["color-contrast", "link-in-text-block"]
"""Those of their rules that look at colours (axe's category `cat.color`)."""
VIEWS = {
    "Topics": ("topics-map", 4),
    "Words": ("topics-of-word", 2),
    "Through the run": ("topics-river", 1),
    "Over time": ("topics-prevalence", 1),
    "Together": ("topics-together", 1),
    "Compare groups": ("topics-labels", 3),
    "Map": ("topics-atlas", 1),
}
"""View of the Topics page -> its main figure, and how many figures it has."""
WAYS = {"Between two labels": 1, "Between two times": 1, "Found by itself": 0}
"""Way to compare groups besides that of all labels -> how many figures it has."""
DEMONSTRATIONS = (
    "A topic shrinks",
    "Stick-breaking",
    "Restaurant",
    "Franchise",
    "Ordered sticks",
    "Draw a corpus",
    "Assign a document",
)
STEPPED = ("Restaurant", "Franchise", "Assign a document")


def check(tab: Tab, name: str, n_figures: int | None, rules: list[str] = STANDARDS) -> None:
    """What holds on every page."""
    figures = tab.page.locator(".bnp-figure")
    if n_figures is not None:
        expect(figures).to_have_count(n_figures)
    tab.still()
    for figure in figures.all():
        image = figure.locator('svg[role="img"]')
        expect(image).to_have_count(1)
        assert len(image.get_attribute("aria-label") or "") > 20
        # Plotly's own menu has a button that uploads the figure; texts stay on this machine.
        for form in ("SVG", "PNG"):
            expect(figure.get_by_role("button", name=f"Download as {form}")).to_have_count(1)
        expect(figure.get_by_role("button", name="Share")).to_have_count(0)
        assert figure.get_attribute("aria-label") == image.get_attribute("aria-label")
    for bar in tab.page.locator(".bnp-status").get_by_role("progressbar").all():
        assert 0 <= int(bar.get_attribute("aria-valuenow")) <= 100
        assert bar.get_attribute("aria-valuemin") == "0"
        assert bar.get_attribute("aria-valuemax") == "100"
        assert bar.get_attribute("aria-label")
    assert tab.page.evaluate(NAMELESS_FIELDS) == [], name
    assert tab.page.evaluate(SIDEWAYS) == [], name
    found = violations(tab, rules)
    assert not found, f"{name}: " + "\n".join(
        f"{v['id']}: {v['help']}: " + "; ".join(str(node["target"]) for node in v["nodes"])
        for v in found
    )


def violations(tab: Tab, rules: list[str]) -> list[dict[str, Any]]:
    """What axe finds; it is given to each document once, and goes with it from page to page."""
    if not tab.page.evaluate("'axe' in window"):
        tab.page.evaluate(Axe().axe_script)
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    found: list[dict[str, Any]] = tab.page.evaluate(
        "options => axe.run(options).then((results) => results.violations)", options
    )
    return found


def main_pages(tab: Tab, finished: str) -> Iterator[tuple[str, int]]:
    """Goes to every page of the menu; its name, and how many figures it has."""
    tab.open("/")
    expect(tab.button("Watch it learn")).to_be_visible()
    yield "Start", 2
    tab.open(f"/live{finished}")
    for name in ("hdp-tsvi", "hdp-svi"):
        expect(tab.status(name)).to_contain_text("finished")
    yield "Live", 4
    tab.go("Documents")
    expect(tab.page.locator(".bnp-text mark").first).to_be_visible()
    tab.settled()
    yield "Documents", 1
    tab.go("Texts")
    expect(tab.page.get_by_test_id("stMetric").first).to_be_visible()
    yield "Texts", 2
    tab.go("Runs")
    expect(tab.page.locator('[class*="st-key-runs-table"]')).to_have_count(1)
    yield "Runs", 0
    tab.go("Claims")
    expect(tab.page.get_by_text("holds here").first).to_be_visible()
    yield "Claims", 1  # the first claim is exact and is drawn at once
    tab.go("Lab")
    expect(tab.page.get_by_role("heading", name="Lab", exact=True)).to_be_visible()
    yield "Lab", 4


def views(tab: Tab) -> Iterator[tuple[str, int | None]]:
    """Turns to every view of Topics, every demonstration, the lessons and a step of one, alone and
    beside its page."""
    assert set(VIEWS) == set(OF_TOPICS), "give each view a line in VIEWS above"
    tab.go("Topics")
    for view, (key, n_figures) in VIEWS.items():
        tab.page.get_by_test_id("stButtonGroup").get_by_text(view, exact=True).click()
        tab.settled()
        if view == "Words":
            field = tab.page.get_by_label("Search the vocabulary")
            field.fill("a")
            field.press("Enter")
            tab.settled()
        if view == "Map":
            expect(tab.page.get_by_text("Laying out the texts")).to_have_count(0)
        expect(tab.figure(key).locator('svg[role="img"]')).to_have_count(1)
        tab.settled()
        if view == "Compare groups":
            n_columns = tab.figure(key).evaluate("node => node.data[0].x.length")
            expect(tab.figure(key).locator(".xtick text:visible")).to_have_count(n_columns)
            for way, n_sides in WAYS.items():
                tab.turn_to(way)
                yield f"{view}, {way}", n_sides
            tab.turn_to("All labels")
        if view == "Topics":
            tab.page.get_by_text("Tree of the topics", exact=True).click()
            expect(tab.figure("topics-tree").locator('svg[role="img"]')).to_have_count(1)
            yield f"{view} with their tree", n_figures + 1
            tab.page.get_by_text("Tree of the topics", exact=True).click()
            tab.settled()
        yield view, n_figures
    tab.go("Lab")
    for name in DEMONSTRATIONS:
        tab.page.get_by_text(name, exact=True).click()
        tab.settled()
        expect(tab.page.get_by_text("What to look for.")).to_be_visible()
        if name in STEPPED:
            tab.button("10 steps").click()
            expect(tab.page.locator(".lab-choices")).to_be_visible()
        yield name, None
    tab.go("Lessons")
    expect(tab.button("Begin").first).to_be_visible()
    yield "Lessons", None
    tab.open("/lessons?lesson=heldout&step=1")
    tab.button("Show the answer").click()
    expect(tab.page.get_by_text("Answer.")).to_be_visible()
    yield "a step", None
    tab.open("/lab?lesson=shrinking&step=2")
    expect(tab.button("Leave the lesson")).to_be_visible()
    if tab.button("Unfold").is_visible():  # on a phone
        tab.button("Unfold").click()
    tab.button("Show the answer").click()
    expect(tab.page.get_by_text("Answer.")).to_be_visible()
    yield "a step beside its page", 2


@pytest.mark.parametrize(
    ("scheme", "width", "other_width", "rules"),
    [("light", 1280, 390, STANDARDS), ("dark", 390, 1280, COLOURS)],
)
def test_every_page_and_view(open_tab, finished, scheme, width, other_width, rules):
    """One visit: the pages of the menu at two widths, their views at the first.

    Of the menu's pages the second visit sees the same names and roles as the first, in other
    colours; of the views it sees another width.
    """
    tab = open_tab(width, scheme)
    for name, n_figures in main_pages(tab, finished):
        check(tab, name, n_figures, rules)
        tab.resize(other_width)
        check(tab, f"{name}, {other_width} pixels wide", n_figures, rules)
        tab.resize(width)
    for name, n_figures in views(tab):
        check(tab, name, n_figures)
