"""Tabs of a real runtime: what `clear_cache` takes from them, and who notices that one has gone."""

import asyncio
import threading
from concurrent.futures import Future

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.runtime import RuntimeState

from bnpexplorer.ui.frame import server
from bnpexplorer.ui.seam import tabs
from tests.tools.background import nothing_to_compile, slow_run, until
from tests.tools.pages import ROOT


class Browser:
    """A browser's end of the connection: it only counts what comes."""

    client_context = None

    def __init__(self):
        self.finished = 0

    def write_forward_msg(self, message):
        self.finished += message.WhichOneof("type") == "script_finished"


class Streamlit:
    """Streamlit's own runtime with the app, in a thread with its event loop."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        config = RuntimeConfig(
            script_path=str(ROOT / "app.py"),
            media_file_storage=MemoryMediaFileStorage("/media"),
            uploaded_file_manager=MemoryUploadedFileManager("/upload"),
        )
        self.runtime = self.call(lambda: Runtime(config))
        asyncio.run_coroutine_threadsafe(self.runtime.start(), self.loop).result(10)

    def call(self, act):
        """Do something on the thread of the event loop, where the runtime wants it."""
        found = Future()
        self.loop.call_soon_threadsafe(lambda: found.set_result(act()))
        return found.result(10)

    def open(self, query):
        """A tab at this address, once its page is drawn: its name."""
        browser = Browser()
        tab = self.call(lambda: self.runtime.connect_session(browser, {}))
        message = BackMsg()
        message.rerun_script.query_string = query
        self.send(tab, message)
        until(lambda: browser.finished)
        return tab

    def reconnect(self, tab):
        """The tab's browser is there again: its name."""
        return self.call(lambda: self.runtime.connect_session(Browser(), {}, tab))

    def send(self, tab, message):
        self.call(lambda: self.runtime.handle_backmsg(tab, message))

    def close(self):
        self.call(self.runtime.stop)
        until(lambda: self.runtime.state is RuntimeState.STOPPED)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        Runtime._instance = None


@pytest.fixture
def streamlit(registry):
    made = Streamlit()
    yield made
    made.close()


def test_clear_cache_takes_no_lease_and_a_closed_tab_is_noticed(
    streamlit, registry, dozen, monkeypatch
):
    nothing_to_compile(monkeypatch)
    run = slow_run(dozen)
    entry = registry.add(run)
    entry.background.start()
    until(lambda: entry.background.status == "running")
    owner = streamlit.open(f"run={entry.run_id}&own={entry.secret}")
    other = streamlit.open(f"run={entry.run_id}")
    assert entry.tabs == {owner, other}

    clear = BackMsg(clear_cache=True)
    for tab in (other, owner):
        streamlit.send(tab, clear)
    server.drop_gone_tabs()
    assert entry.tabs == {owner, other}
    assert server.registry() is registry
    assert server.registry().get(entry.run_id) is entry
    assert entry.grace is None

    for tab in (other, owner):
        streamlit.call(lambda tab=tab: streamlit.runtime.disconnect_session(tab))
    until(lambda: not entry.tabs and entry.grace is not None)
    for tab in (other, owner):  # their connection was lost for a moment; no script runs
        assert streamlit.reconnect(tab) == tab
    until(lambda: entry.tabs == {owner, other} and entry.grace is None)

    monkeypatch.setattr(registry, "_grace_seconds", 0.05)
    streamlit.call(lambda: streamlit.runtime.disconnect_session(other))
    until(lambda: entry.tabs == {owner})
    streamlit.call(lambda: streamlit.runtime.disconnect_session(owner))
    until(lambda: not entry.tabs)
    until(lambda: entry.background.asked_for == "pause")
    run.method.may_step.release()
    until(lambda: entry.background.status == "paused")


def test_where_nobody_can_tell_a_tab_is_taken_to_be_open():
    assert not Runtime.exists()
    assert tabs.is_open("any")
