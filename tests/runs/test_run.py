"""The run: schedule, history, stream order."""

import importlib
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from bnpexplorer.checks.expecting import finish
from bnpexplorer.core import store
from bnpexplorer.corpus.corpus import Corpus, DocTable
from bnpexplorer.evaluate import score, split_heldout
from bnpexplorer.methods import make_method
from bnpexplorer.methods.base import Inference
from bnpexplorer.runs.feeding import order_of_pass
from bnpexplorer.runs.history import MAX_FRAMES, thinned
from bnpexplorer.runs.run import Run
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import TracePoint


class Spy(Inference):
    """Stands in for a method and notes what it is given."""

    def __init__(self, inner, batching="shuffled"):
        self.inner, self.batching, self.name, self.model = inner, batching, inner.name, inner.model
        self.rows, self.indices = [], []

    def init(self, corpus, rng):
        return self.inner.init(corpus, rng)

    def step(self, state, batch, rng, pool):
        self.rows.append(batch.rows.tolist())
        self.indices.append((batch.index, batch.of))
        assert batch.docs.n_docs == len(batch.rows)
        return self.inner.step(state, batch, rng, pool)

    def topics(self, state):
        return self.inner.topics(state)


def test_fixed_batches_cannot_be_a_stream(dozen):
    with pytest.raises(ValueError, match="cannot learn a stream"):
        Run(make_method("lda-batch"), dozen, order="stream")


def test_refuses_what_does_not_fit_before_it_starts(dozen, monkeypatch):
    class Large(Spy):
        def memory(self, corpus):
            return 40 * 2**20 * corpus.n_docs

    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "480")
    Run(Large(method()), dozen.take(np.arange(12)))
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "479")
    with pytest.raises(ValueError, match=r"about 480 MB for these 12 documents.* 479 MB"):
        Run(Large(method()), dozen)


def test_refuses_topics_that_do_not_fit(bars, monkeypatch):
    corpus = bars[0]
    wide = make_method("hdp-batch", "default", {"truncation": 2000})
    assert 1.0 < 3 * 8 * 2000 * corpus.n_words / 2**20 < 1.5
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "1")
    with pytest.raises(ValueError, match="documents of 25 words"):
        Run(wide, corpus)
    Run(make_method("hdp-batch"), corpus)
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "2")
    Run(wide, corpus)


@pytest.mark.parametrize("asked", ["abc", "-1", "1.5", "2GB"])
def test_a_mistyped_limit_of_memory_is_refused(dozen, monkeypatch, asked):
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", asked)
    with pytest.raises(ValueError, match="whole number of megabytes"):
        Run(method(), dozen)


@pytest.mark.second
@pytest.mark.parametrize("protocol", ["completion", "exact"])
def test_a_kept_state_is_scored_once_and_the_score_is_the_same(dozen, monkeypatch, protocol):
    """Against scores that are made afresh at every state."""
    name = "lda-gibbs" if protocol == "completion" else "dpm-gibbs"
    train, heldout = split_heldout(dozen, seed=0, n=3, protocol=protocol)
    knobs = {"burn_in": 1, "thin": 1, "n_kept": 3}
    run = Run(make_method(name, values=knobs), train, batch_size=9, passes=8, heldout=heldout)
    asked, afresh = [], []
    module = importlib.import_module("bnpexplorer.evaluate.score")
    predict = "completion_by_start" if protocol == "completion" else "_log_documents"
    real = getattr(module, predict)
    monkeypatch.setattr(module, predict, lambda *a: asked.append(a[1]) or real(*a))
    while not run.done:
        run.step()
        n_asked = len(asked)
        kept = run.snapshot(with_kept=True).kept
        afresh.append(score(run.method.model, run.snapshot().topics, heldout, kept=kept))
        del asked[n_asked:]
    assert [p.heldout for p in run.history] == afresh
    n_states = 1 + 7  # the first pass keeps none, every later one a state
    assert len(asked) == n_states < sum(min(max(p, 1), 3) for p in range(8))


