"""Widgets, addresses and words of the start, by direct call: what goes in and what comes out."""

import signal
from contextlib import nullcontext
from types import SimpleNamespace

import pandas as pd
import pytest
import streamlit as st

from bnpexplorer.ui.frame import explore_or_study, pages
from bnpexplorer.ui.seam import address, callers, messages, server, widgets


@pytest.fixture
def state(monkeypatch):
    found = {}
    monkeypatch.setattr(st, "session_state", found)
    return found


# ---- widgets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "typed", "problem"),
    [
        (5, 2, ""),
        (5, 3000, ""),
        (5, 1, "Size must lie from 2 to 3,000; got 1."),
        (5, 3001, "Size must lie from 2 to 3,000; got 3,001."),
        (5.0, 2.0, ""),
        (5.0, 1.999, "Size must lie from 2 to 3,000; got 1.999."),
        (5.0, 3000.5, "Size must lie from 2 to 3,000; got 3,000.5."),
    ],
)
def test_a_number_is_taken_at_its_bounds_and_refused_beyond(monkeypatch, value, typed, problem):
    asked = {}
    monkeypatch.setattr(st, "number_input", lambda label, **more: asked.update(more) or typed)
    problems = []
    found = widgets.number_field("Size", 2, 3000, value, problems, help="How many.", key="it")
    assert (found, type(found)) == (typed, type(value))
    assert problems == ([problem] if problem else [])
    assert asked["help"] == "How many. From 2 to 3,000."
    assert (asked["value"], asked["key"]) == (value, "it")
    assert ("format" in asked) == isinstance(value, float)


def test_a_table_is_another_one_whenever_its_content_is(state):
    frames = [pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [2, 1]})]
    keys = [
        widgets.key_of_content(name, frames[i])
        for name, i in (("x", 0), ("x", 0), ("x", 1), ("y", 0), ("x", 0))
    ]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4, "another content, another table, and a third where it comes back"
    assert all(key.startswith(f"{name}-table-") for key, name in zip(keys, "xxxyx", strict=True))


@pytest.mark.parametrize(
    ("before", "value", "told"), [(None, "b", False), ("b", "b", False), ("a", "b", True)]
)
def test_only_a_widget_that_had_another_value_is_set_until_the_browser_knows(
    state, before, value, told
):
    state |= {"view": before}
    widgets.set_widget("view", value)
    assert state["view"] == value
    assert (widgets.NUMBER in state) == told
    state["view"] = "a"  # as a browser that has not heard of it
    widgets.keep_set()
    assert state["view"] == ("b" if told else "a")


def test_the_value_set_last_stands_and_numbers_rise(state):
    state |= {"view": "a", "other": 1}
    widgets.set_widget("view", "b")
    widgets.set_widget("other", 2)
    widgets.set_widget("view", "c")
    assert state[widgets.NUMBER] == 3
    state |= {widgets.HEARD: 2, "view": "b", "other": 1}
    widgets.keep_set()
    assert (state["view"], state["other"]) == ("c", 1), "of the other the browser has heard"


def test_a_third_value_is_a_person_s_and_stands_from_then_on(state):
    for value, stands in (
        ("before", "set"),
        (None, "set"),
        ("third", "third"),
        ("before", "before"),
    ):
        if value == "before" and stands == "set":
            state["view"] = "before"
            widgets.set_widget("view", "set")
        state["view"] = value
        widgets.keep_set()
        assert state["view"] == stands


def test_an_answer_that_comes_late_takes_back_nothing_that_was_heard(state):
    for answer, heard in ((2, 2), (5, 5), (3, 5), (None, 5), (6, 6)):
        state[widgets.KEY] = {"heard": answer}
        widgets._heard()
        assert state[widgets.HEARD] == heard


def test_parameters_without_any_value_are_forgotten_and_all_others_stay(monkeypatch):
    now = {"run": ["a"], "view": [""], "topic": ["", "7"], "none": [], "word": ["x", ""]}
    initial = {"large": [""], "run": ["b", "c"]}
    parameters = SimpleNamespace(_initial_query_params=initial, _query_params=now)
    state = SimpleNamespace(query_params=lambda: nullcontext(parameters))
    context = SimpleNamespace(session_state=state)
    monkeypatch.setattr(address, "CONTEXT", SimpleNamespace(find=lambda: lambda: context))
    address.drop_empty()
    assert now == {"run": ["a"], "topic": ["", "7"], "word": ["x", ""]}
    assert initial == {"run": ["b", "c"]}


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")
def test_a_terminal_that_is_closed_ends_only_a_server_that_was_not_to_outlive_it(monkeypatch):
    for before, told in ((signal.SIG_DFL, [(signal.SIGHUP, server._stop)]), (signal.SIG_IGN, [])):
        said = []
        double = {
            "getsignal": {signal.SIGHUP: before}.get,
            "signal": lambda *to, said=said: said.append(to),
        }
        double |= {name: getattr(signal, name) for name in ("SIGHUP", "SIG_DFL")}
        monkeypatch.setattr(server, "signal", SimpleNamespace(**double))
        server._listen()
        assert said == told, "`nohup` hands on that it is ignored"


