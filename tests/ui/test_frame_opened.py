"""What is opened of saved runs, with which texts, and whose it is; by direct call."""

from types import SimpleNamespace

import pytest

from bnpexplorer.compare import Race
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.runs import limits
from bnpexplorer.runs.run import Run
from bnpexplorer.ui.frame import access, holding, jobs, link, server, session


def test_a_file_opens_stored_texts_of_this_tab_s_own_runs_alone(tab, monkeypatch):
    """Its maker may have read their fingerprint on somebody else's page."""
    monkeypatch.setenv(limits.SHARED, "1")

    class Stored(StoredCorpus):
        manifest = SimpleNamespace(fingerprint="abc")

    corpora = {key: object.__new__(Stored) for key in ("abc-1", "abc-2")}
    runs = [
        SimpleNamespace(run_id=run_id, corpus_key=key)
        for run_id, key in (("watched", "abc-1"), ("other", "abd-1"), ("mine", "abc-2"))
    ]
    library = SimpleNamespace(saved=lambda: runs, texts=corpora.get)
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(access, "holds", lambda run_id: run_id in ("mine", "other"))
    tab["own"] = {"watched": ""}
    assert holding.corpus_at_hand("abc") is corpora["abc-2"]
    assert holding.corpus_at_hand("abd") is None, "its texts are not stored so"
    runs.pop()
    assert holding.corpus_at_hand("abc") is None


def test_runs_that_share_texts_read_them_once_with_their_own_report(monkeypatch):
    asked, kept = [], {}
    library = SimpleNamespace(
        corpus=lambda run_id: asked.append(run_id) or "texts",
        origin=lambda run_id: ("its report" if run_id == "a" else None, "true"),
    )
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(server, "_sources", lambda: kept)
    monkeypatch.setattr(server, "described", lambda corpus: f"{corpus} described")
    found = [
        server._source_of(SimpleNamespace(run_id=run_id, corpus_key=key))
        for run_id, key in (("a", "k"), ("b", "k"), ("c", "l"))
    ]
    assert asked == ["a", "c"]
    assert found[0] is found[1]
    assert found[0] == server.LoadedCorpus("texts", "its report", "true")
    assert found[2].report == "texts described"


@pytest.mark.parametrize("ended", [False, True])
def test_a_race_has_its_runs_until_it_ends(monkeypatch, ended):
    race = object.__new__(Race)
    race.run_ids = ["a", "b"]
    entries = [
        SimpleNamespace(background=SimpleNamespace(run=run, ended=False))
        for run in (SimpleNamespace(run_ids=["a"]), race)
    ]
    entries[1].background.ended = ended
    monkeypatch.setattr(server, "registry", lambda: SimpleNamespace(entries=lambda: entries))
    assert server.race_of("b") is (None if ended else entries[1])
    assert server.race_of("c") is None


def test_what_was_kept_is_opened_as_its_own_kind(monkeypatch):
    kept = SimpleNamespace(kind="sweep", job_id="s", secret="secret")
    library = SimpleNamespace(jobs=SimpleNamespace(get={"s": kept}.get))
    registry = SimpleNamespace(get={"here": "it"}.get, add=lambda *given: given)
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(server, "registry", lambda: registry)
    monkeypatch.setattr(jobs, "_texts_of", lambda job: "texts")
    makers = {kind: (lambda job, source, kind=kind: kind, f"keep {kind}") for kind in jobs.MAKERS}
    monkeypatch.setattr(jobs, "MAKERS", makers)
    assert jobs.open_job("race", "s") is None
    assert jobs.open_job("race", "gone") is None
    assert jobs.open_job("race", "here") == "it"
    assert jobs.open_job("sweep", "s") == ("sweep", "texts", "keep sweep", "s", "secret")


@pytest.mark.parametrize(("lecturers", "before"), [(True, False), (False, True), (False, False)])
@pytest.mark.parametrize("owned", [True, False])
def test_only_what_a_tab_controls_goes_over_to_the_lecturer_and_stays_there(
    tab, monkeypatch, lecturers, before, owned
):
    attached = []
    registry = SimpleNamespace(attach=lambda *what: attached.append(what))
    monkeypatch.setattr(server, "registry", lambda: registry)
    monkeypatch.setattr(session, "tab_id", lambda: "me")
    tab[link.LINK] = "key" if lecturers else ""
    background = SimpleNamespace(is_lecturers=before)
    entry = SimpleNamespace(run_id="it", secret="secret", background=background)
    session.hold_job("race", entry, owned)
    assert background.is_lecturers == (before or (owned and lecturers))
    assert tab["race"] == ("it", "secret" if owned else "")
    assert tab["held"] == ({"secret"} if owned else set())
    assert attached == [("me", "it")]


def test_a_run_that_was_saved_without_a_secret_is_nobody_s(tab, monkeypatch):
    entries = {
        name: SimpleNamespace(background=SimpleNamespace(run=object.__new__(Run)))
        for name in ("a", "b")
    }
    registry = SimpleNamespace(get=entries.get, owned=lambda run_id, key: True)
    monkeypatch.setattr(server, "registry", lambda: registry)
    monkeypatch.setattr(link, "take_over", lambda background: None)
    tab["own"] = {"a": "", "gone": "x", "b": "secret"}
    found = session.shown_runs()
    assert [one.entry for one in found] == [entries["a"], entries["b"]]
    assert [one.owned for one in found] == [False, True]