@pytest.mark.second
def test_scores_average_over_kept_states(dozen):
    train, heldout = split_heldout(dozen, seed=0, n=3, protocol="importance")

    class Keeping(Spy):
        def kept(self, state):
            topics = self.inner.topics(state)
            return ((0.25, topics), (0.75, topics))

    plain, keeping = (
        Run(m, train, batch_size=4, passes=2, heldout=heldout)
        for m in (method(), Keeping(method()))
    )
    while not plain.done:
        plain.step()
        keeping.step()
    assert plain.snapshot().kept == ()
    assert keeping.snapshot().kept == ()
    assert [weight for weight, _ in keeping.snapshot(with_kept=True).kept] == [0.25, 0.75]
    assert keeping.snapshot().trace[-1].heldout != plain.snapshot().trace[-1].heldout  # two draws


def method():
    return make_method("lda-svi", "default", {"n_topics": 4})


def test_every_pass_reads_every_document_once(dozen):
    spy = Spy(method())
    run = finish(Run(spy, dozen, seed=4, batch_size=5, passes=3))
    assert [len(r) for r in spy.rows] == [5, 5, 2] * 3
    for i in range(3):
        assert sorted(chain(*spy.rows[3 * i : 3 * i + 3])) == list(range(12))
    assert spy.rows[0] != spy.rows[3], "a shuffled pass has an order of its own"
    assert spy.indices[:4] == [(0, 3), (1, 3), (2, 3), (0, 3)]
    assert run.docs_seen == run.planned_docs == 36
    with pytest.raises(RuntimeError, match="done"):
        run.step()


def test_fixed_batches_are_the_same_every_pass(dozen):
    spy = Spy(method(), "fixed")
    finish(Run(spy, dozen, seed=4, batch_size=5, passes=2))
    assert spy.rows[:3] == spy.rows[3:]
    assert spy.rows[0] != [0, 1, 2, 3, 4], "the partition is random, not the file's order"


def test_once_means_one_pass_in_order(dozen):
    spy = Spy(method(), "once")
    finish(Run(spy, dozen, batch_size=5, passes=7))
    assert list(chain(*spy.rows)) == list(range(12))


def test_stream_follows_the_dates_and_scores_before_it_learns(dozen):
    days = np.array([f"19{90 - i}-01-01" for i in range(11)] + ["NaT"], dtype="datetime64[D]")
    dated = Corpus(
        dozen.indptr, dozen.word_ids, dozen.counts, dozen.vocab, DocTable(date=days), "dated"
    )
    spy = Spy(method())
    run = finish(Run(spy, dated, batch_size=4, passes=3, order="stream"))
    assert list(chain(*spy.rows)) == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11]
    scores = [p.heldout for p in run.snapshot().trace]
    assert np.all(np.isfinite(scores))
    # The first score is that of topics that have seen nothing: with a flat start it is near 1 / V.
    assert abs(scores[0] + np.log(dated.n_words)) < 1.5
    assert run.protocol == "stream"


def test_documents_of_one_date_stay_in_their_order():
    days = np.random.default_rng(4).integers(5, size=300)
    dates = np.datetime64("2001-01-01") + days
    corpus = Corpus.from_csr(np.ones((300, 2), int), docs=DocTable(date=dates))
    order = order_of_pass(corpus, "stream", False, 7, np.random.default_rng(0))
    assert order.tolist() == sorted(range(300), key=lambda row: days[row])


def test_a_stream_is_scored_on_all_documents_but_one_before_they_are_learned(bars):
    """A score after the batch was learned is up to 0.8 too good; one document says little."""
    texts = bars[0].take(np.arange(12))
    run = Run(method(), texts, seed=3, batch_size=4, order="stream")
    drawn = np.random.default_rng(np.random.SeedSequence(3).spawn(3)[2])
    for begin in range(0, 12, 4):
        run.prepare()
        before = run.method.topics(run.state)
        batch = texts.take(np.arange(begin, begin + 4))
        assert (np.diff(batch.indptr) >= 2).all()
        _, coming = split_heldout(batch, int(drawn.integers(2**31)), n=3)
        run.step()
        expected = score(run.method.model, before, coming)
        assert run.history[-1].heldout == pytest.approx(expected, abs=1e-12)
        after = score(run.method.model, run.method.topics(run.state), coming)
        assert abs(after - expected) > 1e-3, "or the test could not tell"


