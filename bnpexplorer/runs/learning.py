"""The learning of a run: its mini-batches, history, scores and end."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..core import store
from ..core.arrays import F64
from ..core.display import passes_in_words
from ..corpus.corpus import Batch, Corpus
from ..corpus.order import Order as Rows
from ..corpus.readers.source import Reading
from ..corpus.stored import StoredCorpus
from ..evaluate import Heldout, Remembered, score, split_heldout
from ..evaluate.settling import Settling, settling
from ..explore.likeness import FOUND_AGAIN, found_again
from ..inference.cores import at_work, usual_pool
from ..inference.pool import Pool, RemotePool
from ..inference.start import GivenTopics
from ..methods.base import Method, may_begin
from ..state.snapshot import Info, Topics, TracePoint
from .choices import Order, Until, check_choices, reads_once
from .draws import DRAWS, ChainOf, Draw, draw_of
from .feeding import Feed, order_of_pass
from .history import History
from .limits import check_memory
from .progress import Ended, Progress

LOOK_EVERY = 10
"""Draws between two judgements, since R-hat takes as long as a pass over few documents."""
FIRST_PASSES = 10
"""Passes that decide the spacing of draws in a run whose end is open."""


class Learning:
    """The learning part of `Run`, without files or views.

    Without a `pool` it uses the threads of this process (`inference/cores.py`).
    """

    def __init__(
        self,
        method: Method,
        corpus: Corpus,
        seed: int = 0,
        batch_size: int = 256,
        passes: int = 2,
        order: Order = "shuffled",
        heldout: Heldout | None = None,
        name: str = "",
        pool: Pool | None = None,
        until: Until = "passes",
        minutes: float | None = None,
    ) -> None:
        check_choices(method, seed, batch_size, passes, order, until, minutes)
        check_memory(method, corpus)
        self.method: Method = method.settled(corpus)
        self.corpus, self.heldout = corpus, heldout
        self.pool: Pool | None = usual_pool() if pool is None else pool
        self.seed, self.order, self.name = int(seed), order, name or method.name
        self.batch_size = min(int(batch_size), corpus.n_docs)
        self.passes = 1 if reads_once(method, order) else int(passes)
        self.until, self.minutes = until, minutes
        self.chain: ChainOf | None = None
        # Three streams, so that scoring more often does not change the fit.
        self._order_rng, self._method_rng, self._score_rng = self._fresh_generators()
        self._progress = Progress()
        self._permutation: Rows = self._order_of_pass(self._order_rng)
        self._feed = Feed(corpus)
        self._history, self._remembered = History(self.planned_docs), Remembered()
        self.latest_info = Info()
        """What the last step of this session reported."""
        self.threads = 1
        """Threads that the last step of this session could use; scoring may use more."""
        self.clock: Callable[[], float] = time.perf_counter
        """The clock of `seconds`."""
        self.processor_seconds = 0.0
        """Processor time of this process within the steps of this session, on all cores, including
        other threads."""
        self.state: Any = None
        self.kept_topics: Topics | None = None
        """The topics of a run whose texts are missing, in place of a state."""
        self.given: GivenTopics | None = None
        """Topics of another run to start from; None: the start of its method."""
        self.reading: Reading | None = None
        """How its texts were read and tokenized, if known; new texts are read the same way."""
        self.known: F64 | None = None
        """float64 (J, V): true topics of a synthetic corpus, hidden from the method, or None. Each
        history row counts how many were recovered, since a frame keeps too few words (30) of a
        topic to count them later."""

    # ---- where it stands -------------------------------------------------------------------

    @property
    def n_batches(self) -> int:
        """Mini-batches in a pass."""
        return -(-self.corpus.n_docs // self.batch_size)

    @property
    def planned_docs(self) -> int:
        """Documents that the whole run will process."""
        return self.passes * self.corpus.n_docs

    def passes_said(self, docs_seen: int) -> str:
        """Return the progress after `docs_seen` documents: `pass 96 of 96 over 2,225 texts`."""
        of = f"{'at most ' if self.until == 'settled' else ''}{self.passes:,}"
        return passes_in_words(docs_seen, self.corpus.n_docs, of)

    @property
    def horizon(self) -> int:
        """Documents at the end of time axes: all planned; for an open end, a growing number."""
        if self.until == "passes" and self.minutes is None:
            return self.planned_docs
        if self.done:
            return self.docs_seen
        n_docs, reach = self.corpus.n_docs, FIRST_PASSES
        while reach * n_docs <= self.docs_seen:
            reach *= 2
        return min(reach * n_docs, self.planned_docs)

    def docs_at(self, step: int) -> int:
        """Return the documents processed after `step` mini-batches."""
        passes, batches = divmod(step, self.n_batches)
        return passes * self.corpus.n_docs + batches * self.batch_size

    @property
    def docs_seen(self) -> int:
        return self._progress.docs_seen

    @property
    def n_steps(self) -> int:
        """Mini-batches learned."""
        return self._progress.step

    @property
    def seconds(self) -> float:
        """Time inside steps by `clock`, usually wall time, without compilation and scoring."""
        return self._progress.seconds

    @property
    def done(self) -> bool:
        progress = self._progress
        return progress.converged or progress.ended != "" or progress.pass_index >= self.passes

    @property
    def protocol(self) -> str:
        """The protocol of the held-out score; empty without one."""
        if self.heldout is not None:
            return self.heldout.protocol
        return "stream" if self.order == "stream" else ""

    @property
    def memory(self) -> int:
        """Bytes of the state and of the texts that the method needs: one mini-batch, or all.

        For a corpus on the disk, the texts that are in memory.
        """
        if isinstance(self.corpus, StoredCorpus):
            return store.size(self.state) + self._feed.n_bytes + self.corpus.n_bytes_copied
        n_bytes = store.size(self.corpus.without_text().docs) + self.corpus.n_bytes
        if self.method.batching != "fixed":
            n_bytes = n_bytes * self.batch_size // self.corpus.n_docs
        return store.size(self.state) + n_bytes

    @property
    def topics(self) -> Topics:
        """The current topics; for a run without its texts, those that its file holds."""
        if self.kept_topics is not None:
            return self.kept_topics
        return self.method.topics(self.state)

    @property
    def history(self) -> tuple[TracePoint, ...]:
        """The rows of history so far."""
        return tuple(self._history.trace)

    # ---- learning --------------------------------------------------------------------------

    def prepare(self) -> None:
        """Make the state before the first step; a k-means start takes a second or two.

        Raises TextsLost, before anything has changed, if a corpus on the disk cannot be read.
        """
        if self.state is not None or self.kept_topics is not None:
            return
        self._feed.check()
        with at_work(self.pool), self._feed.asked_for_all(self._method_rng):
            if self.given is None:
                self.state = self.method.init(self.corpus, self._method_rng)
                return
            started = self.clock()
            self.state = self.method.begin(self.corpus, self.given, self._method_rng)
            self._progress.seconds += self.clock() - started

    def begin_at(self, given: GivenTopics) -> None:
        """Start from `given` topics. Raises ValueError if the method cannot or it has begun."""
        may_begin(self.method)
        if self.state is not None:
            raise ValueError(
                f"{self.name} has already begun, so it cannot start from {given.said}."
            )
        self.given = given

    def step(self) -> None:
        """Learn from one mini-batch. Raises RuntimeError if the run is done, and NotNow, before
        anything has changed, if its cluster or its texts are missing."""
        if self.done:
            raise RuntimeError("The run is done; there is nothing left to step.")
        self._feed.check()
        if isinstance(self.pool, RemotePool):
            self.pool.ready()
        self.prepare()
        with at_work(self.pool):
            self._step()

    def _step(self) -> None:
        progress, history = self._progress, self._history
        batch = self._next_batch()
        if isinstance(self.pool, RemotePool) and self.method.parallel == "documents":
            self.pool.reads(batch, self.method.batching == "fixed")
        ahead = self._score_ahead(batch)
        started, spent = self.clock(), time.process_time()
        self.state, info = self.method.step(self.state, batch, self._method_rng, self.pool)
        progress.seconds += self.clock() - started
        self.processor_seconds += time.process_time() - spent
        self.latest_info, self.threads = info, self._threads()
        progress.step += 1
        progress.docs_seen += batch.docs.n_docs
        progress.converged = info.converged
        self._advance()
        history.note(info.events, progress.step, progress.docs_seen)
        self._judge()
        if self.done or np.isfinite(info.bound) or history.row_due(progress.docs_seen):
            self._record(info, ahead)

    def _threads(self) -> int:
        """Return the threads that a step can use; 1 for a sequential method."""
        if self.pool is None or self.method.parallel == "none":
            return 1
        return self.pool.n_workers

    def reading_order(self) -> Rows:
        """Return the row order of the first pass: int64 (D,), or the rule for it."""
        return self._order_of_pass(self._fresh_generators()[0])

    def _fresh_generators(self) -> list[np.random.Generator]:
        """Return fresh generators of the document order, the method and the scores."""
        return [np.random.default_rng(s) for s in np.random.SeedSequence(self.seed).spawn(3)]

    def _order_of_pass(self, rng: np.random.Generator) -> Rows:
        as_it_stands = self.method.batching == "once"
        return order_of_pass(self.corpus, self.order, as_it_stands, self.batch_size, rng)

    def _next_batch(self) -> Batch:
        index = self._progress.n_batches_done
        first = index * self.batch_size
        docs, rows = self._feed.batch(self._permutation, first, first + self.batch_size)
        if self.method.looks_beyond():
            self._feed.hold_all()
        return Batch(docs, rows, index, self.n_batches, self.corpus)

    def _advance(self) -> None:
        progress = self._progress
        progress.n_batches_done += 1
        if progress.n_batches_done == self.n_batches:
            progress.n_batches_done = 0
            progress.pass_index += 1
            # This reads nothing from the disk, which could fail in the middle of a step: the size
            # decides a permutation or rule, and a stream, ordered by dates, has only one pass.
            if self.method.batching == "shuffled" and not self.done:
                self._permutation = self._order_of_pass(self._order_rng)

    # ---- ending ----------------------------------------------------------------------------

    @property
    def draws(self) -> tuple[Draw, ...]:
        """The label-free draws so far, evenly spaced; empty if convergence is not judged."""
        return tuple(self._history.draws.taken)

    def _judge(self) -> None:
        """After a step, end if the time is over, take a draw, and end if the run has settled."""
        progress = self._progress
        if self.minutes is not None and progress.seconds >= 60.0 * self.minutes and not self.done:
            progress.ended = "minutes"
        if self.until == "passes" and self.chain is None:
            return
        draws = self._history.draws
        draws.spacing = draws.spacing or self._first_spacing()
        if not (progress.step % draws.spacing == 0 or self.done):
            return
        topics, info = self.topics, self.latest_info
        draws.add(draw_of(self.method, topics, info, self.heldout, progress.docs_seen, self.pool))
        alone = self.until == "settled" and self.chain is None and not self.done
        if alone and len(draws.taken) % LOOK_EVERY == 0 and self.settling().settled:
            progress.ended = "settled"

    def docs_at_draw(self, n_draws: int) -> int:
        """Return the documents processed once the run has `n_draws` draws, or one more than now if
        it has that many."""
        draws = self._history.draws
        spacing = draws.spacing or self._first_spacing()
        more = max(1, n_draws - len(draws.taken))
        step = (self.n_steps // spacing + more) * spacing
        return min(self.docs_at(step), self.planned_docs)

    def _first_spacing(self) -> int:
        """Return the first number of mini-batches between draws, whole passes if batches are
        fixed."""
        whole = self.n_batches if self.method.batching == "fixed" else 1
        passes = self.passes if self.until == "passes" else min(self.passes, FIRST_PASSES)
        return whole * max(1, passes * self.n_batches // whole // DRAWS)

    def settling(self) -> Settling:
        """Return whether the run has settled, judged by its draws."""
        return settling(self._history.draws.latter_half(), self.method.kind == "sampler")

    def end(self, why: Ended) -> None:
        """End the run now, with a last history row."""
        if self.done:
            return
        self._progress.ended = why
        trace = self._history.trace
        if trace and trace[-1].step < self.n_steps:
            self._record(self.latest_info, float("nan"))

    @property
    def ended(self) -> Ended:
        """Why it ended before its passes did; empty if it did not, or converged."""
        return self._progress.ended

    # ---- scoring ---------------------------------------------------------------------------

    def _score_ahead(self, batch: Batch) -> float:
        """Return the score of a stream's mini-batch before it is learned.

        nan if no score is due, or if fewer than two documents have two different words; so a stream
        of single documents has no scores.
        """
        seen = self._progress.docs_seen + batch.docs.n_docs
        due = self._history.score_due(seen) and self._history.row_due(seen)
        if self.order != "stream" or self.heldout is not None or not due:
            return float("nan")
        usable = int((np.diff(batch.docs.indptr) >= 2).sum())
        if usable < 2:
            return float("nan")
        seed = int(self._score_rng.integers(2**31))
        _, ahead = split_heldout(batch.docs, seed, n=usable - 1)
        return self._score(self.topics, ahead)

    def _score(self, topics: Topics, heldout: Heldout) -> float:
        method = self.method
        kept = method.kept(self.state)
        known = self._remembered if heldout is self.heldout else None
        rng, model = self._score_rng, method.model
        return score(model, topics, heldout, rng, kept, self.pool, known)

    def _published(self) -> Topics:
        """Return the current topics with the vocabulary of the texts."""
        return self.topics.over(self.corpus.vocab, self.corpus.counted)

    def _record(self, info: Info, ahead: float) -> None:
        """Add a history row, with a score if one is due."""
        progress, history = self._progress, self._history
        topics, heldout = self._published(), ahead
        if self.heldout is not None and (self.done or history.score_due(progress.docs_seen)):
            heldout = self._score(topics, self.heldout)
        if self.known is not None:  # 0.1 ms for the bars; 13 ms for 100 topics, 23 known, 500 words
            again = float(found_again(self.known, topics).count)
            info = replace(info, scalars={**info.scalars, FOUND_AGAIN: again})
        history.add(
            progress.step, progress.docs_seen, progress.seconds, topics, info, heldout, self.done
        )
