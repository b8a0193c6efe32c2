"""What pages say of studies: what they will take, how far they are, whose they are."""

import contextlib
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.claims.claim import Trial, TrialOutcome
from bnpexplorer.runs import limits
from bnpexplorer.ui.frame import link, server
from bnpexplorer.ui.frame.words import STATUS_WORDS
from bnpexplorer.ui.parts import studies


@pytest.fixture
def said(monkeypatch):
    """What is written on the page, by kind."""
    found = {kind: [] for kind in ("error", "warning", "markdown", "button", "info")}
    for kind, words in found.items():
        monkeypatch.setattr(st, kind, lambda said, *_, words=words, **__: words.append(said))
    monkeypatch.setattr(st, "progress", lambda share, words: found.update(at=(share, words)))
    return found


def study(n=6, waiting=6, passes=(), share=12.34, seconds_left=200.0, longest=3600.0, n_at_once=1):
    """A study of so many trials, of which so many wait."""
    counts = passes or (0,)
    trials = [Trial("a", 1.0, "lda-svi", i, passes=counts[i % len(counts)]) for i in range(n)]
    return SimpleNamespace(
        trials=trials,
        waiting=trials[n - waiting :],
        passes=counts[0],
        share=share,
        seconds_left=seconds_left,
        longest=longest,
        n_at_once=n_at_once,
        is_away=False,
        corpus=SimpleNamespace(name="my *texts*"),
        experiment=SimpleNamespace(title="Which rates?"),
        not_written="",
    )


AGAIN = "it ends after 60 minutes at the latest and goes on from there when begun again."


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (
            {},
            "6 trials that learn for 12.3 seconds of one core each, about 3 minutes in all, 60 "
            "minutes at the most.",
        ),
        (
            {"n": 1, "waiting": 1, "seconds_left": 14.0, "longest": 80.0},
            "1 trial that learns for 12.3 seconds of one core, about 14 seconds in all, 80 seconds "
            "at the most.",
        ),
        (
            {"waiting": 4, "n_at_once": 2},
            "6 trials that learn for 12.3 seconds of one core each, about 3 minutes in all, 2 at "
            "once on free cores, 60 minutes at the most. Of them 2 found before and kept.",
        ),
        ({"passes": (1,)}, f"6 trials that read the texts once; {AGAIN}"),
        (
            {"passes": (1200,), "n": 1, "waiting": 1},
            f"1 trial that reads the texts 1,200 times; {AGAIN}",
        ),
        (
            {"passes": (30, 1200, 200), "waiting": 5},
            f"6 trials that read the texts 30 to 1,200 times; {AGAIN} Of them 1 found before and "
            "kept.",
        ),
        ({"waiting": 0}, "All 6 trials were found before: see below."),
    ],
)
def test_what_a_study_will_take(of, words):
    assert studies.estimate(study(**of)) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.6, "1 seconds"), (89.4, "89 seconds"), (90.0, "2 minutes"), (3600.0, "60 minutes")],
)
def test_a_span_of_time_in_words(seconds, words):
    assert studies.minutes(seconds) == words


def test_a_table_of_trials_has_where_each_ended():
    long = Trial("one", 2.0, "lda-svi", 3, batch_size=1024)
    short = Trial("other", 0.5, "hdp-svi", 4, batch_tokens=5000)
    found = {
        long: TrialOutcome((100, 250), (1.0, 2.347), (-8.0, -7.123456), (9, 7)),
        Trial("none", 1.0, "hdp-svi", 5): TrialOutcome((), (), (), ()),
        short: TrialOutcome((40,), (0.5,), (-9.5,), (2,)),
    }
    table = studies.table(found)
    assert table.to_dict("records") == [
        {
            "line": "one",
            "at": 2.0,
            "seed": 3,
            "method": "lda-svi",
            "mini-batch": "1,024 documents",
            "documents": 250,
            "seconds": 2.35,
            "held-out": -7.1235,
            "topics in use": 7,
        },
        {
            "line": "other",
            "at": 0.5,
            "seed": 4,
            "method": "hdp-svi",
            "mini-batch": "5,000 tokens",
            "documents": 40,
            "seconds": 0.5,
            "held-out": -9.5,
            "topics in use": 2,
        },
    ]


def entry_of(status="running", tabs=(), run=None, **more):
    usual = {
        "error": "",
        "asked_for": "",
        "why_paused": "",
        "place_in_queue": 0,
        "not_kept": "",
        "lost": False,
        "ended": False,
    }
    background = SimpleNamespace(status=status, run=run or study(waiting=2), **{**usual, **more})
    return SimpleNamespace(
        background=background, run_id="it", secret="its secret", tabs=set(tabs), source=None
    )