def test_each_mini_batch_of_a_stream_is_scored_by_every_state_that_is_kept(bars, monkeypatch):
    """What a kept state said of one mini-batch says nothing of the next."""
    texts, kept = bars[0].take(np.arange(16)), []
    run = Run(method(), texts, seed=3, batch_size=4, order="stream")
    run.prepare()
    kept += [
        (0.25, run.topics),
        (0.75, replace(run.topics, topic_word=run.topics.topic_word[::-1])),
    ]
    monkeypatch.setattr(type(run.method), "kept", lambda method, state: tuple(kept))
    drawn = np.random.default_rng(np.random.SeedSequence(3).spawn(3)[2])
    for begin in range(0, 16, 4):
        batch = texts.take(np.arange(begin, begin + 4))
        _, coming = split_heldout(batch, int(drawn.integers(2**31)), n=3)
        run.step()
        expected = score(run.method.model, run.topics, coming, kept=tuple(kept))
        assert run.history[-1].heldout == pytest.approx(expected, abs=1e-12)


def test_a_moment_has_what_was_asked_for_and_the_size_of_what_is_learned(bars):
    train, heldout = split_heldout(bars[0], 0, n=5)
    run = Run(method(), train, batch_size=10, passes=3, heldout=heldout)
    run.step()
    before, labels = run.snapshot(), Labels({1: "war"})
    run.step()
    moment = run.moment(before, bars[0], labels, "a1")
    assert (moment.snapshot, moment.corpus, moment.labels) == (before, bars[0], labels)
    assert (moment.run_id, moment.model) == ("a1", run.method.model)
    assert (moment.docs_in_pass, moment.planned_docs) == (train.n_docs, 3 * train.n_docs)
    now = run.moment()
    assert (now.snapshot.step, now.corpus, now.labels, now.run_id) == (2, train, Labels(), "")


def test_a_saved_stream_goes_on_with_the_same_scores(tmp_path, dozen):
    """Which words of a coming document are predicted is drawn: by the generator as it was saved."""

    def stream():
        return Run(method(), dozen, seed=3, batch_size=4, order="stream")

    whole, half = finish(stream()), stream()
    half.step()
    half.save(tmp_path / "half.run")
    resumed = finish(Run.load(tmp_path / "half.run"))
    assert [p.heldout for p in resumed.history] == [p.heldout for p in whole.history]


@pytest.mark.parametrize("batching", ["shuffled", "fixed", "once"])
def test_the_reading_order_is_that_of_the_first_pass(dozen, batching):
    spy = Spy(method(), batching)
    run = Run(spy, dozen, seed=4, batch_size=5, passes=2)
    while not run.done:
        run.step()
    assert run.reading_order().tolist() == list(chain(*spy.rows[:3])), "asked after the run, too"


def test_batch_larger_than_the_corpus(dozen):
    run = finish(Run(method(), dozen, batch_size=1000, passes=2))
    assert run.batch_size == 12
    assert run.snapshot().step == 2


@pytest.mark.parametrize(
    ("wrong", "word"),
    [({"batch_size": 0}, "batch_size"), ({"passes": 0}, "passes"), ({"order": "random"}, "order")],
)
def test_refuses_impossible_settings(dozen, wrong, word):
    with pytest.raises(ValueError, match=word):
        Run(method(), dozen, **wrong)


LARGEST = {"seed": 2**63 - 1, "passes": 10**9, "minutes": 10**9}


@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_number_that_can_be_written_down_is_taken_and_the_next_is_not(dozen, name):
    run = Run(method(), dozen, **{name: LARGEST[name]})
    assert getattr(run, name) == LARGEST[name]
    with pytest.raises(
        ValueError, match=rf"^{name} must be at most {LARGEST[name]:_}".replace("_", ",?")
    ):
        Run(method(), dozen, **{name: LARGEST[name] + 1})


