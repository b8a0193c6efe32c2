"""A run as it learns: mini-batch after mini-batch, its history and scores, until it ends."""

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
"""Draws after which a run is judged again: R-hat takes as long as a pass over few documents."""
FIRST_PASSES = 10
"""Passes by which draws are spaced of a run whose end is open."""


class Learning:
    """What `Run` does as it learns; knows neither files nor how it is shown.

    Without a `pool` it draws on the threads of this process (`inference/cores.py`).
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
        """On how many the last step of this session could draw; scoring may use more."""
        self.clock: Callable[[], float] = time.perf_counter
        """What `seconds` counts."""
        self.processor_seconds = 0.0
        """What this process has spent on all cores inside the steps of this session; with it, what
        other threads did at that time."""
        self.state: Any = None
        self.kept_topics: Topics | None = None
        """The topics of a run whose texts are not here, in place of a state."""
        self.given: GivenTopics | None = None
        """The topics of another run at which it begins; None: where its method says."""
        self.reading: Reading | None = None
        """How its texts were read and cut, where that is known: new ones are cut alike."""
        self.known: F64 | None = None
        """float64 (J, V): the topics that made a synthetic corpus, of which the method hears
        nothing; None where nobody knows any. How many are found again becomes part of the
        history: a frame keeps 30 words of a topic, too few to tell that later."""

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
        """Say how far the run is after `docs_seen` documents: `pass 96 of 96 over 2,225 texts`."""
        of = f"{'at most ' if self.until == 'settled' else ''}{self.passes:,}"
        return passes_in_words(docs_seen, self.corpus.n_docs, of)

    @property
    def horizon(self) -> int:
        """Documents as far as axes reach: all planned, and of a run with an open end in steps."""
        if self.until == "passes" and self.minutes is None:
            return self.planned_docs
        if self.done:
            return self.docs_seen
        n_docs, reach = self.corpus.n_docs, FIRST_PASSES
        while reach * n_docs <= self.docs_seen:
            reach *= 2
        return min(reach * n_docs, self.planned_docs)

    def docs_at(self, step: int) -> int:
        """Documents processed after so many steps from the beginning."""
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
        """Time inside steps by `clock`, usually that on the wall, however many threads there are;
        without compilation and without scoring."""
        return self._progress.seconds

    @property
    def done(self) -> bool:
        progress = self._progress
        return progress.converged or progress.ended != "" or progress.pass_index >= self.passes

    @property
    def protocol(self) -> str:
        """The protocol of the held-out score; empty if nothing is scored."""
        if self.heldout is not None:
            return self.heldout.protocol
        return "stream" if self.order == "stream" else ""

    @property
    def memory(self) -> int:
        """Bytes of the state and of the texts at hand: one mini-batch, or all if each is revisited.

        Of a corpus in memory what the method would have to hold if it lay elsewhere; of one on the
        disk what is held.
        """
        if isinstance(self.corpus, StoredCorpus):
            return store.size(self.state) + self._feed.n_bytes + self.corpus.n_bytes_copied
        n_bytes = store.size(self.corpus.without_text().docs) + self.corpus.n_bytes
        if self.method.batching != "fixed":
            n_bytes = n_bytes * self.batch_size // self.corpus.n_docs
        return store.size(self.state) + n_bytes

    @property
    def topics(self) -> Topics:
        """The topics as they stand; of a run without its texts those that its file holds."""
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
        """Begin at these topics. Raises ValueError if its method cannot, or if it has begun."""
        may_begin(self.method)
        if self.state is not None:
            raise ValueError(f"{self.name} has begun, and cannot begin at {given.said}.")
        self.given = given

    def step(self) -> None:
        """Learn from one mini-batch. Raises RuntimeError when the run is done, and NotNow, before
        anything has changed, if nobody is there to compute it or its texts are not here."""
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
        """The share of the machine that this run has, of which a sequential law uses one."""
        if self.pool is None or self.method.parallel == "none":
            return 1
        return self.pool.n_workers

    def reading_order(self) -> Rows:
        """The rows of `corpus` in the order of the first pass: int64 (D,), or the rule for it."""
        return self._order_of_pass(self._fresh_generators()[0])

    def _fresh_generators(self) -> list[np.random.Generator]:
        """Of the order of documents, the method, and scoring, as a run begins."""
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
            # Nothing is read here, amid a step: a permutation and the rule of a large corpus are
            # drawn by its size. A stream goes by dates, which are read, but has one pass.
            if self.method.batching == "shuffled" and not self.done:
                self._permutation = self._order_of_pass(self._order_rng)

    # ---- ending ----------------------------------------------------------------------------

    @property
    def draws(self) -> tuple[Draw, ...]:
        """What it told so far without labels, evenly spaced; none where nobody judges it."""
        return tuple(self._history.draws.taken)

    def _judge(self) -> None:
        """After a step: end when the time is over; take a draw; end if the run has settled."""
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
        """Documents processed when it can have `n_draws` draws at the earliest, or one more draw
        than now if it has as many."""
        draws = self._history.draws
        spacing = draws.spacing or self._first_spacing()
        more = max(1, n_draws - len(draws.taken))
        step = (self.n_steps // spacing + more) * spacing
        return min(self.docs_at(step), self.planned_docs)

    def _first_spacing(self) -> int:
        """Mini-batches between draws at first: whole passes of a method whose passes are whole."""
        whole = self.n_batches if self.method.batching == "fixed" else 1
        passes = self.passes if self.until == "passes" else min(self.passes, FIRST_PASSES)
        return whole * max(1, passes * self.n_batches // whole // DRAWS)

    def settling(self) -> Settling:
        """Whether the run has settled so far, by its draws."""
        return settling(self._history.draws.latter_half(), self.method.kind == "sampler")

    def end(self, why: Ended) -> None:
        """End the run where it stands, with a last row of its history."""
        if self.done:
            return
        self._progress.ended = why
        trace = self._history.trace
        if trace and trace[-1].step < self.n_steps:
            self._record(self.latest_info, float("nan"))

    @property
    def ended(self) -> Ended:
        """Why it came to its end before its passes did; empty if it did not, or converged."""
        return self._progress.ended

    # ---- scoring ---------------------------------------------------------------------------

    def _score_ahead(self, batch: Batch) -> float:
        """Predict, then learn: the score of a stream's mini-batch before it is learned.

        nan where none is due, or where fewer than two documents have two different words: a stream
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
        """Return the topics now, which know the words of the texts."""
        return self.topics.over(self.corpus.vocab, self.corpus.counted)

    def _record(self, info: Info, ahead: float) -> None:
        """Add a row to the history, with a score when its turn has come."""
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
