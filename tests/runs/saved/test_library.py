"""The library of saved runs: kept, listed, resumed bit for bit, deleted and brought back."""

import contextlib
import dataclasses
import itertools
import os
import shutil
import sqlite3
import time
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.core.store import StoreError
from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.text import describe
from bnpexplorer.evaluate import split_heldout, topics_in_use
from bnpexplorer.methods import make_method
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.draws import ChainOf
from bnpexplorer.runs.registry import RunRegistry
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved.library import Library, LibraryFull, TakenElsewhere, key_of
from bnpexplorer.runs.saved.rows import Saved, facts_of
from bnpexplorer.state.labels import Labels
from tests.tools.disk import Dies, Killed, watched
from tests.tools.keeping import index_of_an_earlier_version
from tests.tools.waiting import NEVER


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path)


@pytest.fixture
def corpus(bars):
    texts = np.array([f"text {d}" for d in range(bars[0].n_docs)], dtype=object)
    return type(bars[0])(
        bars[0].indptr, bars[0].word_ids, bars[0].counts, bars[0].vocab, DocTable(text=texts)
    )


def make_run(corpus, name="hdp-tsvi", seed=0):
    train, heldout = split_heldout(corpus, seed, n=20)
    return Run(make_method(name), train, seed, batch_size=40, passes=2, heldout=heldout)


@pytest.mark.second
def test_a_row_counts_the_topics_of_now_and_not_of_the_last_row_of_history(corpus):
    train, heldout = split_heldout(corpus, 0, n=20)
    run = Run(make_method("hdp-tsvi"), train, 0, batch_size=10, passes=1000, heldout=heldout)
    apart = 0
    for _ in range(120):
        run.step()
        now = topics_in_use(run.snapshot().topics)
        assert facts_of(run, "paused")["n_topics"] == now
        apart += now != run.history[-1].n_topics
    assert apart > 0, "else this test would hold of the last row, too"


@pytest.mark.second
@pytest.mark.parametrize("name", ["hdp-tsvi", "hdp-gibbs", "dpm-particle"])
def test_a_saved_run_goes_on_bit_for_bit(library, corpus, name):
    run, whole = make_run(corpus, name), make_run(corpus, name)
    for _ in range(3):
        run.step()
    library.keep("a", run, corpus, "paused")
    again = Library(library.folder).load("a")
    while not whole.done:
        whole.step()
    while not again.done:
        again.step()
    ours, theirs = again.snapshot(), whole.snapshot()
    np.testing.assert_array_equal(ours.topics.topic_word, theirs.topics.topic_word)
    assert [p.heldout for p in ours.trace] == pytest.approx(
        [p.heldout for p in theirs.trace], rel=0, nan_ok=True
    )


def test_texts_are_kept_once_for_all_runs_of_a_corpus(library, corpus):
    for run_id in "ab":
        library.keep(run_id, make_run(corpus), corpus, "paused")
    assert len(list((library.folder / "corpora").glob("*.zip"))) == 1
    back = library.corpus("b")
    assert back.fingerprint == corpus.fingerprint
    assert list(back.docs.text) == list(corpus.docs.text)
    other = type(corpus)(
        corpus.indptr,
        corpus.word_ids,
        corpus.counts,
        corpus.vocab,
        DocTable(text=corpus.docs.text[::-1].copy()),
    )
    assert other.fingerprint == corpus.fingerprint
    assert key_of(other) != key_of(corpus), "the same counts of other texts are another corpus"


def test_the_index_says_where_every_run_stands(library, corpus):
    first, second = make_run(corpus), make_run(corpus, "lda-gibbs", 3)
    library.keep("first", first, corpus, "paused")
    library.keep("second", second, corpus, "running")
    first.step()
    library.keep("first", first, corpus, "stopped")
    rows = library.saved()
    assert [row.run_id for row in rows] == ["first", "second"], "the latest first"
    facts = rows[0].facts
    assert (facts["docs_seen"], facts["status"], facts["method"]) == (40, "stopped", "hdp-tsvi")
    assert facts["heldout"] == pytest.approx(first.history[-1].heldout)
    assert rows[1].facts["heldout"] is None
    assert rows[0].created < rows[0].updated
    assert rows[0].n_bytes > 1000


