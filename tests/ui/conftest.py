"""What tests of pages share."""

import pytest
import streamlit as st
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager

from bnpexplorer.ui.frame import server
from tests.ui.watching import KINDS, own_texts, started, unpacked


@pytest.fixture
def tab(monkeypatch):
    """The session of a tab for functions that are called directly; an address without anything."""
    state = {"own": {}, "tab": "me", "held": set(), "reads": set()}
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(st, "query_params", {})
    return state


@pytest.fixture
def start(registry, monkeypatch):
    """Starts a job of a kind on a shared server."""
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1")
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")
    loaded = own_texts()
    return lambda kind: started(registry, kind, loaded)


@pytest.fixture
def jobs(start):
    """One job of every kind."""
    return {kind: start(kind) for kind in KINDS}


@pytest.fixture
def sent(monkeypatch):
    """Every message to a browser, and every file behind a button, since the list was emptied."""
    found = []
    enqueue, add, deferred = ForwardMsgQueue.enqueue, MediaFileManager.add, "add_deferred"
    promise = getattr(MediaFileManager, deferred)

    def to_browser(self, message):
        found.append(message.SerializeToString())
        enqueue(self, message)

    def as_file(self, data, *rest, **more):
        found.extend(unpacked(data))
        return add(self, data, *rest, **more)

    def on_demand(self, make, *rest, **more):
        found.extend(unpacked(make()))
        return promise(self, make, *rest, **more)

    monkeypatch.setattr(ForwardMsgQueue, "enqueue", to_browser)
    monkeypatch.setattr(MediaFileManager, "add", as_file)
    monkeypatch.setattr(MediaFileManager, deferred, on_demand)
    return found
