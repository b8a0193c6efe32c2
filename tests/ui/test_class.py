"""A class through `app.py`, without a browser: the link in the address has its share of all."""

from dataclasses import replace
from functools import partial

import pytest

from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.cluster import ClusterPool
from bnpexplorer.methods import make_method
from bnpexplorer.runs import limits, links
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.saved import bundle
from bnpexplorer.saved.library import LibraryFull
from bnpexplorer.saved.shares import kept_by
from bnpexplorer.ui.frame import jobs, link, server
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
ME = links.name_of(KEY)


@pytest.fixture(autouse=True)
def in_a_class(monkeypatch):
    monkeypatch.setenv(limits.SHARED, "1")
    monkeypatch.setenv(links.LECTURER, KEY)
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
    assert len({background.link for background in guests}) == 2
    until(lambda: sorted(g.status for g in guests) == ["queued", "queued", "running", "running"])

    app = watch_it_learn(link=KEY)
    own = [entry for entry in registry.entries() if entry.background not in guests]
    assert all(links.link_of(entry.secret) == ME == entry.background.link for entry in own)
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
    assert waits.background.link == links.link_of(waits.secret)
    open_app(link=KEY, run=waits.run_id, own=waits.secret)
    assert waits.background.link == ME


@pytest.mark.parametrize("named", ["", "x" * 65, "a.b", "<b>", "a,b", "ä"])
def test_what_is_no_name_is_not_taken_for_one(named):
    assert link._first((named, "second")) == "second"
    assert len(link._first((named,))) == 12


def test_without_a_name_in_the_address_a_tab_gets_one_that_its_secrets_keep(registry):
    named = "a.b"
    app = watch_it_learn(link=named)
    first, second = registry.entries()
    name = first.background.link
    assert name == second.background.link == links.link_of(first.secret) != named
    assert first.secret != second.secret, "who reads the texts of one does not read the other's"
    assert "link" not in app.query_params
    again = watch_it_learn(run=first.run_id, own=first.secret)  # after a reload
    assert again.session_state["link"] == name


def test_who_was_given_a_run_of_the_lecturer_s_is_not_the_lecturer(registry):
    run, loaded = small_run()
    entry = registry.add(run, loaded, secret=links.new_secret(ME))
    secret = entry.secret
    given = open_app(run=entry.run_id, own=secret)
    assert given.session_state["own"] == {entry.run_id: secret}, "it controls the run"
    names = {given.session_state["link"]}
    for part in (ME, secret.partition(".")[0], secret.partition(".")[2]):  # all that it can try
        names.add(open_app(run=entry.run_id, own=secret, link=part).session_state["link"])
    assert ME not in names
    assert KEY not in secret
    assert open_app(run=entry.run_id, own=secret, link=KEY).session_state["link"] == ME


def test_alone_nothing_has_a_link(registry, monkeypatch):
    monkeypatch.setenv(limits.SHARED, "")
    app = watch_it_learn(link=KEY)
    assert {entry.background.link for entry in registry.entries()} == {""}
    assert not any("." in entry.secret for entry in registry.entries())
    assert "link" not in app.session_state


def test_more_runs_than_a_share_are_refused_on_the_page(registry, monkeypatch):
    monkeypatch.setattr(links, "MOST_GOING", 1)
    app = open_app()
    next(r for r in app.radio if r.key == "start-sample").set_value("small-csv")
    check(button(app, "Watch it learn").click().run())
    assert "each of you may have 1 runs, races and studies" in texts(app.error)
    assert not registry.entries(), "none of the two"


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
    """A paused run of the link "a" on the Live page, with this button."""
    run, loaded = small_run()
    entry = server.registry().add(run, loaded, secret=links.new_secret("a"))
    entry.background.status = "paused"
    return go(open_app(run=entry.run_id, own=entry.secret), "live"), {"words": words}


def on_runs():
    keep("a", "saved")
    app = open_app(run="saved", own=server.library().secret("saved"))
    app.session_state[TICKED] = ["saved"]
    return go(app, "runs"), {"key": "runs-resume"}


def on_claims(in_list):
    entry = server.registry().add(a_study(), small(), secret=links.new_secret("a"))
    entry.background.status = "paused"
    app = go(open_app(study=entry.run_id, key=entry.secret), "claims")
    if not in_list:
        return app, {"words": "Resume"}
    check(button(app, "Another claim").click().run())
    entry.background.status = "paused"
    return app, {"key": f"watch-{entry.run_id}"}


def on_claims_after_a_restart():
    study, secret = a_study(), links.new_secret("a")
    entry = server.registry().add(study, small(), run_id="study", secret=secret)
    jobs.keep_study(entry, study, "running")
    app = open_app(study="study", key=secret)
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
def test_more_than_a_share_does_not_go_on_either(registry, nothing_begins, monkeypatch, place):
    monkeypatch.setattr(links, "MOST_GOING", 1)
    app, what = place()
    other = server.registry().add(small_run()[0], secret=links.new_secret("a")).background
    other.status = "queued"
    check(button(check(app.run()), **what).click().run())
    assert "1 runs, races and studies going at once, and you have 1: pause" in texts(app.error)
    assert not nothing_begins
    other.status = "paused"
    again = [b for b in app.button if b.label in ("Resume", "Step", "Go on") and not b.disabled]
    check(next(b for b in again if b.label == what.get("words", b.label)).click().run())
    assert len(nothing_begins) == 1
    assert "pause or stop one" not in texts(app.error), "it is said once"


