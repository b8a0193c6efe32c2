"""A class through `app.py`, without a browser: the lecturer's link, and the limits of guests."""

import re
from dataclasses import replace
from functools import partial

import pytest

from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.methods import make_method
from bnpexplorer.plugins.cluster import ClusterPool
from bnpexplorer.runs import lecturer, limits
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.saved import room
from bnpexplorer.runs.saved.library import LibraryFull
from bnpexplorer.ui.frame import jobs, server
from bnpexplorer.ui.frame.words import plain
from bnpexplorer.ui.parts.share import NOT_SHARED
from bnpexplorer.ui.runs.table import TICKED
from tests.tools.pages import (
    button,
    check,
    choose,
    field,
    go,
    launch,
    open_app,
    small,
    small_run,
    texts,
)
from tests.tools.waiting import until

KEY = "nobody-guesses-it"


@pytest.fixture(autouse=True)
def in_a_class(monkeypatch):
    monkeypatch.setenv(limits.SHARED, "1")
    monkeypatch.setenv(lecturer.LECTURER, KEY)
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")


def watch_it_learn(**address):
    app = open_app(**address)
    next(r for r in app.radio if r.key == "start-sample").set_value("small-csv")
    return check(button(app, "Watch it learn").click().run())


@pytest.mark.second
def test_the_link_in_the_address_has_its_place_however_many_learn(monkeypatch, request):
    monkeypatch.setenv("BNPEXPLORER_STEP_SECONDS", "3600")  # who has a place keeps it
    registry = request.getfixturevalue("registry")
    for _ in range(2):
        watch_it_learn()
    guests = [entry.background for entry in registry.entries()]
    assert len(guests) == 4
    assert not any(background.is_lecturers for background in guests)
    until(lambda: sorted(g.status for g in guests) == ["queued", "queued", "running", "running"])

    app = watch_it_learn(link=KEY)
    own = [entry for entry in registry.entries() if entry.background not in guests]
    assert all(lecturer.is_lecturers(e.secret) and e.background.is_lecturers for e in own)
    until(lambda: [e.background.status for e in own].count("running") == 1)
    assert app.query_params["link"] in (KEY, [KEY])
    go(app, "live")
    assert app.query_params["link"] in (KEY, [KEY]), "it stays in the address"
    assert "link" in NOT_SHARED

    # What a guest started goes on in the lecturer's place where the lecturer controls it.
    waits = next(e for e in registry.entries() if e.background.status == "queued" and e not in own)
    mine = next(entry for entry in own if entry.background.status == "running")
    mine.background.pause()
    until(lambda: mine.background.status == "paused")
    until(lambda: [e.background.status for e in own].count("running") == 1)
    open_app(link="wrong", run=waits.run_id, own=waits.secret)
    open_app(link=KEY, run=waits.run_id)  # to watch is not to control
    assert not waits.background.is_lecturers
    open_app(link=KEY, run=waits.run_id, own=waits.secret)
    assert waits.background.is_lecturers


@pytest.mark.parametrize("named", ["", "x" * 12, "a.b", "<b>", "a-guests-own-link"])
def test_a_link_of_an_earlier_version_opens_and_is_a_guest_s(registry, named):
    run, loaded = small_run()
    secret = f"{named or 'name'}.of-an-earlier-version"  # such secrets began with their link's name
    entry = registry.add(run, loaded, secret=secret)
    app = go(open_app(link=named, run=entry.run_id, own=secret), "live")
    assert "watching only" not in texts(app.caption)
    assert app.session_state["own"] == {entry.run_id: secret}, "it controls the run"
    assert app.query_params.get("link", "") in ("", [""])
    assert not entry.background.is_lecturers


def test_who_was_given_a_run_of_the_lecturer_s_is_not_the_lecturer(registry):
    run, loaded = small_run()
    entry = registry.add(run, loaded, secret=lecturer.new_secret())
    secret = entry.secret
    given = open_app(run=entry.run_id, own=secret)
    assert given.session_state["own"] == {entry.run_id: secret}, "it controls the run"
    keys = {given.session_state["link"]}
    for part in (secret, secret.partition(".")[0], secret.partition(".")[2]):  # all it can try
        keys.add(open_app(run=entry.run_id, own=secret, link=part).session_state["link"])
    assert keys == {""}
    assert KEY not in secret
    assert open_app(run=entry.run_id, own=secret, link=KEY).session_state["link"] == KEY


def test_alone_nobody_is_the_lecturer(registry, monkeypatch):
    monkeypatch.setenv(limits.SHARED, "")
    watch_it_learn(link=KEY)
    assert not any(entry.background.is_lecturers for entry in registry.entries())
    assert not any("." in entry.secret for entry in registry.entries())


def test_more_runs_than_a_class_may_have_are_refused_on_the_page(registry, monkeypatch):
    monkeypatch.setattr(limits, "MOST_GOING", 1)
    app = open_app()
    next(r for r in app.radio if r.key == "start-sample").set_value("small-csv")
    check(button(app, "Watch it learn").click().run())
    assert "In a class at most 1 runs, races and studies may go on at once" in texts(app.error)
    assert not registry.entries(), "none of the two"
    watch_it_learn(link=KEY)
    assert len(registry.entries()) == 2, "the lecturer's are not counted"