def test_names_tags_and_labels_survive(library, corpus):
    library.keep("a", make_run(corpus), corpus, "paused")
    library.rename("a", "  My run ")
    library.tag("a", ("lecture ", "", "2026", "lecture"))
    labels = Labels().rename(3, "war").hide(4).pin(3).pin(5).pin(5, False)
    library.label("a", labels)
    library.keep("a", make_run(corpus), corpus, "paused")
    row = Library(library.folder).get("a")
    assert row.name == "My run"
    assert row.tags == ("2026", "lecture")
    assert row.labels == labels
    assert row.labels.names[3] == "war"
    assert 3 not in row.labels.rename(3, " ").names
    library.rename("a", " \n")
    assert library.get("a").name == "a", "a name is never empty"


def test_texts_that_no_run_needs_go_though_another_was_deleted_since(library, corpus):
    others = dataclasses.replace(corpus, name="others")
    library.keep("a", make_run(corpus), corpus, "paused")
    library.keep("b", make_run(others), others, "paused")
    library.delete("a")
    between = time.time()
    while time.time() <= between:
        pass
    library.delete("b")
    library.purge(deleted_before=library.get("b").deleted)
    assert [path.stem for path in (library.folder / "corpora").iterdir()] == [key_of(others)]


def test_a_deleted_run_comes_back_until_it_is_purged(library, corpus):
    for run_id in "ab":
        library.keep(run_id, make_run(corpus), corpus, "paused")
    library.delete("a")
    assert [row.run_id for row in library.saved()] == ["b"]
    assert [row.run_id for row in library.saved(deleted=True)] == ["a"]
    library.restore("a")
    assert len(library.saved()) == 2
    library.delete("a")
    library.purge(deleted_before=time.time() - 3600.0)
    assert library.get("a") is not None, "deleted less than an hour ago"
    library.purge()
    assert library.get("a") is None
    assert not (library.folder / "runs" / "a").exists()
    assert library.corpus("b").n_docs == corpus.n_docs, "b still needs the corpus"
    library.delete("b")
    library.purge()
    assert library.n_bytes == 0


def test_a_full_library_takes_no_new_run_and_keeps_the_old(library, corpus, monkeypatch):
    run = make_run(corpus)
    library.keep("old", run, corpus, "paused")
    monkeypatch.setenv("BNPEXPLORER_DISK_MB", "0")
    with pytest.raises(LibraryFull, match="empty what was deleted on the Runs page"):
        library.keep("new", make_run(corpus), corpus, "paused")
    run.step()
    library.keep("old", run, corpus, "paused")
    assert library.load("old").docs_seen == 40
    assert library.get("new") is None


@pytest.mark.parametrize("part", ["texts.zip", "standing.zip"])
@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 nothing", None])
def test_damage_is_refused_with_the_file_s_name(library, corpus, part, damage):
    library.keep("a", make_run(corpus), corpus, "paused")
    path = library.folder / "runs" / "a" / part
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    with pytest.raises(StoreError, match=part):
        library.load("a")


def test_an_unknown_run_is_named(library):
    assert library.get("x") is None
    for act in (library.corpus, library.delete, lambda run_id: library.rename(run_id, "y")):
        with pytest.raises(StoreError, match="no saved run x"):
            act("x")


@pytest.mark.second
def test_the_thread_keeps_its_run_at_pauses_and_at_the_end(library, corpus):
    registry = RunRegistry()

    def keep(entry, run, status):
        library.keep(entry.run_id, run, corpus, status, entry.secret)

    entry = registry.add(make_run(corpus), keep=keep)
    entry.background.step_once()
    entry.background.settle(30.0)
    assert library.get(entry.run_id).facts["docs_seen"] == 40
    assert library.get(entry.run_id).facts["status"] == "paused"
    loaded = RunRegistry().add(
        library.load(entry.run_id), run_id=entry.run_id, secret=library.secret(entry.run_id)
    )
    assert loaded.background.status == "paused"
    assert loaded.background.latest.docs_seen == 40
    assert loaded.secret == entry.secret
    loaded.background.start()
    assert loaded.background.wait(NEVER)
    assert loaded.background.status == "finished"
    entry.background.start()
    assert entry.background.wait(NEVER)
    assert library.get(entry.run_id).facts["status"] == "finished"
    assert BackgroundRun(library.load(entry.run_id)).status == "finished"


def test_a_disk_that_refuses_does_not_stop_the_run(corpus):
    def keep(entry, run, status):
        raise OSError("No space left on device")

    entry = RunRegistry().add(make_run(corpus), keep=keep)
    entry.background.start()
    assert entry.background.wait(NEVER)
    assert entry.background.status == "finished"
    assert "No space left" in entry.background.not_kept


