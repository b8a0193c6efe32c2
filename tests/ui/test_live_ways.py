"""What the Live page shows: of which texts, to whom, and of which runs."""

from types import SimpleNamespace

import pytest

from bnpexplorer.ui.live import page, panel
from tests.tools.alone import drawn, handed, on_page
from tests.tools.pages import texts

GONE = "The run that was shown here is no longer on its server."


@pytest.fixture
def shown(monkeypatch):
    """The parts of the page in the order in which they are drawn, each with what it is given."""
    found = SimpleNamespace(went=[], runs=[], loaded=None, view=0, embedded=False, same=True)
    monkeypatch.setattr(page.session, "shown_runs", lambda: found.runs)
    monkeypatch.setattr(page.session, "loaded_corpus", lambda: found.loaded)
    monkeypatch.setattr(page.present, "view", lambda: found.view)
    monkeypatch.setattr(page.presenting, "leave", lambda: found.went.append(("left",)))
    monkeypatch.setattr(page.look, "is_embedded", lambda: found.embedded)
    monkeypatch.setattr(page, "say_missing", lambda _: None)
    monkeypatch.setattr(page.access, "learns", lambda entry, loaded: found.same)
    monkeypatch.setattr(page.access, "counts_of", lambda entry: f"counts of {entry.run_id}")
    names = ("presented", "_choose_for", "rows_lead", "_head", "_running", "_begin", "_no_texts")
    for name in names:
        monkeypatch.setattr(page, name, lambda *what, name=name: found.went.append((name, *what)))
    return found


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("embedded", [False, True])
def test_runs_stand_under_the_head_of_the_texts_that_they_learn(shown, embedded, same):
    shown.runs, shown.loaded = [on_page("one"), on_page("two")], "texts"
    shown.embedded, shown.same = embedded, same
    drawn(page.page)
    lead = [] if embedded else [("rows_lead", shown.runs)]
    head = ("_head", shown.runs, "counts of id-one")
    assert shown.went == [("left",), *lead, head, ("_running", shown.runs, "texts", same)]


@pytest.mark.parametrize(
    ("loaded", "went"),
    [("texts", [("_head", [], "texts"), ("_begin", "texts")]), (None, [("_no_texts",)])],
)
def test_without_runs_the_page_begins_with_the_texts(shown, loaded, went):
    shown.loaded = loaded
    drawn(page.page)
    assert shown.went == [("left",), *went]


@pytest.mark.parametrize(
    ("same", "led"), [(False, "_choose_for"), (True, "rows_lead")], ids=["other", "the same"]
)
def test_a_method_is_chosen_for_other_texts_than_those_of_the_runs(shown, same, led):
    shown.runs, shown.loaded, shown.same = [on_page("one")], "texts", same
    app = drawn(page.page, choosing=True)
    assert shown.went[1][0] == led
    assert ("choosing" in app.session_state) == (not same)


def test_a_frame_whose_run_has_gone_says_so_and_nothing_else(shown):
    shown.embedded, shown.loaded = True, "texts"
    assert texts(drawn(page.page).info) == GONE
    assert shown.went == [("left",)]


def test_only_runs_are_presented(shown):
    shown.view, shown.runs = 1, [on_page("one")]
    drawn(page.page)
    assert shown.went == [("presented", shown.runs)]
    shown.went, shown.runs = [], []
    drawn(page.page)
    assert shown.went == [("left",), ("_no_texts",)]


def test_curves_of_what_is_found_again_stand_against_how_many_there_are(monkeypatch):
    said, noted = handed(monkeypatch, panel), []
    monkeypatch.setattr(panel.charts, "series_of", lambda runs: ["series", len(runs)])
    monkeypatch.setattr(panel.charts, "same", lambda *what: what)
    monkeypatch.setattr(panel, "n_known", lambda runs: 7)
    monkeypatch.setattr(panel.plots, "found_again_figure", lambda *what: noted.append(what))
    drawn(panel.found_again_chart, [on_page("one"), on_page("two")], "seconds", 321)
    ((series, known, axis, _, _, height),) = noted
    assert (series, known, axis, height) == (["series", 2], 7, "seconds", 321)
    assert said.more["found-again"]["same"] == (series, 7, "seconds", 321)
