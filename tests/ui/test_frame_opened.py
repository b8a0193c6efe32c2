"""What is opened of saved runs, with which texts, and whose it is; by direct call."""

from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.compare import Race
from bnpexplorer.core.store import StoreError
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.runs import limits
from bnpexplorer.runs.run import Run
from bnpexplorer.ui.frame import access, holding, jobs, link, opening, server, session


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


def test_what_a_thread_opens_is_not_opened_by_the_page_and_every_run_is_held(tab, monkeypatch):
    opened, attached = [], []

    def opens(run_id):
        if run_id == "damaged":
            raise StoreError("Its file is damaged.")
        return run_id == "large"

    registry = SimpleNamespace(get=lambda _: None, attach=lambda *what: attached.append(what[1]))
    library = SimpleNamespace(jobs=SimpleNamespace(get=lambda _: None))
    monkeypatch.setattr(server, "registry", lambda: registry)
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(server, "open_saved", opened.append)
    monkeypatch.setattr(server, "open_chains", lambda group: None)
    monkeypatch.setattr(opening, "opens", opens)
    del tab["own"]
    st.query_params["run"] = "large,damaged,small"
    session.restore()
    assert opened == ["small"]
    assert tab["troubles"] == {"damaged": "Its file is damaged."}
    assert attached[:3] == ["large", "damaged", "small"]


@pytest.fixture
def chains(monkeypatch):
    """What the library has of a group of chains, and how they are opened."""
    found = SimpleNamespace(saved=[], let_go=[], held=(), secrets={}, there={})
    library = SimpleNamespace(
        chains=lambda group: found.saved if group == "g" else [],
        secret=lambda run_id: found.secrets.get(run_id, "their secret"),
        load=lambda run_id: SimpleNamespace(run_id=run_id, name="as it began"),
    )
    registry = SimpleNamespace(
        get=found.there.get,
        let_go=lambda run_id: found.let_go.append(run_id) or run_id not in found.held,
        add=lambda *given: given,
    )
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(server, "registry", lambda: registry)
    monkeypatch.setattr(server, "_source_of", lambda one: f"texts of {one.run_id}")
    monkeypatch.setattr(server, "chains_again", lambda *given: given)
    return found


def named(*run_ids):
    return [SimpleNamespace(run_id=run_id, name=f"given to {run_id}") for run_id in run_ids]


def test_chains_are_opened_under_their_names_where_two_of_them_are_left(chains):
    for few in ((), ("a",)):
        chains.saved = named(*few)
        assert server.open_chains("g") is None
    assert chains.let_go == [], "a run that is left alone is nobody's chain"
    chains.saved = named("a", "b")
    (runs, group, run_ids), *rest = server.open_chains("g")
    assert [run.name for run in runs] == ["given to a", "given to b"]
    assert [run.run_id for run in runs] == run_ids == ["a", "b"]
    assert group == "g"
    assert rest == ["texts of a", server.keep_all, "g", "their secret"]
    assert server.open_chains("") is None
    chains.there["g"] = "open already"
    assert server.open_chains("g") == "open already"


def test_a_chain_that_goes_on_alone_is_named_and_one_of_somebody_else_is_left_out(
    chains, monkeypatch
):
    chains.saved, chains.held = named("a", "b", "c"), ("b",)
    with pytest.raises(StoreError, match=r"^given to b goes on alone, or is not saved: look at it"):
        server.open_chains("g")
    chains.secrets["b"] = "somebody else's"
    monkeypatch.setenv(limits.SHARED, "1")
    (_, _, run_ids), *_ = server.open_chains("g")
    assert run_ids == ["a", "c"]
