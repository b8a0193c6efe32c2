"""Sequential methods as true streams: what is learned from the first documents cannot depend on
those to come, and what is kept does not grow with their number."""

import numpy as np
import pytest

from bnpexplorer.checks.expecting import known
from bnpexplorer.core import store
from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.runs.run import Run

NAMES = [name for name, method in METHODS.items() if method.batching == "once"]


def packed(state) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    plain = store.pack(state, arrays)
    return {"plain": np.array(repr(plain))} | {name: a.copy() for name, a in arrays.items()}


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)


def random_corpus(seed: int, n_docs: int) -> Corpus:
    return DPMixture(3.0, 0.1).sample(np.random.default_rng(seed), n_docs, 20, 8.0).corpus


def fed(name: str, start: Corpus, batches: list[Corpus], of: int, **values):
    """The packed states after every batch; `start` is what `init` is shown."""
    method, rng = make_method(name, "default", values), np.random.default_rng(5)
    state, first, states = method.init(start, rng), 0, []
    for index, docs in enumerate(batches):
        rows = np.arange(first, first + docs.n_docs)
        state, _ = method.step(state, Batch(docs, rows, index, of), rng, None)
        first += docs.n_docs
        states.append(packed(state))
    return states


def test_the_sequential_methods_are_known():
    assert {"dpm-particle", "dpm-sumo"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_future_does_not_change_the_past(name):
    """The same first 24 documents, before others of the same vocabulary or before none."""
    past, others = random_corpus(0, 24), random_corpus(1, 50)
    batches = [past.take(np.arange(i, i + 8)) for i in (0, 8, 16)]
    alone = fed(name, past, batches, of=3)
    later = fed(name, others, [*batches, others.take(np.arange(30))], of=9)
    for ours, theirs in zip(alone, later, strict=False):
        assert same(ours, theirs)
    assert not same(later[2], later[3])


@pytest.mark.parametrize("name", NAMES)
def test_a_run_reads_every_document_once_and_in_order(name):
    corpus, rows = random_corpus(2, 37), []
    method = make_method(name)
    run = Run(method, corpus, batch_size=5, passes=7)
    real = type(method).step

    def spy(self, state, batch, rng, pool):
        rows.extend(batch.rows.tolist())
        assert np.array_equal(
            batch.docs.to_csr().toarray(), corpus.take(batch.rows).to_csr().toarray()
        )
        return real(self, state, batch, rng, pool)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(method), "step", spy)
        while not run.done:
            run.step()
    assert rows == list(range(37))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_does_not_grow_with_the_documents(name):
    """Two kinds of documents in turn, 60 or 600 of them: arrays of like size, of the same kinds."""
    sizes = []
    for n in (60, 600):
        kinds = np.tile(np.array([[9, 9, 0, 0], [0, 0, 9, 9]]), (n // 2, 1))
        corpus = Corpus.from_csr(kinds)
        batches = [corpus.take(np.arange(i, i + 20)) for i in range(0, n, 20)]
        fewer = known(name, {"particles": 10})
        state = fed(name, corpus, batches, of=len(batches), **fewer)[-1]
        sizes.append(sum(a.size for a in state.values()))
    assert sizes[1] <= 2 * sizes[0]
    assert sizes[1] < 600
