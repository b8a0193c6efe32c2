"""After a server was killed a race, a study and a sweep go on by one click, with their texts."""

import pytest

from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.compare import FAILURES, Axis, Race, Sweep
from bnpexplorer.compare.sweep import sweeps_folder
from bnpexplorer.core.store import StoreError
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.ui.frame import jobs, server
from tests.tools.pages import button, check, choose, go, open_app, small, small_run, texts


@pytest.fixture(autouse=True)
def stopped(registry):
    """Threads of the server that came after are stopped, too."""
    yield
    server.registry().stop_all(60)


def killed():
    """This server is gone, and another one begins with what is on the disk."""
    for one in (server.registry, server.library, server._sources):
        one.clear()


def started(registry, kind):
    """(entry, what was started) of one that goes on, kept as it goes."""
    if kind == "race":
        return started_race(registry)
    if kind == "study":
        return started_study(registry, CLAIMS["batch-size-hdp"])
    return started_study(registry, Sweep("lda-svi", Axis("kappa", (0.6, 0.9))), sweeps_folder())


def started_race(registry):
    """A race that was saved after its second mini-batch and has learned one more since."""
    run, loaded = small_run(passes=6)
    other = Run(make_method("hdp-svi"), run.corpus, 0, passes=6, heldout=run.heldout)
    race = Race([run, other])
    entry = registry.add(race, loaded, jobs.keep_together)
    race.step()
    race.step()
    jobs.keep_together(entry, race, "running")
    race.step()
    return entry, race


def started_study(registry, experiment, folder=None):
    loaded = small("small-csv")
    study = Study(experiment, loaded.corpus, 600.0, 2, folder)
    entry = registry.add(study, loaded, jobs.keep_study)
    jobs.keep_study(entry, study, "running")
    return entry, study


@pytest.mark.second
def test_a_race_goes_on_by_one_click_with_its_texts(registry):
    entry, race = started_race(registry)
    killed()
    app = choose(go(open_app(), "compare"), "compare", "Race")
    assert "hdp-tsvi against hdp-svi" in texts(app.markdown)
    check(button(app, key=f"job-on-{entry.run_id}").click().run())
    again = server.registry().get(entry.run_id)
    assert again.secret == entry.secret
    assert again.background.run.run_ids == race.run_ids
    assert again.background.wait(300)
    assert again.background.status == "finished"
    assert app.session_state["loaded"].corpus.fingerprint == entry.source.corpus.fingerprint
    assert app.session_state["loaded"].corpus.docs.text is not None
    while not race.done:
        race.step()
    ours, theirs = race.runs[0].snapshot(), again.background.run.runs[0].snapshot()
    assert (ours.topics.topic_word == theirs.topics.topic_word).all(), "as if nothing had been"
    assert server.library().jobs.all() == []


@pytest.mark.second
@pytest.mark.parametrize("kind", ["race", "study", "sweep"])
def test_the_address_of_a_tab_brings_it_back(registry, kind):
    entry, _ = started(registry, kind)
    server.library().purge()
    killed()
    app = open_app(**{kind: entry.run_id, {"study": "key"}.get(kind, f"{kind}-key"): entry.secret})
    again = server.registry().get(entry.run_id)
    assert again is not None
    assert again.background.run is not entry.background.run
    assert app.session_state["loaded"].corpus.docs.text is not None
    page = go(app, "claims" if kind == "study" else "compare")
    if kind != "study":
        page = choose(page, "compare", kind.capitalize())
    check(button(page, "Resume").click().run())
    again.background.pause()
    again.background.settle(60)


@pytest.mark.second
@pytest.mark.parametrize("kind", ["study", "sweep"])
def test_a_study_goes_on_with_what_it_has_found_and_ends(registry, kind, monkeypatch):
    monkeypatch.setattr("bnpexplorer.claims.study.SHORTEST", 0.01)
    monkeypatch.setattr("bnpexplorer.claims.study.OVERHEAD", 0.0)
    experiment, folder = Sweep("lda-svi", Axis("kappa", (0.6, 0.9))), sweeps_folder()
    if kind == "study":
        experiment, folder = CLAIMS["batch-size-hdp"], None
    loaded, passes = small("small-csv"), 1 if kind == "study" else 0
    study = Study(experiment, loaded.corpus, 600.0 if passes else 0.4, 2, folder, passes=passes)
    entry = registry.add(study, loaded)
    while not study.findings:
        study.step()
    jobs.keep_study(entry, study, "running")
    killed()
    (job,) = jobs.interrupted(kind)
    again = jobs.open_job(kind, job.job_id)
    assert set(again.background.run.findings) == set(study.findings)
    assert again.source.corpus.docs.text is not None
    again.background.start()
    assert again.background.wait(300)
    assert again.background.status == "finished", again.background.error
    assert not again.background.run.waiting
    assert again.background.run.passes == passes
    assert jobs.interrupted(kind) == []


