"""Every method counts every token once: totals recounted from the corpus after every step.

Whatever is reordered, pruned, born, split or merged, the topics' Dirichlets hold the prior, once
for every topic, and the words of the documents: all of them at the end of a pass, or as many as the
steps of size rho have moved in. Random corpora, blocks and settings; every registered method.
"""

import numpy as np
import pytest

from bnpexplorer.core.knob import knobs_of
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.methods import METHODS
from bnpexplorer.models.hdp import HDP
from bnpexplorer.runs.run import Run
from tests.tools.methods import small

STOCHASTIC = [n for n in METHODS if n.endswith(("-svi", "-tsvi", "-catvi"))]
"""Blends of steps; all others hold each document's words exactly once."""


def held_words(topics) -> np.ndarray:
    """Words in the topics, without the prior: float64 (V,)."""
    dirichlets = topics.topic_word.astype(np.float64) * topics.total[:, None]
    return (dirichlets - topics.eta).sum(axis=0)


def words_of(docs: Corpus) -> np.ndarray:
    return np.asarray(docs.to_csr().sum(axis=0), float).ravel()


def random_run(name: str, seed: int) -> Run:
    rng = np.random.default_rng(seed)
    corpus = HDP(2.0, 1.0, 0.1).sample(rng, int(rng.integers(20, 50)), 15, 12.0).corpus
    known = {n for n, _, _ in [*knobs_of(METHODS[name]()), *knobs_of(METHODS[name]().model)]}
    values = {
        "gamma": rng.choice([0.3, 5.0]),
        "alpha": rng.choice([0.2, 3.0]),
        "eta": rng.choice([0.5, 1.0]),
    }
    if seed % 2 and name not in STOCHASTIC:
        values |= dict.fromkeys(("learn_gamma", "learn_alpha", "learn_eta"), True)
    values |= {"bound_tolerance": 0.0, "n_start": 8, "max_topics": 12}
    method = small(name, **{n: v for n, v in values.items() if n in known})
    return Run(method, corpus, seed=seed, batch_size=int(rng.integers(3, 12)), passes=8)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", [n for n in METHODS if n not in STOCHASTIC])
def test_every_word_is_held_once_at_the_end_of_a_pass(name, seed):
    run = random_run(name, seed)
    checked = 0
    while not run.done:
        run.step()
        if run.docs_seen % run.corpus.n_docs:
            continue
        topics = run.snapshot().topics
        np.testing.assert_allclose(held_words(topics), words_of(run.corpus), rtol=1e-4, atol=1e-3)
        whole = run.corpus.n_docs if name.startswith("dpm") else run.corpus.n_tokens
        assert topics.size.sum() == pytest.approx(whole, rel=1e-6)
        checked += 1
    assert checked >= 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", STOCHASTIC)
def test_every_step_moves_in_the_words_of_its_batch(name, seed):
    """(1 - rho) of the words held before, rho times D / S those of the batch, if none is pruned."""
    run, batches, checked = random_run(name, seed), [], 0
    real = type(run.method).step

    def spy(self, state, batch, rng, pool):
        batches.append(batch.docs)
        return real(self, state, batch, rng, pool)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(run.method), "step", spy)
        run.prepare()
        before = held_words(run.method.topics(run.state))
        while not run.done:
            run.step()
            rho, docs = run.latest_info.scalars["step size"], batches[-1]
            after = held_words(run.method.topics(run.state))
            if all(e.kind != "prune" for e in run.latest_info.events):
                moved = words_of(docs) * run.corpus.n_docs / docs.n_docs
                expected = (1 - rho) * before + rho * moved
                np.testing.assert_allclose(after, expected, rtol=1e-4, atol=1e-3)
                checked += 1
            before = after
    assert checked > 5