def test_only_texts_on_the_disk_are_held_besides_for_a_method_that_looks_at_all(dozen, monkeypatch):
    class Looks(Spy):
        def memory(self, corpus):
            return 2**20

        def looks_beyond(self):
            return True

    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "1")
    Run(Looks(method()), dozen)


def test_what_a_step_took_is_counted_and_neither_the_first_state_nor_a_score(dozen):
    train, heldout = split_heldout(dozen, seed=0, n=3)
    now = [100.0]

    class Timed(Spy):
        def init(self, corpus, rng):
            now[0] += 7.0
            return super().init(corpus, rng)

        def step(self, *given):
            now[0] += 2.5
            return super().step(*given)

        def topics(self, state):
            now[0] += 30.0
            return super().topics(state)

    run = Run(Timed(method()), train, batch_size=4, passes=2, heldout=heldout)
    run.clock = lambda: now[0]
    for n in (1, 2, 3):
        run.step()
        assert run.seconds == 2.5 * n
    assert [point.seconds for point in run.history] == [2.5, 5.0, 7.5]


@pytest.mark.second
def test_a_bound_has_a_row_whenever_it_is_told(dozen):
    """Between rows that are due, too, which lie apart after many documents."""

    class Bounded(Spy):
        def step(self, state, batch, rng, pool):
            state, info = super().step(state, batch, rng, pool)
            return state, replace(info, bound=-2.0) if len(self.rows) in (401, 403) else info

    run = finish(Run(Bounded(method()), dozen, batch_size=1, passes=100))
    told = {p.step: p.bound for p in run.history}
    assert told[401] == told[403] == -2.0
    assert 402 not in told


@pytest.mark.second
def test_history_follows_documents_and_stays_small(bars):
    corpus, heldout = split_heldout(bars[0], seed=0, n=20)
    runs = [
        finish(Run(method(), corpus, seed=1, batch_size=1, passes=3, heldout=heldout))
        for _ in range(2)
    ]
    first, second = (run.snapshot() for run in runs)
    assert [p.docs_seen for p in first.trace] == [p.docs_seen for p in second.trace]
    np.testing.assert_array_equal(
        [p.heldout for p in first.trace], [p.heldout for p in second.trace]
    )
    assert first.trace[0].docs_seen == 1
    assert first.trace[-1].docs_seen == 840
    assert np.isfinite(first.trace[-1].heldout), "the end is always scored"
    assert 100 < len(first.trace) < 400
    assert 30 < sum(np.isfinite(p.heldout) for p in first.trace) < 150
    assert len(first.frames) <= MAX_FRAMES
    frame = first.frames[-1]
    top = first.topics.topic_word[0].argsort()[::-1][:25]
    assert frame.word_ids.shape == (4, 25)
    probs = np.sort(first.topics.topic_word[0])[::-1]
    shown = probs * first.topics.total[0] - first.topics.eta >= 0.5
    np.testing.assert_allclose(frame.word_probs[0], np.where(shown, probs, 0.0))
    assert set(frame.word_ids[0]) == set(top)
    assert frame.weight.sum() == pytest.approx(1.0)


def test_every_score_of_several_starts_tells_how_far_they_differ(tmp_path, dozen):
    train, heldout = split_heldout(dozen, seed=0, n=3, protocol="completion-4-starts")
    run = Run(make_method("lda-svi", values={"n_topics": 4}), train, 0, 4, 3, heldout=heldout)
    while not run.done:
        run.step()
    last = run.history[-1]
    found = score(run.method.model, run.topics, heldout)
    assert (last.heldout, last.spread) == (float(found), found.spread)
    assert type(last.heldout) is float
    assert run.snapshot().spread == found.spread > 0.0
    assert all(p.spread == 0.0 for p in run.history if not np.isfinite(p.heldout))
    run.save(tmp_path / "it.run")
    again = Run.load(tmp_path / "it.run")
    assert [p.spread for p in again.history] == [p.spread for p in run.history]
    assert again.protocol == "completion-4-starts"


