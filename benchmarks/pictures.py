"""The README's pictures, taken from the app itself: `python -m benchmarks.pictures`.

Live in light and dark, of the newspapers of a town that is invented here (`town.toml`); and the
film of topics being born that plays on the Start page, frame by frame. Nothing is drawn by hand:
what changes in the app changes here. It takes a minute. `benchmarks.tour` goes to all pages.
"""

import csv
import io
import math
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from bnpexplorer.ui.start.page import SECONDS
from tests.browser.driver import NEXT_FRAMES, Tab

from .app import ROOT, chromium, server

FOLDER = ROOT / ".readme"
SIZE = {"width": 1280, "height": 800}
SCALE = 1.5
QUALITY = 70
"""Of a still, as WebP: text of 12 pixels reads as in a lossless one, at a quarter of its size."""
CALM = 2000
"""Milliseconds in which nothing has changed where a page is complete."""

PAPERS = ("Evening Post", "Morning Herald", "Coast Courier")
YEARS = 10

AT_THE_TOP = """() => {
  document.activeElement?.blur();
  document.querySelector('[data-testid="stMain"]').scrollTo(0, 0);
}"""
FRAMES, PLAYED, HELD = 60, 6000, 2000
"""Pictures of the film; milliseconds that it plays, and that its end stands."""
FILMED = """() => {
  const clock = performance.now.bind(performance);
  window.bnpFilm = 0;
  performance.now = () =>
    window.bnpPlayBegan === undefined ? clock() : window.bnpPlayBegan + window.bnpFilm;
}"""
"""The recording plays by the browser's clock: it is stopped, and goes on from frame to frame."""
ANIMATED = {"save_all": True, "loop": 0, "lossless": True, "method": 4}


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as home,
        sync_playwright() as playwright,
        server({"BNPEXPLORER_HOME": home}) as app,
    ):
        browser = chromium(playwright)
        live = learned(Tab(browser.new_page(viewport=SIZE), app.url))
        for scheme, mark in (("light", ""), ("dark", "-dark")):
            context = browser.new_context(
                viewport=SIZE, device_scale_factor=SCALE, color_scheme=scheme
            )
            tab = Tab(context.new_page(), app.url)
            tab.page.goto(live)
            until_judged(tab)
            take(tab, FOLDER / f"live{mark}.webp")
            film(Tab(context.new_page(), app.url), FOLDER / f"born{mark}.webp")
            context.close()
    for path in sorted(FOLDER.iterdir()):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:,.0f} kB")


# ---- stills ------------------------------------------------------------------------------------


def articles(n: int = 1500, seed: int = 0) -> bytes:
    """A CSV of what three papers of an invented town wrote in ten years, on eleven subjects."""
    rng = np.random.default_rng(seed)
    subjects = tomllib.loads((Path(__file__).parent / "town.toml").read_text(encoding="utf-8"))
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(["date", "outlet", "title", "text"])
    for i in range(n):
        paper, years = str(rng.choice(PAPERS)), YEARS * i / n
        weights = np.array([_weight(about, paper, years) for about in subjects.values()])
        main, aside = rng.choice([*subjects], 2, p=weights / weights.sum())
        said = [_sentence(subjects[main if k % 5 < 4 else aside], rng) for k in range(8)]
        day = np.datetime64("2014-01-01") + int(365.2 * years)
        rows.writerow([day, paper, f"{paper}, {day.item():%-d %B %Y}", " ".join(said)])
    return out.getvalue().encode()


def _weight(about: dict[str, Any], paper: str, years: float) -> float:
    """How much a paper writes of a subject, so many years after the first."""
    weight = about["weight"] * math.exp(about.get("trend", 0.0) * (years / YEARS - 0.5))
    if "rise" in about:
        since = years - (about["rise"] - 2014)
        weight *= 0.1 if since < 0 else 6.0 * math.exp(-since / 2)
    return float(weight * (2.5 if paper == about["paper"] else 1.0))


def _sentence(about: dict[str, Any], rng: np.random.Generator) -> str:
    return " ".join(str(rng.choice(about[part])) for part in ("who", "did", "what", "where")) + "."


def learned(tab: Tab) -> str:
    """The address of a run on the articles that has come to its end."""
    tab.open("/corpus")
    upload = {"name": "town.csv", "mimeType": "text/csv", "buffer": articles()}
    tab.page.locator("input[type=file]").first.set_input_files(upload)
    tab.page.get_by_test_id("stMetric").first.wait_for()
    tab.settled()
    tab.button("Find the topics").click()
    until_judged(tab)
    return str(tab.page.url)


def until_judged(tab: Tab) -> None:
    """Until the sentence is there that says what the run is worth."""
    tab.page.locator(".st-key-verdict").get_by_text("predicts unseen words").wait_for()


def take(tab: Tab, path: Path, crop: tuple[float, ...] = ()) -> None:
    """What stands in the window, or in the `crop` of its pixels, once nothing changes any more."""
    tab.page.mouse.move(0, 0)
    tab.page.evaluate(AT_THE_TOP)
    before, now = b"", tab.page.screenshot()
    while now != before:
        tab.page.wait_for_timeout(CALM)
        before, now = now, tab.page.screenshot()
    picture = Image.open(io.BytesIO(now)).convert("RGB")
    if crop:
        picture = picture.crop(tuple(map(round, crop)))
    picture.save(path, quality=QUALITY, method=6)


# ---- the film ----------------------------------------------------------------------------------


def film(tab: Tab, path: Path) -> None:
    """The recorded run of the Start page, as an animation that begins anew."""
    tab.page.add_init_script(f"({FILMED})()")
    tab.open()
    place = tab.page.locator(".st-key-recorded")
    place.locator(".bnp-figure svg.main-svg").nth(1).wait_for()
    tab.still()
    box, frames = place.bounding_box(), []
    for i in range(FRAMES + 1):
        tab.page.evaluate("(now) => { window.bnpFilm = now; }", 1000 * SECONDS * i / FRAMES)
        tab.page.evaluate(NEXT_FRAMES)
        frames.append(Image.open(io.BytesIO(tab.page.screenshot(clip=box))).convert("RGB"))
    lasts = [PLAYED // FRAMES] * FRAMES + [HELD]
    frames[0].save(path, append_images=frames[1:], duration=lasts, **ANIMATED)


if __name__ == "__main__":
    main()
