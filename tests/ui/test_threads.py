"""The number of threads: asked for in the form, shown on Live; and what a method makes of them."""

import re

import pytest

from bnpexplorer.inference.cores import cores
from bnpexplorer.runs import lecturer, limits
from bnpexplorer.ui.parts import run_inputs
from tests.tools.pages import check, field, go, html, open_app, small, small_run, texts


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    monkeypatch.setattr(cores(), "n", 2)
    return cores()


def form(**address):
    app = open_app(**address)
    app.session_state["loaded"] = small()
    return go(app, "live")


def threads_field(app):
    return field(app.number_input, "Threads")


def test_the_form_sets_the_threads_of_the_server(registry, machine, monkeypatch):
    monkeypatch.setattr(run_inputs, "usable_cores", lambda: 2)
    app = form()
    assert threads_field(app).value == 2
    assert "this machine has 2 cores" in threads_field(app).help
    check(threads_field(app).set_value(1).run())
    assert machine.n == 1
    check(app.run())
    assert threads_field(app).value == 1
    machine.use(2)  # in another tab
    check(app.run())
    assert threads_field(app).value == 2
    check(threads_field(app).set_value(64).run())
    assert machine.n == 64
    assert "64 threads take turns on" in texts(app.caption)


def test_none_are_refused_and_change_nothing(registry, machine):
    app = form()
    check(threads_field(app).set_value(0).run())
    assert machine.n == 2
    assert "Threads must lie from 1 to" in texts(app.error)


def test_in_a_class_only_the_lecturer_is_asked(registry, monkeypatch):
    key = "lecturer-key-1"
    monkeypatch.setenv(limits.SHARED, "1")
    monkeypatch.setenv(lecturer.LECTURER, key)
    assert "Threads" not in [one.label for one in form().number_input]
    assert "Threads" in [one.label for one in form(link=key).number_input]


def test_the_form_says_what_several_threads_do(registry):
    app = form()
    check(field(app.radio, "Model").set_value("lda").run())
    check(field(app.selectbox, "Method").set_value("lda-gibbs").run())
    assert "One thread: each token's draw depends on the last." in texts(app.caption)
    check(field(app.selectbox, "Method").set_value("lda-svi").run())
    assert "All threads: documents are fitted apart, given the topics." in texts(app.caption)


@pytest.mark.second
@pytest.mark.parametrize(("name", "said"), [("lda-svi", "2 threads"), ("lda-gibbs", "1 thread")])
def test_live_shows_how_many_a_run_uses(registry, name, said):
    entry = registry.add(*small_run(name, passes=10_000))
    entry.background.start()
    while not (entry.background.latest and entry.background.run.n_steps > 1):
        assert entry.background.error == ""
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    facts = re.compile(rf"documents/s[^0-9]*{said}\b")
    for _ in range(50):  # whoever computed a moment ago, such as a test before, has a share still
        shown = html(check(app.run()))
        if facts.search(shown):
            break
    entry.background.stop()
    assert facts.search(shown), shown[-3000:]
