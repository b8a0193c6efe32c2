"""Tabs of a real runtime: what `clear_cache` takes from them, and who notices that one has gone."""

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime

from bnpexplorer.ui.frame import server
from bnpexplorer.ui.seam import tab as tabs
from tests.tools.background import nothing_to_compile, slow_run
from tests.tools.runtime import Streamlit
from tests.tools.waiting import until


@pytest.fixture
def streamlit(registry):
    made = Streamlit()
    yield made
    made.close()


@pytest.mark.second
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
