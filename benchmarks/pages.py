"""How long every page takes to answer at 20,000 documents: `python -m benchmarks.pages`.

Learns the State of the Union by paragraph with 200 topics in use, opens the run in Chromium
(Playwright, from requirements-dev.txt), goes through all pages and clicks what a person would
click. Printed are the seconds from each click until the page stands still again, and the
server's processor time, which does not depend on what else the machine does.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Error, Locator, Page, sync_playwright

from bnpexplorer.ui.app import PAGES as MENU

from .app import Server, bnpexplorer, chromium, server

PAGES = (
    "Live",
    "Topics",
    "Documents",
    "Compare",
    "Corpus",
    "Runs",
    "Claims",
    "Lab",
    "Lessons",
    "Start",
)
SECTIONS = {page.name.capitalize(): page.section for page in MENU if page.section}
"""Page -> the section of the menu that holds it."""
WATCH = """
  window.bnp = {began: 0, changed: 0};
  const state = () => document.querySelector("[data-testid=stApp]")
    ?.getAttribute("data-test-script-state");
  new MutationObserver(() => {
    bnp.changed = Date.now();
    if (state() !== "notRunning") bnp.began = bnp.changed;
  }).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  window.bnpStandsStill = ([since, unanswered, quiet]) => {
    const now = Date.now();
    return state() === "notRunning" && now - bnp.changed > quiet
      && (bnp.began >= since || now - since > unanswered)
      && document.querySelector("[data-testid=stMainBlockContainer]")?.innerText.length > 20;
  };
