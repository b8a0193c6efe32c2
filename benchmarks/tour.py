"""The pictures of `docs/app/`, one a page of the app: `python -m benchmarks.tour [PAGE ...]`.

Taken from the app itself, in light and dark, after it has learned the newspapers of the invented
town (`pictures.py`) by two methods. It takes two minutes.
"""

import sys
import tempfile
from collections.abc import Callable

from playwright.sync_api import sync_playwright

from tests.browser.driver import Tab

from .app import ROOT, chromium, server
from .pictures import SIZE, articles, learned, take, until_judged

FOLDER = ROOT / "docs" / "app" / "pictures"
TOLD = "hospital"
"""A word of the topic that is shown by itself: it breaks out in 2020."""
TALL, EDGE = 1400, 12
"""Pixels that one topic takes with its three paragraphs, and that are left beside it."""
PLAYED = 8000
"""Milliseconds in which the recording of the Start page comes to its end."""


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="bnpexplorer-") as home,
        sync_playwright() as playwright,
        server({"BNPEXPLORER_HOME": home}) as app,
    ):
        FOLDER.mkdir(exist_ok=True)
        browser = chromium(playwright)
        first = Tab(browser.new_page(viewport=SIZE), app.url)
        live = learned(first)
        both = with_another(first)
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport=SIZE, color_scheme=scheme)
            for name in sys.argv[1:] or STOPS:
                tab = Tab(context.new_page(), app.url)
                crop = STOPS[name](tab, both if name in ("compare", "runs") else live)
                take(tab, FOLDER / f"{name}-{scheme}.webp", crop)
                tab.page.close()
            context.close()
    for path in sorted(FOLDER.iterdir()):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:,.0f} kB")


def with_another(tab: Tab) -> str:
    """The address of both runs, when a second method has learned the same newspapers."""
    tab.page.get_by_text("Add a method").click()
    tab.settled()
    tab.pick("Method", ": hdp-svi")
    tab.number("Passes", 20)
    tab.watch_it_learn()
    tab.page.locator(".bnp-status").get_by_text("finished").nth(1).wait_for(timeout=120_000)
    return str(tab.page.url)


# ---- the pages: each leads a tab there and says what to cut out of its window ------------------

Crop = tuple[float, ...]
WHOLE: Crop = ()


def start(tab: Tab, live: str) -> Crop:
    tab.open()
    tab.page.locator(".st-key-recorded .bnp-figure svg.main-svg").nth(1).wait_for()
    tab.page.wait_for_timeout(PLAYED)
    return WHOLE


def corpus(tab: Tab, live: str) -> Crop:
    tab.open("/corpus")
    upload = {"name": "town.csv", "mimeType": "text/csv", "buffer": articles()}
    tab.page.locator("input[type=file]").first.set_input_files(upload)
    tab.page.get_by_test_id("stMetric").first.wait_for()
    tab.settled()
    return WHOLE


def live_page(tab: Tab, live: str) -> Crop:
    tab.page.goto(live)
    until_judged(tab)
    return WHOLE


def on(page: str) -> Callable[[Tab, str], Crop]:
    """Another page, with the run on the newspapers opened."""

    def stop(tab: Tab, live: str) -> Crop:
        tab.page.goto(live.replace("/live?", f"/{page}?"))
        tab.settled()
        return WHOLE

    return stop


def topics(tab: Tab, live: str) -> Crop:
    on("topics")(tab, live)
    tab.page.locator(".bnp-figure svg.main-svg").first.wait_for()
    tab.pick("Topic", TOLD)
    return WHOLE


def topic(tab: Tab, live: str) -> Crop:
    """The column of one topic, down to the passages that say it best."""
    tab.page.set_viewport_size({**SIZE, "height": TALL})
    topics(tab, live)
    column = tab.page.get_by_test_id("stColumn").filter(has=tab.page.get_by_text("Read its")).last
    place, end = column.bounding_box(), column.get_by_text("Read its").bounding_box()
    assert place is not None
    assert end is not None
    right = place["x"] + place["width"] + EDGE
    return (place["x"] - EDGE, place["y"] - EDGE, right, end["y"] - 2 * EDGE)


STOPS = {
    "start": start,
    "corpus": corpus,
    "live": live_page,
    "topics": topics,
    "topic": topic,
    **{name: on(name) for name in ("documents", "compare", "runs", "claims", "lab", "lessons")},
}


if __name__ == "__main__":
    main()