@pytest.mark.parametrize(
    ("beside", "written"), [(b"plotly", False), (b"damaged", True), (None, True)]
)
def test_the_file_of_plotly_is_put_where_it_is_missing_or_another(
    monkeypatch, tmp_path, beside, written
):
    source = tmp_path / "package_data" / "plotly.min.js"
    source.parent.mkdir()
    source.write_bytes(b"plotly")
    monkeypatch.setattr(server.plotly, "__file__", str(tmp_path / "__init__.py"))
    folder, wrote, replacing = tmp_path / "static", [], server.replacing
    if beside is not None:
        folder.mkdir()
        (folder / server.PLOTLY_FILE).write_bytes(beside)
    monkeypatch.setattr(server, "replacing", lambda at: wrote.append(at) or replacing(at))
    assert server._put(folder)
    assert (folder / server.PLOTLY_FILE).read_bytes() == b"plotly"
    assert wrote == [folder / server.PLOTLY_FILE] * written


def test_what_comes_first_is_kept_and_stands_in_the_address(state, monkeypatch):
    for said, lead in (
        ({"view": "explore", "run": "a"}, "Explore"),
        ({"view": "study"}, "Study"),
        ({"view": "x"}, "Study"),
        ({"run": "a"}, "Study"),  # as earlier versions wrote it
        ({}, "Explore"),
    ):
        state.clear()
        monkeypatch.setattr(st, "query_params", said)
        explore_or_study.begin()
        assert state[explore_or_study.KEPT] == lead
        assert explore_or_study.in_address() == {"view": lead.lower()}
    explore_or_study.study()
    explore_or_study.explore()
    explore_or_study.begin()
    assert explore_or_study.explores(), "the address is read at the first look alone"


# ---- the address ---------------------------------------------------------------------------------


def test_an_address_is_asked_once_and_again_when_somebody_went_back(state, monkeypatch):
    """Back to an address without a choice asks for none."""
    monkeypatch.setattr(st, "query_params", {"topic": "4"})
    back = [False]
    monkeypatch.setattr(address, "went_back", lambda: back[0])
    assert pages.asked("label") is None
    assert [pages.asked("topic") for _ in range(2)] == ["4", None]
    back[0] = True
    st.query_params["topic"] = "7"
    assert pages.asked("topic") == "7"
    assert pages.asked("label") == ""
    assert pages.asked("never looked at") == ""


def test_what_is_empty_leaves_the_address_and_the_rest_stays(monkeypatch):
    class Address(dict):
        told = ()

        def update(self, values):
            self.told = (*self.told, values)
            super().update(values)

    at = Address({"a": "1", "b": "2", "view": "explore"})
    monkeypatch.setattr(st, "query_params", at)
    pages.keep({"a": "", "b": "2", "c": "3", "d": ""})
    assert at == {"b": "2", "c": "3", "view": "explore"}
    assert at.told == ({"c": "3"},), "one word, of what has changed"
    pages.keep({"b": "2"})
    pages.write("b", 2)
    assert len(at.told) == 1
    pages.write("b")
    assert "b" not in at


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("17", 17), ("9" * 9, 999_999_999), ("9" * 10, None), ("-1", None), ("", None)],
)
def test_a_number_of_an_address(text, number):
    assert pages.number_of(text) == number


# ---- who calls, and the start --------------------------------------------------------------------


@pytest.mark.parametrize("header", callers.FORWARDED)
def test_whatever_a_proxy_adds_a_tab_behind_it_is_not_at_home(monkeypatch, header):
    headers = {"host": "localhost:8501", callers.HEADER: callers.OWN}
    monkeypatch.setattr(callers.st, "get_option", {"server.address": "LocalHost"}.get)
    monkeypatch.setattr(type(callers.st.context), "headers", property(lambda self: headers))
    assert callers.called_at_home()
    headers[header] = "x"
    assert not callers.called_at_home()
    headers[header] = ""
    assert callers.called_at_home(), "an empty one says nothing"


@pytest.mark.parametrize(
    ("named", "listens", "shown"),
    [
        ("localhost", None, "localhost"),
        ("localhost", "", "localhost"),
        ("localhost", "0.0.0.0", "localhost"),
        ("localhost", "::", "localhost"),
        ("localhost", "192.0.2.7", "192.0.2.7"),
        ("class.example", "192.0.2.7", "class.example"),
        ("class.example", None, "class.example"),
    ],
)
def test_the_browser_opens_where_the_server_is_found(monkeypatch, named, listens, shown):
    options = {"browser.serverAddress": named, "server.address": listens}
    monkeypatch.setattr(server.st, "get_option", options.get)
    assert server.address_to_show() == shown


@pytest.mark.parametrize(
    ("say", "option", "wrong", "right", "words"),
    [
        (
            messages.one_thread_a_tab,
            messages.SETTING,
            True,
            False,
            "Start the app with --runner.fastReruns false: else quick clicks may end in an error.",
        ),
        (
            messages.whole_messages,
            messages.SMALLEST_KEPT_MESSAGE,
            1e4,
            1e9,
            "Start the app with --global.minCachedMessageSize 1000000000: else quick clicks may "
            "end a page.",
        ),
    ],
)
def test_a_server_that_was_started_without_a_setting_says_so(
    monkeypatch, say, option, wrong, right, words
):
    said = []
    monkeypatch.setattr(messages, "warn_once", said.append)
    for value in (right, wrong):
        monkeypatch.setattr(messages.st, "get_option", {option: value}.get)
        say()
    assert said == [words]


def test_what_a_server_has_one_of_is_made_once_until_it_is_cleared():
    made = []
    one = server.Once(lambda: made.append(1) or len(made))
    assert [one(), one()] == [1, 1]
    one.clear()
    assert [one(), one()] == [2, 2]
