"""Runs side by side on the Compare page, each part alone: every number is its own run's."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.compare import Compared, ScoreGround
from bnpexplorer.methods import make_method
from bnpexplorer.runs.saved.rows import Saved
from bnpexplorer.state.snapshot import TracePoint
from bnpexplorer.ui.compare import choice, side_by_side
from tests.tools.alone import asked, drawn, handed, moment
from tests.tools.pages import check, field, texts

NAN = float("nan")
TRACE = (TracePoint(1, 15, 0.12345, 2, NAN, NAN), TracePoint(5, 40, 2.0, 3, NAN, -7.5))


# ---- side by side --------------------------------------------------------------------------------


def ground(split="aaaa1111", **changed):
    return replace(ScoreGround("the six", 6, 2, "texts", split, "completion", -9.0), **changed)


def row(name, on, method="hdp-tsvi"):
    return Compared(moment(trace=TRACE), name, method, "finished", on, {"seed": 1}, 0.1)


def test_runs_are_compared_on_the_ground_that_most_share_unless_another_is_asked_for():
    one, other = ground(), ground("bbbb2222", n_heldout=1_234)
    rows = [row("a", one), row("b", other), row("c", other)]
    app, found = asked(side_by_side._choose_ground, rows)
    assert found.pop() is other
    assert field(app.selectbox, "Compare on").options == [
        "the six, 1,234 held out, Document completion, split 2222: 2 runs",
        "the six, 2 held out, Document completion, split 1111: 1 run",
    ]
    check(field(app.selectbox, "Compare on").set_value(0).run())
    assert found.pop() is one
    app, found = asked(side_by_side._choose_ground, rows[1:])
    assert (found.pop(), len(app.selectbox)) == (other, 0)


def test_curves_have_the_level_of_their_ground_and_the_axis_that_was_chosen(monkeypatch):
    told = handed(monkeypatch, side_by_side)
    rows = [row("a", ground()), row("b", ground("bbbb2222"))]
    monkeypatch.setattr(side_by_side, "read_runs", lambda ids: rows)
    monkeypatch.setattr(side_by_side, "_table", lambda rows: None)
    app = drawn(side_by_side._side_by_side, ["a", "b"], compare_axis="passes", compare_log=True)
    figure = told.figures["compare-heldout"]
    assert [s["y0"] for s in figure.layout.shapes] == [-9.0]
    assert (figure.layout.xaxis.title.text, figure.layout.xaxis.type) == ("passes", "log")
    assert [t.name for t in figure.data] == ["a"]
    assert told.figures["compare-topics"].layout.xaxis.type == "log"
    assert not told.figures["compare-topics"].layout.shapes
    assert "- **b**: another split" in texts(app.info)
    table = told.tables["compare-curves"]
    assert table["passes"].tolist() == [2.5, 40 / 6]
    assert table["seconds"].tolist() == [0.123, 2.0]
    assert table[["run", "documents", "topics in use"]].values.tolist() == [
        ["a", 15, 2],
        ["a", 40, 3],
    ]


def test_other_programs_are_drawn_over_seconds_only(monkeypatch):
    told, asked_for = handed(monkeypatch, side_by_side), []
    one = ("theirs", np.array([1.0, 2.0]), np.array([-8.0, -7.9]))
    monkeypatch.setattr(side_by_side, "read_runs", lambda ids: [row("a", ground())])
    monkeypatch.setattr(side_by_side, "_table", lambda rows: None)
    monkeypatch.setattr(side_by_side, "other_programs", lambda on: asked_for.append(on) or [one])
    for axis, drawn_too in (("documents", False), ("seconds", True)):
        drawn(side_by_side._side_by_side, ["a"], compare_axis=axis)
        assert ("theirs" in [t.name for t in told.figures["compare-heldout"].data]) == drawn_too
    assert asked_for == [ground()]


# ---- which runs ----------------------------------------------------------------------------------


def saved(run_id, corpus_key, **facts):
    return SimpleNamespace(
        run_id=run_id, corpus_key=corpus_key, name=f"run {run_id}", updated=0.0, facts=facts
    )


def test_the_latest_saved_runs_of_the_latest_corpus_are_laid_side_by_side():
    some = [saved(str(i), "y" if i in (1, 6) else "x") for i in range(7)]
    assert choice._latest_alike(some) == ["0", "2", "3", "4"]
    one = saved("abcdef", "x", corpus="the six")
    said = choice._saved_name(one)
    assert said.startswith("run abcdef · the six · ")
    assert said.endswith(" · abcd")
    assert {"run_id", "corpus_key", "name", "updated", "facts"} <= {*Saved.__dataclass_fields__}


@pytest.mark.parametrize(
    ("status", "known"),
    [("running", False), ("paused", True), ("stopped", True), ("queued", False)],
)
def test_coherence_is_worked_out_for_runs_at_rest(monkeypatch, status, known):
    at = moment()
    monkeypatch.setattr(choice, "coherence_of", lambda run, one: 0.25)
    monkeypatch.setattr(choice, "ground_of", lambda run: ground())
    monkeypatch.setattr(choice, "settings_of", lambda run: {"seed": 3})
    monkeypatch.setattr(choice.server, "moment_of", lambda entry, latest: at)
    run = SimpleNamespace(name="mine", method=make_method("hdp-tsvi"), corpus=at.corpus)
    background = SimpleNamespace(run=run, status=status, latest=at.snapshot)
    found = choice._live(SimpleNamespace(run_id="a", background=background))
    assert (found.name, found.method, found.status) == ("mine", "hdp-tsvi", status)
    assert (found.coherence == 0.25) == known
    background.latest = None
    assert choice._live(SimpleNamespace(run_id="a", background=background)) is None


@pytest.mark.parametrize(
    ("n", "said"), [(0, ""), (5, ""), (7, "Of 7 other programs the 5 that end highest.")]
)
def test_of_other_programs_those_that_end_highest_are_drawn(monkeypatch, n, said):
    given = []
    file = SimpleNamespace(name="my_file.jsonl", getvalue=lambda: b"one\ntwo\xc3\xa9")
    monkeypatch.setattr(side_by_side.st, "file_uploader", lambda *_, **__: file)
    curves = [SimpleNamespace(program=f"p{k}", seconds=[k], scores=[-k]) for k in range(n)]
    monkeypatch.setattr(side_by_side, "read_references", lambda *what: given.append(what) or curves)
    app, (found,) = asked(side_by_side.other_programs, ground())
    assert given == [(["one", "two\u00e9"], ground())]
    assert [(name, *x, *y) for name, x, y in found] == [(f"p{k}", k, -k) for k in range(min(n, 5))]
    assert [c.value for c in app.caption[1:]] == [said] * bool(said)
    assert bool(app.warning) == (n == 0)


@pytest.mark.parametrize(
    ("content", "said"), [(b"\xff", "is not text; choose the file"), (b"one", "Line 1 is *none*.")]
)
def test_a_file_of_other_programs_that_cannot_be_read_says_why(monkeypatch, content, said):
    def unread(*_):
        raise ValueError("Line 1 is *none*.")

    file = SimpleNamespace(name="my_file.jsonl", getvalue=lambda: content)
    monkeypatch.setattr(side_by_side.st, "file_uploader", lambda *_, **__: file)
    monkeypatch.setattr(side_by_side, "read_references", unread)
    app, (found,) = asked(side_by_side.other_programs, ground())
    assert found == []
    assert said in texts(app.error).replace("\\", "")
    assert not app.warning


@pytest.mark.parametrize(
    ("address", "chosen", "written", "missing"),
    [
        (None, ["l1", "l2"], "", "gone"),  # as it was left: those of the page
        ("s1,l2,gone", ["s1", "l2"], "s1,l2", "gone"),
        ("gone", ["l1", "l2"], "", "gone"),
        ("", ["l1", "l2"], "", "gone"),
    ],
)
def test_the_address_says_which_runs_are_compared_of_those_that_are_there(
    monkeypatch, address, chosen, written, missing
):
    wrote, gone = [], []
    shown = [SimpleNamespace(entry=SimpleNamespace(run_id=name)) for name in ("l1", "l2")]
    monkeypatch.setattr(choice.session, "shown_runs", lambda: shown)
    monkeypatch.setattr(choice.pages, "asked", lambda _: address)
    monkeypatch.setattr(choice.pages, "write", lambda *what: wrote.append(what))
    some = [
        saved("s1", "c", docs_seen=9),
        saved("s2", "c", docs_seen=0),
        saved("l1", "c", docs_seen=5),
    ]
    monkeypatch.setattr(choice.holding, "saved_runs", lambda asked: some)
    monkeypatch.setattr(choice, "_live_name", lambda entry: f"live {entry.run_id}")
    monkeypatch.setattr(choice, "_saved_name", lambda one: f"saved {one.run_id}")
    monkeypatch.setattr(choice, "_say_deleted", gone.append)
    key = {"compare-runs-l1,l2": ["l1", missing, "l2"]}
    app, (found,) = asked(choice.choose_runs, **({} if address else key))
    assert app.multiselect[0].options == ["live l1", "live l2", "saved s1"]
    assert found[:2] == chosen
    assert wrote[-1] == ("compared", written)
    assert gone == ([] if address else [missing])


@pytest.mark.parametrize(
    ("statuses", "waits"),
    [
        ({"a": "running"}, True),
        ({"a": "finished", "b": "queued"}, True),
        ({"a": "stopped"}, False),
        ({}, False),
    ],
)
def test_the_first_numbers_are_promised_only_while_a_run_goes_on(monkeypatch, statuses, waits):
    entries = {
        run_id: SimpleNamespace(background=SimpleNamespace(status=status))
        for run_id, status in statuses.items()
    }
    registry = SimpleNamespace(get=entries.get)
    monkeypatch.setattr(side_by_side.server, "registry", lambda: registry)
    monkeypatch.setattr(side_by_side, "read_runs", lambda ids: [])
    app = drawn(side_by_side._side_by_side, ["gone", "a", "b"])
    assert texts(app.caption) == "The first numbers come with the first mini-batch." * waits


@pytest.mark.parametrize(
    ("statuses", "tick"),
    [(["running", "finished"], 3.0), (["paused", "ready"], None), (["finished"], None)],
)
def test_numbers_are_read_again_while_a_run_learns(monkeypatch, statuses, tick):
    ticks, read = [], []
    entries = {
        str(k): SimpleNamespace(background=SimpleNamespace(status=status))
        for k, status in enumerate(statuses)
    }
    registry = SimpleNamespace(get=entries.get, tick_seconds=lambda: 1.5)
    monkeypatch.setattr(side_by_side.server, "registry", lambda: registry)
    monkeypatch.setattr(side_by_side, "choose_runs", lambda: [*entries, "gone"])
    monkeypatch.setattr(side_by_side, "ticking", lambda s: ticks.append(s) or (lambda part: part))
    monkeypatch.setattr(side_by_side, "_side_by_side", read.append)
    drawn(side_by_side.runs_view)
    assert ticks == [tick]
    assert read == [[*entries, "gone"]]
