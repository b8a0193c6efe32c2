"""How soon the app answers while all cores learn: `python -m benchmarks.busy`.

Two runs on the State of the Union by paragraph, hdp-svi and lda-svi at mini-batches of 2,048, lie
saved; Chromium opens both on the Live page and clicks what a person would, while they are paused,
and then while they learn. Printed are the milliseconds from a click until the server has answered
and the page has drawn it, and the documents that were learned meanwhile.
"""

import argparse
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles

from playwright.sync_api import Locator, expect, sync_playwright

from bnpexplorer.corpus.text import describe
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.samples import load_sample
from tests.browser.driver import Tab

from .app import bnpexplorer, chromium, server

METHODS = ("hdp-svi", "lda-svi")
BATCH = 2048
AXES = ("seconds", "passes", "documents")
"""Options of the axis of the main figures; a click on one draws the whole page anew."""
CLICK = """node => new Promise((done) => {
  const began = performance.now();
  let asked = false;
  const look = () => {
    const busy = document.querySelector("[data-testid=stApp]")?.dataset.testScriptState;
    asked ||= Boolean(window.bnpAwaited);
    if (asked && !window.bnpAwaited && busy === "notRunning")
      requestAnimationFrame(() => done(performance.now() - began));
    else setTimeout(look, 2);
  };
  node.click();
  look();
})"""
"""Clicks, and tells the milliseconds until the script has run and what it drew is shown."""


def saved_runs(home: Path) -> str:
    """The address of two runs that would go on for an hour, paused after two mini-batches."""
    sample, own = load_sample("sotu"), {}
    for name in METHODS:
        run = Plan.of(name, batch_size=BATCH, passes=2000).split_and_start(sample.corpus)
        for _ in range(2):
            run.step()
        run_id, own[run_id] = secrets.token_hex(5), secrets.token_urlsafe(12)
        report = sample.report or describe(sample.corpus)
        Library(home).keep(run_id, run, sample.corpus, "paused", own[run_id], report)
    return f"/live?run={','.join(own)}&own={','.join(own.values())}"


def clicks(tab: Tab, n: int) -> list[float]:
    """Milliseconds of `n` clicks, half a second apart."""
    found = []
    for i in range(n):
        option: Locator = tab.page.get_by_role("radio", name=AXES[i % len(AXES)], exact=True).first
        found.append(float(option.evaluate(CLICK)))
        time.sleep(0.5)
    return found


def told(what: str, found: Sequence[float], rest: str = "") -> None:
    tenths = quantiles(found, n=10)
    print(
        f"{what:24} median {tenths[4]:4.0f} ms, nine of ten {tenths[8]:4.0f} ms{rest}", flush=True
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clicks", type=int, default=30)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = {"BNPEXPLORER_HOME": folder}
        bnpexplorer("warm", *METHODS, environment=settings)
        address = saved_runs(Path(folder))
        with server(settings) as app, sync_playwright() as playwright:
            tab = Tab(chromium(playwright).new_page(), app.url)
            tab.open(address)
            tab.settled()
            clicks(tab, 3)
            told("paused", clicks(tab, asked.clicks), f"; load {os.getloadavg()[0]:.1f}")
            for left in reversed(range(len(METHODS))):
                tab.button("Resume").first.click()
                expect(tab.button("Resume")).to_have_count(left)
                tab.settled()
            for name in METHODS:
                tab.until_learning(name)
            before, cpu = [tab.documents(name) for name in METHODS], app.cpu_seconds()
            began, found = time.monotonic(), clicks(tab, asked.clicks)
            after, took = [tab.documents(name) for name in METHODS], time.monotonic() - began
            pace = " and ".join(
                f"{(b - a) / took:,.0f}" for a, b in zip(before, after, strict=True)
            )
            cores = (app.cpu_seconds() - cpu) / took
            told("while both learn", found, f"; {pace} documents/s, {cores:.1f} cores")
            tab.stop_runs()
    return 0


if __name__ == "__main__":
    sys.exit(main())
