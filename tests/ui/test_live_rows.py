"""The line of a run on the Live page, its buttons, and what went wrong: each part alone."""

from types import SimpleNamespace

import pytest

from bnpexplorer.methods import make_method
from bnpexplorer.state.snapshot import TracePoint
from bnpexplorer.ui.live import panel, rows
from tests.tools.alone import drawn, moment, on_page
from tests.tools.pages import check, texts


@pytest.fixture
def told(monkeypatch):
    """Runs are called by their names."""
    names = lambda runs: [shown.entry.background.run.name for shown in runs]  # noqa: E731
    monkeypatch.setattr(panel, "labels_of", names)


# ---- the line of a run ---------------------------------------------------------------------------


def line_of(docs=90, seconds=30.0, label="mine", **changed):
    latest = SimpleNamespace(docs_seen=docs, seconds=seconds)
    changed = {"latest": latest, "status": "running"} | changed
    changed["run"] = {"corpus": SimpleNamespace(n_docs=40), "passes": 4} | changed.get("run", {})
    return rows.status_of(on_page("x", **changed).entry.background, label, 1, 2)


LEFT = "about 0:23 left, pass 3 of 4, 3 documents/s, 2 threads"
SETTLED = {"until": "settled", "threads": 1}


@pytest.mark.parametrize(
    ("changed", "words", "part", "facts"),
    [
        ({}, "learning", 90 / 160, f"90 documents, {LEFT}"),
        ({"docs": 1}, "learning", 1 / 160, "1 document, about 79:30 left, pass 1 of 4, 0"),
        ({"docs": 40}, "learning", 0.25, "40 documents, about 1:30 left, pass 2 of 4, 1"),
        ({"seconds": 0.0}, "learning", 90 / 160, "90 documents, pass 3 of 4, 0 documents/s, 2"),
        ({"status": "paused"}, "paused", 90 / 160, "90 documents, pass 3 of 4, 3 documents/s"),
        ({"docs": 160, "status": "finished"}, "finished", 1.0, "160 documents, pass 4 of 4, 5"),
        ({"status": "finished"}, "finished", 1.0, "90 documents, pass 3 of 4, 3 documents/s"),
        ({"status": "stopped"}, "stopped", 90 / 160, "90 documents, pass 3 of 4, 3 documents/s"),
        ({"run": SETTLED}, "learning", 90 / 160, "90 documents, pass 3 of at most 4, 3"),
        (
            {"latest": None, "status": "queued", "place_in_queue": 3},
            "waiting in line, number 3",
            0,
            "",
        ),
    ],
)
def test_the_line_of_a_run_says_how_far_it_is_and_how_fast(changed, words, part, facts):
    line = line_of(**changed)
    assert line.words == words
    assert line.fraction == pytest.approx(part)
    assert ", ".join(line.facts).startswith(facts)
    assert bool(line.facts) == bool(facts)
    learns = words == "learning"
    assert any("thread" in fact for fact in line.facts) == learns
    assert any("left" in fact for fact in line.facts) == (learns and "left" in facts)
    assert line.about == make_method("hdp-tsvi").title
    assert (line.label, line.ink, line.dash) == ("mine", rows.colour(1, False), 2)


def test_where_a_run_began_is_said_once():
    run = {"method": make_method("dpm-gibbs", "default", {"start": "nothing"})}
    assert line_of(run=run).start == "nothing"
    assert line_of(run=run, label="chain 2, from nothing").start == ""
    given = {"given": SimpleNamespace(said="the topics of a run")}
    assert line_of(run=run | given).start == "the topics of a run"


@pytest.mark.parametrize(
    ("kinds", "there"),
    [
        ([("running", True), ("paused", True)], True),
        ([("running", True), ("finished", True)], False),
        ([("running", True), ("running", False)], False),
        ([("running", True), ("stopped", True), ("paused", True)], True),
    ],
)
def test_one_button_pauses_the_runs_of_this_tab_that_go_on(monkeypatch, kinds, there):
    some = [on_page(str(n), owned=owned, status=status) for n, (status, owned) in enumerate(kinds)]
    steered = []
    monkeypatch.setattr(rows, "pause_all", lambda owned, key: steered.append(owned))
    rows.pause_all_button(some, [status for status, _ in kinds])
    mine = [
        s
        for s, (status, owned) in zip(some, kinds, strict=True)
        if owned and status not in rows.ENDED
    ]
    expected = [[(s.entry.background, s.entry.background.status) for s in mine]]
    assert steered == (expected if there else [])


