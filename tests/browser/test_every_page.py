"""Every page, light and dark, wide and narrow: nothing fails, nothing sticks out, all is named."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .driver import COMPILING, Tab

pytestmark = pytest.mark.browser

NAMELESS_FIELDS = """() => [...document.querySelectorAll("input, select, textarea")]
  .filter((field) => field.type !== "hidden" && field.type !== "file")
  .filter((field) => !field.getAttribute("aria-label") && !field.getAttribute("aria-labelledby")
    && ![...(field.labels || [])].some((label) => label.innerText.trim()))
  .map((field) => field.outerHTML.slice(0, 200))"""
SIDEWAYS = """() => [document.documentElement, ...document.querySelectorAll("[data-testid=stMain]")]
  .filter((node) => node.scrollWidth > node.clientWidth)
  .map((node) => `${node.tagName} is ${node.scrollWidth} pixels wide`)"""
STANDARDS = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}


def check(tab: Tab, name: str, n_figures: int) -> None:
    """What holds on every page."""
    figures = tab.page.locator(".bnp-figure")
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
    found = Axe().run(tab.page, options=STANDARDS).response["violations"]
    assert not found, f"{name}: " + "\n".join(
        f"{v['id']}: {v['help']}: " + "; ".join(str(node["target"]) for node in v["nodes"])
        for v in found
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_page(open_tab, width, scheme):
    tab = open_tab(width, scheme)
    tab.open("/")
    expect(tab.button("Watch it learn")).to_be_visible()
    check(tab, "Start", 0)

    tab.choose("Small CSV")
    tab.button("Watch it learn").click()
    for name in ("hdp-tsvi", "hdp-svi"):
        expect(tab.status(name)).to_contain_text("finished", timeout=COMPILING)
    tab.settled()
    check(tab, "Live", 4)

    tab.go("Documents")
    expect(tab.page.locator(".bnp-text mark").first).to_be_visible()
    tab.settled()
    check(tab, "Documents", 1)

    tab.go("Corpus")
    expect(tab.page.get_by_test_id("stMetric").first).to_be_visible()
    check(tab, "Corpus", 2)

    tab.go("Runs")
    expect(tab.page.locator('[class*="st-key-runs-table"]')).to_have_count(1)
    check(tab, "Runs", 0)

    tab.go("Claims")
    expect(tab.page.get_by_text("holds here").first).to_be_visible()
    check(tab, "Claims", 1)  # the first claim is exact and is drawn at once

    tab.go("Lab")
    expect(tab.page.get_by_role("heading", name="Lab", exact=True)).to_be_visible()
    check(tab, "Lab", 4)