def test_progress_tells_how_many_are_found_and_what_went_wrong(said):
    studies.progress(entry_of("failed", error="no more numbers."), "try it again")
    share, words = said["at"]
    assert share == pytest.approx(4 / 6)
    assert words == "failed: 4 of 6 trials on my \\*texts\\*"
    assert said["error"] == ["no more numbers. What was found before is kept; try it again."]
    assert said["warning"] == []


@pytest.mark.parametrize(
    ("not_kept", "not_written", "words"),
    [("disk full", "", "disk full"), ("", "read-only", "read-only")],
)
def test_what_is_not_saved_is_said_whichever_part_it_is(said, not_kept, not_written, words):
    of = study()
    of.not_written = not_written
    studies.progress(entry_of(run=of, not_kept=not_kept), "")
    assert said["warning"] == [f"Not saved: {words}"]
    assert said["error"] == []


@pytest.mark.parametrize(
    ("status", "owned", "there"),
    [
        ("paused", True, ["Resume"]),
        ("ready", True, ["Resume"]),
        ("running", True, ["Pause"]),
        ("queued", True, ["Pause"]),
        ("finished", True, []),
        ("stopped", True, []),
        ("failed", True, []),
        ("paused", False, []),
        ("running", False, []),
    ],
)
def test_the_button_of_a_study_is_for_who_controls_it(said, status, owned, there):
    studies.buttons(entry_of(status), owned)
    assert said["button"] == there


@pytest.fixture
def tab(monkeypatch):
    """This tab, which is called "me" and knows no secret."""
    state = {"studies": {}, "study": ("", "")}
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(studies.session, "tab_id", lambda: "me")
    registry = SimpleNamespace(owned=lambda run_id, secret: secret == "its secret")
    monkeypatch.setattr(server, "registry", lambda: registry)
    return state


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    ("status", "tabs", "known", "whose", "alone"),
    [
        ("running", (), {"it": "its secret"}, "yours", True),
        ("paused", ("me",), {}, "its tab is gone", True),
        ("paused", (), {}, "its tab is gone", True),
        ("paused", ("me", "other"), {}, "somebody else's: to watch only", False),
        ("running", (), {}, "somebody else's: to watch only", False),
        ("paused", ("other",), {"it": ""}, "somebody else's: to watch only", False),
    ],
)
def test_whose_a_study_is(tab, said, monkeypatch, shared, status, tabs, known, whose, alone):
    """A paused one that no other tab shows is taken over, but never on a shared server, where those
    of others have no name of texts and lead nowhere."""
    monkeypatch.setenv(limits.SHARED, "1" if shared else "")
    tab["studies"] = known
    entry = entry_of(status, tabs)
    mine = alone and (not shared or bool(known))
    assert studies._key(entry) == ("its secret" if mine else "")
    assert studies._is_closed(entry) == (shared and not known)
    studies._one_line(entry)
    begins = f"**Which rates?** · my \\*texts\\* · {STATUS_WORDS[status]}, 4 of 6 trials"
    if shared and not known:
        begins, whose = begins.replace(" my \\*texts\\* ·", ""), "somebody else's"
    assert said["markdown"] == [f"{begins} · {whose}"]


def test_the_same_study_goes_on_and_another_is_begun(tab, monkeypatch):
    """One that has ended, or that somebody else has, is begun anew under a name of its own."""
    monkeypatch.setenv(limits.SHARED, "")
    gone_on = []
    monkeypatch.setattr(studies, "go_on", lambda job, entry: gone_on.append((job, entry.run_id)))
    monkeypatch.setattr(studies, "tries", lambda entry, kind: entry.run_id != "of another kind")
    monkeypatch.setattr(link, "secret", lambda: "")

    def entry(name, path="p", secret="its secret", **more):
        found = entry_of("paused", **more)
        found.run_id, found.secret, found.background.run.path = name, secret, path
        return found

    entries = [
        entry("of another kind"),
        entry("elsewhere", path="q"),
        entry("ended", ended=True),
        entry("somebody's", tabs=("other",)),
    ]
    added = entry("new")
    registry = SimpleNamespace(
        entries=lambda: entries,
        owned=lambda run_id, secret: secret == "its secret",
        add=lambda *_, **__: added,
    )
    monkeypatch.setattr(server, "registry", lambda: registry)
    wanted = study()
    wanted.budget, wanted.path = 600.0, "p"
    studies.begin("study", wanted, None)
    assert gone_on == [("study", "new")]
    assert tab["studies"] == {"new": "its secret"}
    entries.append(entry("mine"))
    studies.begin("study", wanted, None)
    assert gone_on[1:] == [("study", "mine")]


