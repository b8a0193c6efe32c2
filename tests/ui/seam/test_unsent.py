"""What was drawn and not yet sent is not thrown away by a tick that begins."""

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from bnpexplorer.ui.seam import messages as unsent
from bnpexplorer.ui.seam.messages import send_what_was_drawn
from tests.tools.runtime import Browser, Streamlit
from tests.tools.waiting import until

SCRIPT = """
import streamlit as st

st.text(f"page {st.session_state.setdefault('looks', 0)}")
st.session_state.looks += 1

@st.fragment(run_every=600)
def first():
    st.text("first ticks")

@st.fragment(run_every=600)
def second():
    st.text("second ticks")

first()
with st.container():
    st.text("between")
second()
"""


@pytest.fixture
def streamlit(tmp_path):
    send_what_was_drawn()
    send_what_was_drawn()  # once more changes nothing
    (tmp_path / "script.py").write_text(SCRIPT)
    made = Streamlit(tmp_path / "script.py")
    yield made
    made.close()


def seen_by(messages):
    """The texts on the page that a browser has after these messages, as Streamlit's own builds it:
    a list of parts is filled up one by one, and what no script of late has drawn goes.

    Raises IndexError where it would say "Bad delta path index".
    """
    page, run = [], None
    for message in messages:
        if message.HasField("new_session"):
            run = message.metadata.run
        elif message.HasField("delta") and message.metadata.delta_path[0] == 0:
            parts, delta = page, message.delta
            for place in message.metadata.delta_path[1:-1]:
                parts = parts[place]["parts"]
            place = message.metadata.delta_path[-1]
            if place > len(parts):
                raise IndexError(f"Bad delta path index {place} of {len(parts)}")
            old = parts[place]["parts"] if place < len(parts) else []
            block = delta.HasField("add_block")
            parts[place : place + 1] = [
                {
                    "run": run.script_run_id,
                    "text": delta.new_element.text.body,
                    "parts": old if block else [],
                }
            ]
        elif message.HasField("script_finished") and not run.fragment_ids:
            assert message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
            page = without_stale(page, run.script_run_id)
    return list(words(page))


def without_stale(parts, run):
    kept = [part for part in parts if part["run"] == run]
    return [part | {"parts": without_stale(part["parts"], run)} for part in kept]


def words(parts):
    for part in parts:
        yield from filter(None, [part["text"]])
        yield from words(part["parts"])


def asked(fragment=""):
    message = BackMsg()
    message.rerun_script.fragment_id = fragment
    return message


@pytest.mark.second
def test_a_tick_that_begins_before_the_page_is_sent_takes_nothing_of_it(streamlit, monkeypatch):
    browser = Browser()
    tab = streamlit.call(lambda: streamlit.runtime.connect_session(browser, {}))
    streamlit.send(tab, asked())
    until(lambda: browser.finished == 1)
    session = streamlit.runtime.get_app_session(tab)
    ticks = list(session._fragment_storage._fragments)
    assert len(ticks) == 2
    queue, send = session._browser_queue, session.flush_browser_queue

    def wait(n_ended):
        """For so many scripts whose end waits to be sent."""
        until(
            lambda: (
                sum(m.WhichOneof("type") == "script_finished" for m in list(queue._queue))
                == n_ended
            )
        )

    # A busy machine, that finds no time to send.
    monkeypatch.setattr(session, "flush_browser_queue", lambda: [])
    for n_ended, fragment in enumerate(("", *ticks), 1):
        streamlit.send(tab, asked(fragment))
        wait(n_ended)
    monkeypatch.setattr(session, "flush_browser_queue", send)
    streamlit.call(lambda: browser.messages.extend(queue.flush()))
    assert seen_by(browser.messages) == ["page 1", "first ticks", "between", "second ticks"]


def test_a_page_that_begins_still_drops_what_it_draws_anew():
    send_what_was_drawn()
    queue, drawn = ForwardMsgQueue(), ForwardMsg()
    drawn.delta.new_element.text.body = "old"
    queue.enqueue(drawn)
    begins = ForwardMsg()
    begins.new_session.page_script_hash = "it"
    queue.enqueue(begins)
    queue.clear(retain_lifecycle_msgs=True)
    (left,) = queue.flush()
    assert left.WhichOneof("type") == "new_session", "that a script begins is said all the same"
    queue.enqueue(begins)
    queue.clear()
    assert queue.is_empty()


def test_without_the_queue_it_is_said_and_nothing_breaks(monkeypatch, caplog):
    monkeypatch.setattr(unsent, "QUEUE", unsent.PrivateName("streamlit", "no_queue", "It is said."))
    send_what_was_drawn()
    (record,) = caplog.records
    assert record.getMessage().endswith("It is said.")