@pytest.fixture
def nothing_begins(monkeypatch):
    """Instead it is noted what would."""
    begun = []
    for name in ("start", "resume", "step_once"):
        monkeypatch.setattr(BackgroundRun, name, lambda self: begun.append(self))
    return begun


def a_study():
    return Study(CLAIMS["kappa-lda"], small().corpus, 600.0, 1)


def on_live(words):
    """A paused run of a guest on the Live page, with this button."""
    run, loaded = small_run()
    entry = server.registry().add(run, loaded)
    entry.background.status = "paused"
    return go(open_app(run=entry.run_id, own=entry.secret), "live"), {"words": words}


def on_runs():
    keep("saved")
    app = open_app(run="saved", own=server.library().secret("saved"))
    app.session_state[TICKED] = ["saved"]
    return go(app, "runs"), {"key": "runs-resume"}


def on_claims(in_list):
    entry = server.registry().add(a_study(), small())
    entry.background.status = "paused"
    app = go(open_app(study=entry.run_id, key=entry.secret), "claims")
    if not in_list:
        return app, {"words": "Resume"}
    check(button(app, "Another claim").click().run())
    entry.background.status = "paused"
    return app, {"key": f"watch-{entry.run_id}"}


def on_claims_after_a_restart():
    study = a_study()
    entry = server.registry().add(study, small(), run_id="study")
    jobs.keep_study(entry, study, "running")
    app = open_app(study="study", key=entry.secret)
    server.registry.clear()
    app.session_state["study"] = ("", "")
    return go(app, "claims"), {"key": "job-on-study"}


@pytest.mark.second
@pytest.mark.parametrize(
    "place",
    [
        partial(on_live, "Resume"),
        partial(on_live, "Step"),
        on_runs,
        partial(on_claims, False),
        partial(on_claims, True),
        on_claims_after_a_restart,
    ],
    ids=["resume", "step", "runs", "study", "list", "interrupted"],
)
def test_what_is_too_much_does_not_go_on_either(registry, nothing_begins, monkeypatch, place):
    monkeypatch.setattr(limits, "MOST_GOING", 1)
    app, what = place()
    other = server.registry().add(small_run()[0]).background
    other.status = "queued"
    check(button(check(app.run()), **what).click().run())
    assert "In a class at most 1 runs, races and studies may go on at once. Pause" in texts(
        app.error
    )
    assert not nothing_begins
    other.status = "paused"
    again = [b for b in app.button if b.label in ("Resume", "Step", "Go on") and not b.disabled]
    check(next(b for b in again if b.label == what.get("words", b.label)).click().run())
    assert len(nothing_begins) == 1
    assert "Pause or stop one" not in texts(app.error), "it is said once"


def test_of_two_that_ask_at_once_for_the_last_place_one_gets_it(registry, monkeypatch):
    monkeypatch.setattr(limits, "MOST_GOING", 1)
    monkeypatch.setattr(BackgroundRun, "_work", lambda self: None)  # its thread is not there yet
    first, second = (registry.add(small_run()[0]).background for _ in range(2))
    registry.resume(first, first.step_once)
    registry.resume(first, first.start)  # it goes on already
    with pytest.raises(ValueError, match="Pause or stop one of yours"):
        registry.resume(second, second.start)


def test_what_the_lecturer_goes_on_with_takes_the_lecturer_s_place(registry, nothing_begins):
    entry = registry.add(a_study(), small())
    entry.background.status = "paused"
    page = go(open_app(link=KEY, study=entry.run_id, key=entry.secret), "claims")
    check(button(page, "Resume").click().run())
    assert (entry.background.is_lecturers, len(nothing_begins)) == (True, 1)


@pytest.mark.parametrize("page", ["claims", "compare"])
def test_a_claim_and_a_sweep_have_their_minutes(registry, nothing_begins, monkeypatch, page):
    module, start = {
        "claims": ("claims.study", "Try again here"),
        "compare": ("compare.sweep", "Start"),
    }[page]
    app = go(open_app(), page)
    if page == "compare":
        choose(app, "compare", "Sweep")
    else:
        check(field(app.radio, "Claim").set_value("batch-size-hdp").run())
    label = {"claims": "Minutes at most", "compare": "Minutes"}[page]
    assert "From 1 to 30" in field(app.number_input, label).help
    check(field(app.number_input, label).set_value(600.0).run())
    assert f"{label} must lie from 1 to 30; got 600" in texts(app.error)
    assert not [b for b in app.button if b.label.startswith(start)]
    # Whatever a form lets pass, such as a sweep from before.
    monkeypatch.setattr(f"bnpexplorer.ui.{module}.most_minutes", lambda: 700)
    check(app.run())
    check(next(b for b in app.button if b.label.startswith(start)).click().run())
    assert "a claim or a sweep may take 30 minutes; this one would take 600" in texts(app.error)
    assert not registry.entries()


