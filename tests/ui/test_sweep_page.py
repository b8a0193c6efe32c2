"""Sweeps on the Compare page, and what studies under way owe to their tabs, without a browser."""

import pytest

from bnpexplorer.claims import Study
from bnpexplorer.compare import Axis, Sweep
from bnpexplorer.compare.sweep import sweeps_folder
from bnpexplorer.methods import METHODS
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.ui.frame import server
from tests.tools.pages import button, check, choose, field, figures, go, open_app, small, texts


@pytest.fixture(autouse=True)
def few_texts(monkeypatch):
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")


def open_page(**address):
    return choose(go(open_app(**address), "compare"), "compare", "Sweep")


@pytest.fixture
def theirs(registry, monkeypatch):
    """A sweep of another tab that learns, as far as anybody sees, and what was asked of it."""
    asked = []
    monkeypatch.setattr(BackgroundRun, "start", lambda self: asked.append(("start", self)))
    monkeypatch.setattr(BackgroundRun, "pause", lambda self: asked.append(("pause", self)))
    preset = METHODS["hdp-svi"].presets["default"]
    sweep = Sweep("hdp-svi", Axis("batch_size", (20.0, 60.0)), batch_size=preset.batch_size)
    entry = registry.add(Study(sweep, small().corpus, 600.0, 2, sweeps_folder()), None)
    registry.attach("another tab", entry.run_id)
    entry.background.status = "running"
    return entry, asked


@pytest.mark.second
def test_a_sweep_is_run_kept_and_found_again(registry, monkeypatch):
    monkeypatch.setattr("bnpexplorer.claims.study.SHORTEST", 0.0)
    monkeypatch.setattr("bnpexplorer.claims.study.OVERHEAD", 9.99)  # leaves 0.01 seconds a trial
    app = open_page()
    check(field(app.number_input, "Minutes").set_value(1).run())
    values = field(app.text_input, "Values of batch size")
    check(values.set_value("8, eight").run())
    assert "'eight' is not a number" in texts(app.error)
    values = field(app.text_input, "Values of batch size")
    check(values.set_value("20, 60").run())
    check(button(app, "Start the sweep").click().run())
    (entry,) = registry.entries()
    assert entry.background.wait(240)
    assert entry.background.status == "finished", entry.background.error
    check(app.run())
    assert "finished: 6 of 6 trials" in app.get("progress")[0].proto.text
    assert len(figures(app)) == 3
    check(button(app, "Another sweep").click().run())
    assert "6 of 6 trials" in texts(app.markdown)
    check(button(app, "Show").click().run())
    assert len(figures(app)) == 3
    check(button(app, "Hide").click().run())
    assert len(figures(app)) == 0
    server.registry.clear()  # another server, where other texts are at hand
    monkeypatch.setattr(server, "FIRST_SAMPLE", "bars")
    other = open_page(sweep=entry.run_id)
    assert f"The sweep {entry.run_id} is no longer on this server" in texts(other.info)
    assert "Found before on other texts" in texts(other.markdown)
    assert "small.csv, 160 documents" in texts(other.markdown)
    check(button(other, "Show").click().run())
    assert len(figures(other)) == 3
    assert "Go on" not in {b.label for b in other.button}
    go(app, "claims")
    assert "Under way" not in texts(app.markdown), "a sweep is no claim"


def test_a_sweep_whose_tab_is_gone_is_found_and_taken_over(registry, theirs):
    entry, asked = theirs
    entry.background.status = "paused"
    app = open_page()
    assert "Under way on this server" in texts(app.markdown)
    assert "somebody else's" in texts(app.markdown)
    assert button(app, "Watch")
    registry.drop("another tab")
    check(app.run())
    assert "its tab is gone" in texts(app.markdown)
    check(button(app, "Go on").click().run())
    assert app.session_state["sweep"] == (entry.run_id, entry.secret)
    assert button(app, "Resume")
    assert asked[-1] == ("start", entry.background)


def test_a_guest_s_comings_and_goings_do_not_touch_a_study(theirs):
    entry, asked = theirs
    app = open_page()
    check(button(app, "Watch").click().run())
    assert "watching only" in texts(app.caption)
    assert not {"Pause", "Resume"} & {b.label for b in app.button}
    assert app.session_state["sweep"] == (entry.run_id, "")
    check(button(app, "Another sweep").click().run())
    assert "somebody else's" in texts(app.markdown)
    assert asked == []


def test_a_tab_holds_what_its_address_names(theirs):
    entry, _ = theirs
    open_app(sweep=entry.run_id)
    assert len(entry.tabs - {"another tab"}) == 1, "it goes on when the other tab closes"


@pytest.mark.second
def test_the_same_sweep_as_somebody_else_s_is_a_sweep_of_one_s_own(registry, theirs):
    entry, asked = theirs
    app = open_page()
    app.selectbox(key="sweep-method").set_value("hdp-svi")
    check(app.run())
    for key, value in (("sweep-seeds", 2), ("sweep-minutes", 10)):
        app.number_input(key=key).set_value(value)
    values = field(app.text_input, "Values of batch size")
    check(values.set_value("20, 60").run())
    check(button(app, "Start the sweep").click().run())
    (mine,) = (other for other in registry.entries() if other is not entry)
    assert mine.background.run.path == entry.background.run.path, "the same study"
    assert app.session_state["sweep"] == (mine.run_id, mine.secret)
    assert asked == [("start", mine.background)]


def test_a_sweep_that_does_not_fit_is_refused_before_it_starts(registry, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "0")
    app = open_page()
    assert "would need about" in texts(app.error)
    assert "Start the sweep" not in {b.label for b in app.button}
