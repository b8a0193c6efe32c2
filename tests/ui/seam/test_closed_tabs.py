"""What a closed tab held is let go when it cannot come back."""

import gc
import weakref

from streamlit.runtime import Runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from bnpexplorer.ui.seam import closed_tabs


class Session:
    def __init__(self):
        self.id = "a"


class Info:
    def __init__(self):
        self.session = Session()


def a_runtime(monkeypatch, ttl):
    manager = WebsocketSessionManager.__new__(WebsocketSessionManager)
    manager._session_storage = MemorySessionStorage(ttl_seconds=ttl)
    runtime = type("R", (), {"_session_mgr": manager})()
    monkeypatch.setattr(Runtime, "exists", classmethod(lambda _: True))
    monkeypatch.setattr(Runtime, "instance", classmethod(lambda _: runtime))
    return manager._session_storage


def held_after(monkeypatch, ttl):
    storage = a_runtime(monkeypatch, ttl)
    info = Info()
    storage.save(info)
    gone = weakref.ref(info.session)
    del info
    gc.collect()
    assert gone() is not None, "Streamlit drops it by itself: the file in the seam can go"
    closed_tabs.let_go_of_closed_tabs()
    return gone() is not None


def test_a_tab_that_cannot_come_back_is_let_go(monkeypatch):
    assert not held_after(monkeypatch, 0)


def test_a_tab_that_may_come_back_stays(monkeypatch):
    assert held_after(monkeypatch, 60)


def test_without_the_private_names_nothing_breaks(monkeypatch, caplog):
    monkeypatch.setattr(Runtime, "exists", classmethod(lambda _: True))
    monkeypatch.setattr(Runtime, "instance", classmethod(lambda _: object()))
    closed_tabs.let_go_of_closed_tabs()
    assert len(caplog.records) <= 1
