"""Runs of hdp-splitmerge whose bounds are worked out once more, from the states that they go
through and nothing that their moves keep (`tests/twins/moves.py`)."""

from dataclasses import dataclass, field

import numpy as np

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.methods.memoized import hdp_splitmerge
from bnpexplorer.methods.memoized.hdp_splitmerge import HdpSplitmerge
from bnpexplorer.models.hdp import HDP
from bnpexplorer.runs.run import Run
from bnpexplorer.state.snapshot import Event
from tests.tools.methods import dense
from tests.twins import moves as twin
from tests.twins.direct import expected_log, fit_document
from tests.twins.moves import Explicit

ITERATIONS = 4
MODEL = HDP(1.4, 0.8, 0.1)
SETTINGS = [
    (0, {"n_start": 1, "parts": 3}),
    (0, {"n_start": 6, "start": "random"}),
    (1, {"n_start": 1, "parts": 3}),
    (1, {"n_start": 2, "parts": 2, "start": "random"}),
    (2, {"n_start": 6, "start": "random"}),
]
"""Seeds, and what it starts from: moves of every kind that it has."""


def themed(seed: int) -> np.ndarray:
    """Counts (24, 16) of documents of few of eight themes."""
    rng = np.random.default_rng(seed)
    themes, share = rng.dirichlet([0.08] * 16, 8), rng.dirichlet([0.15] * 8, 24)
    return np.array([rng.multinomial(40, p / p.sum()) for p in share @ themes])


@dataclass(eq=False)
class Replay:
    """What a run goes through, and every move that it took with the rise that is found for it."""

    counts: np.ndarray
    rises: list[tuple[Event, float]] = field(default_factory=list)
    _seen: dict = field(default_factory=dict)
    """r (D, V, K) by the identity of a fit, which is held so that no other gets the same."""
    _rows: dict = field(default_factory=dict)

    def visit(self, fit, batch) -> None:
        """The local step of the documents of one block, from the state before it."""
        r = self._seen.setdefault(id(fit), (fit, np.zeros((*self.counts.shape, len(fit.rho)))))[1]
        self._rows[batch.index] = batch.rows
        prior = MODEL.alpha * np.append(fit.rho, 1.0) * np.append(1.0, np.cumprod(1.0 - fit.rho))
        elog = expected_log(dense(fit.lam))
        for place, d in enumerate(batch.rows.tolist()):
            start = prior * (1.0 + self.counts[d].sum() / prior.sum())
            if fit.complete:
                start = fit.blocks[batch.index].theta[place]
            r[d], _ = fit_document(self.counts[d], elog, prior, start, ITERATIONS + 1)

    def as_it_stands(self, fit, ids) -> Explicit:
        """With the sticks and the priors of documents that the state has now; what these were added
        to are the expected tokens."""
        r = self._seen[id(fit)][1]
        theta = np.empty((len(r), r.shape[2] + 1))
        prior = np.empty_like(theta)
        for index, block in enumerate(fit.blocks):
            theta[self._rows[index]], prior[self._rows[index]] = block.theta, block.prior
        tokens = np.einsum("dw,dwk->dk", self.counts, r)
        np.testing.assert_allclose((theta - prior)[:, :-1], tokens, atol=1e-9)
        return Explicit([int(k) for k in ids], r, theta, prior, fit.rho.copy())

    def judged(self, fit, ids, outcome, trial, splits: dict, before: Explicit | None) -> None:
        """Note the moves that were taken; `before`: where no trial was judged."""
        if trial is not None:
            if outcome.events:
                rise = self.bound(self.as_it_stands(trial.fit, trial.topic_ids))
                rise -= self.bound(self.as_it_stands(fit, ids))
                self.rises += [(event, rise) for event in outcome.events]
            return
        q, bound = before, self.bound(before)
        for event in outcome.events:
            q = self.moved(q, event, splits).settled(MODEL.gamma, MODEL.alpha)
            self.rises.append((event, self.bound(q) - bound))
            bound = self.bound(q)

    def moved(self, q: Explicit, event: Event, splits: dict) -> Explicit:
        """q after a split or a merge, all else as it is."""
        new, old = list(event.children), [q.ids.index(k) for k in event.parents]
        if event.kind == "merge":
            both = (a[..., old].sum(axis=-1, keepdims=True) for a in (q.r, q.theta, q.prior))
            return q.exchanged(event.parents, Explicit(new, *both, np.zeros(0)), np.ones(1))
        split = splits[event.parents[0]]
        own = (q.r[..., old[0]], q.prior[:, old[0]])
        r, theta = twin.restricted(self.counts, *own, split.excess, split.share, MODEL.eta)
        parts = Explicit(new, r, theta, q.prior[:, old] * split.share, np.zeros(0))
        return q.exchanged(event.parents, parts, split.share)

    def bound(self, q: Explicit) -> float:
        return q.bound(self.counts, MODEL.gamma, MODEL.alpha, MODEL.eta)


def replayed_run(seed: int, settings: dict, monkeypatch) -> tuple[list[Event], Replay]:
    """All that happened in a run of 14 passes in two blocks, and its replay."""
    replay = Replay(themed(seed))
    visit, judge = hdp_splitmerge.visit, hdp_splitmerge.judge

    def visited(fit, model, batch, pool, until):
        replay.visit(fit, batch)
        return visit(fit, model, batch, pool, until)

    def judged(moves, fit, model, topic_ids, next_id, pool):
        trial, splits = moves.trial, {split.topic: split for split in moves.splits}
        before = replay.as_it_stands(fit, topic_ids) if trial is None else None
        outcome = judge(moves, fit, model, topic_ids, next_id, pool)
        replay.judged(fit, topic_ids, outcome, trial, splits, before)
        return outcome

    method = HdpSplitmerge(MODEL, max_iterations=ITERATIONS, tolerance=1e-14, **settings)
    run = Run(method, Corpus.from_csr(replay.counts), seed=seed, batch_size=12, passes=14)
    events: list[Event] = []
    with monkeypatch.context() as patch:
        patch.setattr(hdp_splitmerge, "visit", visited)
        patch.setattr(hdp_splitmerge, "judge", judged)
        while not run.done:
            run.step()
            events += run.latest_info.events
    return events, replay
