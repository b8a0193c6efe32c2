"""Every page with 500,000 texts and 200 topics: `python -m benchmarks.scale pages`.

Makes the texts (`short_texts.py`), learns them twice by one pass of lda-svi, opens both runs in
Chromium and clicks through all pages and tabs twice: a first visit, and a second one that finds
what the server has kept. Printed for each click: seconds until the page has answered (the script
behind it has ended, so that a person can read on and click), seconds until nothing on it is under
way any more, and the bytes that came over the websocket.
"""

import argparse
import csv
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from playwright.sync_api import Error, Page, WebSocket, sync_playwright

from ..app import Server, bnpexplorer, chromium, server
from ..pages import SECTIONS, address, secrets_of
from .short_texts import write

WATCH = """
  window.bnp = {began: 0, idle: 0, changed: 0, state: ""};
  const state = () => document.querySelector("[data-testid=stApp]")
    ?.getAttribute("data-test-script-state");
  new MutationObserver(() => {
    const now = Date.now(), is = state();
    bnp.changed = now;
    if (is !== "notRunning" && bnp.state === "notRunning") bnp.began = now;
    if (is === "notRunning" && bnp.state !== "notRunning") bnp.idle = now;
    bnp.state = is;
  }).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  window.bnpAnswered = (since) => state() === "notRunning"
    && (bnp.idle >= since || (bnp.began < since && Date.now() - since > 3000))
    && document.querySelector("[data-testid=stMainBlockContainer]")?.innerText.length > 20;
  window.bnpComplete = (quiet) => state() === "notRunning" && Date.now() - bnp.changed > quiet
    && !document.querySelector("[data-testid=stProgress]")
    && !document.body.innerText.includes("come here as soon as");
"""
QUIET = 700.0
"""Milliseconds without any change after which a page stands still."""
MOST = 1.0
"""Seconds in which a page has to answer."""


@dataclass
class Click:
    """What one click took."""

    visit: int
    where: str
    what: str
    answered: float
    """Seconds."""
    complete: float
    n_bytes: int
    """Over the websocket, from the server."""
    cpu: float
    """Processor seconds of the server until it was complete: what is worked out beside the page
    counts, other programs on the machine do not."""


