"""An estimator has the numbers of a run with the same counts, settings and seed, bit for bit."""

import math

import numpy as np
import pytest
from scipy import sparse

from bnpexplorer import Plan
from bnpexplorer.core.knob import knobs_of
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.evaluate import heldout_of
from bnpexplorer.inference.fold_in import mean_proportions
from bnpexplorer.methods import METHODS
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.stream import Stream
from bnpexplorer.sklearn import HDP, LDA, DPMixture
from bnpexplorer.sklearn import given as settings
from tests.tools.estimators import EVERY, KINDS, STREAMS, called

PARTS = ["topic_word", "total", "size", "weight", "topic_ids"]


@pytest.fixture(scope="module")
def counts(bars) -> np.ndarray:
    return bars[0].take(np.arange(60)).to_csr().toarray()


def done(run: Run) -> Run:
    while not run.done:
        run.step()
    return run


def same_topics(found, expected) -> None:
    for name in PARTS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
    assert (found.unseen, found.eta) == (expected.unseen, expected.eta)
    np.testing.assert_array_equal(found.concentration, expected.concentration)


@pytest.mark.second
@pytest.mark.parametrize(("kind", "name"), EVERY, ids=called)
def test_fit_is_a_run(kind, name, counts):
    estimator = kind(method=name, eta=0.3, max_iter=3, batch_size=25, random_state=4).fit(counts)
    plan = Plan.of(name, values={"eta": 0.3}, passes=3, batch_size=25, seed=4)
    corpus = Corpus.from_csr(counts)
    run = done(plan.start(corpus))
    expected = run.snapshot().topics
    same_topics(estimator.topics_, expected)
    assert estimator.n_iter_ == run.docs_seen / corpus.n_docs
    assert estimator.n_topics_ == expected.in_use.sum() >= 1

    read = run.method.model.fold_in if kind is DPMixture else mean_proportions
    shares = read(expected, corpus)
    if kind is LDA:
        columns = np.arange(50)
    else:
        in_use = np.flatnonzero(expected.size > 1 - 1e-9)
        columns = np.array(sorted(in_use, key=lambda k: (-expected.size[k], k)))
    np.testing.assert_array_equal(estimator.transform(counts), shares[:, columns])
    np.testing.assert_array_equal(estimator.components_, expected.topic_word[columns])
    np.testing.assert_allclose(estimator.components_.sum(axis=1), 1.0, rtol=1e-5)


@pytest.mark.second
def test_nothing_chosen_is_a_plan_with_nothing_chosen(counts):
    run = done(Plan.of("lda-svi", seed=7).start(Corpus.from_csr(counts)))
    same_topics(LDA(method="lda-svi", random_state=7).fit(counts).topics_, run.snapshot().topics)
    preset = "wang-blei-2012"
    run = done(Plan.of("hdp-tsvi", preset, {"burn_in": 3}, seed=7).start(Corpus.from_csr(counts)))
    estimator = HDP(method="hdp-tsvi", preset=preset, knobs={"burn_in": 3}, random_state=7)
    same_topics(estimator.fit(counts).topics_, run.snapshot().topics)


def test_rows_without_words_are_not_learned_and_get_the_prior(counts):
    holes = np.insert(counts, [0, 10, 60], 0, axis=0)
    estimator = HDP(max_iter=5, random_state=1).fit(holes)
    same_topics(estimator.topics_, HDP(max_iter=5, random_state=1).fit(counts).topics_)
    shares, topics = estimator.transform(holes), estimator.topics_
    prior = topics.weight[topics.by_size[: estimator.n_topics_]]
    np.testing.assert_allclose(shares[[0, 11, 62]], [prior] * 3, rtol=1e-12)
    np.testing.assert_array_equal(shares[1:11], estimator.transform(counts)[:10])

    lda = LDA(4, max_iter=5, random_state=1).fit(holes)
    np.testing.assert_allclose(lda.transform(np.zeros((1, 25))), [[0.25] * 4])


