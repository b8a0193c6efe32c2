"""Documents that are handed to a method as they come."""

import numpy as np
import pytest

from bnpexplorer import Plan, make_method
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.pool import Threads
from bnpexplorer.runs.stream import Awaited, Stream

COUNTS = np.random.default_rng(1).poisson(1.0, (7, 5)) + np.eye(7, 5, dtype=int) + 1


@pytest.fixture
def first() -> Corpus:
    return Corpus.from_csr(COUNTS)


def test_what_is_awaited_is_the_first_documents_over_and_over(first):
    awaited = Awaited(first, 17)
    whole = COUNTS[np.arange(17) % 7]
    expected = Corpus.from_csr(whole)
    assert (awaited.n_docs, awaited.n_words) == (17, 5)
    np.testing.assert_array_equal(awaited.part(0, 17).to_csr().toarray(), whole)
    np.testing.assert_array_equal(awaited.part(5, 99).to_csr().toarray(), whole[5:])
    np.testing.assert_array_equal(awaited.take([16, 0, 9]).to_csr().toarray(), whole[[16, 0, 9]])
    np.testing.assert_array_equal(awaited.doc_lengths, expected.doc_lengths)
    assert Awaited(first, 70_000).n_tokens == 10_000 * first.n_tokens


def test_documents_are_cut_into_batches_numbered_through(first):
    method = make_method("lda-svi")
    seen = []

    class Watched(type(method)):
        def step(self, state, batch, rng, pool):
            seen.append((batch.rows.tolist(), batch.index, batch.of, batch.docs.n_tokens))
            return super().step(state, batch, rng, pool)

    stream = Stream(Watched(), 0, 3, 10)
    stream.learn(first.part(0, 6))
    stream.learn(first)
    lengths = COUNTS.sum(axis=1)
    tokens = [int(lengths[part].sum()) for part in (slice(0, 3), slice(3, 6), slice(6, 7))]
    assert seen == [
        ([0, 1, 2], 0, 4, tokens[0]),
        ([3, 4, 5], 1, 4, tokens[1]),
        ([6, 7, 8], 2, 4, tokens[0]),
        ([9, 10, 11], 3, 4, tokens[1]),
        ([12], 4, 5, tokens[2]),
    ]
    assert stream.docs_seen == 13
    assert stream.state.n_docs == 10
    few = Stream(Watched(), 0, 3, 2)
    few.learn(first)
    assert few.state.n_docs == 7, "more came than were awaited"


def test_threads_change_no_number(first):
    found = []
    for n in (1, 2):
        with Threads(n) as pool:
            stream = Stream(make_method("lda-svi", values={"n_topics": 4}), 2, 2, 50)
            stream.learn(first, pool)
            found.append(stream.method.topics(stream.state).topic_word)
    np.testing.assert_array_equal(*found)


def test_a_run_can_be_gone_on_from(first):
    run = Plan.of("dpm-tsvi", passes=2, batch_size=3).start(first)
    while not run.done:
        run.step()
    stream = Stream.after(run)
    before = run.method.topics(run.state).size.sum()
    stream.learn(first)
    assert (stream.n_docs, stream.docs_seen) == (7, 21)
    assert stream.method.topics(stream.state).size.sum() == pytest.approx(before, rel=0.5)


def test_a_run_that_is_gone_on_from_draws_what_a_stream_from_the_beginning_draws(first):
    plan = Plan.of("hdp-tsvi", order="stream", batch_size=7, seed=5)
    run = plan.start(first)
    run.step()
    stream = Stream(plan.method, 5, 7, 7)
    stream.learn(first)
    after = Stream.after(run)
    for one in (stream, after):
        one.learn(first)
    found = [one.method.topics(one.state).topic_word for one in (stream, after)]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(("batch_size", "scored"), [(2, [True, False]), (1, [False] * 4)])
def test_a_mini_batch_is_predicted_where_two_of_its_documents_have_two_words(batch_size, scored):
    """One of them is held out, and half of its words; in the third there is nothing to divide."""
    corpus = Corpus.from_csr(np.array([[1, 2, 0], [0, 1, 1], [3, 0, 0], [1, 1, 0]]))
    plan = Plan.of("lda-svi", values={"n_topics": 2}, order="stream", batch_size=batch_size)
    run = plan.start(corpus)
    while not run.done:
        run.step()
    assert [bool(np.isfinite(point.heldout)) for point in run.history] == scored


def test_what_cannot_be(first, monkeypatch):
    with pytest.raises(ValueError, match="needs the whole corpus in every pass"):
        Stream(make_method("lda-batch"), 0, 3, 9)
    with pytest.raises(ValueError, match="documents awaited must be at least 1; got 0"):
        Stream(make_method("lda-svi"), 0, 3, 0)
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "0")
    stream = Stream(make_method("lda-svi"), 0, 3, 9)
    with pytest.raises(ValueError, match="lda-svi would need about"):
        stream.learn(first)
    assert stream.state is None