def test_how_the_texts_were_made_survives(library, corpus):
    report, true_topics = describe(corpus), np.eye(2)
    library.keep("a", make_run(corpus), corpus, "paused", report=report, true_topics=true_topics)
    back, topics = Library(library.folder).origin("a")
    assert back.settings == report.settings
    assert back.commonest == report.commonest
    np.testing.assert_array_equal(back.lengths, report.lengths)
    np.testing.assert_array_equal(topics, true_topics)
    library.keep("b", make_run(corpus), corpus, "paused")
    assert library.origin("b") == (None, None)


def test_an_imported_copy_never_stands_for_the_chain_that_goes_on_here(library, corpus):
    """However late the chain was written again: the copy came in after it."""
    chains = [make_run(corpus, seed=seed) for seed in range(3)]
    for place, run in enumerate(chains):
        run.chain = ChainOf("group", place, 3)
    for place in (2, 0, 1):
        library.keep(f"own{place}", chains[place], corpus, "paused")
    library.keep("copy", chains[1], corpus, "paused")
    assert [saved.run_id for saved in library.chains("group")] == ["own0", "own1", "own2"]
    chains[1].step()
    library.keep("own1", chains[1], corpus, "paused")
    assert library.saved()[0].run_id == "own1", "written last"
    assert [saved.run_id for saved in library.chains("group")] == ["own0", "own1", "own2"]


def test_whoever_goes_on_first_owns_the_run(library, corpus):
    run = make_run(corpus)
    library.keep("a", run, corpus, "running")
    elsewhere = Library(library.folder)
    theirs = elsewhere.load("a")
    theirs.step()
    elsewhere.keep("a", theirs, corpus, "running")
    with pytest.raises(TakenElsewhere, match="Another server"):
        library.keep("a", run, corpus, "paused")
    assert library.load("a", to_go_on=False).docs_seen == theirs.docs_seen, "not written over"
    with pytest.raises(TakenElsewhere, match="Another server"):
        library.keep("a", run, corpus, "paused")
    library.keep("a", library.load("a"), corpus, "paused")  # who opens it anew may go on
    with pytest.raises(TakenElsewhere):
        elsewhere.keep("a", theirs, corpus, "running")
    library.delete("a")
    library.keep("a", run, corpus, "paused")  # still there for a week
    library.purge()
    with pytest.raises(TakenElsewhere, match="deleted for good"):
        library.keep("a", run, corpus, "paused")


def test_a_run_whose_server_died_was_interrupted(library, corpus):
    run = make_run(corpus)
    for status in ("running", "paused", "stopped", "finished"):
        library.keep("a", run, corpus, status)
        assert library.get("a").interrupted == (status == "running")
    run.step()
    library.keep("a", run, corpus, "running")
    assert library.get("a").progress == pytest.approx(40 / run.planned_docs)


def test_a_write_that_fails_leaves_what_was_there(library, corpus, monkeypatch):
    run = make_run(corpus)
    run.step()
    library.keep("a", run, corpus, "paused")

    def full(*_):
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        run.step()
        with pytest.raises(StoreError, match="No space"):
            library.keep("a", run, corpus, "paused")
    assert library.load("a").docs_seen == 40
    assert not list(library.folder.rglob("*.part"))
    library.keep("a", run, corpus, "paused")
    assert library.load("a").docs_seen == 80


def test_leftovers_of_a_killed_server_are_removed_after_a_while(library, corpus):
    library.keep("a", make_run(corpus), corpus, "paused")
    old, new = (
        library.folder / "runs" / "a" / f"{name}.zip.0123abcd.part" for name in ("texts", "origin")
    )
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    library.purge(0.0)
    assert (old.exists(), new.exists()) == (False, True)
    assert library.load("a").docs_seen == 0


def test_another_server_lists_the_same(library, corpus):
    run = make_run(corpus)
    run.step()
    for run_id in "abc":
        library.keep(run_id, run, corpus, "paused", secret=f"secret of {run_id}")
    library.rename("a", "Öl")
    library.tag("a", ("lecture",))
    library.label("a", Labels().rename(2, "war"))
    library.delete("b")
    before = library.saved(), library.saved(deleted=True)
    (library.folder / "runs" / "c" / "row.json").write_text("{}")
    again = Library(library.folder)
    assert again.saved() == [saved for saved in before[0] if saved.run_id != "c"]
    assert again.saved(deleted=True) == before[1]
    assert again.secret("b") == "secret of b"
    assert [one.run_id for one in again.damaged()] == ["c"]
    assert again.load("a").docs_seen == 40
    run.step()
    again.keep("a", run, corpus, "running")
    assert again.get("a").facts["docs_seen"] == 80