def test_a_study_is_put_on_the_page_and_goes_on_where_it_is_one_s_own(tab, monkeypatch):
    """Somebody else's is watched, and on a shared server only with its address."""
    gone_on, seen = [], []
    registry = SimpleNamespace(
        owned=lambda run_id, secret: secret == "its secret", attach=lambda *what: seen.append(what)
    )
    monkeypatch.setattr(server, "registry", lambda: registry)
    monkeypatch.setattr(link, "go_on", gone_on.append)
    tab["held"] = set()
    entry = entry_of("running", ("other",))
    monkeypatch.setenv(limits.SHARED, "1")
    studies.go_on("study", entry)
    assert (tab["study"], seen) == (("", ""), [])
    tab["studies"] = {"it": ""}
    studies.go_on("study", entry)
    assert (tab["study"], seen, gone_on) == (("it", ""), [("me", "it")], [])
    tab["studies"] = {"it": "its secret"}
    studies.go_on("sweep", entry)
    assert (tab["sweep"], gone_on) == (("it", "its secret"), [entry.background])
    assert tab["held"] == {"its secret"}


@pytest.mark.parametrize("owned", [True, False])
def test_who_leaves_a_study_pauses_it_only_where_it_is_one_s_own(tab, monkeypatch, owned):
    paused, left = [], []
    entry = entry_of()
    entry.background.pause = lambda: paused.append(1)
    registry = SimpleNamespace(
        get=lambda run_id: entry if run_id == "it" else None,
        owned=lambda run_id, secret: secret == "its secret",
        detach=lambda *what: left.append(what),
    )
    monkeypatch.setattr(server, "registry", lambda: registry)
    monkeypatch.setattr(studies, "tries", lambda entry, kind: kind is str)
    tab["study"] = ("it", "its secret" if owned else "")
    studies.leave("study", int)
    assert (paused, left, tab["study"]) == ([], [], ("", "")), "it is of another kind"
    tab["study"] = ("it", "its secret" if owned else "")
    studies.leave("study", str)
    assert (paused, left, tab["study"]) == ([1] * owned, [("me", "it")], ("", ""))


def job_of(name, kind="study", **about):
    return SimpleNamespace(
        job_id=name, kind=kind, secret=f"of {name}", texts="my *texts*", about=about
    )


def test_what_was_interrupted_is_listed_for_its_owner_by_its_title(tab, said, monkeypatch):
    """A race without a title is named by its runs, those that are left; a study is not."""
    found = [
        job_of("a", title="Which *rates*?"),
        job_of("b", title="", run_ids=["one"]),
        job_of("c", "race", run_ids=["one", "gone", "two"]),
        job_of("theirs", title="Theirs"),
    ]
    rows = {name: SimpleNamespace(name=f"*{name}*") for name in ("one", "two")}
    library = SimpleNamespace(get=rows.get, jobs=SimpleNamespace(remove=None))
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setattr(studies.jobs, "interrupted", lambda kind: found)
    monkeypatch.setattr(studies.holding, "holds", lambda secret: secret != "of theirs")
    monkeypatch.setattr(st, "container", lambda **_: contextlib.nullcontext())
    tab[studies.PROBLEM] = "It is *damaged*."
    studies.interrupted("study")
    ends = " · my \\*texts\\* · interrupted"
    assert said["markdown"] == [
        "## Not at their end yet",
        f"**Which \\*rates\\*?**{ends}",
        f"****{ends}",
        f"**\\*one\\* against \\*two\\***{ends}",
    ]
    assert said["button"] == ["Go on", "Forget"] * 3
    studies.interrupted("study")
    assert said["error"] == ["It is \\*damaged\\*."], "it is said once"


@pytest.mark.parametrize("texts", [None, "its texts"])
def test_what_goes_on_again_is_the_tab_s_with_its_texts(tab, monkeypatch, texts):
    entry, done = entry_of(), []
    monkeypatch.setattr(studies.jobs, "open_job", lambda *what: done.append(what) or entry)
    monkeypatch.setattr(studies.session, "hold_job", lambda *what: done.append(what))
    monkeypatch.setattr(studies.access, "texts_of", lambda entry: texts)
    monkeypatch.setattr(studies.session, "use_corpus", done.append)
    monkeypatch.setattr(link, "go_on", done.append)
    studies._go_on(job_of("a", "sweep"))
    assert done == [("sweep", "a"), ("sweep", entry), *filter(None, [texts]), entry.background]
    assert tab["studies"] == {"it": "its secret"}


def test_what_the_server_forgot_is_named(tab, said, monkeypatch):
    monkeypatch.setattr(server, "registry", lambda: SimpleNamespace(get=lambda _: None))
    assert studies.current("study", object, "Begin it again.") is None
    assert said["info"] == [], "nothing was asked for"
    tab["study"] = ("a*b", "")
    assert studies.current("study", object, "Begin it again.") is None
    assert said["info"] == ["The study a\\*b is no longer on this server. Begin it again."]