@pytest.mark.parametrize(
    ("status", "off"), [("running", True), ("paused", True), ("stopped", False)]
)
def test_a_run_is_taken_off_the_page_when_it_has_ended(monkeypatch, status, off):
    left = []
    monkeypatch.setattr(rows.session, "leave", left.append)
    app = drawn(rows._controls, on_page("x", pause=None, stop=None), status)
    (remove,) = [b for b in app.button if b.label == "Remove"]
    assert remove.disabled == off
    if not off:
        check(remove.click().run())
        assert left == ["id-x"]
    guest = drawn(rows._controls, on_page("x", owned=False), status)
    assert texts(guest.caption) == "watching only"
    assert not guest.button


@pytest.mark.parametrize(("parallel", "said"), [("documents", "4 workers"), ("none", "2 threads")])
def test_workers_are_named_where_they_compute_the_steps(monkeypatch, parallel, said):
    class Pool:
        in_words = "4 workers"

    monkeypatch.setattr(rows, "RemotePool", Pool)
    method = SimpleNamespace(parallel=parallel)
    assert rows._on_what(SimpleNamespace(pool=Pool(), method=method, threads=2)) == said
    assert rows._on_what(SimpleNamespace(pool=None, method=method, threads=1)) == "1 thread"


# ---- what went wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"status": "failed", "error": "It *broke*."}, r"stopped with an error: It \*broke\*. The"),
        (
            {"status": "paused", "lost": True, "error": "Away."},
            "is paused: {}. Resume goes on once",
        ),
        (
            {"status": "paused", "error": "Full."},
            "stopped with an error: Full. Resume goes on from step 5,",
        ),
        (
            {"status": "running", "ended": False, "not_kept": "No room."},
            "goes on but is not saved. No",
        ),
        ({"status": "stopped", "not_kept": "No room."}, "is not saved. No room."),
    ],
)
def test_what_went_wrong_is_said_of_the_run_that_it_happened_to(
    monkeypatch, told, changed, said, shared
):
    monkeypatch.setattr(panel.link, "sees_addresses", lambda: not shared)
    away = "what computes it, or its texts, cannot be reached; your lecturer sees why"
    app = drawn(panel._problems, [on_page("one", moment()), on_page("two", moment(), **changed)])
    found = texts(app.error, app.warning)
    assert found.startswith(f"two {said.format(away if shared else 'Away')}")
    assert "one" not in found.split(" ")
    assert bool(app.warning) == ("not_kept" in changed)


def test_a_learned_value_at_its_limit_is_told_while_the_run_learns(told):
    low = TracePoint(1, 8, 0.1, 2, float("nan"), -8.0, {"alpha": 0.001})
    at = moment(trace=(low, low))
    going = on_page("*one*", at, status="running", ended=False)
    said = (
        "alpha has run to its lower limit, 0.001: each document has one topic. Learn clusters of "
        "these texts, or start again with alpha fixed."
    )
    assert texts(drawn(panel._problems, [going]).warning) == said
    both = [going, on_page("two", moment()), on_page("three", None)]
    assert texts(drawn(panel._problems, both).warning).replace("\\", "") == f"*one*: {said}"


@pytest.mark.parametrize("status", ["queued", "running", "paused", "finished", "stopped"])
def test_of_runs_that_nothing_happened_to_nothing_is_said(told, status):
    app = drawn(panel._problems, [on_page("one", moment(), status=status)])
    assert not [*app.error, *app.warning, *app.caption, *app.expander]


@pytest.mark.parametrize(
    ("shared", "owned", "there"),
    [(False, True, True), (False, False, True), (True, True, True), (True, False, False)],
)
def test_details_of_an_error_are_for_the_owner_where_others_visit(
    monkeypatch, told, shared, owned, there
):
    monkeypatch.setattr(panel.limits, "is_shared", lambda: shared)
    broken = {"status": "failed", "error": "It broke.", "error_details": "in /home/x"}
    app = drawn(panel._problems, [on_page("one", moment(), owned, **broken)])
    assert [c.value for c in app.code] == ["in /home/x"] * there


def test_pools_tell_their_notes_once_and_only_where_addresses_may_be_seen(monkeypatch, told):
    class Pool:
        notes = ("worker *a* is gone",)

    monkeypatch.setattr(panel, "RemotePool", Pool)
    pool = Pool()
    some = [
        on_page("one", moment(), run={"pool": pool}),
        on_page("two", moment(), run={"pool": pool}),
    ]
    for sees in (True, False):
        monkeypatch.setattr(panel.link, "sees_addresses", lambda sees=sees: sees)
        assert texts(drawn(panel._problems, some).caption) == (
            "worker \\*a\\* is gone" if sees else ""
        )