@dataclass
class Tour:
    """A tab that goes about and notes what everything takes."""

    page: Page
    app: Server
    patience: float
    visit: int = 1
    where: str = ""
    clicks: list[Click] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    received: int = 0

    def __post_init__(self) -> None:
        self.page.set_default_timeout(1000.0 * self.patience)
        self.page.add_init_script(WATCH)
        self.page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        def count(data: bytes | str) -> None:
            self.received += len(data)

        socket.on("framereceived", count)

    def do(self, what: str, act: Callable[[], object]) -> None:
        """Do it, wait for the answer and until all of it is there, and note both."""
        n_bytes, cpu, since = self.received, self.app.cpu_seconds(), time.time()
        try:
            act()
            self.page.wait_for_function("bnpAnswered", arg=since * 1000.0, polling=20)
            answered = max(float(self.page.evaluate("bnp.idle")) / 1000.0 - since, 0.0)
            self.page.wait_for_function("bnpComplete", arg=QUIET, polling=50)
            complete = max(float(self.page.evaluate("bnp.changed")) / 1000.0 - since, answered)
        except Error as problem:
            said = str(problem).splitlines()[0]
            print(f"{self.where}, {what} could not be done: {said}", flush=True)
            self.failed.append(f"{self.where}, {what}")
            return
        moved, cpu = self.received - n_bytes, self.app.cpu_seconds() - cpu
        took = Click(self.visit, self.where, what, answered, complete, moved, cpu)
        self.clicks.append(took)
        print(
            f"{self.visit} {self.where:10} {what:36} {answered:7.2f} s {complete:7.2f} s "
            f"{cpu:6.2f} s cpu {took.n_bytes / 1e3:10,.0f} kB {self.app.memory():7,.0f} MB",
            flush=True,
        )

    def go(self, name: str) -> None:
        self.where = name

        def follow() -> None:
            if name in SECTIONS:
                sections = self.page.get_by_test_id("stTopNavSection")
                sections.filter(has_text=SECTIONS[name]).click()
            link = self.page.get_by_role("link", name=name, exact=True)
            link.or_(self.page.get_by_role("menuitem", name=name, exact=True)).first.click()

        self.do("open", follow)

    def radio(self, name: str) -> None:
        found = self.page.get_by_role("radio", name=name, exact=True).first
        self.do(name, lambda: found.check(force=True))

    def button(self, name: str) -> None:
        found = self.page.get_by_role("button", name=re.compile(name)).first
        self.do(name.strip("^$"), found.click)

    def pick(self, label: str, nth: int) -> None:
        """Another option of a drop-down list."""
        box = self.page.get_by_role("combobox", name=label, exact=True).first
        box.scroll_into_view_if_needed()
        self.page.wait_for_timeout(QUIET)  # an open list closes when the page scrolls

        def choose() -> None:
            box.click()
            self.page.get_by_role("option").nth(nth).click()

        self.do(f"{label}: another", choose)

    def type(self, label: str, text: str) -> None:
        def enter() -> None:
            box = self.page.get_by_label(label, exact=True).last
            box.fill(text)
            box.press("Enter")

        self.do(f"{label}: a word", enter)

    def close(self) -> None:
        """What is open over the page."""
        self.page.keyboard.press("Escape")
        self.page.wait_for_timeout(QUIET)

    def download(self, name: str) -> None:
        """How long a file takes to be made."""
        since = time.time()
        try:
            with self.page.expect_download() as made:
                self.page.get_by_role("button", name=re.compile(name)).first.click()
            size = Path(made.value.path()).stat().st_size
        except Error as problem:
            print(f"download {name} failed: {str(problem).splitlines()[0]}", flush=True)
            self.failed.append(f"download {name}")
            return
        took = time.time() - since
        print(f"{self.visit} download   {name:36} {took:7.2f} s {size / 1e6:10,.1f} MB", flush=True)


def topics(tour: Tour, word: str) -> None:
    tour.pick("Topic", 5 + tour.visit)
    tour.radio("Words")
    tour.type("Search the vocabulary", word)
    for name in ("Over time", "Compare groups"):
        tour.radio(name)
        if name == "Over time":
            tour.pick("Period", 2 + tour.visit)
    tour.radio("Between two times")
    tour.radio("Between two labels")
    tour.radio("Found by itself")
    tour.radio("Map")
    tour.radio("By date")
    tour.pick("The region of a topic", 3)
    tour.button("^Let go of it$")
    for name in ("Through the run", "Together"):
        tour.radio(name)
    tour.radio("Topics")


def documents(tour: Tour, word: str) -> None:
    tour.pick("Topic", 4 + tour.visit)
    tour.radio("By number of words")
    tour.radio("By share")
    line = tour.page.locator('[class*="st-key-line-"] button')
    tour.do("open a document", line.nth(3).click)
    tour.button("^Next$")
    tour.button("^Show 8 more")
    tour.button("^Filter$")
    tour.pick("Label", 1)
    tour.close()
    chip = tour.page.locator('[class*="st-key-documents-chip"] button')
    tour.do("take the label away", chip.first.click)
    tour.button("^Read as table$")
    tour.close()
    tour.radio("Search")
    tour.type("Search", word)
    tour.radio("A text of your own")
    tour.radio("By topic")


def compare(tour: Tour, word: str) -> None:
    for name in ("Topics aligned", "Runs"):
        tour.radio(name)


def corpus(tour: Tour, word: str) -> None:
    for name in ("Paste", "Samples", "Upload files"):
        tour.radio(name)


def live(tour: Tour, word: str) -> None:
    for name in ("Explore", "Study"):
        tour.radio(name)
    tour.button("^Share$")
    tour.close()


