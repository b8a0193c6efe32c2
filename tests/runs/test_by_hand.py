"""Runs that a person changes: what begins anew, what is undone, what is kept, and what goes on."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.checks.expecting import finish
from bnpexplorer.core import store
from bnpexplorer.evaluate import split_heldout
from bnpexplorer.explore.through import marks
from bnpexplorer.methods import make_method
from bnpexplorer.runs import asked, editing
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.draws import ChainOf
from bnpexplorer.runs.registry import RunRegistry
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.warming import warm
from bnpexplorer.state.edits import Edit
from bnpexplorer.state.labels import Labels
from tests.tools.waiting import NEVER, until


def lda_run(bars, passes=6, **more):
    train, heldout = split_heldout(bars[0].take(np.arange(80)), 0, 20)
    values = {"n_topics": 8, "burn_in": 1, "thin": 1, "alpha": 0.2, "eta": 0.1}
    method = make_method("lda-gibbs", "default", values)
    return Run(method, train, seed=4, batch_size=30, passes=passes, heldout=heldout, **more)


def learned(bars, n_steps, **more):
    run = lda_run(bars, **more)
    for _ in range(n_steps):
        run.step()
    return run


def two_largest(run):
    topics = run.snapshot().topics
    return topics.topic_ids[topics.by_size][:2].tolist()


def told(run):
    """All that a file of the run says but for seconds and memory, as bytes."""
    tree, arrays = run.pack_standing()
    tree["progress"].pop("seconds")
    for point in tree["history"]["trace"]:
        point.pop("seconds")
    return json.dumps(tree), {key: a.tobytes() for key, a in arrays.items()}


def test_a_change_is_an_event_a_row_a_frame_and_a_score(bars):
    run = learned(bars, 7)
    run.latest_info = replace(run.latest_info, scalars={"of the step": 1.0})
    before, chosen = run.snapshot(), two_largest(run)
    edit = run.edit("merge", chosen, ["ships", "topic 3"])
    now = run.snapshot()
    expected = Edit("merge", tuple(chosen), ("ships", "topic 3"), (chosen[0],), 7, run.docs_seen)
    assert now.edits == (edit,) == (expected,)
    assert edit.sentence == f"ships and topic 3 merged into one after {run.docs_seen} documents."
    (event,) = now.events[len(before.events) :]
    assert (event.kind, event.parents, event.children) == ("merge", tuple(chosen), (chosen[0],))
    assert (event.step, event.docs_seen) == (7, run.docs_seen)
    assert [(m.topic, m.born) for m in marks([event])] == [(chosen[1], False)]
    assert now.trace[-1].step == 7
    assert np.isfinite(now.trace[-1].heldout), "the score is of the changed topics"
    assert now.trace[-1].scalars == {}, "those are of a step, and none was taken"
    assert now.frames[-1].weight.max() > before.frames[-1].weight.max()
    assert run.moment(now).at != run.moment(before).at, "what was worked out is of other topics"
    assert run.moment(before, run_id="abc").at == ("abc", 7)


def test_averages_and_draws_begin_anew(bars):
    """States of before are not averaged over; the next is kept after another burn-in."""
    run = learned(bars, 3, until="settled", passes=20)
    while len(run.snapshot(with_kept=True).kept) < 2 or len(run.draws) < 3:
        run.step()
    run.edit("delete", two_largest(run)[:1])
    n_passes = run.docs_seen // run.corpus.n_docs
    assert run.snapshot(with_kept=True).kept == ()
    assert run.draws == ()
    when = run.docs_seen
    while not run.snapshot(with_kept=True).kept:
        run.step()
    assert run.docs_seen // run.corpus.n_docs == n_passes + 2, "burn-in 1, then the first"
    assert run.draws
    assert min(draw.docs_seen for draw in run.draws) > when
    finish(run)
    assert all(draw.docs_seen > when for draw in run.draws)


def test_the_same_changes_of_the_same_seed_are_the_same_bits_from_a_file_too(bars, tmp_path):
    run, twin = learned(bars, 5), learned(bars, 5)
    for one in (run, twin):
        one.edit("merge", two_largest(one))
        one.edit("split", two_largest(one)[:1])
    assert told(run) == told(twin)
    run.save(tmp_path / "run.zip")
    opened = Run.load(tmp_path / "run.zip")
    assert opened.edits == run.edits
    assert opened.snapshot().edition == 2
    for one in (run, opened):
        for _ in range(4):
            one.step()
        one.edit("delete", two_largest(one)[:1])
        finish(one)
    assert told(run) == told(opened)


def test_another_change_has_other_random_numbers(bars):
    """Neither those of the method nor those of the change before."""
    run = learned(bars, 5)
    stream = run._method_rng.bit_generator.state
    one = two_largest(run)[:1]
    run.edit("delete", one)
    first = run.state.tokens.topic
    assert run._method_rng.bit_generator.state == stream
    run.undo()
    run._history.edits.append(Edit("merge"))
    run.edit("delete", one)
    assert not np.array_equal(run.state.tokens.topic, first)


def test_undo_goes_back_to_where_the_run_stood(bars):
    run, untouched = learned(bars, 5), learned(bars, 5)
    edit = run.edit("merge", two_largest(run))
    assert run.memory > untouched.memory, "the state of before is held"
    for _ in range(3):
        run.step()
    assert run.undo() == edit
    run._history.edition = 0
    assert told(run) == told(untouched)
    for one in (run, untouched):
        finish(one)
    assert told(run) == told(untouched)
    with pytest.raises(ValueError, match="Nothing to undo"):
        run.undo()


def test_changes_are_undone_one_after_the_other(bars):
    run = learned(bars, 5)
    stood, edits = [], []
    for kind in ("merge", "delete", "merge"):
        stood.append((run._history.edition, told(run)))
        edits.append(run.edit(kind, two_largest(run)[: 2 if kind == "merge" else 1]))
        run.step()
    for edit, (edition, before) in zip(reversed(edits), reversed(stood), strict=True):
        assert run.undo() == edit
        run._history.edition = edition
        assert told(run) == before
    with pytest.raises(ValueError, match=r"Nothing to undo\. Only the last 10 changes"):
        run.undo()


@pytest.mark.parametrize("bound", ["MOST_BEFORES", "HELD"])
def test_the_oldest_states_are_forgotten_but_not_the_last(bars, monkeypatch, bound):
    monkeypatch.setattr(editing, bound, 1)
    run = learned(bars, 5)
    for _ in range(2):
        last = run.edit("delete", two_largest(run)[:1])
    assert run.undo() == last
    with pytest.raises(ValueError, match="Nothing to undo"):
        run.undo()


def test_what_was_worked_out_of_other_topics_is_never_taken_for_those_of_now(bars):
    """Pages keep what they work out by `Snapshot.at`: before a change, after it, and after an undo
    other topics stand at one step."""
    run, seen = learned(bars, 5), {}
    for act in (None, "merge", None, "delete", None, "merge"):
        if act:
            run.edit(act, two_largest(run))
        elif run.edits:
            run.undo()
        snapshot = run.snapshot()
        assert seen.setdefault(snapshot.at("run"), len(seen)) == len(seen) - 1, act
        assert snapshot.step == 5
    assert len(seen) == 6


def test_a_run_that_has_finished_runs_on(bars):
    """As one that had so many passes from the beginning; undo takes the passes back, too."""
    run, long = finish(lda_run(bars, 3)), finish(lda_run(bars, 5))
    with pytest.raises(ValueError, match="one pass or more"):
        run.run_on(0)
    run.run_on(2)
    with pytest.raises(ValueError, match="has not ended yet"):
        run.run_on(2)
    finish(run)
    assert np.array_equal(run.state.tokens.topic, long.state.tokens.topic)
    assert (run.passes, run.planned_docs) == (5, long.planned_docs)
    assert [e.sentence for e in run.edits] == ["2 more passes after 180 documents."]
    run.edit("merge", two_largest(run))
    assert run.done
    run.run_on(1)
    finish(run)
    assert run.passes == 6
    assert run.undo().kind == "merge", "the change, and not the passes after it"
    assert (run.passes, run.done, len(run.edits)) == (5, True, 1)
    assert np.array_equal(run.state.tokens.topic, long.state.tokens.topic)


def test_a_shuffled_method_runs_on_in_a_new_order(bars):
    def made(passes):
        return finish(Run(make_method("lda-svi"), bars[0], seed=1, batch_size=150, passes=passes))

    run, long = made(1), made(2)
    run.run_on(1)
    assert np.array_equal(finish(run).state.lam.stats, long.state.lam.stats)


def test_a_run_that_its_minutes_ended_with_a_pass_runs_on_in_the_order_that_was_drawn(bars):
    def made():
        return Run(make_method("lda-svi"), bars[0], seed=1, batch_size=150, passes=9)

    run, long = made(), made()
    for one, n_steps in ((run, 2), (long, 4)):
        for _ in range(n_steps):
            one.step()
    run.end("minutes")
    run.run_on(1)
    assert np.array_equal(finish(run).state.lam.stats, long.state.lam.stats)


def test_a_run_that_ended_early_runs_on_from_there_whatever_had_ended_it(bars):
    """Two of its forty passes are read and a half; those that are added count from there."""
    run = learned(bars, 5, passes=40, minutes=9.0, until="settled")
    run.edit("merge", two_largest(run))
    run.end("minutes")
    edit = run.run_on(3)
    assert (edit.passes, edit.planned, edit.until, edit.ended) == (3, 40, "settled", "minutes")
    assert (run.passes, run.until, run.minutes, run.ended) == (5, "passes", None, "")
    finish(run)
    assert run.docs_seen == 5 * run.corpus.n_docs
    run.undo()
    assert (run.passes, run.until, run.minutes) == (40, "settled", 9.0)
    assert run.docs_seen == 150


def test_a_shuffled_run_that_ended_amid_a_pass_reads_the_rest_of_that_pass(bars):
    run = Run(make_method("lda-svi"), bars[0], seed=1, batch_size=100, passes=3)
    run.step()
    order = run._permutation.tolist()
    run._progress.converged = True
    run.run_on(2)
    assert run._permutation.tolist() == order
    finish(run)
    assert run.docs_seen == 2 * 300


@pytest.mark.parametrize(
    ("kind", "topics", "sentence"),
    [
        ("merge", [0], "two topics or more"),
        ("merge", [0, 0], "named twice"),
        ("split", [0, 1], "one topic to split"),
        ("delete", list(range(8)), "leave one at least"),
        ("delete", [], "leave one at least"),
        ("delete", [99], "no topic 99 now"),
        ("paint", [0], "merged, split or deleted"),
        ("run on", [], "merged, split or deleted"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(bars, kind, topics, sentence):
    run = learned(bars, 4)
    before = told(run)
    with pytest.raises(ValueError, match=sentence):
        run.edit(kind, topics)
    assert told(run) == before


def test_who_cannot_be_changed_says_why(bars):
    with pytest.raises(ValueError, match="no topic 0 now"):
        lda_run(bars).edit("split", [0])
    other = Run(make_method("hdp-svi"), bars[0])
    with pytest.raises(ValueError, match="hdp-svi does not assign words"):
        other.edit("split", [0])
    one = learned(bars, 4)
    one.chain = ChainOf("abc", 0, 4)
    with pytest.raises(ValueError, match="one of several chains"):
        one.edit("merge", two_largest(one))


def test_a_file_with_an_unknown_change_is_refused(bars, tmp_path):
    run = learned(bars, 4)
    run.edit("merge", two_largest(run))
    run._history.edits[0] = replace(run._history.edits[0], kind="paint")
    run.save(tmp_path / "run.zip")
    with pytest.raises(store.StoreError, match="by hand in an unknown way"):
        Run.load(tmp_path / "run.zip")


def test_a_file_with_a_name_of_many_letters_or_any_number_of_changes(bars, tmp_path, monkeypatch):
    run = learned(bars, 4)
    run.edit("merge", two_largest(run))
    object.__setattr__(run._history.edits[0], "names", ("x" * 100_000, "sea"))
    run.save(tmp_path / "run.zip")
    assert len(Run.load(tmp_path / "run.zip").edits[0].sentence) < 300
    monkeypatch.setattr("bnpexplorer.runs.run.MOST_EDITS", 2)
    run._history.edits *= 3
    run.save(tmp_path / "run.zip")
    with pytest.raises(store.StoreError, match="by hand more than 2 times"):
        Run.load(tmp_path / "run.zip")


def test_names_go_with_the_topics():
    labels = Labels({3: "ships", 7: "sea", 9: "tax"}, frozenset({7}), frozenset({3, 7}))
    merged = labels.after(Edit("merge", (7, 3), children=(3,)))
    assert (merged.names, merged.hidden, merged.pinned) == ({3: "ships", 9: "tax"}, set(), {3})
    unnamed = labels.after(Edit("merge", (4, 7), children=(4,)))
    assert unnamed.names == {3: "ships", 4: "sea", 9: "tax"}, "the largest had none"
    assert labels.after(Edit("split", (3,), children=(3, 12))) == labels
    assert labels.after(Edit("delete", (9, 7))).names == {3: "ships"}


def test_a_merged_group_stays_what_people_saw_whichever_member_is_the_largest():
    names, of_five = {5: "Politics", 7: "Elections"}, frozenset({5})
    labels = Labels(names, frozenset({7}), of_five, {5: (7,)}, frozenset({7}))
    merged = labels.after(Edit("merge", (5, 7), children=(7,)))
    assert merged == Labels({7: "Politics"}, pinned=frozenset({7}))
    unpinned = Labels(names, of_five, frozenset({7}), {5: (7,)}, of_five)
    merged = unpinned.after(Edit("merge", (5, 7), children=(7,)))
    assert merged == Labels({7: "Politics"}, frozenset({7}), folded=frozenset({7}))
    beside = Labels({7: "Elections", 9: "Tax"}, pinned=frozenset({9}), groups={5: (7,)})
    merged = beside.after(Edit("merge", (9, 5, 7), children=(7,)))
    assert merged == Labels({7: "Tax"}), "the name that was given and shown; flags of the largest"


def test_a_group_that_goes_by_a_topic_that_died_keeps_its_name():
    labels = Labels({3: "Politics"}, pinned=frozenset({3}), groups={3: (5, 7)})
    merged = labels.after(Edit("merge", (5, 7), children=(7,)))
    assert merged.groups == {3: (7,)}
    assert (merged.names[3], 3 in merged.pinned) == ("Politics", True)


def test_a_sentence_names_a_few_topics():
    names = tuple("abcdef")
    said = [Edit("delete", names=names[:n]).sentence for n in (1, 2, 3, 6)]
    start = [sentence.removesuffix(" deleted after 0 documents.") for sentence in said]
    assert start == ["a", "a and b", "a, b and c", "a, b, c, d and 2 more"]


# ---- in the background --------------------------------------------------------------------------


@pytest.fixture
def entry(bars):
    warm(lda_run(bars).method)
    registry = RunRegistry(step_seconds=0.02)
    yield registry.add(lda_run(bars, 4000))
    registry.stop_all()


def changed(entry, kind, topics):
    """Ask for a change and wait for it; what was said of topics goes along."""
    kept = []
    asked.change_topics(entry, kind, topics, [f"topic {i}" for i in topics], kept.append)
    until(lambda: not entry.background.changing)
    return kept


def test_a_run_is_changed_while_it_learns_and_while_it_is_paused(entry):
    background = entry.background
    background.start()
    until(lambda: background.latest is not None and background.latest.docs_seen > 200)
    one, two = two_largest(background.run)
    entry.labels = Labels({one: "ships", two: "sea"})
    kept = changed(entry, "merge", [one, two])
    assert background.refusal == ""
    assert kept == [entry.labels]
    assert len(entry.labels.names) == 1
    assert len(background.latest.edits) == 1, "shown at once"
    assert background.status in ("running", "queued")
    background.pause()
    until(lambda: background.status == "paused")
    step = background.latest.step
    changed(entry, "merge", [one, 99])
    assert "no topic 99" in background.refusal
    before = entry.labels
    changed(entry, "delete", two_largest(background.run)[:1])
    assert background.refusal == ""
    until(lambda: background.status == "paused")
    assert (len(background.latest.edits), background.latest.step) == (2, step)
    asked.undo(entry, kept.append)
    until(lambda: not background.changing)
    assert kept[1:] == [before], "written to the disk, too"
    assert len(background.latest.edits) == 1
    assert entry.labels == before
    asked.undo(entry, kept.append)  # and the change before it
    until(lambda: not background.changing)
    assert background.latest.edits == ()
    assert entry.labels == kept[-1] == Labels({one: "ships", two: "sea"})
    background.resume()
    until(lambda: background.latest.step > step)


def test_a_finished_run_is_changed_kept_and_runs_on(bars):
    warm(lda_run(bars).method)
    kept = []
    background = BackgroundRun(lda_run(bars, 2), keeper=lambda run, status: kept.append(status))
    background.start()
    assert background.wait(NEVER)
    assert background.status == "finished"
    chosen = two_largest(background.run)
    for what in (chosen, chosen[:1]):  # the second one is asked for before the first is done
        background.change(lambda run, what=what: run.edit("merge", what))
    assert background.wait(NEVER)
    assert background.status == "finished"
    assert "two topics or more" in background.refusal
    assert len(background.latest.edits) == 1
    assert kept[-1] == "finished"
    background.run_on(3)
    assert background.wait(NEVER)
    assert (background.status, background.refusal) == ("finished", "")
    assert background.run.passes == 5
    assert background.latest.docs_seen == background.run.planned_docs


def test_a_run_that_was_stopped_is_not_changed(entry):
    entry.background.start()
    until(lambda: entry.background.latest is not None)
    entry.background.stop()
    assert entry.background.wait(NEVER)
    with pytest.raises(ValueError, match="was stopped or has failed"):
        entry.background.change(lambda run: None)