@pytest.mark.parametrize("kind", KINDS)
def test_sparse_dense_and_float_counts_and_threads_are_one(kind, counts):
    expected = kind(max_iter=3, random_state=2).fit(counts)
    zeros = sparse.csr_matrix(counts.astype(np.float32))
    zeros.data[:3] = 0.0
    whole = zeros.toarray()
    for given in (counts.astype(float), sparse.csc_array(counts), sparse.coo_matrix(counts)):
        estimator = kind(max_iter=3, random_state=2, n_jobs=2).fit(given)
        np.testing.assert_array_equal(estimator.components_, expected.components_)
        np.testing.assert_array_equal(estimator.transform(given), expected.transform(counts))
    before = zeros.copy()
    np.testing.assert_array_equal(expected.transform(zeros), expected.transform(whole))
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(zeros, part), getattr(before, part))


@pytest.mark.parametrize("kind", KINDS)
def test_counts_that_nobody_can_write(kind, counts):
    """A corpus's own, and those that joblib maps for the processes of a search."""
    expected = kind(max_iter=2, random_state=2).fit(counts)
    own = Corpus.from_csr(counts).to_csr()
    fixed = counts.copy()
    fixed.flags.writeable = False
    assert not own.data.flags.writeable
    for given in (own, fixed):
        estimator = kind(max_iter=2, random_state=2).fit(given)
        np.testing.assert_array_equal(estimator.components_, expected.components_)
        assert estimator.score(given) == expected.score(counts)


def test_random_state(counts):
    def found(state) -> np.ndarray:
        return LDA(3, max_iter=2, random_state=state).fit(counts).components_

    np.testing.assert_array_equal(
        found(np.random.RandomState(5)), found(np.random.RandomState(5).randint(2**31 - 1))
    )
    np.testing.assert_array_equal(found(np.int64(5)), found(5))
    assert not np.array_equal(found(5), found(6))
    np.random.seed(8)  # noqa: NPY002
    first = found(None)
    assert not np.array_equal(first, found(None))
    np.random.seed(8)  # noqa: NPY002
    np.testing.assert_array_equal(first, found(None))


# ---- streams -------------------------------------------------------------------------------------


def streamed(name: str) -> dict[str, str]:
    """A start that looks at no document, where there is a choice."""
    choices = {knob: about.choices for knob, _, about in knobs_of(METHODS[name])}
    return {"start": "random"} if "random" in choices.get("start", ()) else {}


@pytest.mark.parametrize(("kind", "name"), STREAMS, ids=called)
def test_partial_fit_is_a_run_by_a_stream(kind, name, counts):
    """In calls of 20, 10 and 30 documents: mini-batches of 10, as a run takes them."""
    values = streamed(name)
    estimator = kind(method=name, batch_size=10, total_samples=60, random_state=4, **values)
    for part in np.split(counts, [20, 30]):
        assert estimator.partial_fit(part) is estimator
    plan = Plan.of(name, values=values, batch_size=10, seed=4, order="stream")
    run = done(plan.start(Corpus.from_csr(counts)))
    same_topics(estimator.topics_, run.snapshot().topics)


@pytest.mark.parametrize(("kind", "name"), [(LDA, "lda-svi"), (HDP, "hdp-catvi")], ids=called)
def test_one_call_with_everything_starts_at_its_clusters(kind, name, counts):
    estimator = kind(method=name, batch_size=10, total_samples=60, random_state=4)
    estimator.partial_fit(counts)
    plan = Plan.of(name, batch_size=10, seed=4, order="stream")
    same_topics(estimator.topics_, done(plan.start(Corpus.from_csr(counts))).snapshot().topics)


def test_a_start_at_clusters_looks_at_the_documents_that_came_first(counts):
    """Topics begin with the weight of a million documents, around 20 documents over and over."""
    estimator = LDA(5, method="lda-svi", kappa=0.9, tau=1e6, random_state=4)
    estimator.partial_fit(counts[:20])
    topics = estimator.topics_
    assert 0.9 * 1e8 < topics.size.sum() < 1.1 * 1e8  # 100 tokens each, by `start_length`
    spread = np.abs(topics.topic_word - counts[:20].sum(axis=0) / counts[:20].sum()).sum(axis=1)
    assert spread.min() > 0.3  # clusters, not five times the same


def test_partial_fit_goes_on_after_fit(counts):
    estimator = HDP(method="hdp-tsvi", max_iter=2, batch_size=20, random_state=3).fit(counts)
    run = done(Plan.of("hdp-tsvi", passes=2, batch_size=20, seed=3).start(Corpus.from_csr(counts)))
    stream = Stream.after(run)
    stream.learn(Corpus.from_csr(counts[:30]))
    before = estimator.components_
    estimator.partial_fit(counts[:30])
    same_topics(estimator.topics_, run.method.topics(stream.state))
    assert stream.docs_seen == 150
    assert before.shape != estimator.components_.shape or not np.array_equal(
        before, estimator.components_
    )
    anew = estimator.fit(counts).components_
    np.testing.assert_array_equal(anew, before)


