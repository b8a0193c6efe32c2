"""Compare: what is worked out for one run, moment or pair is never shown for another."""

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from bnpexplorer.plots.live import Series
from bnpexplorer.state.snapshot import TracePoint
from bnpexplorer.ui.compare import aligned, chains, choice, race, side_by_side, sweep
from tests.tools.alone import drawn, handed, moment, on_page
from tests.tools.pages import texts
from tests.ui.test_compare_aligned import FIRST, FOUND, SECOND, frame, row_of
from tests.ui.test_compare_chains_and_sweeps import kept, some_chains

NAN = float("nan")


class Begun(Exception):
    """The page begins again."""


def test_runs_of_the_same_texts_have_their_own_grounds(monkeypatch):
    at = moment()
    monkeypatch.setattr(choice.server, "moment_of", lambda entry, snapshot: at)
    monkeypatch.setattr(choice, "ground_of", lambda run: f"ground of {run.name}")
    monkeypatch.setattr(choice, "settings_of", lambda run: {})
    runs = [on_page(name, at, status="running") for name in ("a", "b")]
    for shown in runs:
        shown.entry.background.run.corpus = at.corpus
    found = [choice._live(shown.entry).ground for shown in runs]
    assert found == ["ground of a", "ground of b"]


def test_passes_of_a_run_are_those_of_its_own_texts(monkeypatch):
    told = handed(monkeypatch, side_by_side)
    at = moment(trace=(TracePoint(5, 30, 2.0, 3, NAN, -7.5),))
    series = [
        Series(name, 0, 0, replace(at, docs_in_pass=n)) for name, n in (("one", 6), ("other", 4))
    ]
    side_by_side._curves_as_table(series)
    table = told.tables["compare-curves"]
    assert table[["run", "passes"]].values.tolist() == [["one", 5.0], ["other", 7.5]]


# ---- a race, and chains --------------------------------------------------------------------------


def test_the_page_of_a_race_begins_again_with_its_first_numbers(tab, monkeypatch):
    """Its events are asked for outside of what ticks."""
    drawn_parts = []

    def rerun():
        raise Begun

    def steer(kind, entry, *_):
        entry.background.latest = come[0]

    monkeypatch.setattr(race.st, "rerun", rerun)
    monkeypatch.setattr(race, "ticking", lambda seconds: lambda part: part)
    monkeypatch.setattr(race.server, "registry", lambda: SimpleNamespace(tick_seconds=lambda: 1))
    monkeypatch.setattr(race.sequential, "steer", steer)
    for name in ("progress", "panels", "why_born"):
        monkeypatch.setattr(race, name, lambda *_, name=name: drawn_parts.append(name))
    background = SimpleNamespace(run=SimpleNamespace(title=""), status="running", latest=None)
    come = [None]
    entry = SimpleNamespace(background=background)
    race._watch(entry, True)
    assert drawn_parts == ["progress", "panels", "why_born"]
    come = ["its first numbers"]
    with pytest.raises(Begun):
        race._watch(entry, True)
    race._watch(entry, True)


@pytest.mark.parametrize("loaded", ["texts", None])
def test_races_that_were_interrupted_are_listed_below_the_form(monkeypatch, loaded):
    went = []
    monkeypatch.setattr(race.sequential, "current", lambda kind: None)
    monkeypatch.setattr(race, "texts_at_hand", lambda: loaded)
    monkeypatch.setattr(race, "_form", went.append)
    monkeypatch.setattr(race, "interrupted", went.append)
    drawn(race.race_view)
    assert went == [*([loaded] if loaded else []), "race"]


def test_chains_have_the_level_of_the_texts_that_all_of_them_hold_out(monkeypatch):
    monkeypatch.setattr(chains.session, "unigram_of", lambda *what: what)
    one = some_chains(run_ids=["ra", "rb"], runs=["first", "second"])
    assert [*chains._levels(one).values()] == [("ra", "first")]


