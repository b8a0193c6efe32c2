"""What the frame of the app decides for a tab and for its server, by direct call."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from bnpexplorer.chains import Chains
from bnpexplorer.compare import Race
from bnpexplorer.corpus import Corpus
from bnpexplorer.runs import limits
from bnpexplorer.runs.gate import TURN_SECONDS
from bnpexplorer.ui.frame import access, holding, jobs, opening, pages, reading, server, session
from bnpexplorer.ui.frame.words import told


@pytest.mark.parametrize(
    ("shared", "words"),
    [("", "The file /home/ann b/runs/r 1.zip is damaged."), ("1", "The file r 1.zip is damaged.")],
)
def test_only_a_shared_server_keeps_its_folders_to_itself(monkeypatch, shared, words):
    monkeypatch.setenv(limits.SHARED, shared)
    assert told(ValueError("The file /home/ann b/runs/r 1.zip is damaged.")) == words


# ---- what the address asks for -------------------------------------------------------------------


def test_an_address_asks_at_the_first_look_and_again_at_every_step_back(tab, monkeypatch):
    """A step back to an address that names nothing asks for what is there without a choice."""
    back = [False]
    monkeypatch.setattr(pages.address, "went_back", lambda: back[0])
    st.query_params["topic"] = "7"
    assert [pages.asked(name) for name in ("topic", "view")] == ["7", None]
    assert [pages.asked(name) for name in ("topic", "view")] == [None, None]
    back[0] = True
    st.query_params["topic"] = "9"
    for _ in range(2):
        assert [pages.asked(name) for name in ("topic", "view")] == ["9", ""]
    back[0] = False
    assert [pages.asked(name) for name in ("topic", "view")] == [None, None]


def test_runs_that_may_still_come_stay_in_the_address_and_keys_in_their_places(tab, monkeypatch):
    tab["own"] = {"here": "a", "gone": "b", "waits": "", "opens": "d"}
    tab |= {job: (f"its {job}", f"key to {job}") for job in session.JOBS}
    monkeypatch.setattr(session, "missing_runs", lambda: ["gone", "waits", "opens"])
    monkeypatch.setattr(session, "waits", lambda run_id: run_id == "waits")
    monkeypatch.setattr(session.opening, "under_way", lambda: ["opens"])
    monkeypatch.setattr(server, "registry", lambda: SimpleNamespace(get={"its race": "it"}.get))
    said = {name: value for name, value in session.in_address().items() if value}
    race = {"race": "its race", "race-key": "key to race"}
    assert said == {"run": "here,waits,opens", "own": "a,,d", **race}
    tab["own"] = {"here": "", "opens": ""}
    assert session.in_address()["own"] == "", "who watches has no key"


def test_a_step_stands_in_the_address_of_who_reads_a_lesson_alone(tab):
    reading.turn_to("tour", 3)
    assert reading.in_address() == {"lesson": "tour", "step": "3"}
    reading.leave()
    assert reading.in_address() == {"lesson": "", "step": ""}


def test_every_look_at_a_page_has_its_own_patience(tab):
    tab |= {"opening": ["a"], opening.WAITED: 0.25}
    opening.begin()
    assert (tab["opening"], tab[opening.WAITED]) == ([], 0.0)


# ---- runs of others ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Race, "is in a race that goes on: stop the race on the Compare page first"),
        (Chains, "is among chains that go on: stop the chains on the Compare page first"),
    ],
)
def test_a_run_that_goes_on_with_others_says_with_which(monkeypatch, kind, said):
    entry = SimpleNamespace(background=SimpleNamespace(run=object.__new__(kind)))
    monkeypatch.setattr(server, "race_of", {"a": entry}.get)
    assert holding.why_not("a") == said
    assert not holding.may_control("a")


def test_runs_are_seen_that_the_address_names_that_are_on_the_page_or_held(tab, monkeypatch):
    monkeypatch.setenv(limits.SHARED, "1")
    runs = [SimpleNamespace(run_id=f"{name}-run") for name in ("a", "b", "c", "d", "e")]
    asked = []
    library = SimpleNamespace(saved=lambda deleted=False: asked.append(deleted) or runs)
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(access, "holds", lambda run_id: run_id == "d-run")
    tab["own"] = {"b-run": ""}
    assert [one.run_id[0] for one in holding.saved_runs(["e-run", "gone"])] == ["b", "d", "e"]
    assert [one.run_id[0] for one in holding.saved_runs()] == ["b", "d"]
    assert [one.run_id[0] for one in holding.deleted_runs()] == ["d"], "to bring back is to control"
    assert asked == [False, False, True]
    monkeypatch.setenv(limits.SHARED, "")
    assert holding.saved_runs() == holding.deleted_runs() == runs


@pytest.mark.parametrize(
    ("status", "not_kept", "again"),
    [
        ("stopped", "", True),
        ("failed", "", True),
        ("stopped", "the disk is full", False),
        ("failed", "the disk is full", False),
        ("finished", "", False),
        ("paused", "", False),
        ("running", "", False),
    ],
)
def test_only_what_stopped_and_was_saved_is_taken_up_from_the_disk(
    monkeypatch, status, not_kept, again
):
    renewed = []
    entry = SimpleNamespace(background=SimpleNamespace(status=status, not_kept=not_kept))
    registry = SimpleNamespace(get={"a": entry}.get, renew=renewed.append)
    monkeypatch.setattr(server, "registry", lambda: registry)
    for run_id in ("a", "not here"):
        holding.take_up_again(SimpleNamespace(run_id=run_id))
    assert renewed == ["a"] * again


@pytest.mark.parametrize(
    ("shared", "held", "owned", "controls"),
    [
        ("", False, True, True),
        ("", True, False, False),
        ("1", False, True, False),
        ("1", True, True, True),
        ("1", True, False, False),
    ],
)
def test_chains_are_controlled_by_whoever_holds_them_and_not_by_their_name(
    monkeypatch, shared, held, owned, controls
):
    monkeypatch.setenv(limits.SHARED, shared)
    entry, done = SimpleNamespace(run_id="group"), []
    monkeypatch.setattr(session, "_chains", {"group": entry}.get)
    monkeypatch.setattr(access, "holds", lambda run_id: held and run_id == "group")
    monkeypatch.setattr(session, "hold_job", lambda *what: done.append(what))
    monkeypatch.setattr(session, "show_chains", lambda: done.append("shown"))
    assert not session.open_chains("gone", owned)
    assert done == []
    assert session.open_chains("group", owned)
    assert done == [("chains", entry, controls), "shown"]


def test_runs_of_the_same_texts_have_their_own_baselines(monkeypatch):
    """Each of its own held-out documents."""
    corpus = Corpus.from_csr(np.eye(3, dtype=int), ("a", "b", "c"))
    runs = [SimpleNamespace(corpus=corpus, heldout={"score": score}) for score in (-1.5, -2.5)]
    monkeypatch.setattr(session, "unigram_score", lambda of, heldout: heldout["score"])
    found = [session.unigram_of(name, run) for name, run in zip("ab", runs, strict=True)]
    assert found == [-1.5, -2.5]
    assert math.isnan(session.unigram_of("c", SimpleNamespace(corpus=corpus, heldout=None)))


def test_what_was_interrupted_is_of_its_kind_and_not_on_this_server(monkeypatch):
    kept = [
        SimpleNamespace(kind=kind, job_id=name)
        for kind, name in (("race", "c"), ("sweep", "b"), ("race", "here"), ("race", "a"))
    ]
    library = SimpleNamespace(jobs=SimpleNamespace(all=lambda: kept))
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(server, "registry", lambda: SimpleNamespace(get={"here": "it"}.get))
    assert [job.job_id for job in jobs.interrupted("race")] == ["c", "a"]
    assert jobs.interrupted("sweep") == [kept[1]]


# ---- the server ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("shared", "turn"), [("", math.inf), ("1", TURN_SECONDS)])
def test_runs_take_turns_in_a_class_alone_and_at_the_pace_that_is_asked_for(
    monkeypatch, shared, turn
):
    monkeypatch.setenv(limits.SHARED, shared)
    monkeypatch.setenv("BNPEXPLORER_GRACE_SECONDS", "7.5")
    monkeypatch.setenv("BNPEXPLORER_STEP_SECONDS", "0.25")
    at_the_end = []
    monkeypatch.setattr(server, "atexit", SimpleNamespace(register=at_the_end.append))
    monkeypatch.setattr(server, "stop_with_terminal", lambda: at_the_end.append("terminal"))
    runs = server.Once(server.registry._make)()
    assert (runs._gate.limit, runs._gate.turn_seconds) == (2, turn)
    assert (runs._grace_seconds, runs._step_seconds) == (7.5, 0.25)
    assert at_the_end == [runs.pause_all, "terminal"]


def test_tabs_that_are_gone_are_lost_and_those_that_are_there_again_come_back(monkeypatch):
    done = []
    registry = SimpleNamespace(
        tabs=["here", "gone", "gone too"],
        lost=["back", "away"],
        lose=lambda tab: done.append(("lose", tab)),
        come_back=lambda tab: done.append(("come back", tab)),
    )
    monkeypatch.setattr(server, "registry", lambda: registry)
    monkeypatch.setattr(server, "is_open", {"here": True, "back": True}.get)
    server.drop_gone_tabs()
    assert done == [("lose", "gone"), ("lose", "gone too"), ("come back", "back")]


@pytest.mark.parametrize("known", [None, "its own true topics"])
def test_a_saved_run_is_opened_with_all_that_was_saved_of_it(monkeypatch, known):
    """Its true topics stood with its texts in earlier versions."""
    run = SimpleNamespace(name="as it began", known=known)
    facts = {"error": "no more numbers"}
    saved = SimpleNamespace(
        run_id="a", name="given since", deleted=None, facts=facts, labels="labels", corpus_key="k"
    )
    library = SimpleNamespace(
        get={"a": saved}.get,
        load={"a": run}.get,
        secret={"a": "its secret"}.get,
        corpus={"a": "its texts"}.get,
        origin={"a": ("its report", "true topics")}.get,
    )
    registry = SimpleNamespace(get=lambda _: None, entries=list, add=lambda *given: given)
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(server, "registry", lambda: registry)
    monkeypatch.setattr(server, "_sources", dict)
    source = server.LoadedCorpus("its texts", "its report", "true topics")
    rest = ("a", "its secret", "labels", "no more numbers")
    assert server.open_saved("a") == (run, source, server.keep, *rest)
    assert run.name == "given since"
    assert run.known == (known or "true topics")
    del facts["error"]
    assert server.open_saved("a")[-1] == ""


@pytest.mark.parametrize("status", ["paused", "failed"])
def test_of_several_runs_that_cannot_be_written_the_first_says_why(monkeypatch, status):
    """A run that failed of itself is written as such, whatever becomes of the others."""
    written, failed = [], []

    def write(run_id, entry, run, status):
        written.append((run_id, entry, run, status))
        if run_id in "bd":
            raise OSError(f"no room for {run_id}")

    monkeypatch.setattr(server, "write", write)
    library = SimpleNamespace(fail=lambda *what: failed.append(what))
    monkeypatch.setattr(server, "library", lambda: library)
    noted = []
    together = SimpleNamespace(
        note=lambda: noted.append(written[:]), run_ids="abcd", runs=[5, 6, 7, 8], failed={2: "inf"}
    )
    if status == "failed":
        server.keep_all("entry", together, status)
        assert written == []
    else:
        with pytest.raises(OSError, match="no room for b"):
            server.keep_all("entry", together, status)
        some = (("a", 5), ("b", 6), ("d", 8))
        assert written == [(name, "entry", run, status) for name, run in some]
    assert failed == [("c", "inf")]
    assert noted == [[]], "before anything is written"