def test_thinning_keeps_the_scores():
    trace = [
        TracePoint(i, i, 0.0, 1, float("nan"), 1.0 if i % 7 == 0 else float("nan"))
        for i in range(100)
    ]
    short = thinned(trace, 100)
    assert [p.step for p in short if p.heldout == 1.0] == list(range(0, 100, 7))
    assert 50 <= len(short) < 70
    assert thinned(trace, 101) is trace


def test_a_trace_up_to_now_ends_at_the_moment_that_is_shown(bars):
    run = Run(method(), bars[0], seed=0, batch_size=5, passes=30)
    while run.snapshot().step == (run.history[-1].step if run.history else 0):
        run.step()
    between = run.snapshot()
    shown = run.moment(between).trace
    last = shown[-1]
    assert shown[:-1] == between.trace
    assert (last.step, last.docs_seen, last.seconds) == (
        between.step,
        between.docs_seen,
        between.seconds,
    )
    assert last.n_topics == int((between.topics.size >= 1.0 - 1e-9).sum())
    assert np.isnan(last.heldout), "no score is made up"
    assert run.moment(replace(between, trace=shown)).trace is shown
    assert run.moment(between).snapshot is between
    assert run.history == between.trace, "and the run keeps its own rows"


def test_a_saved_run_carries_no_texts(tmp_path, dozen):
    texts = np.array([f"secret {i}" for i in range(12)], dtype=object)
    titles = np.array([f"title {i}" for i in range(12)], dtype=object)
    corpus = Corpus(
        dozen.indptr, dozen.word_ids, dozen.counts, dozen.vocab, DocTable(title=titles, text=texts)
    )
    train, heldout = split_heldout(corpus, seed=0, n=2)
    run = Run(method(), train, batch_size=4, heldout=heldout)
    run.step()
    run.save(tmp_path / "a.run")
    manifest, _ = store.read(tmp_path / "a.run")
    assert "secret" not in str(manifest)
    assert "title" in str(manifest)
    loaded = Run.load(tmp_path / "a.run")
    assert loaded.corpus.fingerprint == train.fingerprint
    assert loaded.seconds == run.seconds


def test_loading_a_damaged_run_says_so(tmp_path, dozen):
    run = Run(method(), dozen, batch_size=4)
    run.save(tmp_path / "a.run")
    manifest, arrays = store.read(tmp_path / "a.run")
    del manifest["state"]
    store.write(tmp_path / "b.run", manifest, arrays)
    with pytest.raises(store.StoreError, match=r"b\.run is damaged"):
        Run.load(tmp_path / "b.run")


def test_memory_counts_the_state_and_the_texts_at_hand(bars):
    corpus = bars[0]
    n_bytes = {}
    for name in ("hdp-svi", "hdp-gibbs"):
        run = Run(make_method(name), corpus, batch_size=corpus.n_docs // 4)
        run.prepare()
        n_bytes[name] = run.memory - store.size(run.state)
    assert n_bytes["hdp-gibbs"] == pytest.approx(4 * n_bytes["hdp-svi"], rel=0.02)
    table = corpus.word_ids.nbytes + corpus.counts.nbytes
    assert table <= n_bytes["hdp-gibbs"] < 3 * table


@pytest.mark.parametrize("name", ["hdp-tsvi", "hdp-catvi", "gdp-catvi", "hdp-gibbs", "lda-gibbs"])
def test_texts_of_more_tokens_than_memory_holds_are_refused_before_the_start(name, monkeypatch):
    """Twenty bytes of counts are gigabytes for methods that draw token by token."""
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "8000")
    corpus = Corpus.from_csr(np.array([[0, 2_000_000_000], [1, 140_000_000]]))
    with pytest.raises(ValueError, match=f"{name} would need about .* MB for these 2 documents"):
        Run(make_method(name), corpus)