def test_chains_are_told_of_anew_when_any_of_them_has_gone_on(monkeypatch):
    """Also where the first has not."""
    told, asked = handed(monkeypatch, chains), []
    at = moment(trace=(TracePoint(5, 40, 2.0, 3, NAN, -7.5),))
    later = replace(at, snapshot=replace(at.snapshot, step=6))
    monkeypatch.setattr(chains, "found_topics", lambda topics: asked.append("topics") or [])
    for second in (at, at, later):
        runs = [SimpleNamespace(moment=lambda _, one=one: one) for one in (at, second)]
        score = lambda: asked.append("score") or -7.0  # noqa: E731
        one = some_chains(runs=runs, sound=[0, 1], score=score)
        latest = [at.snapshot, second.snapshot]
        entry = SimpleNamespace(run_id="g", background=SimpleNamespace(latest=latest))
        drawn(chains._topics, entry, one)
        drawn(chains._together, entry, one)
    assert asked == ["topics", "score"] * 2
    assert told.asked["chains-topics"]["label"] == "All topics"


# ---- a sweep -------------------------------------------------------------------------------------


def test_a_sweep_that_was_written_since_is_read_again(monkeypatch, tmp_path):
    read, path = [], tmp_path / "a.json"
    path.write_text("{}")
    monkeypatch.setattr(sweep, "kept_paths", lambda: [path])
    monkeypatch.setattr(sweep, "_kept", lambda *what: read.append(what))
    for seconds in (1_000, 2_000):
        os.utime(path, (seconds, seconds))
        sweep._found_before(None, set())
    assert read == [(str(path), n * 10**9) for n in (1_000, 2_000)]


def test_a_sweep_that_is_done_asks_for_no_texts(monkeypatch):
    monkeypatch.setattr(sweep, "show", lambda *what: None)
    one = kept(n_trials=1)
    assert one.done
    app = drawn(sweep._offer, Path("/x/its-stem.json"), one, None, sweep_shown="its-stem")
    assert [b.label for b in app.button] == ["Hide"]
    assert not app.caption


# ---- topics aligned ------------------------------------------------------------------------------


def test_each_pair_of_sides_is_aligned_once_and_for_itself(monkeypatch):
    noted, at, pair = [], moment(), []
    rows = [row_of("a"), row_of("b")]
    monkeypatch.setattr(aligned, "choose_runs", lambda: [])
    monkeypatch.setattr(aligned, "read_runs", lambda ids: rows)
    monkeypatch.setattr(aligned, "_two_runs", lambda chosen: pair[-1])
    monkeypatch.setattr(aligned, "align", lambda *what: noted.append(what[:2]) or FOUND)
    monkeypatch.setattr(aligned, "_show", lambda *what: None)
    sides = (FIRST, SECOND, "one pair"), (SECOND, FIRST, "another"), (FIRST, SECOND, "one pair")
    for one in sides:
        pair.append((at, *one))
        drawn(aligned.aligned_view)
    assert noted == [(FIRST.side, SECOND.side), (SECOND.side, FIRST.side)]


def test_runs_and_moments_without_topics_are_not_aligned(monkeypatch):
    at = moment()
    topics = at.snapshot.topics
    none = replace(topics, **{
        name: getattr(topics, name)[:0] for name in ("topic_word", "topic_ids", "size", "weight")
    })  # fmt: skip
    empty = replace(at, snapshot=replace(at.snapshot, topics=none))
    chosen = []
    monkeypatch.setattr(aligned, "choose_runs", lambda: [])
    monkeypatch.setattr(aligned, "read_runs", lambda ids: [row_of("empty", empty), row_of("a")])
    monkeypatch.setattr(aligned, "_two_moments", lambda rows: chosen.append(rows))
    drawn(aligned.aligned_view)
    assert [[row.name for row in rows] for rows in chosen] == [["a"]]
    monkeypatch.undo()
    frames = (frame(10, {}, []), frame(20, {4: 1.0}, [[0, 1]]))
    app = drawn(aligned._two_moments, [row_of("a", moment(frames=frames))])
    assert "This run has one moment only so far" in texts(app.info)