# ---- scores --------------------------------------------------------------------------------------


def test_the_score_of_topics_word_by_word(counts):
    """sum_k E theta_dk E beta_kw of every hidden word, given the others of its document."""
    estimator = LDA(6, method="lda-batch", max_iter=10, random_state=1).fit(counts[:40])
    test = counts[40:]
    heldout = heldout_of(Corpus.from_csr(test), 0, "tokens-90-10-4-starts")
    observed, hidden = (part.to_csr().toarray() for part in (heldout.observed, heldout.hidden))
    np.testing.assert_array_equal(observed + hidden, test)
    theta = estimator.transform(observed)
    total = 0.0
    for d, w in zip(*hidden.nonzero(), strict=True):
        p = sum(theta[d, k] * estimator.components_[k, w] for k in range(6))
        total += hidden[d, w] * math.log(p)
    assert estimator.score(test) == pytest.approx(total / hidden.sum(), rel=1e-9)
    assert estimator.perplexity(test) == pytest.approx(math.exp(-total / hidden.sum()), rel=1e-9)


def test_the_score_of_a_mixture_is_of_whole_documents(counts):
    """p(document) by the Dirichlets of the clusters and a new one, one word after the other."""
    estimator = DPMixture(method="dpm-batch", truncation=6, max_iter=5, random_state=1)
    topics = estimator.fit(counts[:40]).topics_
    dirichlets = [
        t * row.astype(float) for t, row in zip(topics.total, topics.topic_word, strict=True)
    ]
    shares = [*topics.weight, topics.unseen]
    total = 0.0
    for document in counts[40:]:
        by_cluster = []
        for share, base in zip(shares, [*dirichlets, np.full(25, topics.eta)], strict=True):
            held, p = base.copy(), share
            for w in np.repeat(np.arange(25), document):
                p *= held[w] / held.sum()
                held[w] += 1
            by_cluster.append(p)
        total += math.log(sum(by_cluster))
    expected = total / counts[40:].sum()
    assert estimator.score(counts[40:]) == pytest.approx(expected, rel=1e-6)


def test_samplers_are_scored_by_all_states_they_kept(counts):
    """As a run scores itself."""
    plan = Plan.of("dpm-gibbs", passes=20, seed=4)
    estimator = DPMixture(max_iter=20, random_state=4).fit(counts[:40])
    heldout = heldout_of(Corpus.from_csr(counts[40:]), 0, "exact")
    run = done(plan.start(Corpus.from_csr(counts[:40]), heldout))
    assert len(run.method.kept(run.state)) > 1
    assert estimator.score(counts[40:]) == run.snapshot().heldout


def test_a_longer_run_scores_higher(counts):
    few, more = (LDA(10, max_iter=n, random_state=1).fit(counts) for n in (1, 60))
    assert more.score(counts) > few.score(counts)
    assert more.perplexity(counts) < few.perplexity(counts)


# ---- a mixture -----------------------------------------------------------------------------------


def test_the_labels_of_a_mixture():
    rng = np.random.default_rng(5)
    truth = rng.integers(3, size=90)
    words = np.repeat(np.eye(3), 4, axis=1) * 0.24 + 0.01
    counts = np.array([rng.multinomial(30, words[k] / words[k].sum()) for k in truth])
    estimator = DPMixture(random_state=0)
    labels = estimator.fit_predict(counts)
    assert estimator.n_topics_ == 3
    assert {(a, b) for a, b in zip(truth, labels, strict=True)} == {
        (k, labels[truth == k][0]) for k in range(3)
    }
    np.testing.assert_array_equal(labels, estimator.labels_)
    np.testing.assert_array_equal(estimator.predict(counts), labels)
    np.testing.assert_array_equal(estimator.transform(counts).argmax(axis=1), labels)
    sizes = np.bincount(labels)
    assert list(sizes) == sorted(sizes, reverse=True)
    assert len(DPMixture(method="dpm-tsvi").partial_fit(counts[:7]).labels_) == 7


