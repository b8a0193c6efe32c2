"""Words with weights, such as tf-idf: learned as they stand where a method reads counts in sums."""

import re
import warnings

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning

import bnpexplorer.sklearn
from bnpexplorer import Plan
from bnpexplorer.evaluate import heldout_of
from bnpexplorer.evaluate.score import completion_probabilities
from bnpexplorer.methods import METHODS
from bnpexplorer.sklearn import HDP, LDA, DPMixture
from bnpexplorer.sklearn.transformer import DIVISION_SEED
from tests.tools.estimators import EVERY, STREAMS, called
from tests.tools.weights import amounts_of, corpus_of

WEIGH = [(kind, name) for kind, name in EVERY if METHODS[name].weighs]
OTHERS = [(kind, name) for kind, name in EVERY if not METHODS[name].weighs]
OF_STREAMS = [pair for pair in WEIGH if pair in STREAMS]
WEIGHTS = amounts_of(np.random.default_rng(0).poisson(0.4, (60, 40)), "weights")
WEIGHTS[:, 0] += 0.5


@pytest.fixture(autouse=True)
def _nothing_is_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataConversionWarning)
        yield


def test_mean_field_given_the_topics_weighs_and_nothing_else_does():
    apart = {n for n, m in METHODS.items() if m.kind == "mean field" and m.parallel == "documents"}
    assert {name for _, name in WEIGH} == apart
    said = re.search(r"in sums alone: (.*?)\. ", " ".join(bnpexplorer.sklearn.__doc__.split()))
    assert re.findall(r"`(.*?)`", said[1]) == [name for _, name in WEIGH]


@pytest.mark.second
@pytest.mark.parametrize(("kind", "name"), WEIGH, ids=called)
def test_fit_is_a_run_on_the_weights(kind, name):
    estimator = kind(method=name, max_iter=3, batch_size=25, random_state=4).fit(WEIGHTS)
    run = Plan.of(name, passes=3, batch_size=25, seed=4).start(corpus_of(WEIGHTS))
    while not run.done:
        run.step()
    expected = run.snapshot().topics
    np.testing.assert_array_equal(estimator.topics_.topic_word, expected.topic_word)
    np.testing.assert_array_equal(estimator.topics_.size, expected.size)
    rounded = clone(estimator).fit(np.rint(WEIGHTS))
    assert not np.array_equal(rounded.components_[:1], estimator.components_[:1])


@pytest.mark.second
@pytest.mark.parametrize(("kind", "name"), WEIGH, ids=called)
def test_weights_that_are_whole_are_counts(kind, name):
    """The numbers of a run do not depend on how its amounts are kept, to the last bit."""
    whole = np.rint(WEIGHTS * 3).astype(int)
    found = []
    for amounts in (whole, whole.astype(float)):
        run = Plan.of(name, passes=2, batch_size=25, seed=4).start(corpus_of(amounts))
        while not run.done:
            run.step()
        found.append((type(run.corpus).__name__, run.snapshot().topics))
    (counted, one), (weighed, two) = found
    assert (counted, weighed) == ("Corpus", "Weighted")
    np.testing.assert_array_equal(one.topic_word, two.topic_word)
    np.testing.assert_array_equal(one.size, two.size)
    np.testing.assert_array_equal(one.weight, two.weight)


@pytest.mark.parametrize(("kind", "name"), WEIGH, ids=called)
def test_all_weights_are_in_the_topics(kind, name):
    estimator = kind(method=name, max_iter=2, batch_size=25, random_state=0, n_jobs=2)
    shares = estimator.fit_transform(WEIGHTS)
    assert shares.sum(axis=1).max() <= 1.0 + 1e-9
    topics = estimator.topics_
    if METHODS[name].batching == "fixed":  # others hold a running mean of mini-batches
        held = 60.0 if kind is DPMixture else WEIGHTS.sum()
        assert topics.size.sum() == pytest.approx(held, rel=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "longdouble", ">f8"])
