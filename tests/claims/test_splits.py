"""Splits that trials share: those of one seed and one protocol, and no more of them than fit."""

import numpy as np
import pytest

from bnpexplorer.claims.attempt import MOST_SPLITS, StudyTerms, begin
from bnpexplorer.claims.trial import Trial

METHODS = {"lda-svi": "tokens-90-10", "dpm-svi": "exact"}
"""Method -> the usual protocol of its model on texts that use much of the vocabulary."""


@pytest.fixture(scope="module")
def corpus(bars):
    return bars[0].take(np.arange(80))


def begun(corpus, splits, method="lda-svi", seed=0, protocol=""):
    terms = StudyTerms(1.0, protocol, orders=False, one_split=False)
    return begin(Trial("one", 0, method, seed), terms, corpus, splits)


def test_trials_of_two_protocols_have_a_split_each(corpus):
    """A worker of a cluster keeps the splits of all studies of its texts together."""
    splits = {}
    for _ in range(2):
        for method, protocol in METHODS.items():
            assert begun(corpus, splits, method).heldout.protocol == protocol
    assert begun(corpus, splits, protocol="completion").heldout.protocol == "completion"


def test_trials_are_scored_from_one_start_as_kept_findings_are(corpus):
    for protocol, scored in (
        ("", "tokens-90-10"),
        ("tokens-90-10-4-starts", "tokens-90-10"),
        ("completion-4-starts", "completion"),
    ):
        assert begun(corpus, {}, protocol=protocol).heldout.protocol == scored


def test_trials_of_one_seed_and_protocol_share_a_split_and_others_have_their_own(corpus):
    splits = {}
    one, same, other = (begun(corpus, splits, seed=seed) for seed in (1, 1, 2))
    assert one.heldout is same.heldout
    assert one.run.corpus is same.run.corpus
    assert one.heldout.whole.fingerprint != other.heldout.whole.fingerprint
    assert begun(corpus, splits, "hdp-svi", 1).heldout is one.heldout, "any method's"


def test_of_too_many_splits_the_oldest_is_forgotten(corpus):
    splits = {}
    first, *_, last = (begun(corpus, splits, seed=seed) for seed in range(MOST_SPLITS + 1))
    assert len(splits) == MOST_SPLITS
    assert begun(corpus, splits, seed=MOST_SPLITS).heldout is last.heldout
    again = begun(corpus, splits, seed=0)
    assert again.heldout is not first.heldout
    assert again.heldout.hidden.fingerprint == first.heldout.hidden.fingerprint
