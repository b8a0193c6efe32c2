"""The Live page's lines, figures and topics, each part alone: every number is its own run's."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.evaluate import PROTOCOLS, effective_topics
from bnpexplorer.explore.likeness import FOUND_AGAIN
from bnpexplorer.methods import make_method
from bnpexplorer.plots.live import Series
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import Frame, TracePoint
from bnpexplorer.ui.live import charts, panel, presented, rows
from tests.tools.alone import IDS, asked, drawn, handed, moment, on_page
from tests.tools.pages import check, field, html, texts

NAN = float("nan")
TRACE = (
    TracePoint(1, 8, 0.12345, 2, NAN, NAN, {"step size": 0.9}),
    TracePoint(3, 24, 0.5, 4, -70.5, -8.25, {"gamma": 2.5, FOUND_AGAIN: 1.0}),
    TracePoint(5, 40, 2.0, 3, NAN, -7.5, {"gamma": 3.0, "step size": 0.4, FOUND_AGAIN: 3.0}),
)
FRAMES = tuple(
    Frame(n, 8 * n, np.array(IDS), np.array(w), np.zeros((3, 1), int), np.ones((3, 1), np.float32))
    for n, w in ((1, [0.5, 0.3, 0.2]), (5, [0.3, 0.45, 0.25]))
)


@pytest.fixture
def told(monkeypatch):
    """Runs are called by their names, and are drawn at the moment that they were given."""
    names = lambda runs: [shown.entry.background.run.name for shown in runs]  # noqa: E731
    for room in (charts, panel, presented, rows):
        monkeypatch.setattr(room, "labels_of", names)
    for room in (charts, panel):
        monkeypatch.setattr(room, "drawn_moment", lambda shown: shown.moment)
    return handed(monkeypatch, charts, panel)


@pytest.fixture
def runs():
    first = moment(Labels({4: "seas"}), trace=TRACE, frames=FRAMES)
    second = replace(moment(trace=TRACE[:2], frames=FRAMES[:1]), run_id="run-b")
    return [on_page("one", first), on_page("two", second, run={"protocol": "exact"})]


# ---- the numbers behind the figures --------------------------------------------------------------


def test_each_table_has_the_rows_of_every_run_and_whose_they_are(told, runs):
    at = runs[0].moment
    assert charts._heldout_rows(at) == [(24, 0.5, -8.25), (40, 2.0, -7.5)]
    assert charts._topic_rows(at) == [(8, 0.123, 2), (24, 0.5, 4), (40, 2.0, 3)]
    assert charts._series_rows("bound")(at) == [(24, 0.5, -70.5)]
    assert charts._series_rows("gamma")(at) == [(24, 0.5, 2.5), (40, 2.0, 3.0)]
    assert charts._series_rows("step size")(at) == [(8, 0.123, 0.9), (40, 2.0, 0.4)]
    assert panel._rows(at) == [(24, 0.5, 1), (40, 2.0, 3)]
    weights = charts._weight_rows(at)
    assert weights[:2] == [(8, at.head(4), 0.5), (8, at.head(9), 0.3)]
    assert [row[0] for row in weights] == [8, 8, 8, 40, 40, 40]
    series = [Series("one", 0, 0, at), Series("two", 1, 0, runs[1].moment)]
    charts.table("held", series, ["documents", "seconds", "held-out"], charts._heldout_rows)
    found = told.tables["held"]
    assert found["run"].tolist() == ["one", "one", "two"]
    assert found["documents"].tolist() == [24, 40, 24]
    charts.table("held", [], ["documents", "seconds", "held-out"], charts._heldout_rows)
    assert list(told.tables["held"].columns) == ["documents", "seconds", "held-out", "run"]


def test_runs_keep_their_name_colour_and_dash_whichever_are_drawn(told, runs):
    third = on_page("three", moment(), run={"method": make_method("lda-svi")})
    every = [*runs, third, on_page("not begun")]
    whole = {s.label: (s.slot, s.dash) for s in charts.series_of(every)}
    assert list(whole) == ["one", "two", "three"]
    assert whole["one"] == (whole["two"][0], 0)
    assert whole["two"][1] == 1
    (second,) = charts.series_of([runs[1]], every)
    assert (second.label, (second.slot, second.dash)) == ("two", whole["two"])
    assert second.moment is runs[1].moment


def test_scores_are_drawn_of_one_protocol_with_the_level_of_its_texts(monkeypatch, told, runs):
    monkeypatch.setattr(
        charts.session, "unigram_of", lambda run_id, run: {"id-one": -9.0, "id-two": -6.0}[run_id]
    )
    for protocol, name, level in (("completion", "one", -9.0), ("exact", "two", -6.0)):
        app, (found,) = asked(charts.heldout_chart, runs, "documents", view_protocol=protocol)
        assert [s.label for s in found] == [name]
        figure = told.figures["heldout"]
        assert [trace.name for trace in figure.data] == [name]
        assert [s["y0"] for s in figure.layout.shapes] == [level]
    app, (found,) = asked(charts._ask_protocol, runs)
    assert app.get("button_group")[0].options == [
        PROTOCOLS[p].title for p in ("completion", "exact")
    ]
    assert found == "completion"
    app, (found,) = asked(charts._ask_protocol, runs[1:])
    assert (found, len(app.get("button_group"))) == ("exact", 0)


def test_curves_are_made_anew_for_another_axis_and_scale_in_the_look_of_all(
    monkeypatch, told, runs
):
    monkeypatch.setattr(charts.session, "unigram_of", lambda run_id, run: -9.0)
    made = {"topics": set(), "heldout": set()}
    for axis in ("documents", "seconds"):
        for logarithmic in (True, False):
            drawn(charts.topics_chart, runs, axis, view_log=logarithmic)
            drawn(charts.heldout_chart, runs, axis)
            for key, same in made.items():
                same.add(repr(told.more[key]["same"]))
    assert {key: len(same) for key, same in made.items()} == {"topics": 4, "heldout": 2}
    _, (chosen,) = asked(charts.weights_chart, runs, 1)
    both = charts.series_of(runs)
    (alone,) = chosen
    assert (alone.label, alone.slot, alone.dash) == ("two", both[1].slot, both[1].dash)
    assert alone.dash != both[0].dash, "of one method they differ in their dashes"


def test_a_choice_made_further_down_counts_then_the_address_then_the_first():
    def ask():
        st = charts.st
        st.query_params["view-axis"] = "seconds"
        return charts.chosen_axis(), charts._is_logarithmic()

    assert asked(ask)[1] == [("seconds", True)]
    assert asked(ask, view_axis="passes", view_log=False)[1] == [("passes", False)]
    assert asked(charts._chosen, "view-axis", ["a", "b"], view_axis="c")[1] == ["a"]
    assert asked(charts._chosen, "view-axis", ["a", "b"], view_axis="b")[1] == ["b"]


@pytest.mark.parametrize("place", [0, 1])
def test_the_largest_topics_and_the_series_are_those_that_were_chosen(told, runs, place):
    app = drawn(charts.more_charts, runs, "documents", place)
    assert field(app.selectbox, "Series").options == ["bound", "step size", "gamma"]
    name = ("one", "two")[place]
    assert f"{name}: the twelve largest topics now, back to when each was born." in texts(
        app.caption
    )
    bands = [trace.name for trace in told.figures["weights"].data[:-1]]
    at = runs[place].moment
    order = (9, 4, 2) if place == 0 else (4, 9, 2)
    assert bands == [at.name(i) for i in order], "the largest of its last frame first"
    assert told.tables["weights"]["run"].unique().tolist() == [name]
    assert "## Bound" in texts(app.markdown)
    assert told.tables["series"]["bound"].tolist() == [-70.5, -70.5]
    check(field(app.selectbox, "Series").set_value("gamma").run())
    assert told.tables["series"]["gamma"].tolist() == [2.5, 3.0, 2.5]
    assert "## Gamma" in texts(app.markdown)


def test_a_run_that_compiles_counts_its_kernels_and_others_say_their_status(monkeypatch, told):
    monkeypatch.setattr(charts, "compiled", lambda method: (3, 17))
    some = [on_page("one", status="compiling"), on_page("two", status="queued", place_in_queue=2)]
    said = html(drawn(charts.say_how_far, some, 222))
    assert "one: 3 of 17 kernels compiled, the first time only" in said
    assert '<progress max="17" value="3"' in said
    assert "two: waiting in line, number 2" in said
    assert said.count("<progress") == 1
    assert "min-height:222px" in said


# ---- the topics ----------------------------------------------------------------------------------


def test_topics_keep_their_places_for_a_while(monkeypatch):
    now, found = [100.0], []
    monkeypatch.setattr(panel, "time", SimpleNamespace(monotonic=lambda: now[0]))
    large = moment(Labels(pinned=frozenset({2})))
    topics = replace(large.topics, size=np.array([30.0, 5, 9]))
    turned = replace(moment(), snapshot=replace(large.snapshot, topics=topics))

    def order(one, settled):
        found.append(panel._stable_order(one, settled))

    def through():
        for seconds, one, settled in (
            (100.0, moment(), False),
            (106.0, turned, False),
            (106.1, turned, False),
            (107.0, moment(), True),
            (108.0, moment(Labels(hidden=frozenset({4}))), False),
        ):
            now[0] = seconds
            order(one, settled)
        order(large, False)

    drawn(through)
    assert found == [[9, 4, 2], [9, 4, 2], [4, 2, 9], [9, 4, 2], [9, 2], [2, 9, 4]]


@pytest.mark.parametrize(("how_many", "shown"), [("10", 3), ("all", 3)])
def test_the_list_counts_the_topics_of_the_chosen_run(monkeypatch, told, how_many, shown):
    first, second = moment(Labels(hidden=frozenset({4, 77}))), moment()
    runs = [on_page("one", first), on_page("two", second)]
    for place, hidden in ((0, 1), (1, 0)):
        monkeypatch.setattr(panel, "run_field", lambda *given, place=place: place)
        app, (got,) = asked(panel.topic_list, runs, view_topics=how_many)
        assert got == place
        said = texts(app.caption)
        assert said.startswith(
            f"{('one', 'two')[place]}: 3 topics in use; 99 % of the words are in 3,"
        )
        evenness = round(effective_topics(second.topics))
        assert f"all are as diverse as {evenness} topics of equal size" in said
        assert "since 30 documents had been seen" in said
        assert (" 1 hidden on the Topics page." in said) == bool(hidden)
        assert html(app).count('class="id"') == 1 + shown - hidden


@pytest.mark.parametrize(
    ("status", "embedded", "leads"),
    [("finished", False, True), ("paused", False, True), ("running", False, False),
     ("finished", True, False)],
)  # fmt: skip
def test_names_lead_to_topics_of_a_run_at_rest_where_there_is_a_menu(
    monkeypatch, told, status, embedded, leads
):
    given, run = [], on_page("one", moment(), status=status)
    monkeypatch.setattr(panel, "run_field", lambda *_: 0)
    monkeypatch.setattr(panel, "is_embedded", lambda: embedded)
    monkeypatch.setattr(panel.html, "topic_table", lambda *what: given.append(what) or "<p></p>")
    app = drawn(panel.topic_list, [run])
    assert [what[3] for what in given] == [leads]
    assert ("A name leads to its topic." in texts(app.caption)) == leads


def test_before_the_first_mini_batch_there_are_no_topics_to_list(monkeypatch, told):
    monkeypatch.setattr(panel, "run_field", lambda *given: 1)
    app, (place,) = asked(panel.topic_list, [on_page("one", moment()), on_page("two")])
    assert place == 1
    assert "No topics yet" in texts(app.caption)
    assert not app.get("html")


def test_no_more_topics_are_presented_than_find_room(told):
    run = on_page("one", moment())
    for most in (1, 2, 3):
        assert html(drawn(panel.largest_topics, run, most)).count('<td class="id"') == most
    none = drawn(panel.largest_topics, on_page("one"), 3)
    assert "No topics yet" in texts(none.caption)


@pytest.mark.parametrize(("height", "most"), [(81, 1), (40 + 42 * 5, 5), (40 + 42 * 6 - 1, 5)])
def test_each_view_that_is_presented_is_drawn_of_the_chosen_run(monkeypatch, told, height, most):
    noted = []
    for room, name in (
        (charts, "heldout_chart"), (charts, "topics_chart"), (charts, "weights_chart"),
        (panel, "largest_topics"), (presented, "pictures"), (presented, "found_again_chart"),
    ):  # fmt: skip
        monkeypatch.setattr(
            room, name, lambda *what, name=name, **more: noted.append((name, *what, more))
        )
    monkeypatch.setattr(panel, "chosen_run", lambda runs: 1)
    runs = [on_page("one"), on_page("two")]
    for view in presented.VIEWS | presented.KNOWN_VIEWS:
        heading = (presented.VIEWS | presented.KNOWN_VIEWS)[view]
        app = drawn(presented._figure, runs, (view, heading), height)
        assert texts(app.markdown) == f"## {heading.format(' of two')}"
    axis = "documents"
    whole = {"others": height >= presented.WHOLE_SHEET}
    assert noted == [
        ("heldout_chart", runs, axis, height, {}),
        ("topics_chart", runs, axis, height, {}),
        ("largest_topics", runs[1], most, {}),
        ("weights_chart", runs, 1, height, {}),
        ("pictures", runs[1], whole),
        ("found_again_chart", runs, axis, height, {}),
    ]


@pytest.mark.parametrize(
    ("known", "vocab", "more"),
    [
        (None, ("r1c1", "r2c2"), []),
        (np.ones((3, 2)), ("r1c1", "r2c2"), ["Pictures", "Found again"]),
        (np.ones((3, 2)), ("war", "tax"), ["Found again"]),
    ],
)
def test_what_is_known_of_the_texts_decides_what_can_be_presented(known, vocab, more):
    run = on_page("one", run={"known": known, "corpus": SimpleNamespace(vocab=vocab)})
    assert list(presented._views([run])) == [*presented.VIEWS, *more]
    assert panel.n_known([run]) == (0 if known is None else 3)
