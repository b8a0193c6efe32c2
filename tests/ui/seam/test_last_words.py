"""What a script said last is heard, however soon another one begins."""

import threading
from types import SimpleNamespace

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession

from bnpexplorer.ui.seam import messages as last_words
from bnpexplorer.ui.seam import messages as unsent
from tests.tools.runtime import Browser, Streamlit
from tests.tools.waiting import NEVER, until

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
    unsent.send_what_was_drawn()
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


@pytest.mark.second
def test_a_tick_at_the_end_of_a_script_takes_nothing_of_what_it_drew(streamlit):
    browser = Browser()
    tab = streamlit.call(lambda: streamlit.runtime.connect_session(browser, {}))

    def draw_then_tick():
        """On the thread of the event loop, which hears nothing meanwhile."""
        streamlit.runtime.handle_backmsg(tab, asked())
        for thread in script_threads():
            thread.join(NEVER)
        session = streamlit.runtime.get_app_session(tab)
        (ticks,) = session._fragment_storage._fragments
        streamlit.runtime.handle_backmsg(tab, asked(ticks))
        return ticks

    ticks = streamlit.call(draw_then_tick)
    until(lambda: browser.finished == 2)
    begun = [m.metadata.run.fragment_ids for m in browser.messages if m.HasField("new_session")]
    assert begun == [[], [ticks]]
    assert texts(browser.messages) == ["first", "it ticks", "last", "it ticks"]
    ended = [m.script_finished for m in browser.messages if m.HasField("script_finished")]
    assert ended[0] == browser.messages[0].FINISHED_SUCCESSFULLY, "stale parts are cleared by it"


@pytest.mark.second
def test_two_requests_in_line_begin_one_script_and_a_closed_tab_none(streamlit, monkeypatch):
    browser, begin, counted = Browser(), last_words._BEGIN[0], []
    monkeypatch.setattr(last_words, "_BEGIN", [lambda *asked: (counted.append(1), begin(*asked))])
    tab = streamlit.call(lambda: streamlit.runtime.connect_session(browser, {}))

    def draw_and_ask(close):
        streamlit.runtime.handle_backmsg(tab, asked())
        for thread in script_threads():
            thread.join(NEVER)
        streamlit.runtime.handle_backmsg(tab, asked())
        streamlit.runtime.handle_backmsg(tab, asked())
        assert not script_threads(), "what the first said comes before"
        session = streamlit.runtime.get_app_session(tab)
        if close:
            streamlit.runtime.close_session(tab)
        return session, len(counted)

    streamlit.call(lambda: draw_and_ask(close=False))
    until(lambda: browser.finished >= 2 and not script_threads())
    n_begun = sum(m.HasField("new_session") for m in browser.messages)
    assert 2 <= n_begun <= 3
    assert browser.finished == n_begun
    session, n_counted = streamlit.call(lambda: draw_and_ask(close=True))
    until(lambda: not last_words._WAITING[session])
    streamlit.call(lambda: None)
    assert len(counted) == n_counted
    assert not script_threads()


class Ending:
    """A script that has ended and takes nothing any more."""

    def __init__(self):
        self.asked = []

    def request_rerun(self, asked):
        self.asked.append(asked)
        return False


class Going(Ending):
    """A script that was begun and takes what is asked for."""

    def request_rerun(self, asked):
        self.asked.append(asked)
        return True


class Session:
    """As much of a session as is looked at, while its script before has not yet said its end."""

    def __init__(self, loop):
        self._event_loop, self._state = loop, SimpleNamespace(name="APP_NOT_RUNNING")
        self._scriptrunner = Ending()

    def begin(self, asked):
        self._scriptrunner = Going()
        self._scriptrunner.asked.append(asked)


class Loop:
    """An event loop whose time passes when the test says so."""

    def __init__(self):
        self.now, self.later = 0.0, []

    def call_soon_threadsafe(self, call, *given):
        call(*given)

    def call_later(self, seconds, call, *given):
        assert seconds > 0, "without a pause it would take the processor from the thread that ends"
        self.later.append((self.now + seconds, call, given))

    def run_for(self, seconds):
        end = self.now + seconds
        while self.later and self.later[0][0] <= end:
            self.now, call, given = self.later.pop(0)
            call(*given)
        self.now = end


@pytest.fixture
def ending(monkeypatch):
    """A session in a loop of its own."""
    loop = Loop()
    monkeypatch.setattr(last_words, "_BEGIN", [Session.begin])
    monkeypatch.setattr(last_words, "time", SimpleNamespace(monotonic=lambda: loop.now))
    return Session(loop)


def test_who_waits_for_the_end_looks_now_and_then(ending):
    """And begins all the same if nothing is heard for long."""
    loop, script = ending._event_loop, ending._scriptrunner
    last_words._begin_when_heard(ending, "a click")
    loop.run_for(10.5 * last_words.PAUSE)
    assert len(script.asked) == 11, "at once, and after every pause"
    loop.run_for(last_words.PATIENCE - 12 * last_words.PAUSE)
    assert ending._scriptrunner is script
    loop.run_for(3 * last_words.PAUSE)
    assert ending._scriptrunner.asked == ["a click"]
    assert not loop.later, "who has begun waits for nothing any more"


def test_what_is_asked_for_meanwhile_keeps_its_order(ending):
    """A request knows all widgets, as they stood: an earlier one that came later would set them
    back."""
    last_words._begin_when_heard(ending, "a click")
    last_words._begin_when_heard(ending, "a tick")
    ending._scriptrunner = None  # its end is heard, and the next request comes within the pause
    last_words._begin_when_heard(ending, "another click")
    assert ending._scriptrunner.asked == ["a click", "a tick", "another click"]


@pytest.mark.parametrize(
    ("state", "begun"), [("APP_NOT_RUNNING", ["a click", "a tick"]), ("SHUTDOWN_REQUESTED", [])]
)
def test_a_session_that_closes_begins_nothing_of_what_waits(ending, state, begun):
    last_words._begin_when_heard(ending, "a click")
    last_words._begin_when_heard(ending, "a tick")
    ending._scriptrunner, ending._state.name = None, state
    ending._event_loop.run_for(2 * last_words.PAUSE)
    assert (ending._scriptrunner.asked if ending._scriptrunner else []) == begun
    assert not last_words._WAITING[ending]


def test_without_the_name_it_is_said_once(monkeypatch, caplog):
    monkeypatch.delattr(AppSession, "_create_scriptrunner")
    last_words.hear_scripts_out()
    last_words.hear_scripts_out()
    (record,) = caplog.records
    assert record.getMessage() == last_words.SESSION.sentence()
