"""One browser tab, in the words of the app: what the tests do and what they look at."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, TimeoutError, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from bnpexplorer.ui.app import PAGES

WAIT = 300_000
"""Milliseconds after which an event counts as one that never comes; waits end at their event."""
UNANSWERED = 20_000
"""Milliseconds without an answer after which a person would click again."""

POLL = 50
"""Milliseconds between two looks; asking in every frame would keep the page drawing."""

expect.set_options(timeout=WAIT)

# Streamlit asks below a page's own address first, and then at the root, where the answers are.
PROBES = re.compile(r"/[a-z]+/_stcore/(health|host-config)$")

SECTIONS = {page.shown: page.section for page in PAGES if page.section}
"""Page -> the section of the menu that holds it."""
OF_STUDY = {page.shown for page in PAGES if page.of_study}
"""Pages that the menu of Explore does not have."""

COUNT = re.compile(r"(?<!\S)([\d,]+) documents(?!/)")
"""What the status line says once the run has seen some."""

NEXT_FRAMES = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(done)))"""
SETTLED = """() => {
  const part = (name) => document.querySelector(`[data-testid="${name}"]`);
  const app = part("stApp"), page = part("stMainBlockContainer");
  return !window.bnpAwaited && app?.dataset.testScriptState === "notRunning"
    && page?.textContent.trim();
}"""
AWAITED = (
    (Path(__file__).parent / "awaited.js")
    .read_text()
    .replace(
        "NUMBERS",
        json.dumps(
            {
                "asked": BackMsg.RERUN_SCRIPT_FIELD_NUMBER,
                "begun": ForwardMsg.NEW_SESSION_FIELD_NUMBER,
                "ended": ForwardMsg.SCRIPT_FINISHED_FIELD_NUMBER,
            }
        ),
    )
)
NO_TRANSITIONS = "() => !document.getAnimations().some((a) => a instanceof CSSTransition)"
FITS = """() => [...document.querySelectorAll(".bnp-figure")].every((figure) => {
  const drawing = figure.querySelector("svg.main-svg");
  return drawing && drawing.getBoundingClientRect().width <= figure.clientWidth + 1;
})"""
WATCH_UPDATES = """node => {
  node.bnpMark = "the same node";
  node.bnpUpdates = 0;
  node.on("plotly_react", () => { node.bnpUpdates += 1; });
}"""
HAS_POINTS = """key => {
  const node = document.querySelector(`.st-key-${key} .bnp-figure`);
  const traces = (node && node._fullData) || [];
  return traces.some((t) => t.x && t.x.length && t.y.some(Number.isFinite));
}"""


