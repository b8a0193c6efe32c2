"""Twenty tabs watch two runs that learn: all are served, and the server does not grow."""

import asyncio
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.app import Server, server
from benchmarks.tabs import Tab
from bnpexplorer.checks.expecting import draw_bars
from bnpexplorer.evaluate import split_heldout
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved.library import Library
from tests.tools.waiting import NEVER, until

IN_GATE = 1
N_TABS = 20
MOST = 60.0
"""Megabytes by which the server may grow while they watch; before the first round it has grown by
what twenty pages take."""
RUNS = ("first", "second")


async def _watch(app: Server, n_tabs: int, press: str = "") -> list[float]:
    """Tabs watch both runs, the first as their owner; the server's size when all have their page,
    and when all had news of it twice more after the button of every run was pressed."""
    query = f"run={','.join(RUNS)}"
    owner = f"{query}&own={','.join(RUNS)}"
    tabs = [
        Tab(app.url, owner if i == 0 else query, press if i == 0 else "") for i in range(n_tabs)
    ]
    tasks = [asyncio.create_task(tab.watch()) for tab in tabs]
    loop, sizes = asyncio.get_running_loop(), []
    end = loop.time() + NEVER
    while press and len(tabs[0].pressed) < len(RUNS):
        assert loop.time() < end, f"not every run had the button {press}"
        await asyncio.sleep(0.1)
    first = min(tab.updates for tab in tabs)
    for updates in (first + 2, first + 4):
        end = loop.time() + NEVER
        while min(tab.updates for tab in tabs) < updates:
            assert loop.time() < end, f"a tab had no news: {[tab.updates for tab in tabs]}"
            await asyncio.sleep(0.1)
        sizes.append(app.memory())
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return sizes


def twenty_tabs(rng: np.random.Generator, folder: Path) -> None:
    """Every tab gets its page, and news of runs that go on."""
    if sys.platform != "linux":
        pytest.skip("memory is read from /proc")
    corpus, library = draw_bars(300, int(rng.integers(1000)))[0], Library(folder)
    for run_id in RUNS:
        train, heldout = split_heldout(corpus, 0)
        run = Run(make_method("hdp-tsvi"), train, 0, 16, 10_000, heldout=heldout)
        run.step()
        library.keep(run_id, run, corpus, "paused", run_id)
    settings = {"BNPEXPLORER_HOME": str(folder), "BNPEXPLORER_STEP_SECONDS": "0.05"}
    with server(settings, folder / "log.txt") as app:
        asyncio.run(_watch(app, 1, "Resume"))
        before, after = asyncio.run(_watch(app, N_TABS))
        assert after - before < MOST, f"the server grew from {before:.0f} to {after:.0f} MB"
        assert "Traceback" not in app.log(), app.log()
        until(lambda: min(saved.facts["docs_seen"] for saved in library.saved()) > 16)


TRIALS = {"twenty_tabs": twenty_tabs}
