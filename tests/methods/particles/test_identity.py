"""A cluster of dpm-particle is the one that its first document opened, whoever holds it where."""

import numpy as np

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.methods.particles.dpm_particle import DpmParticle
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.runs.run import Run

N_DOCS, N_THEMES, WORDS = 40, 4, 3


def texts(seed: int) -> Corpus:
    """Four themes of three words each, and a word of its own for every document, by which the
    documents of a cluster are known."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((N_DOCS, N_DOCS + N_THEMES * WORDS), np.int64)
    for d, theme in enumerate(rng.integers(0, N_THEMES, N_DOCS)):
        counts[d, d] = 1
        first = N_DOCS + theme * WORDS
        counts[d, first : first + WORDS] = rng.multinomial(3, np.full(WORDS, 1 / WORDS))
    return Corpus.from_csr(counts)


def openers(run: Run) -> list[int]:
    """The first document of every cluster, in the order of `topics`."""
    topics = run.method.topics(run.state)
    own = topics.topic_word[:, :N_DOCS] > 1.5 * topics.eta / topics.total[:, None]
    assert own.sum() == run.docs_seen
    return own.argmax(axis=1).tolist()


def test_a_cluster_is_known_by_the_document_that_opened_it():
    """Whenever others overtake it, and when another particle becomes the heaviest."""
    overtaken = exchanged = returned = 0
    for seed in range(3):
        method = DpmParticle(DPMixture(1.0, 0.05), particles=12)
        run = Run(method, texts(seed), seed=seed, batch_size=1)
        known: dict[int, int] = {}
        given: set[int] = set()
        gone: set[int] = set()
        while not run.done:
            run.step()
            ids, events = run.method.topics(run.state).topic_ids.tolist(), run.latest_info.events
            now = dict(zip(openers(run), ids, strict=True))
            stayed = known.keys() & now.keys()
            assert {o: now[o] for o in stayed} == {o: known[o] for o in stayed}
            fresh = [now[o] for o in now if o not in known]
            assert not given & set(fresh)
            assert sorted(fresh) == [e.children[0] for e in events if e.kind == "birth"]
            left = {known[o] for o in known if o not in now}
            assert left == {e.parents[0] for e in events if e.kind == "prune"}
            returned += len(gone & now.keys())
            gone = (gone | known.keys()) - now.keys()
            overtaken += [o for o in known if o in stayed] != [o for o in now if o in stayed]
            exchanged += bool(left)
            known, given = now, given | set(fresh)
    assert min(overtaken, exchanged) > 3
    assert returned > 0
