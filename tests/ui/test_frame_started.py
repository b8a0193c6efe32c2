"""What the frame starts, writes and opens again, and with what; by direct call."""

from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.runs import limits
from bnpexplorer.ui.frame import jobs, link, look, opening, present, server, session

# ---- texts ---------------------------------------------------------------------------------------


def test_a_sample_is_drawn_by_its_seed_and_has_its_own_report_where_it_has_one(tab, monkeypatch):
    samples = {
        ("bars", 7): SimpleNamespace(corpus="the bars", report=None, true_topics="true"),
        ("sotu", 0): SimpleNamespace(corpus="the speeches", report="its report", true_topics=None),
    }
    monkeypatch.setattr(session, "load_sample", lambda *asked: samples[asked])
    monkeypatch.setattr(session, "describe", lambda corpus: f"of {corpus}")
    found = session.use_sample("bars", 7)
    assert found == server.LoadedCorpus("the bars", "of the bars", "true")
    assert tab["loaded"] is found
    looked_at = session.sample_of("sotu")
    assert looked_at == server.LoadedCorpus("the speeches", "its report", None)
    assert tab["loaded"] is found, "it is only looked at"


@pytest.mark.parametrize("loaded", [None, "texts of its own"])
def test_texts_of_the_runs_are_a_tab_s_where_it_has_chosen_no_others(tab, monkeypatch, loaded):
    del tab["own"]
    if loaded:
        tab["loaded"] = loaded
    entry = SimpleNamespace(run_id="a", background=None)
    registry = SimpleNamespace(get={"a": entry}.get, attach=lambda *what: None)
    monkeypatch.setattr(server, "registry", lambda: registry)
    monkeypatch.setattr(session, "_open_again", lambda job, job_id: None)
    monkeypatch.setattr(server, "open_saved", lambda run_id: entry)
    monkeypatch.setattr(opening, "opens", lambda run_id: False)
    monkeypatch.setattr(session, "shown_runs", lambda: [session.RunOnPage(entry, False)])
    monkeypatch.setattr(session.access, "texts_of", lambda one: f"texts of {one.run_id}")
    st.query_params["run"] = "a"
    session.restore()
    assert tab["loaded"] == (loaded or "texts of a")


# ---- runs ----------------------------------------------------------------------------------------


def started(monkeypatch, registry):
    done = []
    background = SimpleNamespace(
        start=lambda: done.append("started"), settle=lambda: done.append("settled")
    )
    entry = SimpleNamespace(run_id="new", secret="its secret", background=background)

    def add(*what, **more):
        done.append((what, more))
        return entry

    monkeypatch.setattr(registry, "add", add)
    monkeypatch.setattr(registry, "attach", lambda *what: done.append(what))
    return entry, done


def test_a_run_has_begun_before_its_buttons_are_drawn(tab, registry, monkeypatch):
    _, done = started(monkeypatch, registry)
    monkeypatch.setattr(link, "secret", lambda: "of the lecturer")
    run, loaded = SimpleNamespace(known=None), server.LoadedCorpus("texts", None, "true")
    asked = []
    plan = SimpleNamespace(split_and_start=lambda *what: asked.append(what) or run)
    session.launch(plan, loaded, "its name", 2.5)
    assert asked == [("texts", "its name")]
    (what, more), attached, *rest = done
    assert what == (run, loaded, server.keep)
    assert more == {"secret": "of the lecturer", "tenfold_seconds": 2.5}
    assert attached == ("me", "new")
    assert rest == ["started", "settled"]


def test_what_is_started_together_has_the_secret_of_its_tab(tab, registry, monkeypatch):
    entry, done = started(monkeypatch, registry)
    monkeypatch.setattr(link, "secret", lambda: "of the lecturer")
    monkeypatch.setattr(session, "hold_job", lambda *what: done.append(what))
    together, loaded = SimpleNamespace(runs=[]), server.LoadedCorpus("texts")
    session.launch_together("race", together, loaded)
    (what, _), held, began = done
    assert what == (together, loaded, jobs.keep_together, "", "of the lecturer")
    assert (held, began) == (("race", entry), "started")
    assert tab["loaded"] is loaded


@pytest.mark.parametrize(
    ("shared", "kept", "opened"),
    [
        ("", None, True), ("", "somebody's", True), ("1", "mine", True), ("1", "theirs", False),
        ("1", None, False),
    ],
)  # fmt: skip
def test_what_was_kept_is_opened_again_on_a_shared_server_for_its_owner_alone(
    tab, monkeypatch, shared, kept, opened
):
    monkeypatch.setenv(limits.SHARED, shared)
    asked, job = [], kept and SimpleNamespace(secret=kept)
    library = SimpleNamespace(jobs=SimpleNamespace(get={"it": job}.get))
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(jobs, "open_job", lambda *what: asked.append(what))
    monkeypatch.setattr(session, "_chains", lambda group: asked.append(("chains of", group)))
    tab["held"] = {"mine"}
    session._open_again("study", "it")
    assert asked == [("study", "it")] * opened
    asked.clear()
    session._open_again("chains", "it")
    assert asked == [("chains of", "it")]


# ---- written and opened again --------------------------------------------------------------------