"""
"""Notes when the page changed last, and when it last said that its script runs."""
UNANSWERED, QUIET = 3000.0, 400.0
"""Milliseconds for the server to begin (some clicks need no server), and without any change."""
ALL_READ = "() => !document.body.innerText.includes('Reading every document')"
OVERLAPS = "document.documentElement.scrollWidth > window.innerWidth"


@dataclass
class Visit:
    """One tab that goes about and notes how long everything takes."""

    page: Page
    app: Server
    where: str = ""
    times: list[tuple[str, str, float, float]] = field(default_factory=list)
    """(page, what was clicked, seconds, the server's processor seconds)."""
    failed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.add_init_script(WATCH)

    def settle(self, since: float | None = None) -> float:
        """Wait for the answer to what was done at `since` (epoch s): when the last change was."""
        begin = time.time() if since is None else since
        self.page.wait_for_function("bnpStandsStill", arg=[begin * 1000.0, UNANSWERED, QUIET])
        return float(self.page.evaluate("bnp.changed")) / 1000.0

    def note(self, what: str, act: Callable[[], float | None]) -> None:
        """Do something that returns when it was done (None: now), and note what it took."""
        cpu, began = self.app.cpu_seconds(), time.time()
        try:
            done = act()
        except Error as problem:
            print(f"{self.where:10} {what:44} could not be done: {str(problem).splitlines()[0]}")
            self.failed.append(f"{self.where}, {what}")
            return
        took = max((time.time() if done is None else done) - began, 0.0)
        work = self.app.cpu_seconds() - cpu
        self.times.append((self.where, what, took, work))
        print(
            f"{self.where:10} {what:44} {took:6.2f} s {work:6.2f} s of processor time", flush=True
        )

    def do(self, what: str, act: Callable[[], object]) -> None:
        def done() -> float:
            since = time.time()
            act()
            return self.settle(since)

        self.note(what, done)

    def go(self, name: str) -> None:
        self.where = name
        self.do("open", lambda: self._follow(name))

    def _follow(self, name: str) -> None:
        """Click the page's name in the menu, in the section that holds it."""
        if name in SECTIONS:
            self.page.get_by_test_id("stTopNavSection").filter(has_text=SECTIONS[name]).click()
        link = self.page.get_by_role("link", name=name, exact=True)
        link.or_(self.page.get_by_role("menuitem", name=name, exact=True)).first.click()

    def radio(self, name: str) -> None:
        found = self.page.get_by_role("radio", name=name, exact=True).first
        self.do(name, lambda: found.check(force=True))

    def button(self, name: str, nth: int = 0) -> None:
        self.do(name, self.page.get_by_role("button", name=name, exact=True).nth(nth).click)

    def pick(self, label: str, nth: int) -> None:
        """Another option of a drop-down list."""

        box = self.page.get_by_role("combobox", name=label, exact=True).first

        def choose() -> None:
            box.click()
            self.page.get_by_role("option").nth(nth).click()

        box.scroll_into_view_if_needed()
        self.page.wait_for_timeout(QUIET)  # an open list closes when the page scrolls
        self.do(f"{label}: another", choose)

    def slide(self, slider: Locator, what: str) -> None:
        self.do(what, lambda: slider.press("ArrowLeft"))

    def type(self, label: str, text: str) -> None:
        def enter() -> None:
            box = self.page.get_by_label(label, exact=True).last
            box.fill(text)
            box.press("Enter")

        self.do(f"{label}: {text[:20]}", enter)

    def download(self, name: str) -> None:
        def made() -> None:
            with self.page.expect_download():
                self.page.get_by_role("button", name=name, exact=True).first.click()

        self.note(f"download {name}", made)

    def until_read(self) -> None:
        def read() -> float:
            self.page.wait_for_function(ALL_READ)
            return self.settle(0.0)

        self.note("... until every document is read", read)


def live(visit: Visit) -> None:
    for name in ("seconds", "passes", "documents", "20", "all", "10"):
        visit.radio(name)
    visit.pick("Series", 0)
    visit.button("Read as table")
    visit.page.keyboard.press("Escape")
    visit.button("Share")
    for name in (
        "Report",
        "Tables",
        "Script and notebook",
        "Arrays for pyLDAvis",
        "MALLET's files",
    ):
        visit.download(name)
    visit.page.keyboard.press("Escape")
    visit.settle()


def topics(visit: Visit) -> None:
    visit.pick("Topic", 5)
    visit.slide(visit.page.get_by_role("slider").first, "relevance slider")
    visit.pick("Word", 2)
    visit.button("Leave it out")
    visit.button("Find it elsewhere")
    visit.type("Search the vocabulary", "war")
    visit.radio("Through the run")
    visit.slide(visit.page.get_by_role("slider").first, "documents seen, slider")
    visit.pick("Topic", 3)
    visit.radio("Over time")
    visit.until_read()
    visit.pick("Period", 4)
    visit.radio("Together")
    visit.radio("Topics")
    visit.type("Name", f"money {time.time():.0f}")


def documents(visit: Visit) -> None:
    visit.until_read()
    visit.pick("Topic", 4)
    visit.radio("By number of words")
    visit.radio("By share")
    visit.do("open a document", visit.page.locator('[class*="st-key-line-"] button').nth(3).click)
    visit.button("Next")
    visit.button("Show 8 more")
    visit.radio("Search")
    visit.type("Search", "war")
    visit.radio("A text of your own")
    text = visit.page.get_by_label("A text of your own").last
    visit.do("a text", lambda: text.fill("war and peace with nations " * 40))
    visit.button("Read it")


def compare(visit: Visit) -> None:
    for name in ("Race", "Sweep", "Topics aligned", "When it fails", "Runs"):
        visit.radio(name)
    visit.do("Logarithmic", visit.page.get_by_text("Logarithmic").click)
    visit.do("All settings", visit.page.get_by_text("All settings").click)


def corpus(visit: Visit) -> None:
    for name in ("Paste", "Samples", "Upload files"):
        visit.radio(name)


def claims(visit: Visit) -> None:
    visit.do("All claims at a glance", visit.page.get_by_text("All claims at a glance").click)


def lab(visit: Visit) -> None:
    pills = visit.page.get_by_test_id("stButtonGroup").first.get_by_role("radio")
    for name in pills.all_inner_texts():
        visit.radio(name)


def nothing_more(visit: Visit) -> None:
    """The page itself was the click."""


TOURS = {
    "Live": live,
    "Topics": topics,
    "Documents": documents,
    "Compare": compare,
    "Corpus": corpus,
    "Claims": claims,
    "Lab": lab,
}


def learn(home: str, method: str, topics: int) -> list[str]:
    """Two finished runs with `topics` topics, saved in `home`: their names."""
    size = "truncation" if method.startswith("hdp") else "n_topics"
    names = []
    for seed in ("0", "1"):
        said = bnpexplorer(
            "fit",
            "sample:sotu",
            "--method",
            method,
            "--set",
            f"{size}={topics}",
            "--seed",
            seed,
            "--batch-size",
            "256",
            "--keep",
            f"{method} {seed}",
            environment={"BNPEXPLORER_HOME": home},
        )
        names += re.findall(r"kept as (\w+)", said)
    return names


def address(app: Server, page: str, runs: Sequence[str], secrets: Sequence[str]) -> str:
    query = {"run": ",".join(runs), "own": ",".join(secrets)}
    path = "" if page == "Start" else page.lower()
    return f"{app.url}/{path}?{urlencode(query, safe=',')}"


def secrets_of(home: str, runs: Sequence[str]) -> list[str]:
    """What gives control of saved runs."""
    from bnpexplorer.runs.saved.library import Library

    library = Library(Path(home))
    return [library.secret(run_id) for run_id in runs]


def look(visit: Visit, home: str, runs: Sequence[str], folder: Path) -> None:
    """Every page at two widths, light and dark, as pictures in `folder`."""
    browser = visit.page.context.browser
    assert browser is not None
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme
            )
            page = context.new_page()
            tab = Visit(page, visit.app)
            for name in PAGES:
                page.goto(address(visit.app, name, runs, secrets_of(home, runs)))
                tab.settle()
                page.wait_for_timeout(700)
                if page.evaluate(OVERLAPS):
                    print(f"{name} at {width}: wider than the window")
                page.screenshot(path=folder / f"{name.lower()}-{width}-{scheme}.png")
            context.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    parser.add_argument("--method", default="lda-svi", help="one with a fixed number of topics")
    parser.add_argument("--topics", type=int, default=200)
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=PAGES)
    parser.add_argument("--slow", type=float, default=1.0, help="name clicks that take longer")
    parser.add_argument("--patience", type=float, default=30.0, help="seconds for one click")
    parser.add_argument("--home", help="where earlier runs of this benchmark are kept")
    parser.add_argument("--pictures", type=Path, help="a folder for pictures of every page")
    options = parser.parse_args(arguments)
    home = options.home or tempfile.mkdtemp()
    kept = Path(home) / "benchmark-runs"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(" ".join(learn(home, options.method, options.topics)))
    runs = kept.read_text().split()
    bnpexplorer("warm", environment={"BNPEXPLORER_HOME": home})
    with server({"BNPEXPLORER_HOME": home}) as app, sync_playwright() as playwright:
        context = chromium(playwright).new_context(viewport={"width": 1280, "height": 900})
        visit = Visit(context.new_page(), app)
        visit.page.set_default_timeout(options.patience * 1000.0)
        visit.page.goto(address(app, "Start", runs, secrets_of(home, runs)))
        visit.settle()
        for name in options.pages:
            visit.go(name)
            TOURS.get(name, nothing_more)(visit)
        if options.pictures:
            options.pictures.mkdir(parents=True, exist_ok=True)
            look(visit, home, runs, options.pictures)
    slow = [row for row in visit.times if row[2] > options.slow]
    print(
        f"\n{len(visit.times)} clicks, load {os.getloadavg()[0]:.1f}; "
        f"{len(slow)} took longer than {options.slow:g} s:"
    )
    for where, what, seconds, cpu in slow:
        print(f"  {where}, {what}: {seconds:.2f} s ({cpu:.2f} s of processor time)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
