"""Truncation-free steps whose documents begin alone: a lump is divided, counts stay, off is off.

That the law of a mini-batch stays as it is stands with the enumerations, in `test_dpm_tsvi.py` and
`test_hdp_tsvi_law.py`.
"""

import copy

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.start import GivenTopics, begin_alone
from bnpexplorer.methods import hdp_tsvi, make_method
from tests.tools.methods import take_batch

NAMES = ("hdp-tsvi", "dpm-tsvi")
SUBJECT, HALF = np.arange(120) % 8, np.arange(56)


def subjects(length: int) -> Corpus:
    """120 texts of so many tokens on eight subjects, which share none of their 40 words."""
    words = 5 * SUBJECT[:, None] + np.random.default_rng(0).integers(0, 5, (120, length))
    return Corpus.from_csr(np.array([np.bincount(row, minlength=40) for row in words]))


def stepped(name: str, corpus: Corpus, share: float, seed: int):
    """The method, and its state before and after a step on half of the texts: before it, one topic
    holds everything."""
    method, rng = make_method(name, "default", {"alone": share}), np.random.default_rng(seed)
    lump = GivenTopics(corpus.word_totals[None].astype(np.float64))
    before = method.begin(corpus, lump, rng)
    after, info = method.step(copy.deepcopy(before), take_batch(corpus, HALF), rng, None)
    return method, before, after, info


def predictive(method, state, docs: Corpus) -> float:
    """The mean log probability of a token under the topics, proportions folded in."""
    topics = method.topics(state)
    theta = method.model.fold_in(topics, docs)
    unseen = np.maximum(1.0 - theta.sum(axis=1), 0.0)[:, None] / docs.n_words
    p = theta @ topics.topic_word + unseen
    return float((docs.to_csr().toarray() * np.log(p)).sum() / docs.n_tokens)


@pytest.mark.parametrize(("name", "length", "share"), [("hdp-tsvi", 12, 0.5), ("dpm-tsvi", 4, 0.2)])
def test_a_lump_is_divided_and_predicts_its_texts_better(name, length, share):
    texts, reached = subjects(length), {}
    for begin in (0.0, share):
        ends = [stepped(name, texts, begin, seed) for seed in range(6)]
        reached[begin] = np.mean([predictive(m, after, texts) for m, _, after, _ in ends])
    assert reached[share] > reached[0.0] + 0.2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_step_counts_every_token_once(name, share):
    """Half of the words stay with the topic of before, the others are the batch's, scaled."""
    texts = subjects(12)
    method, _, after, info = stepped(name, texts, share, 0)
    topics = method.topics(after)
    held = (topics.topic_word * topics.total[:, None] - topics.eta).sum(axis=0)
    rho, batch = len(HALF) / 120, texts.take(HALF).word_totals
    np.testing.assert_allclose(held, (1 - rho) * texts.word_totals + batch, rtol=1e-4, atol=1e-3)
    assert topics.weight.sum() + topics.unseen == pytest.approx(1.0)
    born = [i for event in info.events if event.kind == "birth" for i in event.children]
    assert len(born) == len(set(born)) == info.scalars.get("new topics", len(born))


def test_nothing_is_drawn_where_nobody_begins_alone():
    rng, other = np.random.default_rng(0), np.random.default_rng(0)
    assert not begin_alone(50, 0.0, rng).any()
    assert rng.random() == other.random()
    assert begin_alone(50, 1.0, rng).all()
    assert abs(begin_alone(4000, 0.25, rng).mean() - 0.25) < 0.03


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("every", "after"), [(25, [3, 6, 9, 12]), (30, [3, 6, 9, 12]), (1000, [12])]
)
def test_small_topics_are_cleared_after_so_many_documents_or_a_pass(
    name, every, after, monkeypatch
):
    """Mini-batches of ten of 120 texts: the documents since the last time are counted anew."""
    values = {"burn_in": 0}
    if name == "dpm-tsvi":
        values["prune_every"] = every
    else:
        monkeypatch.setattr(hdp_tsvi, "PRUNE_EVERY", every)
    texts, method = subjects(3), make_method(name, "default", values)
    rng, cleared = np.random.default_rng(0), []
    state = method.init(texts, rng)
    for step in range(1, 13):
        rows = np.arange(10 * step - 10, 10 * step)
        before = state.since_prune
        state, info = method.step(state, take_batch(texts, rows), rng, None)
        assert state.since_prune in (0, before + 10)
        assert state.since_prune == 0 or all(event.kind != "prune" for event in info.events)
        if state.since_prune == 0:
            cleared.append(step)
    assert cleared == after
