"""Runs that checks draw: of every kind that they should try, and the same when drawn again."""

import numpy as np
import pytest

from bnpexplorer.checks.conserving import random_run
from bnpexplorer.checks.expecting import bars, dozen, known, small
from bnpexplorer.checks.reopening import AT_MOST, CONCENTRATIONS, drawn_run
from bnpexplorer.corpus.weighted import Weighted
from bnpexplorer.methods.base import LEARN_AFTER


def test_drawn_runs_try_settings_corpora_and_starts_of_every_kind():
    runs = [drawn_run("hdp-gibbs", seed) for seed in range(60)]
    settings = [vars(run.method) | vars(run.method.model) for run in runs]
    for knob, choices in CONCENTRATIONS.items():
        if knob in settings[0]:
            assert {values[knob] for values in settings} == set(choices)
    assert {values["start"] for values in settings} == {"nothing", "many"}
    assert {values["learn_alpha"] for values in settings} == {True, False}
    for knob, least in (("burn_in", 0), ("moves", 0), ("thin", 1), ("n_start", 1)):
        found = {values[knob] for values in settings}
        assert min(found) == least
        assert max(found) <= AT_MOST
        assert len(found) > 5
    assert {run.n_batches for run in runs} >= {1, 2, 3, 4}
    given = sum(run.given is not None for run in runs)
    assert 8 <= given <= 30
    assert {run.passes for run in runs} == {LEARN_AFTER + 2}, "concentrations are learned too"
    assert {drawn_run("hdp-svi", seed).passes for seed in range(3)} == {3}
    assert min(run.corpus.n_docs for run in runs) < 8 < 16 < max(run.corpus.n_docs for run in runs)


def test_a_drawn_run_is_the_same_when_it_is_drawn_again():
    for seed in range(3):
        one, other = drawn_run("lda-gibbs", seed), drawn_run("lda-gibbs", seed)
        assert one.method == other.method
        assert one.corpus.fingerprint == other.corpus.fingerprint
        assert (one.seed, one.batch_size) == (other.seed, other.batch_size)
    assert drawn_run("lda-gibbs", 1).method != drawn_run("lda-gibbs", 2).method


def test_random_runs_learn_concentrations_at_odd_seeds_and_have_weights_where_asked():
    for seed in range(4):
        run = random_run("lda-batch", seed, weights=seed > 1)
        assert run.method.learn_alpha == run.method.learn_eta == bool(seed % 2)
        assert isinstance(run.corpus, Weighted) == (seed > 1)
        assert run.method.bound_tolerance == 0.0
        assert run.passes == 8
        stepped = random_run("lda-svi", seed, weights=seed > 1)
        assert not stepped.method.learn_alpha, "blends of steps keep the prior that they have"
        assert not isinstance(random_run("lda-gibbs", seed, weights=True).corpus, Weighted)
    sizes = {random_run("lda-batch", seed).batch_size for seed in range(9)}
    assert sizes <= set(range(3, 12))
    assert len(sizes) > 2


def test_small_corpora_of_checks_are_what_they_are_said_to_be():
    lengths = dozen().to_csr().toarray()
    assert (dozen().n_docs, dozen().n_words) == (12, 9)
    assert ((lengths > 0).sum(axis=1) == 1).sum() == 2
    assert dozen().counts.max() > 20, "beyond the table of small rising factorials"
    assert (bars().n_docs, bars(30).n_docs, bars().n_words) == (300, 30, 25)
    np.testing.assert_array_equal(
        bars(30).to_csr().toarray(), bars().take(np.arange(30)).to_csr().toarray()
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lda-svi", {"n_topics": 6}),
        ("hdp-svi", {"truncation": 8, "doc_truncation": 4}),
        ("hdp-gibbs", {}),
    ],
)
def test_small_methods_have_few_topics_and_what_is_asked(name, expected):
    assert known(name, {"n_topics": 6, "truncation": 8, "doc_truncation": 4}) == expected
    method = small(name, eta=0.7)
    found = vars(method) | vars(method.model)
    assert {key: found[key] for key in expected} == expected
    assert method.model.eta == 0.7
