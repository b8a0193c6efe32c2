"""Chains: one method from several starts and seeds, which learn the same documents in turn.

A single chain cannot tell whether it has reached the posterior: one that is stuck looks settled.
Chains that began far apart and tell the same are the only evidence there is (Gelman & Rubin 1992).
"""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..compare.sequential import SequentialRuns, share_texts
from ..core.arrays import F64
from ..core.knob import knobs_of
from ..corpus.corpus import Corpus
from ..evaluate import score
from ..evaluate.settling import FEWEST_ALONE
from ..inference.pool import Pool
from ..methods.base import Method
from ..runs.draws import ChainOf, Draw
from ..runs.plan import MOST_CHAINS, Plan
from ..runs.run import Run
from .judging import ChainsVerdict, judge

FEWEST, MOST = 2, MOST_CHAINS
SHARED = ("corpus", "heldout", "passes", "order", "batch_size", "until", "minutes")
"""What is the same in all chains."""


class Chains(SequentialRuns):
    """Runs of one method on one split that differ in their start and their seed.

    A draw is kept after a pass of a method whose passes are whole, and else after a mini-batch;
    where there are many of these, now and then (`runs/draws.py`). Runs that go on until they have
    settled end when all have met.

    `group` and `run_ids` are those of chains that were kept. Raises ValueError if the runs are too
    few or too many, or differ in more than start and seed.
    """

    def __init__(self, runs: Sequence[Run], group: str = "", run_ids: Sequence[str] = ()) -> None:
        if not FEWEST <= len(runs) <= MOST:
            raise ValueError(f"There are {FEWEST} to {MOST} chains; got {len(runs)}.")
        first = runs[0]
        for run in runs:
            if with_start(run.method, start_of(first.method)) != first.method:
                raise ValueError("All chains have the same method and settings, but for the start.")
            for what in SHARED:
                if getattr(run, what) != getattr(first, what):
                    raise ValueError(f"All chains have the same {what}.")
        super().__init__(runs, run_ids)
        self.group = group or secrets.token_hex(5)
        """By which they are known together."""
        self.starts = tuple(start_of(run.method) for run in runs)
        """Of every chain its start; empty where the method has only one."""
        for i, run in enumerate(runs):
            run.chain = run.chain or ChainOf(self.group, i, len(runs))
        self.judged = 0
        """Documents after which all were judged last."""
        self.meet_at: int | None = None
        """Documents after which all had met, where they are to end."""

    @property
    def draws(self) -> tuple[tuple[Draw, ...], ...]:
        """Return the draws of every chain so far."""
        return tuple(run.draws for run in self.runs)

    @property
    def share_done(self) -> float:
        """How much of the work is behind, from 0 to 1."""
        runs = [self.runs[i] for i in self.sound]
        return min(1.0 if run.done else run.docs_seen / run.planned_docs for run in runs)

    @property
    def sound(self) -> tuple[int, ...]:
        """Places of the chains that have not failed."""
        return tuple(i for i in range(len(self.runs)) if i not in self.failed)

    def step(self) -> None:
        """As `SequentialRuns.step`; ends all where they go on until they have met."""
        super().step()
        if self.meet_at is None and not self.is_at_once and self._all_have_drawn():
            self.judged = self.docs_seen
            self.meet_at = self.docs_seen if self.had_met(self.docs_seen) else None
        if self.meet_at is not None and self.docs_seen == self.meet_at:
            for i in self.sound:
                self.runs[i].end("met")

    @property
    def ends_when_met(self) -> bool:
        return self.runs[0].until == "settled"

    def _all_have_drawn(self) -> bool:
        """Whether they may end, and there is a draw of every chain that was not judged before."""
        if not self.ends_when_met:
            return False
        drawn = [self.runs[i].draws for i in self.sound]
        last = {draws[-1].docs_seen if draws else 0 for draws in drawn}
        return last == {self.docs_seen} and self.docs_seen > self.judged

    def had_met(self, docs: int) -> bool:
        """Whether they had met, by enough draws, when all had processed so many documents."""
        verdict = self.verdict(docs)
        return verdict.met and verdict.n_draws >= FEWEST_ALONE

    def sound_at(self, docs: int) -> tuple[int, ...]:
        """Return places of the chains that had not failed after so many documents."""
        there = [i not in self.failed or run.docs_seen >= docs for i, run in enumerate(self.runs)]
        return tuple(np.flatnonzero(there).tolist())

    def note(self) -> None:
        """Tell every run the verdict so far."""
        verdict = self.verdict()
        for run in self.runs:
            if run.chain is not None:
                run.chain = replace(run.chain, sentence=verdict.sentence, met=verdict.met)

    def kept_draws(self, docs: int | None = None) -> dict[str, F64]:
        """Key of `QUANTITIES` -> float64 (C, N): the latter half of the draws of every sound chain.

        Of chains of different length the last so many as the shortest has. `docs`: as they were
        after so many documents.
        """
        if docs is None:
            sound = [self.runs[i].draws for i in self.sound]
        else:
            of_then = [self.runs[i].draws for i in self.sound_at(docs)]
            sound = [tuple(d for d in draws if d.docs_seen <= docs) for draws in of_then]
        n = min(len(found) for found in sound) // 2
        last = [found[len(found) - n :] for found in sound]
        keys = last[0][0].values if n else {}
        return {key: np.array([[draw.values[key] for draw in c] for c in last]) for key in keys}

    def verdict(self, docs: int | None = None) -> ChainsVerdict:
        """Whether the chains have met, so far or after so many documents."""
        sound = self.sound if docs is None else self.sound_at(docs)
        starts = [self.starts[i] for i in sound]
        return judge(self.kept_draws(docs), starts, self.method.model.noun)

    def score(self) -> float | None:
        """The held-out score of a prediction that averages over all sound chains and their states.

        None if nothing is held out.
        """
        first = self.runs[0]
        if first.heldout is None:
            return None
        kept = []
        for run in (self.runs[i] for i in self.sound):
            states = run.method.kept(run.state) or ((1.0, run.method.topics(run.state)),)
            total = sum(weight for weight, _ in states)
            kept += [(weight / total, topics) for weight, topics in states]
        pool = first.pool
        return score(first.method.model, kept[0][1], first.heldout, kept=tuple(kept), pool=pool)


