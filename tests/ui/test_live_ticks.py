"""When the Live page draws itself anew: how often it looks, and what makes it begin again."""

from types import SimpleNamespace

import pytest

from bnpexplorer.ui.live import panel
from tests.tools.alone import moment, on_page

PARTS = ("write", "_problems", "topic_list", "main_charts", "more_charts", "true_topics")


def run_of(name, status, latest=True):
    shown = on_page(name, moment(), status=status)
    if not latest:
        shown.entry.background.latest = None
    return shown


class Anew(Exception):
    """The page was asked to begin again."""


@pytest.fixture
def page(monkeypatch):
    """What was drawn in which order, each how many seconds it waits; `gone`: runs replaced."""
    found = SimpleNamespace(went=[], ticks=[], gone=set(), runs=[], explores=False, later=None)

    def ticking(seconds):
        found.ticks.append(seconds)
        return lambda part: part

    def rerun():
        raise Anew

    def get(run_id):
        (mine,) = [shown.entry for shown in found.runs if shown.entry.run_id == run_id]
        return None if run_id in found.gone else mine

    def noted(name):
        def part(*_):
            found.went.append(name)
            if name == found.later:
                found.choice = "other"

        return part

    found.choice = "first"
    monkeypatch.setattr(panel, "ticking", ticking)
    monkeypatch.setattr(panel.st, "rerun", rerun)
    registry = SimpleNamespace(tick_seconds=lambda: 1.5, get=get)
    monkeypatch.setattr(panel.server, "registry", lambda: registry)
    monkeypatch.setattr(panel.explore_or_study, "explores", lambda: found.explores)
    monkeypatch.setattr(panel, "chosen_axis", lambda: found.choice)
    monkeypatch.setattr(panel, "chosen_run", lambda _: found.choice)
    monkeypatch.setattr(panel.why, "chosen", lambda _: None)
    for name in PARTS:
        monkeypatch.setattr(panel, name, noted(name))

    def draw(*runs, drawn=None):
        found.runs, found.went, found.ticks = runs, [], []
        statuses = drawn or [shown.entry.background.status for shown in runs]
        rows = SimpleNamespace(statuses=statuses, places=())
        panel.panel(runs, rows, lambda: found.went.append("between"))

    found.draw = draw
    return found


@pytest.mark.parametrize(
    ("runs", "tick"),
    [
        ([("one", "finished")], None),
        ([("one", "finished"), ("two", "running")], 1.5),
        ([("one", "running", False), ("two", "running", False)], 0.5),
        ([("one", "running", False), ("two", "finished")], 1.5),
        ([("one", "stopped", False)], None),
    ],
)
def test_the_page_looks_again_while_something_computes(page, runs, tick):
    page.draw(*[run_of(*given) for given in runs])
    assert page.ticks == [tick, tick]


@pytest.mark.parametrize("gone", [{"id-one"}, {"id-two"}, {"id-one", "id-two"}])
def test_the_page_begins_again_when_any_run_has_been_replaced(page, gone):
    page.gone |= gone
    with pytest.raises(Anew):
        page.draw(run_of("one", "running"), run_of("two", "running"))
    assert page.went == []


@pytest.mark.parametrize("drawn", [["running", "paused"], ["paused", "running"]])
def test_the_page_begins_again_when_a_status_has_changed_since(page, drawn):
    with pytest.raises(Anew):
        page.draw(run_of("one", "running"), run_of("two", "running"), drawn=drawn)


def test_in_studying_curves_come_before_the_buttons_and_topics_after(page):
    page.draw(run_of("one", "running"))
    first = ["write", "_problems", "main_charts", "between"]
    assert page.went == [*first, "true_topics", "topic_list", "more_charts"]


def test_in_exploring_topics_come_before_the_buttons_and_no_curves_after(page):
    page.explores = True
    page.draw(run_of("one", "running"))
    first = ["write", "_problems", "topic_list", "between"]
    assert page.went == [*first, "true_topics"]


@pytest.mark.parametrize(("explores", "later"), [(False, "main_charts"), (True, "topic_list")])
def test_what_is_chosen_beside_the_first_figures_draws_those_below_anew(page, explores, later):
    page.explores, page.later = explores, later
    with pytest.raises(Anew):
        page.draw(run_of("one", "running"))
    assert page.went[-1] == later


def test_the_page_begins_again_with_the_first_point(page, monkeypatch):
    """It may come while the page is drawn; then the buttons are those of a run without one."""
    run = run_of("one", "running", latest=False)

    def come():
        run.entry.background.latest = moment().snapshot

    monkeypatch.setattr(panel, "chosen_axis", come)
    with pytest.raises(Anew):
        page.draw(run)
    assert page.went == []


def test_an_event_that_is_chosen_in_a_figure_further_down_draws_the_page_anew(page, monkeypatch):
    page.later = "more_charts"
    monkeypatch.setattr(panel, "chosen_axis", lambda: "documents")
    monkeypatch.setattr(panel.why, "chosen", lambda _: page.choice)
    with pytest.raises(Anew):
        page.draw(run_of("one", "running"))
    assert page.went[-1] == "more_charts"