def test_a_row_that_cannot_be_read_keeps_its_run_s_files(library, corpus):
    library.keep("a", make_run(corpus), corpus, "paused")
    row = library.folder / "runs" / "a" / "row.json"
    kept = row.read_text()
    row.write_text(kept[:40])
    assert library.saved() == []
    with pytest.raises(StoreError, match="The row of the run a is damaged"):
        library.get("a")
    library.purge()
    row.write_text(kept)
    assert library.corpus("a").fingerprint == corpus.fingerprint


@pytest.mark.parametrize("run_id", ["", ".", "..", "../runs", "a/../a", "a\\b", "a\0", "x" * 300])
def test_what_is_no_name_of_a_run_is_unknown(library, corpus, run_id):
    library.keep("a", make_run(corpus), corpus, "paused", "secret")
    assert library.get(run_id) is None
    assert library.secret(run_id) == ""
    with pytest.raises(StoreError, match="There is no saved run"):
        library.rename(run_id, "another")


def test_a_row_is_read_and_written_under_the_lock(library, corpus, monkeypatch):
    library.keep("a", make_run(corpus), corpus, "paused")
    seen, mark = [], library.get("a").updated

    def under_the_lock(call):
        def checked(*arguments):
            lock = sqlite3.connect(library.folder / "library.lock", timeout=0, isolation_level=None)
            with contextlib.closing(lock), pytest.raises(sqlite3.OperationalError, match="locked"):
                lock.execute("BEGIN EXCLUSIVE")
            seen.append(call)
            return call(*arguments)

        return checked

    both = [store.read_json, store.write_json]
    for call in both:
        monkeypatch.setattr(store, call.__name__, under_the_lock(call))
    library.rename("a", "another")
    assert seen == both
    assert library._listing.claim("a", mark) > mark
    assert seen == both + both


# ---- an index of an earlier version --------------------------------------------------------------


def kept_by_an_earlier_version(library, corpus):
    """Three runs: of "a" a row in the folder alone, of "b" in both, of "c" in the index alone."""
    for run_id in "abc":
        library.keep(run_id, make_run(corpus), corpus, "paused", f"secret of {run_id}")
    library.tag("c", ("lecture",))
    before = {saved.run_id: saved for saved in library.saved()}
    index_of_an_earlier_version(library.folder, {"b": "before", "c": before["c"].name})
    (library.folder / "runs" / "c" / "row.json").unlink()
    return before


def listed(library):
    return {saved.run_id: replace(saved, n_bytes=0) for saved in library.saved()}


def test_rows_that_an_earlier_index_alone_has_are_carried_over(library, corpus):
    before = kept_by_an_earlier_version(library, corpus)
    again = Library(library.folder)
    assert listed(again) == {run_id: replace(one, n_bytes=0) for run_id, one in before.items()}
    assert again.secret("c") == "secret of c"
    assert not (library.folder / "library.sqlite3").exists()
    assert (library.folder / "library.before.sqlite3").exists(), "nothing is thrown away"
    again.rename("c", "newer")
    assert Library(library.folder).get("c").name == "newer"


