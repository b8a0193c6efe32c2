"""Where scikit-learn's own estimators stand, these do too; what they refuse, these refuse alike."""

import doctest
import io
import pickle
import re
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

import bnpexplorer.sklearn
from bnpexplorer.sklearn import HDP, LDA, DPMixture
from tests.tools.estimators import KINDS, called

TEXTS = [
    f"{a} {a} {b} {b} {c}"
    for a, b, c in zip(
        ["river", "market", "river", "court", "market", "court"] * 6,
        ["boat", "price", "water", "judge", "trade", "law"] * 6,
        ["fish", "bank", "bank", "law", "price", "judge"] * 6,
        strict=True,
    )
]
"""36 texts of three subjects."""


@pytest.fixture(scope="module")
def counts() -> np.ndarray:
    return CountVectorizer().fit_transform(TEXTS).toarray()


# ---- at home -------------------------------------------------------------------------------------


def test_the_example_of_the_module():
    found = doctest.testmod(bnpexplorer.sklearn)
    assert found.attempted > 5
    assert not found.failed


def test_in_a_pipeline_before_a_classifier():
    subject = [text.split()[0] for text in TEXTS]
    pipeline = make_pipeline(CountVectorizer(), LDA(6, random_state=0), LogisticRegression(C=100))
    assert pipeline.fit(TEXTS, subject).score(TEXTS, subject) == 1.0
    assert list(pipeline[:-1].get_feature_names_out()) == [f"lda{k}" for k in range(6)]


