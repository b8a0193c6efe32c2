"""What the `set:` lines of lessons set stands although the browser, which has not heard of it, asks
for the page once more with what it knew before."""

import pytest

from bnpexplorer.lessons import read
from bnpexplorer.ui.frame import reading
from bnpexplorer.ui.parts import setting_up
from bnpexplorer.ui.seam import widgets
from tests.tools.pages import AppTest, check
from tests.tools.waiting import NEVER

SCRIPT = """
import streamlit as st
from bnpexplorer.ui.seam.widgets import keep_set, set_widget

keep_set()
if st.session_state.pop("press", False):
    set_widget(st.session_state["name"], st.session_state["wanted"])
st.radio("View", st.session_state["values"], key=st.session_state["name"])
"""


def lines():
    """Every line of every lesson that sets something: where it stands, its name and value."""
    found = []
    for path in reading.lesson_files():
        for number, step in enumerate(read(path).steps, 1):
            for name, value in step.set_up.settings if step.set_up is not None else ():
                found.append((f"{path.stem}-{number}-{name}", name, value))
    return found


def test_lessons_set_something():
    assert {name for _, name, _ in lines()} >= {"compare", "lab_gem", "view-axis", "topics-view"}


@pytest.mark.second
@pytest.mark.parametrize(
    ("name", "value"), [line[1:] for line in lines()], ids=[line[0] for line in lines()]
)
def test_what_a_line_sets_outlasts_what_the_browser_knew_before(name, value):
    app = AppTest.from_string(SCRIPT, default_timeout=NEVER)
    for key, given in {"name": name, "wanted": value, "values": ["before", value, "third"]}.items():
        app.session_state[key] = given
    check(app.run())
    app.session_state["press"] = True
    check(app.run())
    assert app.session_state[name] == value
    for _ in range(2):
        app.session_state[widgets.HEARD] = 0
        check(app.radio[0].set_value("before").run())
        assert app.session_state[name] == value
    app.session_state[widgets.HEARD] = 0
    check(app.radio[0].set_value("third").run())
    assert app.session_state[name] == "third", "a person has chosen"
    check(app.radio[0].set_value("before").run())
    assert app.session_state[name] == "before"


def test_once_the_browser_has_it_a_person_may_go_back():
    app = AppTest.from_string(SCRIPT, default_timeout=NEVER)
    for key, given in {"name": "view", "wanted": "Race", "values": ["Runs", "Race"]}.items():
        app.session_state[key] = given
    check(app.run())
    app.session_state["press"] = True
    check(app.run())
    app.session_state[widgets.HEARD] = 1
    check(app.radio[0].set_value("Runs").run())
    assert app.session_state["view"] == "Runs"


def test_a_step_sets_by_this_way_alone(monkeypatch):
    """Every setting of every step goes through it, whatever the page."""
    given = []
    monkeypatch.setattr(setting_up, "set_widget", lambda name, value: given.append((name, value)))
    monkeypatch.setattr(setting_up, "only_opens", lambda set_up: True)
    monkeypatch.setattr(setting_up, "turn_to_claim", lambda name: None)
    monkeypatch.setattr(setting_up.studies, "leave", lambda *of: None)
    for path in reading.lesson_files():
        for step in read(path).steps:
            if step.set_up is not None:
                given.clear()
                setting_up._do(step.set_up)
                assert given[-len(step.set_up.settings) or len(given) :] == list(
                    step.set_up.settings
                )