def test_a_run_is_written_with_all_that_is_known_of_its_texts(monkeypatch):
    written = []
    library = SimpleNamespace(keep=lambda *what: written.append(what))
    monkeypatch.setattr(server, "library", lambda: library)
    entry = SimpleNamespace(
        source=server.LoadedCorpus("texts", "report", "true"), secret="its secret"
    )
    server.write("a", entry, "run", "paused")
    assert written == [("a", "run", "texts", "paused", "its secret", "report", "true")]
    with pytest.raises(ValueError, match=r"^Its texts are not at hand"):
        server.write("a", SimpleNamespace(source="texts"), "run", "paused")


@pytest.mark.parametrize("outdated", [False, True])
def test_a_run_that_goes_on_from_the_disk_is_opened_in_its_place(monkeypatch, outdated):
    there = SimpleNamespace(outdated=outdated)
    monkeypatch.setattr(server, "registry", lambda: SimpleNamespace(get={"a": there}.get))
    monkeypatch.setattr(server, "race_of", lambda run_id: None)
    monkeypatch.setattr(server, "library", lambda: SimpleNamespace(get=lambda run_id: None))
    assert server.open_saved("a") is (None if outdated else there)


def test_a_race_that_is_opened_again_says_which_of_its_runs_failed(monkeypatch):
    rows = {
        "a": SimpleNamespace(name="one", deleted=None, facts={"status": "paused"}),
        "b": SimpleNamespace(
            name="two", deleted=None, facts={"status": "failed", "error": "no more numbers"}
        ),
    }
    made, shared = [], []
    library = SimpleNamespace(get=rows.get, load=lambda run_id: SimpleNamespace(run_id=run_id))
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(server, "registry", lambda: SimpleNamespace(let_go=lambda run_id: True))
    monkeypatch.setattr(jobs, "share_texts", lambda runs: shared.append(len(runs)))

    def race(*what):
        made.append(what)
        return SimpleNamespace(failed={})

    monkeypatch.setattr(jobs, "Race", race)
    about = {"run_ids": ["a", "b"], "title": "A title", "look_for": "what to see"}
    found = jobs._race_again(SimpleNamespace(about=about), "texts")
    assert found.failed == {1: "no more numbers"}
    ((runs, *rest),) = made
    assert [(run.run_id, run.name) for run in runs] == [("a", "one"), ("b", "two")]
    assert rest == ["A title", "what to see", None, ["a", "b"]]
    assert shared == [2], "they learn the same texts"


@pytest.mark.parametrize("passes", [3, None])
def test_a_study_is_opened_again_with_its_time_seeds_and_passes(monkeypatch, passes):
    made = []
    monkeypatch.setattr(jobs, "Study", lambda *what, **more: made.append((what, more)))
    monkeypatch.setattr(jobs, "CLAIMS", {"kappa": "the claim"})
    about = {"budget": 90.0, "n_seeds": 4, "claim": "kappa"}
    about |= {} if passes is None else {"passes": passes}
    jobs._study_again(SimpleNamespace(kind="study", about=about), server.LoadedCorpus("texts"))
    assert made == [(("the claim", "texts", 90.0, 4), {"passes": passes or 0})]


def test_the_first_page_loads_kernels_reads_a_sample_and_readies_a_child(monkeypatch):
    done = []
    monkeypatch.setattr(server, "warm_in_turn", lambda method: done.append(method.name))
    monkeypatch.setattr(server, "load_sample", done.append)
    monkeypatch.setattr(server, "CHILDREN", SimpleNamespace(warm=lambda: done.append("a child")))
    monkeypatch.setattr(server, "spare_collector", lambda: done.append("spared"))

    class Now:
        def __init__(self, target, args, daemon, name):
            self.begin = lambda: target(*args)

        def start(self):
            self.begin()

    monkeypatch.setattr(server, "threading", SimpleNamespace(Thread=Now))
    server.prepare_first_page._make()
    assert done == [*server.FIRST_METHODS, "spared", server.FIRST_SAMPLE, "spared", "a child",
                    "spared"]  # fmt: skip


# ---- presenting, and large type ------------------------------------------------------------------


def test_only_beginning_and_ending_to_present_counts_as_a_change(tab, monkeypatch):
    clock = iter((100.0, 200.0, 300.0, 400.0))
    monkeypatch.setattr(present, "time", SimpleNamespace(time=lambda: next(clock)))
    tab |= {present.KEPT: 0, present.SINCE: 50.0}
    found = []
    for number in (0, 2, 3, 3, 0, 0):
        present.turn_to(number)
        found.append(tab[present.SINCE])
    assert found == [50.0, 100.0, 100.0, 100.0, 200.0, 200.0]


def test_large_type_is_asked_of_the_address_at_the_first_look_alone(tab, monkeypatch):
    monkeypatch.setattr(look, "is_embedded", lambda: False)
    monkeypatch.setattr(look, "_styles", lambda: "<style></style>")
    monkeypatch.setattr(look.address, "one_step_an_act", lambda: None)
    for name in ("help_focus", "mend_menu"):
        monkeypatch.setattr(look.styles, name, lambda: None)
    monkeypatch.setattr(look, "kept_switch", lambda *what: None)
    monkeypatch.setattr(look.explore_or_study, "switch", lambda: None)
    st.query_params["large"] = "on"
    look.frame()
    assert look.in_address() == {"large": "on"}
    tab["large_type"] = False
    look.frame()
    assert look.in_address() == {"large": ""}, "it was turned off since"