@pytest.mark.second
def test_what_cannot_go_on_says_why_and_can_be_forgotten(registry):
    entry, race = started_race(registry)
    killed()
    server.library().delete(race.run_ids[0])
    app = choose(go(open_app(), "compare"), "compare", "Race")
    check(button(app, key=f"job-on-{entry.run_id}").click().run())
    assert "A run of this race was deleted" in texts(app.error)
    check(button(app, key=f"job-forget-{entry.run_id}").click().run())
    assert jobs.interrupted("race") == []


@pytest.mark.second
def test_a_run_of_the_race_that_failed_stays_out_of_it(registry):
    entry, race = started_race(registry)
    race.failed[1] = "ValueError: too large"
    jobs.keep_together(entry, race, "running")
    server.library().rename(race.run_ids[0], "given since")
    killed()
    again = jobs.open_job("race", entry.run_id)
    assert again.background.run.failed == race.failed
    assert [run.name for run in again.background.run.runs] == ["given since", "hdp-svi"]


def test_a_failure_still_says_whether_it_shows(registry):
    failure = next(iter(FAILURES.values()))
    loaded = small()
    race = failure.race(loaded.corpus)
    entry = registry.add(race, loaded)
    race.prepare()
    jobs.keep_together(entry, race, "running")
    killed()
    again = jobs.open_job("race", entry.run_id).background.run
    assert (again.title, again.look_for) == (race.title, race.look_for)
    assert again.seen == failure.seen


@pytest.mark.second
def test_strangers_neither_see_nor_open_what_they_do_not_hold(registry, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1")
    entry, _ = started_race(registry)
    killed()
    app = choose(go(open_app(), "compare"), "compare", "Race")
    assert not [b for b in app.button if b.label == "Go on"]
    held = open_app(race_key=entry.secret, race=entry.run_id)
    assert entry.secret in held.session_state["held"]


def test_a_damaged_file_of_a_race_is_no_trouble(registry):
    entry, _ = started_race(registry)
    path = server.library().folder / "jobs" / f"{entry.run_id}.json"
    path.write_text(path.read_text().replace('"run_ids"', '"ids"'))
    killed()
    with pytest.raises(StoreError, match="cannot be opened again"):
        jobs.open_job("race", entry.run_id)
    assert jobs.open_job("race", "../../etc/passwd") is None
    path.write_text("[")
    assert jobs.interrupted("race") == []


def texts_on_disk():
    return list(server.library().folder.glob("corpora/*.zip"))


@pytest.mark.second
def test_a_race_that_was_stopped_has_ended(registry):
    """After a restart its runs open on Live; gone for good they take their texts with them."""
    entry, race = started_race(registry)
    first, second = race.run_ids
    address = {"race": entry.run_id, "race_key": entry.secret, "run": first, "own": entry.secret}
    entry.background.pause()
    entry.background.settle(60)
    app = open_app(**address)
    assert first in app.query_params["run"], "it opens when the race has ended"
    words = texts(go(app, "live").info)
    assert "stopped on the Compare page" in words
    assert "again" not in words
    assert jobs.interrupted("race") == []
    entry.background.stop()
    assert entry.background.wait(300)
    assert server.library().jobs.all() == []
    killed()
    app = open_app(**address)
    assert first in app.query_params["run"]
    assert server.registry().get(first).background.status == "paused"
    for run_id in (first, second):
        assert texts_on_disk()
        server.library().delete(run_id)
        server.library().purge()
    assert not texts_on_disk()


@pytest.mark.parametrize("kind", ["race", "study", "sweep"])
def test_what_is_paused_or_put_aside_for_others_goes_on_and_what_is_stopped_ends(registry, kind):
    entry, one = started(registry, kind)
    keep = jobs.keep_together if kind == "race" else jobs.keep_study
    registry.pause_all()
    keep(entry, one, "paused")
    assert len(server.library().jobs.all()) == 1
    entry.background.status, registry._kept = "paused", 0
    registry.add(small_run()[0])
    assert registry.get(entry.run_id) is None, "put aside"
    keep(entry, one, "stopped")
    assert [job.job_id for job in jobs.interrupted(kind)] == [entry.run_id]
    keep(server.registry().add(one, entry.source, keep, entry.run_id), one, "stopped")
    assert server.library().jobs.all() == []


def test_a_race_whose_runs_are_gone_for_good_goes_with_its_texts(registry):
    _, race = started_race(registry)
    killed()
    for run_id in race.run_ids:
        assert jobs.interrupted("race"), "a run of it is left"
        assert texts_on_disk()
        server.library().delete(run_id)
        assert jobs.interrupted("race"), "it can be brought back"
        server.library().purge()
    assert jobs.interrupted("race") == []
    assert not texts_on_disk()