# ---- starting ------------------------------------------------------------------------------------


def starts_offered(method: Method) -> tuple[str, ...]:
    """Return the choices of the method's knob `start`; empty if it has none."""
    return next((about.choices for name, _, about in knobs_of(method) if name == "start"), ())


def start_of(method: Method) -> str:
    """Where its state begins, by its knob `start`; empty where there is no choice."""
    return str(getattr(method, "start", "")) if starts_offered(method) else ""


def with_start(method: Method, start: str) -> Method:
    changed: Any = method  # every method is a frozen dataclass
    return replace(changed, start=start) if start else method


def starts_of(method: Method, n: int) -> list[str]:
    """Starts of `n` chains: the method's own and all others that its knob offers, in turn."""
    own = start_of(method)
    starts = [own, *(start for start in starts_offered(method) if start != own)]
    return [starts[i % len(starts)] for i in range(n)]


def chains_of(
    plan: Plan, corpus: Corpus, learn_all: bool = False, pool: Pool | None = None
) -> Chains:
    """The chains of the plan on its split, not yet started; the first is the plan's own run.

    The others have the seeds after the plan's, and every start in turn that the method offers: of a
    sampler half begin from nothing and half from many. `learn_all`: nothing is held out.
    Raises what `Plan.split` and `Plan.start` do, and ValueError if the plan has only one.
    """
    if plan.chains < FEWEST:
        raise ValueError(f"There are {FEWEST} to {MOST} chains; the plan has {plan.chains}.")
    train, heldout = (corpus, None) if learn_all else plan.split(corpus)
    runs = []
    for i, start in enumerate(starts_of(plan.method, plan.chains)):
        chain = replace(plan, method=with_start(plan.method, start), seed=plan.seed + i)
        name = f"chain {i + 1}, from {start}" if start else f"chain {i + 1}"
        runs.append(chain.start(train, heldout, f"{plan.method.name}, {name}", pool))
    return Chains(runs)


def chains_again(runs: Sequence[Run], group: str, run_ids: Sequence[str]) -> Chains:
    """Chains that were kept, each with a copy of the texts; they go on with one of them.

    Raises ValueError if they are not chains of one method on one split.
    """
    share_texts(runs)
    return Chains(runs, group, run_ids)
