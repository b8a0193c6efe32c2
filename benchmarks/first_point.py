"""From the click on "Watch it learn" to the first point: `python -m benchmarks.first_point`.

Starts the app anew for every run, with compiled kernels in the cache or with an empty cache, opens
it in Chromium (Playwright, from requirements-dev.txt), waits, clicks, and notes when what appears.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from .app import bnpexplorer, chromium, server

FIRST_POINT = "first point"

# Notes the milliseconds since the click at which each thing is first seen on the page.
WATCH = """() => {
  const seen = {}, began = performance.now();
  window.benchmarkSeen = seen;
  const note = (what) => { seen[what] ??= performance.now() - began; };
  const look = () => {
    if (location.pathname.endsWith("/live")) note("live page");
    for (const line of document.querySelectorAll(".bnp-status")) {
      const bar = line.querySelector("[role=progressbar]");
      const name = (bar?.getAttribute("aria-label") || "").replace("progress of ", "");
      for (const word of ["waiting", "compiling", "finding a start", "learning", "finished"])
        if (line.innerText.includes(word)) note(`${name} ${word}`);
    }
    const node = document.querySelector(".st-key-heldout .bnp-figure");
    for (const trace of (node && node._fullData) || [])
      if (trace.y && trace.y.length && trace.y.some(Number.isFinite)) {
        note("FIRST_POINT");
        note(`${trace.name} drawn`);
      }
    requestAnimationFrame(look);
  };
  look();
}""".replace("FIRST_POINT", FIRST_POINT)


def click_and_watch(browser: Browser, url: str, wait: float, timeout: float) -> dict[str, float]:
    """Seconds from the click to everything that was seen up to the first point."""
    page = browser.new_page()
    try:
        page.goto(url)
        button = page.get_by_role("button", name="Watch it learn", exact=True)
        button.wait_for(timeout=60_000)
        page.wait_for_timeout(1000.0 * wait)
        page.evaluate(WATCH)
        button.click()
        page.wait_for_function(
            "name => window.benchmarkSeen[name] !== undefined",
            arg=FIRST_POINT,
            timeout=1000.0 * timeout,
        )
        seen: dict[str, float] = page.evaluate("() => window.benchmarkSeen")
    finally:
        page.close()
    return {what: milliseconds / 1000.0 for what, milliseconds in seen.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_point", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--wait",
        type=float,
        nargs="+",
        default=[0.0, 5.0],
        metavar="SECONDS",
        help="between the page being shown and the click",
    )
    parser.add_argument("--cache", nargs="+", choices=("warm", "empty"), default=["warm", "empty"])
    options = parser.parse_args(arguments)
    cases = [(cache, wait) for cache in options.cache for wait in options.wait]
    found: dict[tuple[str, float], list[dict[str, float]]] = {case: [] for case in cases}
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = chromium(playwright)
        filled = Path(name) / "warm"
        if "warm" in options.cache:
            bnpexplorer("warm", environment={"NUMBA_CACHE_DIR": str(filled)})
        for number in range(options.runs):
            for case in cases:
                cache, wait = case
                empty = Path(name) / f"empty-{number}-{wait}"
                folder = filled if cache == "warm" else empty
                with server({"NUMBA_CACHE_DIR": str(folder)}) as app:
                    seen = click_and_watch(browser, app.url, wait, timeout=180.0)
                found[case].append(seen)
                steps = ", ".join(f"{what} {t:.1f}" for what, t in seen.items())
                print(f"run {number + 1}: {cache} cache, click after {wait:g} s: {steps}")
        browser.close()
    print("\n| kernels | click after | seconds to the first point |\n|---|---:|---:|")
    for (cache, wait), runs in found.items():
        times = [seen[FIRST_POINT] for seen in runs]
        spread = f"{median(times):.1f} ({min(times):.1f} to {max(times):.1f})"
        print(f"| {cache} cache | {wait:g} s | {spread} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
