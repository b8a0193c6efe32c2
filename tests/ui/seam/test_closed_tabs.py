"""What a closed tab held is let go when it cannot come back."""

import asyncio
import gc
import threading
import weakref
from types import SimpleNamespace

import pytest
from streamlit.runtime import Runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from bnpexplorer.ui.seam import tab
from tests.tools.waiting import NEVER


class Session:
    def __init__(self):
        self.id = "a"


class Info:
    def __init__(self):
        self.session = Session()


@pytest.fixture(autouse=True)
def loop():
    """The server's event loop, in a thread of its own, which alone may touch what it keeps."""
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever, name="loop")
    thread.start()
    yield made
    made.call_soon_threadsafe(made.stop)
    thread.join(NEVER)
    made.close()


def a_runtime(monkeypatch, ttl, loop):
    manager = WebsocketSessionManager.__new__(WebsocketSessionManager)
    manager._session_storage = MemorySessionStorage(ttl_seconds=ttl)
    parts = SimpleNamespace(eventloop=loop)
    runtime = SimpleNamespace(_session_mgr=manager, _get_async_objs=lambda: parts)
    monkeypatch.setattr(Runtime, "exists", classmethod(lambda _: True))
    monkeypatch.setattr(Runtime, "instance", classmethod(lambda _: runtime))
    return manager._session_storage


def held_after(monkeypatch, ttl, loop):
    storage = a_runtime(monkeypatch, ttl, loop)
    info = Info()
    storage.save(info)
    gone = weakref.ref(info.session)
    del info
    gc.collect()
    assert gone() is not None, "Streamlit drops it by itself: the file in the seam can go"
    tab.let_go_of_closed_tabs()
    return gone() is not None


@pytest.mark.second
def test_a_tab_that_cannot_come_back_is_let_go(monkeypatch, loop):
    assert not held_after(monkeypatch, 0, loop)


@pytest.mark.second
def test_a_tab_that_may_come_back_stays(monkeypatch, loop):
    assert held_after(monkeypatch, 60, loop)


@pytest.mark.second
def test_what_streamlit_keeps_is_touched_by_its_own_thread_alone(monkeypatch, loop):
    storage, threads = a_runtime(monkeypatch, 0, loop), []
    monkeypatch.setattr(
        storage._cache, "expire", lambda: threads.append(threading.current_thread())
    )
    tab.let_go_of_closed_tabs()
    assert [thread.name for thread in threads] == ["loop"]


def test_a_server_that_ends_is_left_alone(monkeypatch):
    ended = asyncio.new_event_loop()
    ended.close()
    storage = a_runtime(monkeypatch, 0, ended)
    monkeypatch.setattr(storage._cache, "expire", lambda: pytest.fail("from this thread"))
    tab.let_go_of_closed_tabs()


def test_without_the_private_names_nothing_breaks(monkeypatch, caplog):
    monkeypatch.setattr(Runtime, "exists", classmethod(lambda _: True))
    monkeypatch.setattr(Runtime, "instance", classmethod(lambda _: object()))
    tab.let_go_of_closed_tabs()
    assert len(caplog.records) <= 1