# ---- the disk ----------------------------------------------------------------------------------


def keep(run_id, secret="a"):
    run, loaded = small_run()
    server.library().keep(run_id, run, loaded.corpus, "paused", secret)


@pytest.fixture
def disk(registry, monkeypatch):
    """Sets how often what one run takes fits on the disk, after that run."""
    keep("one")
    taken = server.library().n_bytes
    return lambda times: monkeypatch.setattr(room, "disk_limit", lambda: int(times * taken))


def test_guests_fill_the_disk_but_for_the_lecturer_s_part(disk):
    disk(1.33)
    with pytest.raises(LibraryFull, match="Delete some of yours on the Runs page"):
        keep("two")
    keep("mine", lecturer.new_secret())
    disk(100)
    keep("two")


def test_the_lecturer_s_part_is_kept_whatever_guests_take(disk):
    for run_id in ("two", "three", "four"):
        keep(run_id)
    library, secret = server.library(), lecturer.new_secret()
    disk(1)
    keep("mine", secret)
    (mine,) = (saved for saved in library.saved() if saved.run_id == "mine")
    texts_of = library.bytes_to_open("mine")
    assert texts_of > mine.n_bytes > 1000
    found = library.room(is_lecturers=True)
    assert found.taken == texts_of + found.limit - found.limit // 4
    assert found.is_full, "its runs and their texts take a quarter"
    library.delete("mine")
    deleted = library.bytes_to_open("mine") + found.limit - found.limit // 4
    assert library.room(is_lecturers=True).taken == deleted, "until it is gone for good"
    library.restore("mine")
    with pytest.raises(LibraryFull):
        keep("more", secret)


def test_the_texts_of_a_study_are_the_lecturer_s_too(disk):
    library, corpus = server.library(), small().corpus
    for job_id, secret in (("own", lecturer.new_secret()), ("other", "a")):
        library.begin_job(job_id, "study", secret, replace(corpus, name=job_id), {})
    own = library.jobs.get("own")
    disk(0)
    taken = (library.folder / "corpora" / f"{own.corpus_key}.zip").stat().st_size
    assert library.room(is_lecturers=True).taken == taken
    with pytest.raises(LibraryFull):
        library.begin_job("more", "study", "a", corpus, {})


def test_what_guests_deleted_makes_room_for_guests(disk):
    keep("mine", lecturer.new_secret())
    for run_id in ("one", "mine"):
        server.library().delete(run_id)
    disk(100)
    keep("two")
    assert server.library().get("one") is not None, "it can be brought back"
    disk(1.2)
    with pytest.raises(LibraryFull):
        keep("three")
    assert server.library().get("one") is None
    assert server.library().get("mine") is not None, "the lecturer's can still be brought back"


def test_the_runs_page_says_what_the_disk_has_for_a_tab(disk):
    folder = plain(server.library().folder)
    said = texts(go(open_app(), "runs").caption)
    assert re.search(r"Saved runs and their texts take [\d.]+ MB of 3,072 MB\.", said)
    assert folder not in said
    said = texts(go(open_app(link=KEY), "runs").caption)
    assert re.search(rf"texts in {re.escape(folder)} take [\d.]+ MB of 4,096 MB\.", said)
    disk(0.5)
    said = texts(go(open_app(), "runs").warning)
    assert "No new run can be saved. Delete some of yours, or start the server with" in said


class Failing(type(make_method("hdp-tsvi"))):
    def step(self, state, batch, rng, pool):
        raise ZeroDivisionError("the weights vanished")


@pytest.mark.parametrize("owned", [True, False])
def test_the_details_of_a_failure_which_name_folders_are_for_its_owner(registry, owned):
    entry = launch(registry, Failing())
    address = {"run": entry.run_id, **({"own": entry.secret} if owned else {})}
    app = go(open_app(**address), "live")
    assert "stopped with an error: ZeroDivisionError: the weights vanished" in texts(app.error)
    assert __file__ in entry.background.error_details
    assert (__file__ in texts(app.code)) == owned
    assert ("Details for a report" in [e.label for e in app.expander]) == owned


@pytest.mark.second
def test_addresses_of_machines_and_folders_are_for_the_lecturer_alone(request):
    entry = launch(request.getfixturevalue("registry"))
    background = entry.background
    background.run.pool = ClusterPool("tcp://far:1")
    background.run.pool.note("Worker tcp://far:2 cannot read the corpus in /secret.")
    background.status, background.lost = "paused", True
    background.error = "The cluster at tcp://far:1 does not answer any more. Nothing is lost."

    def said(**address):
        app = go(open_app(run=entry.run_id, own=entry.secret, **address), "live")
        return texts(app.caption) + texts(app.error)

    told = said()
    assert "cannot be reached; your lecturer sees why" in told
    assert "does not answer any more" not in told
    assert "cannot read the corpus" not in told
    told = said(link=KEY)
    assert "does not answer any more. Nothing is lost" in told
    assert "cannot read the corpus in /secret." in told