def test_weights_of_any_type_are_those_of_doubles(dtype):
    given = WEIGHTS.astype("float32").astype(dtype)
    found, expected = (
        LDA(4, method="lda-svi", max_iter=2, random_state=0).fit(amounts).components_
        for amounts in (given, given.astype(float))
    )
    np.testing.assert_array_equal(found, expected)


def test_a_score_on_weights_tells_how_many_words_in_whole_numbers():
    estimator = DPMixture(method="dpm-batch", max_iter=2, random_state=0).fit(WEIGHTS)
    said = estimator.score(WEIGHTS)._repr_html_()
    assert f"{round(WEIGHTS.sum()):,} words" in said


@pytest.mark.parametrize(("kind", "name"), OF_STREAMS, ids=called)
def test_partial_fit_takes_weights_beside_counts(kind, name):
    estimator = kind(method=name, total_samples=120, batch_size=30, random_state=0)
    first = clone(estimator).partial_fit(WEIGHTS)
    both = estimator.partial_fit(WEIGHTS).partial_fit(np.rint(WEIGHTS))
    assert not np.array_equal(first.topics_.topic_word, both.topics_.topic_word)
    fitted = clone(estimator).set_params(max_iter=1).fit(np.vstack([WEIGHTS, WEIGHTS]))
    assert fitted.topics_.topic_word.shape[1] == 40


@pytest.mark.parametrize("kind", [LDA, HDP])
def test_a_score_weighs_the_words_that_it_hides(kind):
    estimator = kind(method=f"{kind.__name__.lower()}-svi", max_iter=3, random_state=0)
    estimator.fit(WEIGHTS)
    # A fixed half of the different words, with what they weigh, even where documents use many.
    held = heldout_of(corpus_of(WEIGHTS), DIVISION_SEED, "completion-4-starts")
    rows = np.repeat(np.arange(60), np.diff(held.hidden.indptr))
    np.testing.assert_array_equal(held.hidden.counts, WEIGHTS[rows, held.hidden.word_ids])
    whole = held.hidden.to_csr() + held.observed.to_csr()
    np.testing.assert_array_equal(whole.toarray(), WEIGHTS)
    p = completion_probabilities(estimator._method.model, estimator.topics_, held)
    expected = (held.hidden.counts * np.log(p)).sum() / held.hidden.counts.sum()
    assert estimator.score(WEIGHTS) == pytest.approx(expected, rel=1e-12)


def test_a_mixture_weighs_whole_documents():
    """The Dirichlet-multinomial of weights: ratios of gamma functions, with no product to count."""
    estimator = DPMixture(method="dpm-svi", max_iter=3, random_state=0).fit(WEIGHTS)
    topics = estimator.topics_
    lam = np.vstack([topics.topic_word * topics.total[:, None], np.full(40, topics.eta)])
    total, length = np.append(topics.total, 40 * topics.eta), WEIGHTS.sum(axis=1)
    logs = (gammaln(lam[:, None] + WEIGHTS) - gammaln(lam)[:, None]).sum(axis=2).T
    logs += gammaln(total) - gammaln(total + length[:, None])
    with np.errstate(divide="ignore"):
        logs += np.log(np.append(topics.weight, topics.unseen))
    expected = logsumexp(logs, axis=1).sum() / WEIGHTS.sum()
    assert estimator.score(WEIGHTS) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("kind", "name"), OTHERS, ids=called)
def test_what_places_word_by_word_rounds_and_names_what_does_not(kind, name):
    estimator = kind(method=name, max_iter=1, random_state=0)
    with pytest.warns(DataConversionWarning) as said:
        estimator.fit(WEIGHTS[:8])
    words = str(said[0].message)
    assert words.startswith(f"{kind.__name__}.fit with {name} places word by word")
    named = [other for of_kind, other in WEIGH if of_kind is kind]
    assert f"choose {', '.join(named)}, which" in words
    assert estimator.topics_.size.sum() <= np.rint(WEIGHTS[:8].sum()) + 8