@pytest.mark.parametrize("how", ["foreign", "half", "empty"])
def test_a_damaged_index_of_an_earlier_version_is_in_nobody_s_way(library, corpus, how):
    kept_by_an_earlier_version(library, corpus)
    index = library.folder / "library.sqlite3"
    data = index.read_bytes()
    damage = {"foreign": b"no database at all" * 100, "half": data[: len(data) // 2], "empty": b""}
    index.write_bytes(damage[how])
    assert {"a", "b"} <= listed(Library(library.folder)).keys()
    assert (library.folder / "library.before.sqlite3").read_bytes() == damage[how]
    library.rename("a", "newer")


def test_an_index_that_another_server_holds_is_not_taken_for_damaged(library, corpus, monkeypatch):
    kept_by_an_earlier_version(library, corpus)
    index = library.folder / "library.sqlite3"
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda path, **kw: connect(path, **{**kw, "timeout": 0})
    )
    with contextlib.closing(connect(index, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="cannot be used"):
            library.saved()
    assert listed(library).keys() == {"a", "b", "c"}


def test_whoever_is_killed_while_carrying_over_loses_nothing(library, corpus, tmp_path):
    before = kept_by_an_earlier_version(library, corpus)
    for after in itertools.count():
        home = tmp_path / str(after)
        shutil.copytree(library.folder, home, ignore=lambda *_: [str(n) for n in range(99)])
        dies, done = Dies(after), False
        with contextlib.suppress(Killed), watched(dies):
            Library(home).saved()
            done = dies.left >= 0
        assert listed(Library(home)).keys() == before.keys(), after
        assert Library(home).secret("c") == "secret of c"
        if done:
            break
    assert after > 5, "it died at every change of a file"


def test_nothing_is_left_of_a_new_run_that_the_disk_refuses(library, corpus, monkeypatch):
    library.keep("old", make_run(corpus), corpus, "paused")
    other = type(corpus)(corpus.indptr, corpus.word_ids, corpus.counts, corpus.vocab, name="other")
    written = []

    def full(file):
        written.append(file)
        if len(written) == 3:
            raise OSError(28, "No space left on device")

    before = sorted(library.folder.rglob("*"))
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(StoreError, match=r"No space left on device.*stays as it is"):
            library.keep("new", make_run(corpus), other, "paused")
    assert len(written) == 3
    assert sorted(library.folder.rglob("*")) == before
    library.keep("new", make_run(corpus), other, "paused")
    assert len(library.saved()) == 2


def test_the_list_never_says_more_than_the_disk_holds(library, corpus, monkeypatch):
    run = make_run(corpus)
    run.step()
    library.keep("a", run, corpus, "running")

    def dies(*_):
        raise OSError("the machine dies here")

    run.step()
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", dies)
        with pytest.raises(StoreError, match="the machine dies here"):
            library.keep("a", run, corpus, "finished")
    assert library.load("a").docs_seen == 40
    assert library.get("a").facts["docs_seen"] == 40
    assert library.get("a").interrupted


def test_a_limit_that_was_mistyped_is_named(library, corpus, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_DISK_MB", "4 GB")
    with pytest.raises(ValueError, match="BNPEXPLORER_DISK_MB must be a whole number"):
        library.keep("a", make_run(corpus), corpus, "paused")


def test_a_pause_is_on_the_disk_when_it_is_shown(library, corpus):
    registry = RunRegistry()

    def keep(entry, run, status):
        library.keep(entry.run_id, run, corpus, status, entry.secret)

    train, heldout = split_heldout(corpus, 0, n=20)
    long = Run(make_method("hdp-tsvi"), train, 0, batch_size=40, passes=2000, heldout=heldout)
    entry = registry.add(long, keep=keep)
    entry.background.start()
    while entry.background.latest is None:
        time.sleep(0.01)
    for _ in range(5):
        registry.pause_all(NEVER)
        assert entry.background.status == "paused"
        saved = library.get(entry.run_id)
        assert saved.facts["status"] == "paused"
        assert saved.facts["docs_seen"] == entry.background.latest.docs_seen == long.docs_seen
        seen = long.docs_seen
        entry.background.resume()
        while long.docs_seen == seen:
            time.sleep(0.001)
    registry.stop_all()
    assert library.get(entry.run_id).facts["status"] == "stopped"


def test_a_row_has_the_last_score_and_not_the_best(corpus):
    run = make_run(corpus)
    while not run.done:
        run.step()
    best = replace(run.history[0], heldout=-0.5)
    run._history.trace.insert(0, best)
    scores = [point.heldout for point in run.history if point.heldout == point.heldout]
    assert len(scores) > 2
    assert scores[0] == max(scores)
    assert facts_of(run, "finished")["heldout"] == scores[-1] != scores[0]


def test_a_run_that_ended_early_is_whole(library, corpus):
    """A method that converges need not read all that was planned."""
    run = make_run(corpus)
    run.step()
    library.keep("a", run, corpus, "finished")
    assert run.docs_seen < run.planned_docs
    assert library.get("a").progress == 1.0


@pytest.mark.parametrize(
    ("step", "where"), [(None, "where it was saved last"), (0, "step 0"), (12345, "step 12,345")]
)
def test_a_run_that_failed_says_where_it_goes_on(corpus, step, where):
    facts = facts_of(make_run(corpus), "failed") | {"error": "ValueError: no more..", "step": step}
    saved = Saved("a", "a", "key", 1.0, 2.0, facts)
    said = f"stopped with an error: ValueError: no more. Resume goes on from {where}."
    assert saved.failure == said
    assert replace(saved, facts=facts | {"status": "stopped"}).failure == ""
