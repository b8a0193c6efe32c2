"""What a tab holds: which runs it lists, controls, opens and starts; without a page around them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.compare.sequential import race_of
from bnpexplorer.core.store import StoreError
from bnpexplorer.runs import limits
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import access, holding, jobs, link, server, session
from tests.tools.pages import button, go, launch, open_app, small, small_run, texts
from tests.tools.runs_page import kept

pytestmark = pytest.mark.usefixtures("registry")


@pytest.fixture
def state(monkeypatch):
    """The state of a new tab, which is called "me"."""
    found = {"tab": "me", "own": {}, "held": set(), "reads": set(), "troubles": {}, "studies": {}}
    found |= {"opening": [], link.LINK: ""} | dict.fromkeys(session.JOBS, ("", ""))
    monkeypatch.setattr(st, "session_state", found)
    return found


@pytest.fixture
def shared(monkeypatch):
    monkeypatch.setenv(limits.SHARED, "1")


@pytest.fixture
def library(registry):
    return Library()


def saved_with(library, run_id, secret):
    run, loaded = small_run()
    run.step()
    library.keep(run_id, run, loaded.corpus, "paused", secret, loaded.report)


def damaged(library, run_id):
    row = library.folder / "runs" / run_id / "row.json"
    row.write_text(row.read_text().replace('"seed": 0', f'"seed": {2**70}'))


# ---- what is listed ------------------------------------------------------------------------------


@pytest.mark.second
def test_on_a_shared_server_deleted_and_damaged_runs_are_those_of_the_tab(state, library, shared):
    for run_id in ("mine", "theirs"):
        saved_with(library, f"{run_id}-gone", f"of {run_id}")
        saved_with(library, f"{run_id}-broken", f"of {run_id}")
        library.delete(f"{run_id}-gone")
        damaged(library, f"{run_id}-broken")
    server.library.clear()
    assert holding.deleted_runs() == holding.damaged_runs() == []
    state["held"] = {"of mine"}
    assert [saved.run_id for saved in holding.deleted_runs()] == ["mine-gone"]
    assert [one.run_id for one in holding.damaged_runs()] == ["mine-broken"]


def test_alone_everything_that_is_deleted_or_damaged_is_listed(state, library):
    for run_id in ("gone", "broken"):
        saved_with(library, run_id, "a secret")
    library.delete("gone")
    damaged(library, "broken")
    server.library.clear()
    assert [saved.run_id for saved in holding.deleted_runs()] == ["gone"]
    assert [one.run_id for one in holding.damaged_runs()] == ["broken"]


@pytest.mark.second
def test_on_a_shared_server_runs_are_listed_that_a_tab_holds_shows_or_names(state, library, shared):
    for run_id in ("held", "shown", "named", "theirs"):
        saved_with(library, run_id, f"of {run_id}")
    state |= {"held": {"of held"}, "own": {"shown": ""}}
    listed = {saved.run_id for saved in holding.saved_runs(["named"])}
    assert listed == {"held", "shown", "named"}
    assert {saved.run_id for saved in holding.saved_runs()} == {"held", "shown"}


# ---- who controls a run --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tabs", "key", "elsewhere"),
    [
        (set(), "", False),
        ({"me"}, "", False),
        ({"me", "other"}, "", True),
        ({"other"}, "", True),
        ({"other"}, "guess", True),
        ({"other"}, "the secret", False),
    ],
)
def test_a_run_is_in_other_hands_where_another_tab_shows_it(state, registry, tabs, key, elsewhere):
    entry = registry.add(*small_run(), secret="the secret")
    entry.tabs |= tabs
    state["own"] = {entry.run_id: key}
    assert holding.in_other_hands(entry.run_id) == elsewhere
    said = "is on somebody else's page now: to watch only" if elsewhere else ""
    assert holding.why_not(entry.run_id) == said
    assert holding.may_control(entry.run_id) != elsewhere
    entry.tabs.clear()


@pytest.mark.second
def test_runs_that_are_opened_take_the_page_and_only_what_one_may_control(state, registry, library):
    """The one that left is paused after a while; the texts are those of the first."""
    for run_id in ("free", "taken"):
        kept(library, run_id)
    server.open_saved("taken").tabs.add("other")
    before = registry.add(*small_run())
    before.tabs.add("me")
    state["own"] = {before.run_id: before.secret}
    holding.put_on_page(["taken", "free", "unknown"])
    assert state["own"] == {"taken": "", "free": "secret"}
    assert before.tabs == set()
    assert registry.get("free").tabs == {"me"}
    assert registry.get("taken").tabs == {"me", "other"}
    assert state["loaded"] is registry.get("taken").source
    for run_id in ("free", "taken"):
        registry.get(run_id).tabs.clear()


def test_on_a_shared_server_somebody_else_s_texts_do_not_come_with_their_run(
    state, library, shared, monkeypatch
):
    loaded = small()
    own = replace(loaded.corpus, docs=replace(loaded.corpus.docs, title=None))
    run, _ = small_run()
    run.step()
    library.keep("theirs", run, own, "paused", "of theirs", loaded.report)
    holding.put_on_page(["theirs"])
    assert state["own"] == {"theirs": ""}
    assert "loaded" not in state
    state["held"] = {"of theirs"}
    holding.put_on_page(["theirs"])
    assert state["own"] == {"theirs": "of theirs"}
    assert state["loaded"].corpus.n_docs == own.n_docs


def test_only_the_same_words_of_the_same_documents_are_the_same_texts(registry):
    loaded = small()
    entry = registry.add(small_run()[0], loaded)
    unnamed = replace(loaded, corpus=replace(loaded.corpus, name="another name"))
    fewer = replace(loaded, corpus=loaded.corpus.take(np.arange(9)))
    assert access.learns(entry, unnamed)
    assert not access.learns(entry, fewer)
    entry.source = loaded.corpus
    assert not access.learns(entry, loaded), "nobody has its texts"


# ---- what is started -----------------------------------------------------------------------------


@pytest.fixture
def not_started(monkeypatch):
    for name in ("start", "settle"):
        monkeypatch.setattr("bnpexplorer.runs.background.BackgroundRun." + name, lambda self: None)


def test_a_run_that_is_started_stands_beside_those_of_the_same_texts(state, registry, not_started):
    """Those of other texts leave, and so do those that are gone."""
    loaded, other = small(), small("bars")
    same = registry.add(small_run()[0], loaded)
    unlike = registry.add(small_run("hdp-tsvi", other)[0], other)
    for entry in (same, unlike):
        entry.tabs.add("me")
    state["own"] = {"gone": "x", unlike.run_id: unlike.secret, same.run_id: ""}
    known = replace(loaded, true_topics=np.ones((2, 3)))
    plan = Plan.of("hdp-tsvi", passes=1)
    session.launch_all([plan, plan], known, 2.5)
    second, first = registry.entries()[:2]
    assert state["own"] == {
        same.run_id: "",
        first.run_id: first.secret,
        second.run_id: second.secret,
    }
    assert unlike.tabs == set()
    assert state["held"] == {first.secret, second.secret}
    for entry in (first, second):
        assert entry.background.run.known is known.true_topics
        assert entry.tabs == {"me"}
        assert entry.background._tenfold_seconds == 2.5


def test_a_race_is_the_tab_s_and_knows_the_topics_that_made_its_texts(state, registry, not_started):
    loaded = replace(small(), true_topics=np.ones((2, 3)))
    plans = [Plan.of(name, passes=1) for name in ("hdp-tsvi", "hdp-svi")]
    session.launch_together("race", race_of(plans, loaded.corpus), loaded)
    (entry,) = registry.entries()
    assert state["race"] == (entry.run_id, entry.secret)
    assert entry.tabs == {"me"}
    assert entry.secret in state["held"]
    assert state["loaded"] is loaded
    assert all(run.known is loaded.true_topics for run in entry.background.run.runs)


@pytest.mark.parametrize("learn_all", [False, True])
def test_chains_hold_documents_out_unless_they_are_to_learn_all(
    state, registry, not_started, monkeypatch, learn_all
):
    monkeypatch.setattr(session, "show_chains", lambda: None)
    loaded = small()
    session.launch_chains(Plan.of("hdp-tsvi", passes=1, chains=2), loaded, learn_all)
    (entry,) = registry.entries()
    chains = entry.background.run
    assert entry.run_id == chains.group
    assert state["chains"] == (chains.group, entry.secret)
    assert [run.heldout is None for run in chains.runs] == [learn_all] * 2
    assert (chains.runs[0].corpus.n_docs == loaded.corpus.n_docs) == learn_all


def test_what_a_guest_lets_go_on_stays_where_it_was(state, registry, monkeypatch):
    """A run of the lecturer's in the lecturer's place, another in the guests'; what is refused is
    said once, however many it is."""
    runs = [SimpleNamespace(is_lecturers=of_lecturer, start=None) for of_lecturer in (True, False)]
    monkeypatch.setattr(registry, "resume", lambda background, ask: None)
    link.go_on_all((run, run.start) for run in runs)
    assert [run.is_lecturers for run in runs] == [True, False]
    state[link.LINK] = "key"
    link.go_on_all((run, run.start) for run in runs)
    assert [run.is_lecturers for run in runs] == [True, True]

    def refuse(background, ask):
        raise ValueError("too many")

    monkeypatch.setattr(registry, "resume", refuse)
    link.go_on_all((run, run.start) for run in runs)
    said = []
    monkeypatch.setattr(st, "error", lambda words, **_: said.append(words))
    link.say_refused()
    link.say_refused()
    assert said == ["too many"]


def test_how_long_a_run_without_a_tab_goes_on_is_set_at_the_start(monkeypatch):
    for said, seconds in (({}, 60.0), ({"GRACE": "7.5", "STEP": "0.25"}, 7.5)):
        for name, value in said.items():
            monkeypatch.setenv(f"BNPEXPLORER_{name}_SECONDS", value)
        server.registry.clear()
        assert server.registry()._grace_seconds == seconds
        assert server.registry()._step_seconds == (0.25 if said else 0.0)


# ---- what is opened again ------------------------------------------------------------------------


def a_race(registry, keep=None):
    loaded = small()
    plans = [Plan.of(name, passes=6) for name in ("hdp-tsvi", "hdp-svi")]
    race = race_of(plans, loaded.corpus)
    entry = registry.add(race, loaded, keep or jobs.keep_together)
    race.step()
    jobs.keep_together(entry, race, "running")
    return entry, race


def killed():
    for one in (server.registry, server.library, server._sources):
        one.clear()


@pytest.mark.second
def test_a_race_is_opened_as_a_race_alone_and_by_the_names_of_its_runs(registry):
    entry, race = a_race(registry)
    for run_id, name in zip(race.run_ids, ("first", "second"), strict=True):
        server.library().rename(run_id, name)
    killed()
    assert jobs.interrupted("study") == []
    assert [job.job_id for job in jobs.interrupted("race")] == [entry.run_id]
    assert jobs.open_job("study", entry.run_id) is None
    again = jobs.open_job("race", entry.run_id)
    assert again.secret == entry.secret
    assert [run.name for run in again.background.run.runs] == ["first", "second"]
    assert jobs.open_job("race", entry.run_id) is again
    assert jobs.interrupted("race") == [], "it is on this server"


def test_a_run_that_goes_on_alone_keeps_its_race_from_being_opened(registry):
    entry, race = a_race(registry)
    server.library().rename(race.run_ids[1], "the second")
    killed()
    alone = server.open_saved(race.run_ids[1])
    alone.background.status = "running"
    with pytest.raises(StoreError, match=r"^the second goes on alone, or is not saved: look at it"):
        jobs.open_job("race", entry.run_id)
    alone.background.status = "paused"


def test_a_race_that_failed_has_ended_and_a_study_that_failed_has_not(registry):
    entry, race = a_race(registry)
    jobs.keep_together(entry, race, "failed")
    assert server.library().jobs.all() == []
    study = Study(CLAIMS["batch-size-hdp"], small().corpus, 600.0, 3, passes=7)
    entry = registry.add(study, small())
    for status in ("running", "failed"):
        jobs.keep_study(entry, study, status)
    (job,) = server.library().jobs.all()
    assert (job.about["budget"], job.about["n_seeds"], job.about["passes"]) == (600.0, 3, 7)
    assert job.about["claim"] == "batch-size-hdp"


@pytest.mark.second
def test_a_stranger_s_key_opens_no_race_on_a_shared_server(registry, shared):
    entry, _ = a_race(registry)
    killed()
    open_app(race=entry.run_id, race_key="guess")
    assert server.registry().get(entry.run_id) is None
    open_app(race=entry.run_id, race_key=entry.secret)
    assert server.registry().get(entry.run_id) is not None


def test_one_run_of_a_race_that_cannot_be_written_does_not_keep_the_others(registry, monkeypatch):
    entry, race = a_race(registry, server.keep_all)
    written, write = [], server.write

    def some(run_id, *rest):
        written.append(run_id)
        if run_id == race.run_ids[0]:
            raise OSError("disk full")
        write(run_id, *rest)

    monkeypatch.setattr(server, "write", some)
    with pytest.raises(OSError, match="disk full"):
        server.keep_all(entry, race, "paused")
    assert written == list(race.run_ids)
    assert server.library().get(race.run_ids[1]).facts["status"] == "paused"


def test_a_saved_run_opens_under_the_name_it_was_given_since(library, registry):
    kept(library)
    library.rename("one", "given since")
    assert server.open_saved("one").background.run.name == "given since"
    kept(library, "two")
    library.delete("two")
    assert server.open_saved("two") is None


def test_names_of_topics_that_were_given_before_a_run_was_saved_are_saved_with_it(registry):
    run, loaded = small_run()
    run.step()
    entry = registry.add(run, loaded)
    entry.labels = Labels({int(run.topics.topic_ids[0]): "tides"})
    server.keep(entry, run, "paused")
    assert server.library().get(entry.run_id).labels == entry.labels
    entry.labels = Labels()  # taken back in another tab
    server.library().label(entry.run_id, Labels({1: "later"}))
    server.keep(entry, run, "paused")
    assert server.library().get(entry.run_id).labels == Labels({1: "later"})


@pytest.mark.second
def test_topics_that_made_the_texts_are_known_after_a_restart(registry):
    """Also of a run that an earlier version wrote, which kept them with the texts alone."""
    loaded = small("bars")
    entry = launch(registry, "hdp-tsvi", loaded, keep=server.keep, passes=1)
    assert entry.background.run.known is None
    killed()
    again = server.open_saved(entry.run_id)
    np.testing.assert_array_equal(again.background.run.known, loaded.true_topics)


# ---- what a page says of what is missing ---------------------------------------------------------


def test_a_run_without_its_texts_says_which_documents_it_shows(registry, monkeypatch):
    from bnpexplorer.ui.parts import run_buttons

    run, _ = small_run()
    assert run_buttons._documents_of(run) == (
        f"Of its documents only the {run.heldout.whole.n_docs} held-out ones are."
    )
    assert run.heldout.whole.n_docs != run.corpus.n_docs
    run.heldout = None
    assert run_buttons._documents_of(run) == "None of its documents is."


@pytest.mark.second
def test_runs_are_missing_until_one_is_started(registry):
    app = open_app(run="unknown", own="x")
    app.session_state["loaded"] = small()
    app = go(app, "live")
    assert "The run unknown is no longer on this server" in texts(app.info)
    again = " Start it again below; the same seed gives the same numbers."
    assert again in texts(app.info)
    assert again.replace("below", "on the Live page") in texts(go(app, "topics").info)
    app = go(app, "live")
    button(app, "Watch it learn").click().run()
    (entry,) = registry.entries()
    assert list(app.session_state["own"]) == [entry.run_id]
    entry.background.stop()
