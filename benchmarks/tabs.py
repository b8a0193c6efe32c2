"""What watching tabs cost the server: `python -m benchmarks.tabs`.

A run on the State of the Union by paragraph learns; tabs open its Live page and ask for news as
often as the page tells them to. They speak Streamlit's protocol themselves, so that no browser
takes the processor away. Counted is the processor time of the server's process without that of
the thread that learns (Linux).
"""

import argparse
import asyncio
import contextlib
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import async_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from bnpexplorer.corpus.text import describe
from bnpexplorer.evaluate import split_heldout
from bnpexplorer.methods import METHODS
from bnpexplorer.models import MODELS
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.samples import load_sample

from .app import ARGS, Server, bnpexplorer, chromium_path, server

RUN, SECRET = "benchmark", "benchmark"


class Tab:
    """One tab on the Live page: it watches, and asks for news when it is told to."""

    def __init__(self, url: str, query: str = f"run={RUN}", press: str = "") -> None:
        """`press`: the words on buttons that are pressed, each once, the next when the page was
        drawn after the last: of two presses within a millisecond Streamlit may lose one."""
        self._url = url.replace("http", "ws") + "/_stcore/stream"
        self._query, self._press, self.pressed = query, press, set[str]()
        self.updates, self.n_bytes = 0, 0
        self._pressed_at = -1
        self._next: asyncio.Task[None] | None = None

    async def watch(self) -> None:
        async with connect(
            self._url, subprotocols=["streamlit"], max_size=None, ping_interval=None
        ) as socket:
            await self._ask(socket)
            try:
                await self._listen(socket)
            finally:
                if self._next is not None:
                    self._next.cancel()

    async def _listen(self, socket: ClientConnection) -> None:
        async for data in socket:
            message = ForwardMsg.FromString(data)
            self.n_bytes += len(data)
            kind = message.WhichOneof("type")
            if kind == "auto_rerun":
                if self._next is not None:
                    self._next.cancel()
                again = self._again(socket, message.auto_rerun)
                self._next = asyncio.create_task(again)
            elif kind == "script_finished":
                self.updates += 1
            button = message.delta.new_element.button
            wanted = self._press and button.label == self._press and button.id not in self.pressed
            if wanted and self.updates > self._pressed_at:
                self.pressed.add(button.id)
                self._pressed_at = self.updates
                await self._ask(socket, pressed=button.id)

    async def _again(self, socket: ClientConnection, rerun: object) -> None:
        while True:
            await asyncio.sleep(rerun.interval)
            await self._ask(socket, rerun.fragment_id)

    async def _ask(self, socket: ClientConnection, fragment: str = "", pressed: str = "") -> None:
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_name = "live"
        if fragment:
            message.rerun_script.fragment_id = fragment
            message.rerun_script.is_auto_rerun = True
        if pressed:
            message.rerun_script.widget_states.widgets.add(id=pressed, trigger_value=True)
        await socket.send(message.SerializeToString())


def begin_run(home: Path, method: str, topics: int) -> None:
    """A run that would go on for an hour, paused after twenty mini-batches, in the library."""
    sample = load_sample("sotu")
    train, heldout = split_heldout(sample.corpus, 0, n=500)
    size = {"truncation": topics} if method == "hdp-svi" else {}
    model = MODELS[METHODS[method]().model.name]()
    run = Run(METHODS[method](model=model, **size), train, 0, 256, 200, "shuffled", heldout)
    for _ in range(20):
        run.step()
    library = Library(home)
    library.keep(RUN, run, sample.corpus, "paused", SECRET, sample.report or describe(train))


def thread_seconds(pid: int) -> dict[str, float]:
    """Processor time of every thread of a process."""
    tick = os.sysconf("SC_CLK_TCK")
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that has just ended
            fields = (task / "stat").read_text().rpartition(")")[2].split()
            found[task.name] = (int(fields[11]) + int(fields[12])) / tick
    return found


async def measure(app: Server, n_tabs: int, seconds: float, learner: str) -> tuple[float, Sequence]:
    """Cores that the server uses beside learning while `n_tabs` watch, and the tabs."""
    tabs = [Tab(app.url) for _ in range(n_tabs)]
    tasks = [asyncio.create_task(tab.watch()) for tab in tabs]
    await asyncio.sleep(15)  # until all have their page
    updates, n_bytes = sum(t.updates for t in tabs), sum(t.n_bytes for t in tabs)
    whole, mine = app.cpu_seconds(), thread_seconds(app.pid)[learner]
    began = asyncio.get_running_loop().time()
    await asyncio.sleep(seconds)
    took = asyncio.get_running_loop().time() - began
    spent = app.cpu_seconds() - whole - (thread_seconds(app.pid)[learner] - mine)
    updates, n_bytes = (
        sum(t.updates for t in tabs) - updates,
        sum(t.n_bytes for t in tabs) - n_bytes,
    )
    print(
        f"{n_tabs:3} tabs: {spent / took:.3f} of a core; {updates / took:.2f} updates/s, "
        f"{1000 * spent / max(updates, 1):.0f} ms and {n_bytes / max(updates, 1) / 1e3:.0f} kB "
        f"an update; learning itself {(thread_seconds(app.pid)[learner] - mine) / took:.2f}",
        flush=True,
    )
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return spent / took, tabs


async def watched(app: Server, counts: Sequence[int], seconds: float) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)
        page = await browser.new_page()
        await page.goto(f"{app.url}/live?run={RUN}&own={SECRET}")
        await page.get_by_role("button", name="Resume", exact=True).click()
        await page.get_by_text("learning", exact=True).first.wait_for()
        await browser.close()  # the run goes on for the grace time, and as long as others watch
        await asyncio.sleep(5)
        before = thread_seconds(app.pid)
        await asyncio.sleep(10)
        after = thread_seconds(app.pid)
        learner = max(after, key=lambda t: after[t] - before.get(t, after[t]))
        for n_tabs in counts:
            await measure(app, n_tabs, seconds, learner)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tabs", description=__doc__)
    parser.add_argument("--tabs", type=int, nargs="+", default=[0, 1, 5, 20])
    parser.add_argument("--seconds", type=float, default=60.0, help="watched each time")
    parser.add_argument("--method", default="hdp-svi", choices=list(METHODS))
    parser.add_argument("--topics", type=int, default=200)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as home:
        begin_run(Path(home), options.method, options.topics)
        environment = {"BNPEXPLORER_HOME": home, "BNPEXPLORER_GRACE_SECONDS": "100000"}
        environment["BNPEXPLORER_THREADS"] = "1"  # the thread whose time is left out
        bnpexplorer("warm", environment=environment)
        with server(environment) as app:
            asyncio.run(watched(app, options.tabs, options.seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
