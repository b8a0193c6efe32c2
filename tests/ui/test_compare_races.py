"""Races on the Compare page, each part alone: every number is its own run's."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.methods import make_method
from bnpexplorer.plots.live import Series
from bnpexplorer.state.snapshot import TracePoint
from bnpexplorer.ui.compare import race, race_panels, race_presented, sequential
from tests.tools.alone import drawn, handed, moment
from tests.tools.pages import button, check, html, texts

NAN = float("nan")
TRACE = (TracePoint(1, 15, 0.12345, 2, NAN, NAN), TracePoint(5, 40, 2.0, 3, NAN, -7.5))


# ---- races ---------------------------------------------------------------------------------------


def racing(names=("one", "*two*"), failed=None, **changed):
    runs = []
    for name in names:
        at = replace(moment(trace=TRACE), run_id="")
        runs.append(
            SimpleNamespace(
                name=name, method=make_method("hdp-tsvi"), corpus=at.corpus, seed=7, known=None,
                protocol="completion", heldout="some",
                passes_said="pass {} of 4 over 40 texts".format,
                moment=lambda snapshot, at=at: replace(at, snapshot=snapshot),
            )
        )  # fmt: skip
    usual = {"runs": runs, "failed": failed or {}, "run_ids": ["ra", "rb"], "planned_docs": 160}
    usual |= {"corpus": runs[0].corpus}
    return SimpleNamespace(**(usual | changed))


def snapshots(*seen, scores=(-7.5, -7.25)):
    found = []
    for docs, score in zip(seen, scores, strict=False):
        trace = (TracePoint(5, docs, 2.0, 3, NAN, score),)
        found.append(replace(moment(trace=trace).snapshot, docs_seen=docs))
    return tuple(found)


@pytest.mark.parametrize(
    ("failed", "latest", "said", "share"),
    [
        ({}, (80, 40), "learning: all have read pass 40 of 4 over 40 texts (the six, seed 7)", 25),
        ({1: "x"}, (80, 40), "learning: all others have read pass 80 of 4", 50),
        ({}, None, "learning: all have read pass 0 of 4", 0),
        ({}, (320, 320), "learning: all have read pass 320 of 4", 100),
    ],
)
def test_a_race_is_as_far_as_its_slowest_run_that_goes_on(monkeypatch, failed, latest, said, share):
    made = racing(failed=failed)
    monkeypatch.setattr(race.sequential, "say_problems", lambda *what: None)
    background = SimpleNamespace(
        run=made, latest=latest and snapshots(*latest), status="running",
        asked_for="", place_in_queue=0, why_paused="",
    )  # fmt: skip
    (bar,) = drawn(race.progress, background).get("progress")
    assert bar.proto.text.startswith(said)
    assert bar.proto.value == share


def test_the_verdict_on_a_race_leaves_out_what_failed(monkeypatch):
    noted = []
    monkeypatch.setattr(race_panels, "race_verdict", lambda *what: noted.append(what) or "said")
    monkeypatch.setattr(race_panels, "unigram_of", lambda run_id, run: {"ra": -9.0}[run_id])
    made = racing(failed={0: "x"})
    first, second = snapshots(40, 40)
    trace = (replace(second.trace[0], spread=0.02),)
    race_panels._verdict(made, (first, replace(second, trace=trace)))
    assert noted == [({"*two*": -7.25}, -9.0, {"one": 0.0, "*two*": 0.02})]
    made = racing()
    made.runs[0].heldout = None
    assert np.isnan(race_panels.level_of(made))


def test_every_panel_has_its_own_head_value_and_topics(monkeypatch):
    told = handed(monkeypatch, race_panels)
    at = moment(trace=TRACE)
    later = replace(
        at,
        snapshot=replace(at.snapshot, trace=(*TRACE[:1], TracePoint(5, 40, 2.0, 12, NAN, -6.126))),
    )
    series = [Series("one", 0, 0, at), Series("two", 1, 1, later)]
    for quantity, values in (("held-out", ("−7.50", "−6.13")), ("topics", ("3", "12"))):
        app = drawn(race_panels.curves, series, quantity, -9.0, 200)
        heads = [h.proto.body for h in app.get("html")]
        assert [value in head for value, head in zip(values, heads, strict=True)] == [True, True]
        assert ["one" in heads[0], "two" in heads[1]] == [True, True]
        assert (told.clicks[f"race-{quantity}-0"] is not None) == (quantity == "topics")
        assert told.more[f"race-{quantity}-1"]["height"] == 200
        assert told.more[f"race-{quantity}-1"]["alt"] == (
            f"{race_panels.TITLES[quantity]} of two, the other runs in grey; numbers in the table."
        )
    race_panels._table(series)
    table = told.tables["race"]
    assert table["run"].tolist() == ["one", "one", "two", "two"]
    assert table["topics in use"].tolist() == [2, 3, 2, 12]
    assert table["seconds"].tolist() == [0.123, 2.0] * 2
    said = html(drawn(race_panels.largest_topics, series[:1]))
    assert [said.index(f">{topic}<") for topic in (9, 4, 2)] == sorted(
        said.index(f">{t}<") for t in (9, 4, 2)
    )


@pytest.mark.parametrize("done", [True, False])
def test_what_a_race_shows_is_said_as_far_as_it_has_come(monkeypatch, done):
    handed(monkeypatch, race_panels)
    monkeypatch.setattr(race_panels, "unigram_of", lambda run_id, run: -9.0)
    monkeypatch.setattr(race_panels, "_verdict", lambda *what: "Use *two*.")
    monkeypatch.setattr(race_panels, "settings_of", lambda run: {"seed": 7})
    made = racing(done=done, seen=lambda latest: "Here it fails. Here too.")
    app = drawn(race_panels.panels, made, snapshots(40, 40))
    said = texts(app.markdown)
    assert ("**Here it fails. Here too.**" in said) == done
    assert ("**So far it fails. Here too.**" in said) != done
    assert ("Use \\*two\\*." in said) == done
    assert "word frequencies alone, −9.00;" in texts(app.caption)
    assert "The panels come" in texts(drawn(race_panels.panels, made, None).caption)


def test_events_are_asked_for_of_each_run_of_a_race_under_its_own_identity(monkeypatch):
    """Runs of one name are told apart by the setting in which they differ."""
    noted = []
    monkeypatch.setattr(race_panels.why, "why_born", lambda *what: noted.append(what))
    monkeypatch.setattr(race_panels.access, "texts_of", lambda entry: f"texts of {entry.run_id}")
    made = racing(("same", "same"))
    made.runs[1].seed = 8
    monkeypatch.setattr(race_panels, "settings_of", lambda run: {"seed": run.seed})
    latest = snapshots(40, 80)
    background = SimpleNamespace(run=made, latest=latest, ended=False)
    entry = SimpleNamespace(run_id="race", background=background)
    race_panels.why_born(entry)
    ((key, subjects, going),) = noted
    assert (key, going) == (race_panels.WHY, True)
    assert [one.label for one in subjects] == ["same seed 7", "same seed 8"]
    assert [one.moment.run_id for one in subjects] == made.run_ids
    assert [one.moment.snapshot for one in subjects] == [*latest]
    assert [one.run for one in subjects] == made.runs
    assert {one.texts for one in subjects} == {"texts of race"}
    background.ended = True
    race_panels.why_born(entry)
    assert noted[1][2] is False
    background.latest = None
    race_panels.why_born(entry)
    assert len(noted) == 2, "nothing has happened yet"


def test_a_race_is_cited_with_each_of_its_methods_once(monkeypatch):
    cited, linked = [], []
    monkeypatch.setattr(race_panels, "how_to_cite", cited.append)
    monkeypatch.setattr(race_panels, "show_links", linked.append)
    monkeypatch.setattr(race_panels, "links_of", lambda *what: what)
    monkeypatch.setattr(race_panels, "share_button", lambda key, draw: draw())
    made = racing(("one", "two", "three"))
    made.runs[1].method = make_method("lda-svi")
    entry = SimpleNamespace(background=SimpleNamespace(run=made))
    app = drawn(race_panels.share_race, entry, False)
    assert cited == [["hdp-tsvi", "lda-svi"]]
    assert linked == [(entry, False)]
    assert "*Open its runs on Live* leads to them" in texts(app.caption)


@pytest.mark.parametrize(("owned", "opened"), [(True, False), (False, False), (False, True)])
def test_the_links_of_a_race_hold_its_secret_for_the_owner_alone(monkeypatch, owned, opened):
    monkeypatch.setattr(race_panels.access, "is_open", lambda run_id: opened)
    made = racing()
    entry = SimpleNamespace(run_id="race", secret="hush", background=SimpleNamespace(run=made))
    found = race_panels.links_of(entry, owned)
    assert found == race_panels.Links(
        names="race of one, *two*",
        watch={"compare": "Race", "race": "race"},
        control={race_panels.JOBS["race"]: "hush"} if owned else {},
        secrets=["hush"] * owned,
        is_open=opened,
    )


@pytest.mark.parametrize(
    ("known", "vocab", "views"),
    [
        (None, ("r1c1", "r2c2"), ["Score", "Topics in use", "Topics"]),
        (np.ones((2, 2)), ("a", "b"), ["Score", "Topics in use", "Found again", "Topics"]),
        (
            np.ones((2, 2)), ("r1c1", "r2c2"),
            ["Score", "Topics in use", "Found again", "Topics", "Pictures"],
        ),
    ],
)  # fmt: skip
def test_each_view_of_a_race_that_is_presented_is_its_own(monkeypatch, known, vocab, views):
    made = racing(corpus=SimpleNamespace(vocab=vocab))
    made.runs[0].known = known
    assert race_presented._views(made) == views
    noted = []
    monkeypatch.setattr(race_presented, "series_of", lambda *what: "series")
    monkeypatch.setattr(race_presented, "level_of", lambda one: -9.0)
    for name in ("curves", "largest_topics", "sheets"):
        monkeypatch.setattr(
            race_presented, name, lambda *what, name=name, **more: noted.append((name, *what[1:]))
        )
    background = SimpleNamespace(run=made, latest=snapshots(40, 40))
    for view in range(len(views)):
        drawn(race_presented._figure, background, view)
    level = (-9.0, race_presented.height_of(3), 0 if known is None else 2)
    curves = [("curves", q, *level) for q in ("held-out", "topics", "found again")]
    rest = [("largest_topics",), ("sheets", "series")]
    assert noted == [
        *curves[: 2 + (known is not None)],
        *rest[: len(views) - 2 - (known is not None)],
    ]


@pytest.mark.parametrize("owned", [True, False])
def test_in_a_presentation_only_the_owner_steers_the_race(monkeypatch, owned):
    noted = []
    monkeypatch.setattr(race_presented, "presentation", lambda *what: noted.append(what))
    monkeypatch.setattr(race_presented, "watching_address", lambda watch: f"address {watch}")
    monkeypatch.setattr(race_presented, "links_of", lambda _, mine: SimpleNamespace(watch=mine))
    background = SimpleNamespace(run=racing(), status="finished", latest=None)
    drawn(race_presented._present, SimpleNamespace(background=background), owned)
    ((views, steered, watching, _),) = noted
    assert views == ["Score", "Topics in use", "Topics"]
    assert steered == [(background, "finished")] * owned
    assert watching == f"address {owned}"


@pytest.mark.parametrize(
    ("view", "running", "there"),
    [(1, ("entry", True), True), (0, ("entry", True), False), (1, None, False)],
)
def test_a_race_is_presented_where_a_view_is_asked_for_and_one_runs(
    monkeypatch, view, running, there
):
    went = []
    monkeypatch.setattr(race_presented.present, "view", lambda: view)
    monkeypatch.setattr(race_presented.sequential, "current", lambda _: running)
    monkeypatch.setattr(race_presented, "leave", lambda: went.append("left"))
    monkeypatch.setattr(race_presented, "set_widget", lambda *what: went.append(what))
    monkeypatch.setattr(race_presented, "_present", lambda *what: went.append(what))
    assert race_presented.presented() is there
    assert went == ([("compare", "Race"), ("entry", True)] if there else ["left"])


# ---- one after another ---------------------------------------------------------------------------


def kind():
    return sequential.SequentialKind(
        "race", SimpleNamespace, {}, "Another race", "The race {} is gone."
    )


def test_what_went_wrong_names_the_run_and_whose_race_it_is(monkeypatch):
    monkeypatch.setattr(sequential, "say_cluster", lambda background: None)
    together = SimpleNamespace(is_at_once=False, failed={1: "It *broke*.", 0: "No room."})
    background = SimpleNamespace(
        status="failed", error="Nothing left.", run=together, not_kept="Full."
    )
    app = drawn(sequential.say_problems, kind(), background, lambda i: ("one", "*two*")[i])
    goes_on = "The others go on; its numbers are those before."
    assert [e.value for e in app.error] == [
        "The race stopped with an error: Nothing left. Try other settings.",
        f"\\*two\\* stopped with an error: It \\*broke\\*. {goes_on}",
        f"one stopped with an error: No room. {goes_on}",
    ]
    assert texts(app.warning) == "Not saved: Full."


@pytest.mark.parametrize(
    ("owned", "status", "latest", "there"),
    [
        (True, "running", "some", {"buttons", "race-another"}),
        (False, "running", "some", {"race-another"}),
        (True, "finished", "some", {"race-another", "race-open"}),
        (False, "finished", "some", {"race-another", "race-open"}),
        (True, "failed", None, {"race-another"}),
    ],
)
def test_the_buttons_of_a_race_are_its_owner_s_and_its_runs_open_when_it_has_ended(
    monkeypatch, owned, status, latest, there
):
    noted = []
    monkeypatch.setattr(sequential, "buttons", lambda *what: noted.append("buttons"))
    background = SimpleNamespace(latest=latest, paused=0, pause=lambda: noted.append("paused"))
    entry = SimpleNamespace(run_id="a", background=background)
    registry = SimpleNamespace(detach=lambda *what: noted.append(what))
    monkeypatch.setattr(sequential.server, "registry", lambda: registry)
    monkeypatch.setattr(sequential.session, "tab_id", lambda: "tab")
    app = drawn(sequential.steer, kind(), entry, owned, status)
    assert {b.key for b in app.button} | {*noted} == there
    assert ("watching only" in texts(app.caption)) != owned
    noted.clear()
    check(button(app, "Another race").click().run())
    assert ("paused" in noted) == owned, "who watches does not pause"
    assert ("tab", "a") in noted
    assert app.session_state["race"] == ("", "")