def test_in_a_grid_search():
    """The best of a grid is what its scores say, and more topics than one win."""
    pipeline = Pipeline(
        [("count", CountVectorizer()), ("topics", LDA(random_state=0, max_iter=30))]
    )
    grid = {"topics__n_components": [1, 3], "topics__method": ["lda-gibbs", "lda-batch"]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(TEXTS)
    assert search.best_params_["topics__n_components"] == 3
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert search.best_score_ == scores.max()
    by_hand = clone(pipeline).set_params(**search.best_params_).fit(TEXTS[12:]).score(TEXTS[:12])
    assert search.cv_results_["split0_test_score"][search.best_index_] == by_hand


def test_in_a_union(counts):
    union = FeatureUnion([("few", LDA(2, random_state=0)), ("own", HDP(random_state=0))])
    shares = union.fit_transform(counts)
    n_own = union.transformer_list[1][1].n_topics_
    assert shares.shape == (36, 2 + n_own)
    names = ["few__lda0", "few__lda1", *(f"own__hdp{k}" for k in range(n_own))]
    assert list(union.get_feature_names_out()) == names


@pytest.mark.parametrize("kind", KINDS)
def test_pandas_in_and_out(kind, counts):
    words = CountVectorizer().fit(TEXTS).get_feature_names_out()
    frame = pd.DataFrame(counts, columns=words, index=[f"text {d}" for d in range(36)])
    estimator = kind(max_iter=3, random_state=0).set_output(transform="pandas")
    shares = estimator.fit_transform(frame)
    assert list(shares.index) == list(frame.index)
    assert list(shares.columns) == list(estimator.get_feature_names_out())
    assert list(estimator.feature_names_in_) == list(words)
    plain = kind(max_iter=3, random_state=0).fit(counts)
    np.testing.assert_array_equal(shares.to_numpy(), plain.transform(counts))


@pytest.mark.parametrize("kind", KINDS)
def test_a_clone_is_unfitted_and_learns_the_same(kind, counts):
    first = kind(eta=0.2, max_iter=3, random_state=0, knobs={"thin": 2}).fit(counts)
    other = clone(first)
    assert other.get_params() == first.get_params()
    with pytest.raises(NotFittedError):
        other.transform(counts)
    np.testing.assert_array_equal(other.fit(counts).components_, first.components_)


@pytest.mark.parametrize(
    ("kind", "name"), [(LDA, "lda-svi"), (HDP, "hdp-tsvi"), (DPMixture, "dpm-particle")], ids=called
)
def test_joblib_and_pickle_go_on_where_it_stood(kind, name, counts):
    one = kind(method=name, batch_size=6, total_samples=36, random_state=0)
    one.partial_fit(counts[:12])
    file = io.BytesIO()
    joblib.dump(one, file)
    others = [joblib.load(io.BytesIO(file.getvalue())), pickle.loads(pickle.dumps(one))]
    for each in (one, *others):
        each.partial_fit(counts[12:])
    for each in others:
        np.testing.assert_array_equal(each.components_, one.components_)
        np.testing.assert_array_equal(each.transform(counts), one.transform(counts))
        assert each.score(counts) == one.score(counts)


# ---- refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_data_that_are_no_counts(kind, counts):
    estimator = kind(max_iter=1)
    with pytest.raises(NotFittedError):
        estimator.score(counts)
    for what, said in ((-1.0, "Negative values"), (np.nan, "NaN"), (np.inf, "infinity")):
        wrong = counts.astype(float)
        wrong[3, 2] = what
        with pytest.raises(ValueError, match=said):
            estimator.fit(wrong)
        with pytest.raises(ValueError, match=said):
            clone(estimator).fit(sparse.csr_matrix(wrong))
    with pytest.raises(ValueError, match="no row with a single word"):
        estimator.fit(np.zeros((3, 4)))
    with pytest.raises(ValueError, match="the most is 2,147,483,647"):
        estimator.fit([[2**31, 1]])
    estimator.fit(counts)
    for ask in (estimator.transform, estimator.score, estimator.perplexity):
        with pytest.raises(ValueError, match=r"X has 3 features, but .* expecting 11 features"):
            ask(counts[:, :3])
        with pytest.raises(ValueError, match="Negative values"):
            ask(-counts)


def test_words_are_named_after_their_columns():
    large = np.array([[2**31 - 1, 0], [0, 7], [2, 3]])
    said = (
        "The word {} occurs 2,147,483,649 times, 2,147,483,647 of them in document 1; the most is "
        "2,147,483,647, so divide all counts by 2 or leave the word out."
    )
    named = pd.DataFrame(large, columns=["common", "rare"])
    for given, word in (
        (large, "'word 0'"),
        (named, "'common'"),
        (named.iloc[:, ::-1], "'common'"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(said.format(word))}$"):
            LDA(2).fit(given)


def test_other_columns_than_learned(counts):
    frame = pd.DataFrame(counts, columns=[f"w{w}" for w in range(11)])
    estimator = LDA(2, method="lda-svi").partial_fit(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        estimator.transform(frame.rename(columns={"w0": "v0"}))
    with pytest.raises(ValueError, match="X has 10 features"):
        estimator.partial_fit(counts[:, :10])


@pytest.mark.parametrize(
    ("estimator", "said"),
    [
        (LDA(method="hdp-gibbs"), "method must be one of lda-batch, lda-svi, lda-gibbs; got 'hdp"),
        (HDP(method=None), "method must be one of hdp-batch.*; got None"),
        (HDP(method="hdp-tsvi", truncation=5), "hdp-tsvi has no setting 'truncation'; choose from"),
        (DPMixture(tau=3), "dpm-gibbs has no setting 'tau'; choose from gamma, eta, burn_in"),
        (LDA(knobs={"moves": 3}), "no setting 'moves'; choose from n_components, alpha, eta"),
        (LDA(0), "n_components must lie in the range from 1 to 2000; got 0"),
        (LDA(max_iter=0), "max_iter must be at least 1; got 0"),
        (LDA(eta="much"), "eta must be a number; got 'much'"),
        (LDA(batch_size=0), "batch_size must be at least 1"),
        (HDP(knobs={"start_passes": -1}), ": start_passes must lie"),
        (LDA(random_state=-1), "random_state must be 0 or more"),
        (LDA(random_state="x"), "cannot be used to seed"),
        (LDA(preset="no"), "lda-gibbs has no preset 'no'"),
        (LDA(eta=0.1, knobs={"eta": 0.2}), "Given twice, among knobs and beside them: eta"),
        (LDA(knobs=["eta"]), r"knobs must be a dict of settings by name; got \['eta'\]"),
        (LDA(n_jobs=0), "n_jobs must be a whole number other than 0"),
        (LDA(n_jobs="all"), "n_jobs must be a whole number other than 0"),
    ],
    ids=lambda value: re.sub(r"\W+", " ", str(value))[:40],
)
def test_settings_that_are_none(estimator, said, counts):
    with pytest.raises(ValueError, match=said):
        estimator.fit(counts)
    assert not hasattr(estimator, "components_")


@pytest.mark.parametrize("total", [0, -3, 1.5, np.nan, np.inf, None, "many"])
def test_documents_awaited(total, counts):
    with pytest.raises(ValueError, match="total_samples must be a whole number from 1"):
        LDA(method="lda-svi", total_samples=total).partial_fit(counts)


@pytest.mark.parametrize("kind", KINDS)
def test_sample_weights_are_refused_with_the_remedy(kind, counts):
    weights = np.ones(len(counts))
    with pytest.raises(TypeError, match=r"no sample_weight.*Repeat rows"):
        kind().fit(counts, sample_weight=weights)
    assert kind(max_iter=1).fit(counts, sample_weight=None).n_iter_ == 1
    with pytest.raises(TypeError, match=r"no sample_weight.*Repeat rows"):
        make_pipeline(kind()).fit(counts, **{f"{kind.__name__.lower()}__sample_weight": weights})
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        kind().fit(counts, weights=weights)


def test_partial_fit_is_there_for_methods_of_streams():
    assert hasattr(LDA(method="lda-svi"), "partial_fit")
    assert not hasattr(LDA(method="lda-batch"), "partial_fit")
    with pytest.raises(AttributeError) as caught:
        HDP().partial_fit  # noqa: B018
    assert "choose method from hdp-svi, hdp-tsvi, hdp-catvi" in str(caught.value.__cause__)
    with pytest.raises(ValueError, match="method must be one of"):
        LDA(method="no").partial_fit([[1]])


# ---- fractions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_fractions_are_rounded_and_said(kind):
    weighted = TfidfVectorizer().fit_transform(TEXTS) * 10
    estimator = kind(max_iter=3, random_state=0)
    with pytest.warns(DataConversionWarning, match=f"{kind.__name__}.fit with .*rounded"):
        estimator.fit(weighted)
    whole = np.zeros(weighted.shape, int)
    for d, row in enumerate(weighted.toarray()):
        whole[d] = np.floor(row)
        missing = round(row.sum()) - whole[d].sum()
        whole[d, np.argsort(whole[d] - row, kind="stable")[:missing]] += 1
    expected = clone(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected.fit(whole)
        expected.fit(whole.astype(np.float32))
    np.testing.assert_array_equal(estimator.components_, expected.components_)
    with pytest.warns(DataConversionWarning, match=f"{kind.__name__}.transform with "):
        shares = estimator.transform(weighted)
    np.testing.assert_array_equal(shares, expected.transform(whole))