TOURS: dict[str, Callable[[Tour, str], None]] = {
    "Live": live,
    "Topics": topics,
    "Documents": documents,
    "Compare": compare,
    "Corpus": corpus,
}
PAGES = ("Live", "Topics", "Documents", "Compare", "Corpus", "Runs", "Start")
EXPORTS = ("^Report$", "^Tables$")


def learn(home: str, n_docs: int, n_topics: int) -> list[str]:
    """Two runs over the texts, saved in `home`: their names."""
    texts = Path(home) / "texts.csv"
    write(texts, n_docs, n_topics)
    names = []
    for seed in ("0", "1"):
        said = bnpexplorer(
            "fit",
            str(texts),
            *("--method", "lda-svi", "--set", f"n_topics={n_topics}", "--seed", seed),
            *("--batch-size", "2048", "--passes", "1", "--keep", f"lda-svi {seed}"),
            environment={"BNPEXPLORER_HOME": home, "BNPEXPLORER_READ_SECONDS": "600"},
        )
        names += re.findall(r"kept as (\w+)", said)
    return names


def a_word(home: Path) -> str:
    """A word to look for: the second of the first text."""
    with (home / "texts.csv").open(encoding="utf-8", newline="") as file:
        return next(csv.DictReader(file))["text"].split()[1]


def table(clicks: Sequence[Click]) -> str:
    """Markdown: a line for every click, first visit and second."""
    lines = [
        "| page | click | answered, s | complete, s | processor, s | kB | again: answered "
        "| complete | processor | kB |",
        f"|---|---|{8 * '---:|'}",
    ]
    for first in (c for c in clicks if c.visit == 1):
        again = [c for c in clicks if (c.visit, c.where, c.what) == (2, first.where, first.what)]
        cells = [
            cell
            for c in (first, *again[:1])
            for cell in (
                *(f"{seconds:.2f}" for seconds in (c.answered, c.complete, c.cpu)),
                f"{c.n_bytes / 1e3:,.0f}",
            )
        ]
        lines.append(f"| {' | '.join([first.where, first.what, *cells])} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 1 if a page took longer than a second."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale pages", description=__doc__)
    parser.add_argument("--documents", type=int, default=500_000)
    parser.add_argument("--topics", type=int, default=200)
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=PAGES)
    parser.add_argument("--home", help="where an earlier call kept its texts and runs")
    parser.add_argument("--patience", type=float, default=180.0, help="seconds for one click")
    parser.add_argument("--exports", action="store_true", help="make files as well")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    options = parser.parse_args(arguments)
    home = options.home or tempfile.mkdtemp()
    kept = Path(home) / "benchmark-runs"
    if not kept.exists():
        kept.write_text(" ".join(learn(home, options.documents, options.topics)))
    runs, word = kept.read_text().split(), a_word(Path(home))
    environment = {"BNPEXPLORER_HOME": home, "BNPEXPLORER_GRACE_SECONDS": "100000"}
    bnpexplorer("warm", environment=environment)
    with server(environment) as app, sync_playwright() as playwright:
        context = chromium(playwright).new_context(viewport={"width": 1440, "height": 1000})
        tour = Tour(context.new_page(), app, options.patience)
        tour.where = "Start"
        first = address(app, "Start", runs, secrets_of(home, runs))
        tour.do("the address", lambda: tour.page.goto(first))
        for tour.visit in (1, 2):
            for name in options.pages:
                tour.go(name)
                if name in TOURS:
                    TOURS[name](tour, word)
        if options.exports:
            tour.go("Live")
            tour.button("^Share$")
            for name in EXPORTS:
                tour.download(name)
    print(f"\n{table(tour.clicks)}\n")
    slow = [c for c in tour.clicks if c.answered > MOST]
    for c in slow:
        print(f"slow: visit {c.visit}, {c.where}, {c.what}: {c.answered:.2f} s")
    if options.json:
        options.json.write_text(json.dumps([asdict(c) for c in tour.clicks], indent=1))
    return 1 if slow or tour.failed else 0


if __name__ == "__main__":
    sys.exit(main())
