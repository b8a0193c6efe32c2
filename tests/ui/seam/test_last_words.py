"""What a script said last is heard, however soon another one begins."""

import threading

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession

from bnpexplorer.ui.seam import last_words
from tests.tools.background import until
from tests.tools.runtime import Browser, Streamlit

SCRIPT = """
import streamlit as st

@st.fragment(run_every=600)
def live():
    st.text("it ticks")

st.text("first")
live()
st.text("last")
"""


@pytest.fixture
def streamlit(tmp_path):
    last_words.hear_scripts_out()
    last_words.hear_scripts_out()  # once more changes nothing
    (tmp_path / "script.py").write_text(SCRIPT)
    made = Streamlit(tmp_path / "script.py")
    yield made
    made.close()


def script_threads():
    return [t for t in threading.enumerate() if t.name.startswith("ScriptRunner")]


def asked(fragment=""):
    message = BackMsg()
    message.rerun_script.fragment_id = fragment
    return message


def texts(messages):
    return [m.delta.new_element.text.body for m in messages if m.delta.new_element.text.body]


def test_a_tick_at_the_end_of_a_script_takes_nothing_of_what_it_drew(streamlit):
    browser = Browser()
    tab = streamlit.call(lambda: streamlit.runtime.connect_session(browser, {}))

    def draw_then_tick():
        """On the thread of the event loop, which hears nothing meanwhile."""
        streamlit.runtime.handle_backmsg(tab, asked())
        for thread in script_threads():
            thread.join(30)
        session = streamlit.runtime.get_app_session(tab)
        (ticks,) = session._fragment_storage._fragments
        streamlit.runtime.handle_backmsg(tab, asked(ticks))
        return ticks

    ticks = streamlit.call(draw_then_tick)
    until(lambda: browser.finished == 2)
    begun = [m.metadata.run.fragment_ids for m in browser.messages if m.HasField("new_session")]
    assert begun == [[], [ticks]]
    drawn = texts(browser.messages)  # the first tick's too, unless the second took its place
    assert [text for text in drawn if text != "it ticks"] == ["first", "last"]
    assert drawn[-1] == "it ticks"
    ended = [m.script_finished for m in browser.messages if m.HasField("script_finished")]
    assert ended[0] == browser.messages[0].FINISHED_SUCCESSFULLY, "stale parts are cleared by it"


def test_two_requests_in_line_begin_one_script_and_a_closed_tab_none(streamlit):
    browser = Browser()
    tab = streamlit.call(lambda: streamlit.runtime.connect_session(browser, {}))

    def draw_and_ask(close):
        streamlit.runtime.handle_backmsg(tab, asked())
        for thread in script_threads():
            thread.join(30)
        streamlit.runtime.handle_backmsg(tab, asked())
        streamlit.runtime.handle_backmsg(tab, asked())
        assert not script_threads(), "what the first said comes before"
        if close:
            streamlit.runtime.close_session(tab)

    streamlit.call(lambda: draw_and_ask(close=False))
    until(lambda: browser.finished >= 2 and not script_threads())
    n_begun = sum(m.HasField("new_session") for m in browser.messages)
    assert 2 <= n_begun <= 3
    assert browser.finished == n_begun
    streamlit.call(lambda: draw_and_ask(close=True))
    for _ in range(3):
        streamlit.call(lambda: None)  # whatever was in line has been done
    assert not script_threads()


def test_without_the_name_it_is_said_once(monkeypatch, caplog):
    monkeypatch.delattr(AppSession, "_create_scriptrunner")
    last_words.hear_scripts_out()
    last_words.hear_scripts_out()
    (record,) = caplog.records
    assert record.getMessage() == last_words.SESSION.sentence()
