"""How quick the map of texts is: `python -m benchmarks.atlas glosses.jsonl`.

Learns the file's texts with `hdp-tsvi`, opens the map in Chromium (Playwright, from
requirements-dev.txt) and prints how long it takes to lay the texts out and how another view answers
meanwhile; then medians of several visits: seconds until the map is painted, megabytes sent,
milliseconds a frame while it is moved, seconds to colour it by label.
"""

import argparse
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from .app import bnpexplorer, chromium, server
from .pages import Visit, address, secrets_of

PAINTED = """() => {
  const node = document.querySelector(".st-key-topics-atlas .bnp-figure");
  return node?.querySelector(".gl-canvas") && node._fullData?.length > 0;
}"""
MOVED = """async ([x, y, n]) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const times = [await frame()];
  for (let step = 1; step <= n; step += 1) {
    const place = { clientX: x + 2 * step, clientY: y + step, buttons: 1, bubbles: true };
    document.elementFromPoint(x + 2 * step, y + step).dispatchEvent(
      new MouseEvent("mousemove", place));
    times.push(await frame());
  }
  return times;
}"""
"""The pointer goes on in every frame; when each frame began, in milliseconds."""
MOVES = 60


class Traffic:
    """What the server has sent to a page, in bytes."""

    def __init__(self, page: Page) -> None:
        self.sent = 0
        page.on("websocket", lambda socket: socket.on("framereceived", self._count))

    def _count(self, payload: Any) -> None:
        self.sent += len(payload)


def learn(home: str, path: str) -> str:
    """A finished run of this file, saved in `home`: its name."""
    said = bnpexplorer(
        *("fit", path, "--method", "hdp-tsvi", "--passes", "2", "--keep", "map"),
        environment={"BNPEXPLORER_HOME": home},
    )
    return said.split("kept as ")[1].split(":")[0]


def view(visit: Visit, name: str) -> None:
    visit.page.get_by_role("radio", name=name, exact=True).first.check(force=True)


def painted(visit: Visit, act: Callable[[], object]) -> float:
    """Seconds from an act until the map is drawn, and two frames are through."""
    began = time.perf_counter()
    act()
    visit.page.wait_for_function(PAINTED, polling="raf")
    visit.page.evaluate("() => new Promise((d) => requestAnimationFrame(() => setTimeout(d)))")
    return time.perf_counter() - began


def moved(page: Page, x: float, y: float) -> float:
    """Milliseconds a frame while the pointer moves."""
    times = page.evaluate(MOVED, [x, y, MOVES])
    return float(statistics.mean(b - a for a, b in itertools.pairwise(times)))


def look(visit: Visit, traffic: Traffic) -> dict[str, float]:
    """One visit to a map that is laid out."""
    page, found = visit.page, {}
    view(visit, "Words")
    visit.settle()
    before = traffic.sent
    found["painted again, s"] = painted(visit, lambda: view(visit, "Map"))
    visit.settle()
    found["sent again, MB"] = (traffic.sent - before) / 1e6
    figure = page.locator(".st-key-topics-atlas .bnp-figure")
    figure.scroll_into_view_if_needed()
    box = figure.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    found["a frame while panning, ms"] = moved(page, x, y)
    page.mouse.up()
    found["a frame while hovering, ms"] = moved(page, x - 100, y - 50)
    for by in ("By label", "By topic"):
        before = traffic.sent
        began = time.time()
        colours = page.get_by_role("radiogroup", name="Coloured")
        colours.get_by_role("radio", name=by, exact=True).check(force=True)
        found[f"colouring {by.lower()}, s"] = visit.settle(began) - began
        found[f"sent {by.lower()}, MB"] = (traffic.sent - before) / 1e6
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.atlas", description=__doc__)
    parser.add_argument("path", nargs="?", help="the texts")
    parser.add_argument("--home", help="where a run was kept before")
    parser.add_argument("--run", help="which one")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args(arguments)
    home = options.home or tempfile.mkdtemp()
    run = options.run or learn(home, options.path)
    log = Path(home) / "atlas-log.txt"
    with server({"BNPEXPLORER_HOME": home}, log) as app, sync_playwright() as playwright:
        context = chromium(playwright).new_context(viewport={"width": 1280, "height": 900})
        visit = Visit(context.new_page(), app)
        visit.page.set_default_timeout(300_000)
        traffic = Traffic(visit.page)
        visit.page.goto(address(app, "Topics", [run], secrets_of(home, [run])))
        visit.settle()
        began = time.time()
        before = traffic.sent
        first = painted(visit, lambda: view(visit, "Map"))
        sent = (traffic.sent - before) / 1e6
        print(f"painted the first time after {first:.1f} s, {sent:.2f} MB sent")
        meanwhile = time.time()
        view(visit, "Words")
        print(f"another view meanwhile {visit.settle(meanwhile) - meanwhile:.2f} s")
        painted(visit, lambda: view(visit, "Map"))
        visit.page.wait_for_function("() => !document.body.innerText.includes('Laying out the')")
        print(f"laid out after {time.time() - began:.1f} s")
        looks = [look(visit, traffic) for _ in range(options.times)]
    for name in looks[0]:
        values = [found[name] for found in looks]
        print(
            f"{name:36} {statistics.median(values):8.3f}   {min(values):.3f} to {max(values):.3f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
