"""Every token is counted once: totals recounted from the corpus after every step.

Whatever is reordered, pruned, born, split or merged, the topics' Dirichlets hold the prior, once
for every topic, and the words of the documents: all of them at the end of a pass, or as many as the
steps of size rho have moved in. Random corpora, blocks and settings.

Topics are merged, split and deleted by hand, and the chain goes on from a sound state.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core import store
from ..core.arrays import F64
from ..corpus.corpus import Batch, Corpus
from ..corpus.weighted import Weighted
from ..methods import METHODS
from ..models.hdp import HDP
from ..runs.run import Run
from ..state.snapshot import Topics
from .expecting import bars, expect, expect_lawful, known, small

SEEDS = range(4)


def random_run(name: str, seed: int, weights: bool = False) -> Run:
    """Few random documents, random concentrations (learned where the seed is odd), 8 passes. With
    `weights` words have them, if the method takes them."""
    rng = np.random.default_rng(seed)
    corpus = HDP(2.0, 1.0, 0.1).sample(rng, int(rng.integers(20, 50)), 15, 12.0).corpus
    values = {
        "gamma": rng.choice([0.3, 5.0]),
        "alpha": rng.choice([0.2, 3.0]),
        "eta": rng.choice([0.5, 1.0]),
    }
    if seed % 2 and METHODS[name].batching != "shuffled":
        values |= dict.fromkeys(("learn_gamma", "learn_alpha", "learn_eta"), True)
    if weights and METHODS[name].weighs:
        factors = np.random.default_rng(seed).uniform(0.2, 1.9, corpus.n_pairs)
        corpus = Weighted.of(corpus, corpus.counts * factors)
    values |= {"bound_tolerance": 0.0, "n_start": 8, "max_topics": 12}
    method = small(name, **known(name, values))
    return Run(method, corpus, seed=seed, batch_size=int(rng.integers(3, 12)), passes=8)


def held_words(topics: Topics) -> F64:
    """Words in the topics, without the prior: float64 (V,)."""
    dirichlets = topics.topic_word.astype(np.float64) * topics.total[:, None]
    return np.asarray((dirichlets - topics.eta).sum(axis=0))


def words_of(docs: Corpus) -> F64:
    """How often each word occurs, or what it weighs: float64 (V,)."""
    return np.asarray(np.bincount(docs.word_ids, docs.counts, docs.n_words), np.float64)


def holds_every_word_once(name: str) -> None:
    """At the end of every pass of a method whose topics are sums over documents."""
    for seed in SEEDS:
        run, checked = random_run(name, seed, weights=bool(seed % 2)), 0
        while not run.done:
            run.step()
            if run.docs_seen % run.corpus.n_docs:
                continue
            topics, corpus = run.snapshot().topics, run.corpus
            near = np.allclose(held_words(topics), words_of(corpus), rtol=1e-4, atol=1e-3)
            expect(near, f"seed {seed}: the topics do not hold the words of the texts")
            whole = corpus.n_docs if run.method.model.mixture else corpus.n_tokens
            right = abs(topics.size.sum() - whole) <= 1e-6 * whole
            expect(bool(right), f"seed {seed}: sizes sum to {topics.size.sum()}, not {whole}")
            checked += 1
        expect(checked >= 1, "no pass came to its end")


def moves_in_the_words_of_a_batch(name: str) -> None:
    """(1 - rho) of the words held before, rho times D / S those of the batch, if none is pruned."""
    for seed in SEEDS:
        run, checked = random_run(name, seed, weights=bool(seed % 2)), 0
        method, rng = run.method, np.random.default_rng(seed)
        state = method.init(run.corpus, rng)
        before = held_words(method.topics(state))
        for batch in batches_of(run, rng):
            state, info = method.step(state, batch, rng, None)
            expect("step size" in info.scalars, 'a step does not report its "step size"')
            rho, after = info.scalars["step size"], held_words(method.topics(state))
            if all(event.kind != "prune" for event in info.events):
                moved = words_of(batch.docs) * run.corpus.n_docs / batch.docs.n_docs
                right = np.allclose(after, (1 - rho) * before + rho * moved, rtol=1e-4, atol=1e-3)
                expect(right, f"seed {seed}: a step moved in other words than those of its batch")
                checked += 1
            before = after
        expect(checked > 5, "hardly a step went by without a topic being pruned")


def batches_of(run: Run, rng: np.random.Generator) -> Iterator[Batch]:
    """The mini-batches of all passes, shuffled anew in each."""
    for _ in range(run.passes):
        order = rng.permutation(run.corpus.n_docs)
        for index in range(run.n_batches):
            rows = order[index * run.batch_size : (index + 1) * run.batch_size]
            yield Batch(run.corpus.take(rows), rows, index, run.n_batches)


PASSES = 6


def stays_sound_when_changed_by_hand(name: str) -> None:
    """In the middle of a pass and at its end: words are conserved, the state satisfies what it
    declares, the state of before and the method's random numbers are untouched."""
    run = _learned(name)
    for _ in range(3):
        for kind in ("merge", "split", "delete"):
            _change(run, kind)
        run.step()
        expect_lawful(run)
    again = _learned(name)
    for edit in run.edits:
        while again.n_steps < edit.step:
            again.step()
        again.edit(edit.kind, edit.topics)
    again.step()
    expect(_bits(run.state) == _bits(again.state), "the same changes do not give the same bits")


def _learned(name: str) -> Run:
    values = known(name, {"start": "nothing", "burn_in": 0, "thin": 1, "gamma": 5.0})
    run = Run(small(name, **values), bars(60), seed=3, batch_size=25, passes=20)
    for _ in range(PASSES * run.n_batches + 1):
        run.step()
    return run


def _change(run: Run, kind: str) -> None:
    topics = run.method.topics(run.state)
    ids = topics.topic_ids[topics.by_size][: 3 if kind == "merge" else 1]
    chosen, before = tuple(ids.tolist()), set(topics.topic_ids[topics.in_use].tolist())
    state, told = run.state, _bits(run.state)
    stream = json.dumps(run._method_rng.bit_generator.state)
    edit = run.edit(kind, chosen)
    expect(_bits(state) == told, f"to {kind} topics changes the state that was given")
    same = stream == json.dumps(run._method_rng.bit_generator.state)
    expect(same, f"to {kind} topics takes random numbers of the method")
    expect_lawful(run)
    expect(not run.method.kept(run.state), "states of before the change are averaged over")
    now = run.method.topics(run.state)
    held = np.allclose(held_words(now), words_of(run.corpus), rtol=1e-4, atol=1e-3)
    expect(held, f"to {kind} topics does not conserve their words")
    after = set(now.topic_ids[now.in_use].tolist())
    expected = before - set(chosen) | set(edit.children)
    expect(after == expected, f"to {kind} {chosen} of {sorted(before)} gives {sorted(after)}")
    n_parts = {"merge": 1, "split": 2, "delete": 0}[kind]
    expect(len(edit.children) == n_parts, f"to {kind} topics gives {edit.children}")


def _bits(state: Any) -> tuple[str, dict[str, bytes]]:
    arrays: store.Arrays = {}
    return json.dumps(store.pack(state, arrays)), {k: a.tobytes() for k, a in arrays.items()}
