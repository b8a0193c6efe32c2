"""The first minute, from starting the server to a moving curve: `python -m benchmarks.first_point`.

Each run starts the app anew with a full or an empty cache of kernels, opens it in Chromium
(Playwright, from requirements-dev.txt), clicks "Watch it learn" as soon as the button is there, and
notes when each thing is first seen. All times count from the start of the server's process.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, TimeoutError, sync_playwright

from bnpexplorer.ui.frame.server import FIRST_METHODS

from .app import bnpexplorer, chromium, server

BUTTON = "Watch it learn"
MOVING = "curve moving"
STEPS = ("healthy", "first page", "button", "first points", MOVING)
"""In the order in which a person sees them. A curve moves when it has at least two points, and more
than when it was first drawn."""
NOT_OURS = "Streamlit's own list"
CLICK_AGAIN = 5.0
"""Seconds after which a person whose click met a page that was drawn anew clicks again."""
LONGEST = 300.0
SHOTS = 20
"""Pictures of the first seconds, one a second."""

# Notes the time of day in milliseconds at which each thing is first seen, on every page of a tab.
WATCH = """() => {
  const seen = (window.benchmarkSeen = {}), first = {};
  const note = (what) => { seen[what] ??= Date.now(); };
  const look = () => {
    if (document.querySelector("h1")) note("first page");
    else if (document.querySelector('[data-testid="stSidebarNav"]')) note("NOT_OURS");
    for (const button of document.querySelectorAll("button"))
      if (button.innerText.includes("BUTTON") && !button.disabled) note("button");
    if (location.pathname.endsWith("/live")) note("live page");
    for (const key of ["heldout", "topics"]) {
      const node = document.querySelector(`.st-key-${key} .bnp-figure`);
      for (const [place, trace] of ((node && node._fullData) || []).entries()) {
        if (!(trace.mode || "").includes("lines") || !trace.y) continue;
        const n = [...trace.y].filter(Number.isFinite).length;
        if (!n || trace.name === undefined) continue;
        const called = `${key} ${trace.name} ${place}`;
        first[called] ??= n;
        note("first points");
        if (n >= 2 && n > first[called]) note("MOVING");
      }
    }
    requestAnimationFrame(look);
  };
  look();
}"""


def watching() -> str:
    script = WATCH.replace("NOT_OURS", NOT_OURS).replace("BUTTON", BUTTON)
    return f"({script.replace('MOVING', MOVING)})()"


def first_minute(browser: Browser, cache: Path, pictures: Path | None) -> dict[str, float]:
    """Seconds from the start of a server to everything that is seen until a curve moves.

    Raises TimeoutError of Playwright when none does in `LONGEST` seconds.
    """
    began = time.time()
    with server({"NUMBA_CACHE_DIR": str(cache)}) as app:
        healthy = time.time() - began
        page = browser.new_page()
        page.add_init_script(watching())
        page.goto(app.url, wait_until="commit")
        try:
            _until_a_curve_moves(page, began, pictures)
            seen: dict[str, float] = page.evaluate("() => window.benchmarkSeen")
        finally:
            page.close()
    return {"healthy": healthy} | {what: at / 1000.0 - began for what, at in seen.items()}


def _until_a_curve_moves(page: Page, began: float, pictures: Path | None) -> None:
    """Click the button as soon as it is there, and again if nothing came of it."""
    clicked, shot = -CLICK_AGAIN, 0
    while True:
        now = time.time() - began
        if now > LONGEST:
            raise TimeoutError(f"No curve moves after {LONGEST:g} seconds.")
        seen = page.evaluate("() => window.benchmarkSeen || {}")
        if pictures is not None and now >= shot and shot <= SHOTS:
            page.screenshot(path=pictures / f"{now:05.1f}.png")
            shot = int(now) + 1
        elif MOVING in seen and (pictures is None or shot > SHOTS):
            return
        if "button" in seen and "live page" not in seen and now > clicked + CLICK_AGAIN:
            with suppress(TimeoutError):  # the page is on its way already
                page.get_by_role("button", name=BUTTON, exact=True).click(timeout=1000.0)
            clicked = now
        page.wait_for_timeout(20.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_point", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cache", nargs="+", choices=("full", "empty"), default=["full", "empty"])
    parser.add_argument(
        "--pictures",
        type=Path,
        metavar="FOLDER",
        help=f"also a screenshot of each of the first {SHOTS} seconds, which slows the page a bit",
    )
    options = parser.parse_args(arguments)
    found: dict[str, list[dict[str, float]]] = {cache: [] for cache in options.cache}
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = chromium(playwright)
        filled = Path(name) / "full"
        if "full" in options.cache:
            bnpexplorer("warm", *FIRST_METHODS, environment={"NUMBA_CACHE_DIR": str(filled)})
        for number in range(options.runs):
            for cache in options.cache:
                folder = filled if cache == "full" else Path(name) / f"empty-{number}"
                seen = first_minute(browser, folder, _folder(options.pictures, cache, number))
                found[cache].append(seen)
                steps = ", ".join(f"{what} {at:.1f}" for what, at in seen.items())
                print(f"run {number + 1}, {cache} cache: {steps}", flush=True)
        browser.close()
    print(f"\n| cache of kernels | {' | '.join(STEPS)} |\n|---|{'---:|' * len(STEPS)}")
    for cache, runs in found.items():
        print(f"| {cache} | {' | '.join(_spread([seen[s] for seen in runs]) for s in STEPS)} |")
    for cache, runs in found.items():
        if shown := sum(NOT_OURS in seen for seen in runs):
            print(f"{NOT_OURS} of files was seen before the page in {shown} runs, {cache} cache.")
    return 0


def _folder(pictures: Path | None, cache: str, number: int) -> Path | None:
    if pictures is None:
        return None
    folder = pictures / f"{cache}-{number + 1}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _spread(times: Sequence[float]) -> str:
    return f"{median(times):.1f} ({min(times):.1f} to {max(times):.1f})"


if __name__ == "__main__":
    sys.exit(main())