class Tab:
    """A page of the app, with everything that went wrong in it."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.problems: list[str] = []
        page.set_default_timeout(WAIT)
        page.add_init_script(AWAITED)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"script error: {error}"))
        page.on("request", self._request)
        page.on("requestfailed", self._failed)
        page.on("response", self._response)

    # ---- what went wrong ---------------------------------------------------------------------

    def _console(self, message: Any) -> None:
        if message.type == "error" and not PROBES.search(message.location.get("url", "")):
            self.problems.append(f"console: {message.text} ({message.location.get('url')})")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.problems.append(f"a request left the machine: {request.url}")

    def _failed(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # a page that is left gives up its requests
            self.problems.append(f"failed: {request.url}: {request.failure}")

    def _response(self, response: Any) -> None:
        if response.status >= 400 and not PROBES.search(response.url):
            self.problems.append(f"status {response.status}: {response.url}")

    def words(self) -> str:
        """What stands on the page, for a report of a failure."""
        return "" if self.page.is_closed() else self.page.locator("body").inner_text()

    # ---- going about -------------------------------------------------------------------------

    def open(self, address: str = "/") -> None:
        """Open an address of the app (a path, or a whole one) and wait until the page is there."""
        self.page.goto(address if address.startswith("http") else self.url + address)
        self.settled()

    def until(self, script: str, arg: Any = None, timeout: float = WAIT) -> None:
        """Wait until a script answers with something true, without asking in every frame."""
        self.page.wait_for_function(script, arg=arg, timeout=timeout, polling=POLL)

    def settled(self) -> None:
        """Wait until the script behind the page has run, for the last thing that was done to it."""
        self.page.evaluate(NEXT_FRAMES)  # what was done is sent to the server within a frame
        self.until(SETTLED)

    def still(self) -> None:
        """Wait until no colour or place is on its way to another."""
        self.settled()
        self.page.wait_for_function(NO_TRANSITIONS)

    def resize(self, width: int) -> None:
        """Make the window so wide, and wait until the figures have followed."""
        size = self.page.viewport_size
        assert size is not None
        self.page.set_viewport_size({"width": width, "height": size["height"]})
        self.page.wait_for_function(FITS)
        self.still()

    def go(self, name: str) -> None:
        """To another page by the menu.

        Streamlit forgets a page that is asked for in the very moment in which a fragment of the old
        page asks to run again; then a person clicks once more.
        """
        path = {"Start": "(start)?", "Texts": "corpus"}.get(name, name.lower())
        address = re.compile(rf"/{path}(\?|$)")
        self._follow(name)
        if not address.search(self.page.url):
            self._follow(name)
        expect(self.page).to_have_url(address)
        self.settled()

    def _follow(self, name: str) -> None:
        """Click the page's name in its section of the menu, which a phone keeps behind a button."""
        opener = self.page.get_by_test_id("stExpandSidebarButton")
        section = self.page.get_by_test_id("stTopNavSection")
        start = self.page.get_by_role("link", name="Start", exact=True)
        expect(opener.or_(start).first).to_be_visible()
        if name in OF_STUDY:
            self.turn_to("Study")
        if opener.is_visible():
            opener.click()
        elif name in SECTIONS and section.first.is_visible():
            section.filter(has_text=SECTIONS[name]).click()
        link = self.page.get_by_role("link", name=name, exact=True)
        link.or_(self.page.get_by_role("menuitem", name=name, exact=True)).first.click()
        closer = self.page.get_by_test_id("stSidebarCollapseButton").get_by_role("button")
        if closer.is_visible():
            closer.click()
        self.settled()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def choose(self, words: str) -> None:
        """Pick the option of a radio group that begins with these words.

        Clicks again, as a person would, if the first click met a page that was just drawn anew.
        """
        option = self.page.get_by_role("radio", name=re.compile(rf"^{re.escape(words)}"))
        for _ in range(3):
            if option.is_checked():
                break
            option.click(force=True)  # the round button itself lies below its drawing
            self.settled()
        expect(option).to_be_checked()

    def turn_to(self, view: str) -> None:
        """Turn to a view of the page: one of a row of buttons, of which one is pressed.

        Clicks again where the first click met a page that was just drawn anew.
        """
        option = self.page.get_by_test_id("stButtonGroup").get_by_role(
            "radio", name=view, exact=True
        )
        for _ in range(3):
            if option.is_checked():
                break
            option.click()
            self.settled()
        expect(option).to_be_checked()

    def insist(self, act: Callable[[], None], answer: Callable[[float], None]) -> None:
        """Do something on the page again until it is answered: three times at most.

        `answer` waits so many milliseconds and raises AssertionError if nothing has come.
        """
        for _ in range(2):
            act()
            with suppress(AssertionError):
                return answer(UNANSWERED)
        act()
        return answer(WAIT)

    def pick(self, label: str, option: str = "") -> None:
        """Pick an option of a drop-down list: the first, or the first with this in its name.

        The list tells the server what was picked as it closes; Streamlit forgets it if a click that
        follows meets the very moment in which the server hears of it.
        """
        field = self.page.get_by_role("combobox", name=label, exact=True)
        options = self.page.get_by_role("option")
        self.insist(field.click, lambda wait: expect(options.first).to_be_visible(timeout=wait))
        options.filter(has_text=option).first.click()
        expect(options).to_have_count(0)
        self.settled()
        expect(field).to_have_value(re.compile(re.escape(option) or "."))

    def number(self, label: str, value: int) -> None:
        """Type a number into a field."""
        field = self.page.get_by_role("spinbutton", name=label)
        field.fill(str(value))
        field.press("Enter")
        self.settled()
        expect(field).to_have_value(str(value))

    def load_sample(self, words: str) -> None:
        """The Texts page with this sample loaded."""
        self.open("/corpus?view=study")
        self.choose("Samples")
        self.choose(words)
        self.button("Load the sample").click()
        expect(self.page.get_by_test_id("stMetric").first).to_be_visible()

    # ---- the Live page -----------------------------------------------------------------------

    def prepare_long_run(self, batch_size: int | None = None) -> None:
        """Fill in the form for a run that would go on for minutes."""
        self.load_sample("Bars:")
        self.go("Live")
        self.page.get_by_text("Choose a method yourself").click()
        self.settled()
        self.pick("Method", ": hdp-tsvi")
        if batch_size is not None:
            self.number("(S)", batch_size)
        self.number("Passes", 1000)

    def start_long_run(self, batch_size: int | None = None) -> None:
        self.prepare_long_run(batch_size)
        self.watch_it_learn()

    def watch_it_learn(self) -> None:
        """Start what the form says.

        Clicks again, as a person would, where nothing came of it: a click that meets a page that is
        drawn anew between the button's going down and up is nobody's.
        """
        status = self.page.locator(".bnp-status").first
        self.insist(
            lambda: self._click_if_there("Watch it learn"),
            lambda wait: expect(status).to_be_visible(timeout=wait),
        )

    def _click_if_there(self, name: str) -> None:
        """Click a button, unless a click of before is answered after all, and it has gone."""
        with suppress(TimeoutError):
            self.button(name).click(timeout=UNANSWERED)

    def watch(self, address: str) -> None:
        """Open a saved run and let it go on."""
        self.open(address)
        self.resume()
        self.until_learning()

    def resume(self) -> None:
        """Let a paused run go on.

        Clicks again, as a person would, if a click met a page that was just drawn anew; but only
        where nothing came of it for a while: the same button would pause the run again.
        """
        pause = self.button("Pause")
        expect(self.button("Resume").or_(pause)).to_be_visible()
        if not pause.is_visible():
            self.insist(
                lambda: self._click_if_there("Resume"),
                lambda wait: expect(pause).to_be_visible(timeout=wait),
            )

    def until_learning(self, name: str = "hdp-tsvi") -> None:
        """Wait for the word and for the first point."""
        expect(self.status(name)).to_contain_text("learning")
        self.until(HAS_POINTS, "heldout")

    def status(self, name: str = "hdp-tsvi") -> Locator:
        """The status line of a run."""
        bar = self.page.get_by_role("progressbar", name=f"progress of {name}", exact=True)
        return self.page.locator(".bnp-status").filter(has=bar)

    def documents(self, name: str = "hdp-tsvi") -> int:
        """How many documents the status line says the run has seen."""
        line = self.status(name)
        expect(line).to_contain_text(COUNT, use_inner_text=True)
        found = COUNT.search(line.inner_text())
        assert found, f"the number of documents has gone: {line.inner_text()}"
        return int(found[1].replace(",", ""))

    def until_documents(self, count: int, name: str = "hdp-tsvi") -> None:
        """Wait until the status line says exactly this."""
        expect(self.status(name)).to_contain_text(
            re.compile(rf"(^|\s){count:,} documents(?!/)"), use_inner_text=True
        )

    def until_more_than(self, count: int, name: str = "hdp-tsvi") -> None:
        """Wait until the run has seen more documents than this."""
        self.until(
            """([bar, count]) => {
              const line = [...document.querySelectorAll(".bnp-status")]
                .find((x) => x.querySelector(`[aria-label="${bar}"]`));
              const found = line && line.innerText.match(/([\\d,]+) documents(?!\\/)/);
              return found && Number(found[1].replaceAll(",", "")) > count;
            }""",
            [f"progress of {name}", count],
        )

    def figure(self, key: str = "heldout") -> Locator:
        return self.page.locator(f".st-key-{key} .bnp-figure")

    def until_points(self, key: str = "heldout") -> None:
        self.until(HAS_POINTS, key)

    def watch_updates(self, key: str = "heldout") -> None:
        """Mark the figure's node and count its updates from now on."""
        self.figure(key).evaluate(WATCH_UPDATES)

    def until_updates(self, count: int, key: str = "heldout") -> None:
        self.until(
            "([key, n]) => document.querySelector(`.st-key-${key} .bnp-figure`).bnpUpdates >= n",
            [key, count],
        )

    def stop_runs(self) -> None:
        """Stop what this tab started, so that the next test finds both places free."""
        stop = '[class*="st-key-stop-"] button:enabled'
        while left := self.page.locator(stop).count():  # one after the other, as a person would
            self.page.evaluate("stop => document.querySelector(stop)?.click()", stop)
            expect(self.page.locator(stop)).not_to_have_count(left)