def test_of_two_that_ask_at_once_for_the_last_place_one_gets_it(registry, monkeypatch):
    monkeypatch.setattr(links, "MOST_GOING", 1)
    monkeypatch.setattr(BackgroundRun, "_work", lambda self: None)  # its thread is not there yet
    first, second = (
        registry.add(small_run()[0], secret=links.new_secret("a")).background for _ in range(2)
    )
    registry.resume(first, first.step_once)
    registry.resume(first, first.start)  # it goes on already
    with pytest.raises(ValueError, match="you have 1"):
        registry.resume(second, second.start)


def test_what_the_lecturer_goes_on_with_takes_the_lecturer_s_place(registry, nothing_begins):
    entry = registry.add(a_study(), small(), secret=links.new_secret("a"))
    entry.background.status = "paused"
    page = go(open_app(link=KEY, study=entry.run_id, key=entry.secret), "claims")
    check(button(page, "Resume").click().run())
    assert (entry.background.link, len(nothing_begins)) == (ME, 1)


@pytest.mark.parametrize("page", ["claims", "compare"])
def test_a_claim_and_a_sweep_have_their_minutes(registry, nothing_begins, monkeypatch, page):
    module, start = {"claims": ("claims.study", "Try it"), "compare": ("compare.sweep", "Start")}[
        page
    ]
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


def keep(link, run_id):
    run, loaded = small_run()
    server.library().keep(run_id, run, loaded.corpus, "paused", links.new_secret(link))


def test_a_link_keeps_its_share_of_runs_and_what_it_deleted_makes_room(registry, monkeypatch):
    monkeypatch.setattr(links, "MOST_KEPT", 2)
    for run_id in ("one", "two"):
        keep("a", run_id)
    with pytest.raises(LibraryFull, match="2 saved runs, races and studies"):
        keep("a", "three")
    keep("b", "other")
    for run_id in ("m1", "m2", "m3"):
        keep(ME, run_id)
    server.library().delete("one")
    server.library().delete("other")
    keep("a", "three")
    assert server.library().get("one") is None, "it makes room"
    assert server.library().get("other") is not None, "that of another link does not"


def test_a_link_takes_its_share_of_the_disk_and_the_lecturer_s_stays(registry, monkeypatch):
    keep("a", "one")
    taken = server.library().n_bytes
    monkeypatch.setattr(links, "LEAST_DISK", 0)
    monkeypatch.setattr(links, "disk_limit", lambda: taken)
    with pytest.raises(LibraryFull, match="in this class your share is 0 MB"):
        keep("a", "two")
    with pytest.raises(LibraryFull):
        keep("b", "two")
    keep(ME, "mine")
    monkeypatch.setattr(links, "disk_limit", lambda: 10 * taken)
    keep("b", "two")


def test_what_a_link_keeps_is_its_runs_and_their_texts(registry):
    library = server.library()
    for run_id in ("one", "two"):
        keep("a", run_id)
    runs = sum(saved.n_bytes for saved in library.saved())
    (corpus,) = (library.folder / "corpora").glob("*.zip")
    kept = kept_by(library, "a")
    assert min(saved.n_bytes for saved in library.saved()) > 1000
    assert (kept.n_kept, kept.n_bytes) == (2, runs + corpus.stat().st_size)


def test_studies_take_of_a_link_s_share_with_their_texts(registry, monkeypatch):
    library, corpus = server.library(), small().corpus

    def begin(of, job_id, texts):
        secret = links.new_secret(of)
        library.begin_job(job_id, "study", secret, replace(corpus, name=texts), {})

    begin("a", "one", "texts")
    begin("a", "two", "texts")
    taken, kept = library.n_bytes, kept_by(library, "a")
    assert (kept.n_kept, kept.n_bytes, kept.others) == (2, taken, 0), "the texts count once"
    begin("b", "other", "texts")
    kept = kept_by(library, "b")
    assert (kept.n_bytes, kept.others, kept.n_links) == (taken, taken, 2)
    monkeypatch.setattr(links, "LEAST_DISK", 0)
    monkeypatch.setattr(links, "disk_limit", lambda: 2 * taken)
    with pytest.raises(LibraryFull, match="What you saved takes"):
        begin("a", "three", "more")
    assert library.n_bytes == taken
    monkeypatch.setattr(links, "disk_limit", lambda: 2**40)
    monkeypatch.setattr(links, "MOST_KEPT", 3)
    keep("a", "run")
    with pytest.raises(LibraryFull, match="3 saved runs, races and studies"):
        begin("a", "three", "texts")
    with pytest.raises(LibraryFull):
        keep("a", "second")
    library.jobs.remove("one")
    begin("a", "three", "texts")


def test_the_runs_page_says_what_a_share_is(registry, monkeypatch):
    keep(links.name_of("a"), "one")
    app = go(open_app(link="a"), "runs")
    assert "You keep 1 of 24 runs, races and studies; with their texts they take" in texts(
        app.caption
    )
    assert "MB of your 3,072 MB" in texts(app.caption)
    assert "You keep 0 of 24 runs" in texts(go(open_app(), "runs").caption)
    app = go(open_app(link=KEY), "runs")
    assert (
        "You keep 0 runs, races and studies; with their texts they take 0.0 MB of your 4,096 MB"
        in texts(app.caption)
    )
    monkeypatch.setattr(links, "MOST_KEPT", 1)
    assert "each of you may keep 1: delete a run" in texts(go(open_app(link="a"), "runs").warning)


def test_an_imported_run_is_of_the_tab_s_share(registry, tmp_path):
    keep("a", "one")
    with (tmp_path / "x.zip").open("wb") as file:
        bundle.export(server.library(), "one", file)
    secret = links.new_secret("b")
    run_id = bundle.add(server.library(), bundle.read(tmp_path / "x.zip"), secret)
    assert server.library().secret(run_id) == secret
    assert server.library().secret(bundle.add(server.library(), bundle.read(tmp_path / "x.zip")))


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
