"""What the Live page hands on: to a presentation, to the sentence at the end, to its figures."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from bnpexplorer.plots.live import Series
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import TracePoint
from bnpexplorer.ui.live import charts, presented, verdict
from tests.tools.alone import drawn, handed, moment, on_page


class Begun(Exception):
    """The page begins again."""


@pytest.mark.parametrize("statuses", [("finished", "stopped"), ("running", "finished")])
def test_each_view_is_presented_as_high_as_the_rows_leave_for_the_owner_s_runs(
    monkeypatch, statuses
):
    given, shown, ticks, heights = [], [], [], []

    def rerun():
        raise Begun

    monkeypatch.setattr(presented, "presentation", lambda *what: given.append(what))
    monkeypatch.setattr(presented, "_views", lambda runs: {"Score": "S{}", "Topics": "T{}"})
    monkeypatch.setattr(presented, "_figure", lambda runs, *what: shown.append(what))
    monkeypatch.setattr(presented, "height_of", lambda n: heights.append(n) or 100 * n)
    monkeypatch.setattr(presented, "lines", lambda runs: "the rows")
    monkeypatch.setattr(presented, "links_of", lambda runs: SimpleNamespace(watch={"run": "a"}))
    monkeypatch.setattr(presented, "watching_address", lambda watch: f"address {watch}")
    monkeypatch.setattr(presented, "ticking", lambda s: ticks.append(s) or (lambda part: part))
    registry = SimpleNamespace(tick_seconds=lambda: 1.5)
    monkeypatch.setattr(presented.server, "registry", lambda: registry)
    monkeypatch.setattr(presented.st, "rerun", rerun)
    mine, theirs = on_page("mine", status=statuses[0]), on_page("theirs", False, owned=False)
    theirs.entry.background.status = statuses[1]
    runs = [theirs, mine]
    drawn(presented.presented, runs)
    ((views, owned, watching, draw),) = given
    assert (views, watching) == (["Score", "Topics"], "address {'run': 'a'}")
    assert owned == [(mine.entry.background, statuses[0])]
    for view, chosen in ((0, ("Score", "S{}")), (1, ("Topics", "T{}"))):
        draw(view)
        assert shown.pop() == (chosen, 200)
    assert heights == [2]
    assert set(ticks) == {1.5 if "running" in statuses else None}
    mine.entry.background.status = "failed"
    with pytest.raises(Begun):
        draw(0)


@pytest.mark.parametrize(("about", "fewer"), [(None, 5), (0, 5), (7, 7), (9, 5)])
def test_a_run_is_judged_where_it_stands_at_its_end(monkeypatch, about, fewer):
    """Not where the tabs drew it last; with as many topics as are shown, or as many as suffice."""
    run, asked, labels = on_page("one", moment()), [], Labels(about=about)
    known = {n: SimpleNamespace(n_topics=n) for n in (5, 7)}

    def at_end(entry, snapshot):
        return SimpleNamespace(snapshot=snapshot, labels=labels, filler={4})

    monkeypatch.setattr(verdict.server, "moment_of", at_end)
    monkeypatch.setattr(verdict, "begin_ahead", lambda shown, at: asked.append((shown, at)))
    monkeypatch.setattr(verdict, "found_of", lambda entry, at: tuple(known.values()))
    monkeypatch.setattr(verdict, "fewest", lambda found: found[0])
    monkeypatch.setattr(verdict.session, "unigram_of", lambda run_id, _: {"id-one": -9.0}[run_id])
    monkeypatch.setattr(verdict, "rivals_of", lambda one, others: [*others, one.name])
    monkeypatch.setattr(verdict, "verdict_of", lambda *what: what)
    found, at = verdict._verdict(run, ["saved"]), at_end(None, run.entry.background.latest)
    judged = run.entry.background.run, at, -9.0, ["saved", "one"], {4}, known[fewer]
    assert found == judged
    assert asked == [(run, at)]


def test_a_figure_is_drawn_anew_when_anything_that_it_shows_has_changed(monkeypatch):
    size = [14]
    monkeypatch.setattr(charts, "is_dark", lambda: False)
    monkeypatch.setattr(charts, "text_size", lambda: size[0])
    at = moment()
    one = Series("one", 0, 0, at)
    usual = charts.same([one], "documents")
    assert usual == charts.same([Series("one", 0, 0, moment())], "documents")
    hash(str(usual))
    named = Series("one", 0, 0, moment(Labels({4: "seas"})))
    hidden = Series("one", 0, 0, moment(Labels(hidden=frozenset({4}))))
    later = Series("one", 0, 0, replace(at, snapshot=replace(at.snapshot, step=6)))
    others = [named, hidden, later, Series("two", 0, 0, at), Series("one", 0, 1, at)]
    found = [usual, *(charts.same([other], "documents") for other in others)]
    found += [charts.same([one], "seconds"), charts.same([one, one], "documents")]
    size[0] = 19
    found.append(charts.same([one], "documents"))
    assert len(set(map(str, found))) == len(found)


def test_a_series_is_drawn_anew_for_another_axis_or_name(monkeypatch):
    told, found = handed(monkeypatch, charts), set()
    trace = (TracePoint(5, 40, 2.0, 3, -70.5, -7.5, {"gamma": 2.5}),)
    monkeypatch.setattr(charts, "labels_of", lambda runs: ["one"])
    monkeypatch.setattr(charts, "drawn_moment", lambda shown: shown.moment)
    runs = [on_page("one", moment(trace=trace))]
    for axis, name in (("documents", "bound"), ("seconds", "bound"), ("seconds", "gamma")):
        drawn(charts.more_charts, runs, axis, 0, view_series=name)
        found.add(str(told.more["scalar"]["same"]))
    assert len(found) == 3