@pytest.mark.parametrize("fit", ["fit", "partial_fit"])
def test_a_row_without_words_has_its_place_among_the_labels(fit):
    """It is not learned, and gets the cluster that the prior holds likeliest."""
    counts = np.zeros((9, 6), np.int64)
    filled = [0, 2, 3, 6, 7]
    counts[filled] = [[9, 8, 0, 0, 1, 0], [0, 0, 7, 9, 0, 0], [8, 9, 0, 0, 0, 1]] + 2 * [
        [0, 1, 9, 8, 0, 0]
    ]
    estimator = getattr(DPMixture(method="dpm-tsvi", random_state=0), fit)(counts)
    alone = getattr(DPMixture(method="dpm-tsvi", random_state=0), fit)(counts[filled])
    assert estimator.labels_.shape == (9,)
    np.testing.assert_array_equal(estimator.components_, alone.components_)
    np.testing.assert_array_equal(estimator.labels_[filled], alone.labels_)
    np.testing.assert_array_equal(estimator.labels_, estimator.predict(counts))


@pytest.mark.parametrize(("kind", "name"), [(DPMixture, "dpm-svi"), (HDP, "hdp-batch")], ids=called)
def test_where_none_holds_a_whole_document_the_largest_is_shown(kind, name):
    """One document of one word, which a hundred topics share."""
    estimator = kind(method=name, max_iter=1, random_state=0).fit([[1, 0]])
    assert estimator.n_topics_ == 0
    largest = estimator.topics_.size.argmax()
    np.testing.assert_array_equal(estimator.components_[0], estimator.topics_.topic_word[largest])
    assert estimator.transform([[1, 0], [0, 0]]).shape == (2, 1)
    assert list(estimator.get_feature_names_out()) == [f"{kind.__name__.lower()}0"]


def test_where_nothing_is_left_documents_have_no_topic():
    """Conditional inference drops topics that one word does not keep; a mixture says -1."""
    estimator = HDP(method="hdp-catvi", max_iter=1, random_state=0).fit([[1, 0]])
    assert (estimator.n_topics_, estimator.components_.shape) == (0, (0, 2))
    assert estimator.transform([[1, 0], [0, 2]]).shape == (2, 0)
    assert estimator.score([[1, 1]]) == pytest.approx(math.log(0.5))

    mixture = DPMixture(max_iter=1, random_state=0).fit([[1, 0]])
    mixture._shown = mixture._shown[:0]
    assert mixture.predict([[1, 0], [0, 2]]).tolist() == [-1, -1]


@pytest.mark.parametrize(("n_jobs", "n"), [(None, 1), (1, 1), (3, 3), (-1, 6), (-2, 5), (-9, 1)])
def test_jobs_are_counted_from_all_cores_downwards(n_jobs, n, monkeypatch):
    monkeypatch.setattr(settings, "usual_threads", lambda: 6)
    with settings.threads_of(n_jobs) as pool:
        assert pool.n_workers == n


def test_passes_are_counted_over_the_rows_that_have_words(counts):
    holes = np.vstack([counts, np.zeros((len(counts), counts.shape[1]), counts.dtype)])
    for rows in (counts, holes):
        assert LDA(4, method="lda-batch", max_iter=3, random_state=1).fit(rows).n_iter_ == 3


def test_a_whole_number_of_numpy_is_a_seed_too():
    for seed in (7, np.int64(7), np.uint8(7)):
        assert settings.seed_of(seed) == 7


def test_a_second_fit_begins_anew_with_the_words_it_is_given(counts):
    again = LDA(3, method="lda-svi", max_iter=1, random_state=1).fit(counts).fit(counts[:, :9])
    assert again.n_features_in_ == 9
    once = LDA(3, method="lda-svi", max_iter=1, random_state=1).fit(counts[:, :9])
    same_topics(again.topics_, once.topics_)


def test_a_call_that_was_refused_begins_no_stream(counts):
    estimator = LDA(3, method="lda-svi", random_state=1)
    with pytest.raises(ValueError, match="no row with a single word"):
        estimator.partial_fit(counts[:, :9] * 0)
    estimator.partial_fit(counts)
    assert estimator.n_features_in_ == counts.shape[1]


def test_passes_of_a_stream_are_counted_over_what_it_awaits(counts):
    for awaited, passes in ((1e6, 1), (20, 3)):
        estimator = LDA(3, method="lda-svi", total_samples=awaited, random_state=1)
        assert estimator.partial_fit(counts).n_iter_ == passes
