"""A run: one method learning one corpus, synchronously, without threads or pages."""

from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ..core import store
from ..core.arrays import I64
from ..core.display import HtmlRepr, front, plural
from ..core.installation import versions
from ..core.knob import settings_of_then
from ..corpus.corpus import Corpus
from ..corpus.documents.absent import AbsentCorpus
from ..corpus.order import ByDate, InOrder, Order, Windows, by_date, check_order
from ..corpus.readers.source import Reading
from ..corpus.stored import StoredCorpus
from ..evaluate import Heldout
from ..inference.pool import Pool
from ..methods import METHODS
from ..models import MODELS
from ..state import invariants
from ..state.edits import MOST_EDITS, EditKind
from ..state.labels import Labels
from ..state.moment import Moment
from ..state.snapshot import Snapshot, Topics
from .draws import ChainOf
from .editing import ByHand
from .history import History
from .limits import check_memory, memory_limit
from .packed_texts import pack_texts, unpack_given, unpack_known, unpack_texts
from .progress import Progress

if TYPE_CHECKING:
    from .about import Granularity


class Run(ByHand, HtmlRepr):
    """A method that learns every document of a corpus.

    For a held-out score, call `split_heldout(corpus, seed)`, pass the first part as `corpus` and
    the second as `heldout`. The same version, seed and corpus give the same numbers, for any
    `pool`, with or without scores.

    `order="stream"` reads the corpus once by date (by row without dates) and scores every
    mini-batch before learning it, unless `heldout` is given.

    A run ends after its `passes`. It ends earlier with `until="settled"` once it has settled, and
    after `minutes` of learning; the numbers up to then are the same.

    A `Plan` makes a run more briefly. Raises ValueError for impossible settings (`check_choices`),
    or if the corpus is too large for the method (`check_memory`).
    """

    # ---- watching --------------------------------------------------------------------------

    def snapshot(self, with_kept: bool = False) -> Snapshot:
        """Return all that pages show, frozen; it shares no memory with the state.

        `with_kept` adds the states over which predictions average, which may be large.
        """
        self.prepare()
        history = self._history
        return Snapshot(
            step=self._progress.step,
            docs_seen=self._progress.docs_seen,
            seconds=self._progress.seconds,
            topics=self._published(),
            trace=self.history,
            events=tuple(history.events),
            frames=tuple(history.frames),
            kept=self.method.kept(self.state) if with_kept and self.state is not None else (),
            memory=self.memory,
            edits=self.edits,
            edition=history.edition,
        )

    def moment(
        self,
        snapshot: Snapshot | None = None,
        corpus: Corpus | None = None,
        labels: Labels | None = None,
        run_id: str = "",
    ) -> Moment:
        """Return the run now, or at `snapshot`, with ordered topics, their words and names.

        `corpus`: all documents before the split, if available.
        """
        return Moment(
            self.snapshot() if snapshot is None else snapshot,
            self.corpus if corpus is None else corpus,
            self.method.model,
            Labels() if labels is None else labels,
            run_id,
            self.corpus.n_docs,
            self.horizon,
        )

    def table(self, all_shares: bool = False) -> Any:
        """Return the rows of the file, with their topics, as a pandas DataFrame.

        After its own columns come each row's main topic, its name and share, the second topic and
        its name, `part` ("learned", "not yet learned", "held out" or "left out"), and `left_out`,
        the reason of the last. With `all_shares` the shares of all topics follow.

        A row of several passages has their mean, weighted by words; rows that were joined have the
        shares of their document. Cells of a CSV file are unchanged strings. A run opened from a
        file of `save`, or of counts, has row numbers instead of columns.
        """
        from .whole import table_of

        return table_of(self, all_shares)

    def about(self, n_topics: int) -> "Run":
        """Make a run with `n_topics` topics from this one (`runs.about.about`)."""
        from .about import about  # which makes runs

        return about(self, n_topics)

    def granularities(self, *counts: int) -> tuple["Granularity", ...]:
        """Make this run with 5, 10, ... 120 topics, or with `counts`, and measure how well each
        predicts (`runs.about.granularities`)."""
        from .about import COUNTS, granularities

        return granularities(self, counts or COUNTS)

    @property
    def converged(self) -> bool:
        """Whether the method's own rule ended it."""
        return self._progress.converged

    @property
    def ending(self) -> str:
        """One sentence on why the run ended; empty if it read all passes as planned."""
        progress = self._progress
        passes = plural(self.docs_seen // self.corpus.n_docs, "pass", "passes")
        if not self.done:
            return ""
        if progress.ended == "met":
            return f"Ended after {passes}: the chains have met."
        if progress.ended == "minutes":
            return f"Ended after {passes}: its {self.minutes:g} minutes of learning are over."
        if progress.converged:
            return f"Converged after {passes}, by the method's own rule."
        if self.until == "passes" or self.chain is not None:
            return ""
        found = self.settling()
        return f"{'Settled' if found.settled else 'Not settled'} after {passes}: {found.why}."

    @property
    def judgement(self) -> str:
        """How it ended, with the verdict on all chains if it is one of them; often empty."""
        chain = self.chain
        of_all = "" if chain is None else f"One of {chain.of} chains. {chain.sentence}".strip()
        return " ".join(filter(None, (self.ending, of_all)))

    def watch(self, step_seconds: float = 0.0) -> Any:
        """Learn to the end in a thread, with live figures or a progress bar; numbers do not change.

        In a notebook (Jupyter, VS Code, marimo; the extra `notebook`) it shows live figures with
        buttons to pause and step, and returns an object with the methods `pause`, `go_on`, `step`
        and `wait`. Elsewhere it shows a bar and returns None when the run has ended or Ctrl-C
        interrupted it; call `watch` again to continue. A step takes at least `step_seconds`.

        While it learns the run belongs to that thread, so pause before you step or edit it.
        Raises ValueError for a time below 0 and, outside notebooks, RuntimeError if the method
        fails.
        """
        return front().watch(self, step_seconds)

    # ---- keeping ---------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write a zip, without pickle, from which the run continues bit for bit in these versions.

        Holds word counts, vocabulary and document metadata, but not the documents' texts.
        """
        texts, arrays = self.pack_texts()
        standing, more = self.pack_standing()
        store.write(path, {**texts, **standing}, {**arrays, **more})

    @classmethod
    def load(cls, path: str | Path, pool: Pool | None = None) -> "Run":
        """Return the run that `save` wrote; it continues exactly as the saved one would have.

        Raises store.StoreError if the file is damaged or foreign.
        """
        return cls.unpack(*store.read(path, memory_limit()), Path(path).name, pool)

    def pack_texts(self) -> store.Packed:
        """Pack the constant parts: word counts of learned and held-out texts, and the topics from
        which it started."""
        return pack_texts(self.corpus, self.heldout, self.given)

    def pack_standing(self) -> store.Packed:
        """Pack the parts that steps change, with the settings; shares memory with the state.

        A run that was not prepared has no state, and makes one when it continues.
        """
        arrays: store.Arrays = {}
        settings = {
            f.name: getattr(self.method, f.name) for f in fields(self.method) if f.name != "model"
        }
        manifest = {
            "versions": versions(),
            "method": self.method.name,
            "model": self.method.model.name,
            "model_settings": asdict(self.method.model),
            "method_settings": settings,
            "run": {key: getattr(self, key) for key in PLANNED},
            "chain": store.pack(self.chain, arrays),
            "known": store.pack(self.known, arrays, "known"),
            "reading": store.pack(self.reading, arrays),
            "rng": [g.bit_generator.state for g in self._generators()],
            "progress": store.pack(self._progress, arrays),
            "permutation": _packed_order(self._permutation, arrays),
            "state": store.pack(self.state, arrays, "state"),
            "topics": store.pack(self.kept_topics, arrays, "topics"),
            "history": store.pack(self._history, arrays, "history"),
        }
        return manifest, arrays

    @classmethod
    def unpack(
        cls,
        manifest: dict[str, Any],
        arrays: store.Arrays,
        source: str,
        pool: Pool | None = None,
        texts: tuple[Corpus, Heldout | None] | None = None,
    ) -> "Run":
        """Return the run of `pack_texts` and `pack_standing`; `source` names it in errors.

        `texts`: the learned and held-out texts, if they were unpacked before. Raises
        store.StoreError if something is missing or does not fit.
        """
        with store.named(source):
            name = str(store.part(manifest, "method"))
        if name not in METHODS:
            raise store.StoreError(
                f"{source} cannot be opened here: its method {name!r} is not installed. It came "
                "with another package, or with a later version of this one."
            )
        with store.named(source):
            kind = store.part(MODELS, str(store.part(manifest, "model")))
            model = kind(**_settings(kind, manifest, "model_settings"))
            saved = _settings(METHODS[name], manifest, "method_settings")
            method = METHODS[name](model=model, **settings_of_then(METHODS[name], saved))
            corpus, heldout = texts or unpack_texts(manifest, arrays)
        try:
            check_memory(method, corpus)
        except ValueError as problem:  # sound, and too large for this machine
            raise store.StoreError(f"{source} cannot be opened here: {problem}") from problem
        with store.named(source):
            given = store.arguments_of(store.part(manifest, "run"), PLANNED)
            store.part(given, "name")
            planned = {key: store.unpack(PLANNED[key], given[key], arrays) for key in given}
            run = cls(method, corpus, heldout=heldout, pool=pool, **planned)
            run.given = unpack_given(manifest, arrays)
            run.stand(manifest, arrays)
        return run

    def stand(self, manifest: dict[str, Any], arrays: store.Arrays) -> None:
        """Restore what `pack_standing` packed of a run with the same method, settings and texts.

        Shares memory with `arrays`. Raises one of `store.DAMAGE` if something is missing or does
        not fit.
        """
        self._progress = store.unpack(Progress, store.part(manifest, "progress"), arrays)
        self._permutation = _order_of(
            store.part(manifest, "permutation"), arrays, self.corpus, self.batch_size
        )
        check_order(self._permutation, self.corpus.n_docs, self.batch_size)
        self.chain = store.unpack(ChainOf | None, manifest.get("chain"), arrays)
        self.known = unpack_known(manifest.get("known"), arrays, self.corpus.n_words)
        self.reading = store.unpack(Reading | None, manifest.get("reading"), arrays)
        self.state = store.unpack(
            self.method.state_type | None, store.part(manifest, "state"), arrays
        )
        if isinstance(self.corpus, AbsentCorpus):
            self.state, kept = None, manifest.get("topics")
            self.kept_topics = store.unpack(Topics | None, kept, arrays)
        if hasattr(self.state, "opened"):  # what files of earlier versions lack
            self.state.opened(self.corpus)
        self._history = store.unpack(History, store.part(manifest, "history"), arrays)
        self._check()
        states = store.unpack(list[dict[str, Any]], store.part(manifest, "rng"), arrays)
        for generator, state in zip(self._generators(), states, strict=True):
            generator.bit_generator.state = state
        if isinstance(self.corpus, StoredCorpus):
            self.corpus.let_go()  # the check of the state had loaded it

    def _check(self) -> None:
        """Raise ValueError if the restored values are inconsistent."""
        progress = self._progress
        invariants.check(progress, ground := self.ground(), "progress")
        steps = progress.pass_index * self.n_batches + progress.n_batches_done
        if (progress.step, progress.docs_seen) != (steps, ground.docs_seen):
            raise ValueError("it stands at no step of its passes")
        invariants.check(self._history, ground, "history")
        if any(edit.kind not in get_args(EditKind) for edit in self._history.edits):
            raise ValueError("it was changed by hand in an unknown way")
        if len(self._history.edits) > MOST_EDITS:
            raise ValueError(f"it was changed by hand more than {MOST_EDITS:,} times")
        if self.given is not None:
            invariants.check(self.given, ground, "given")
        if self.state is None and self.kept_topics is None:  # a run not yet prepared
            if progress.step:
                raise ValueError("it has no state")
            return
        if self.state is not None:
            invariants.check(self.state, ground, "state")
        invariants.check(self.topics, ground, "topics")


def _settings(kind: Any, manifest: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the saved settings of a method or model of `kind`. Raises Misfit for unknown ones."""
    return store.arguments_of(
        store.part(manifest, name), [f.name for f in fields(kind) if f.name != "model"]
    )


PLANNED: dict[str, Any] = {
    "seed": int,
    "batch_size": int,
    "passes": int,
    "order": str,
    "name": str,
    "until": str,
    "minutes": float | None,
}
"""Settings of a plan in the file of a run, with their types."""
RULES = {"in order": InOrder, "windows": Windows}
"""Orders of large corpora, by their names in files."""
BY_DATE = "by date"
"""The order by dates, for which a file holds nothing else."""


def _packed_order(order: Order, arrays: store.Arrays) -> Any:
    """Pack the present order of documents: an array, or its rule."""
    if isinstance(order, ByDate):
        return {"rule": BY_DATE}
    packed = store.pack(order, arrays, "permutation")
    rule = next((name for name, kind in RULES.items() if isinstance(order, kind)), "")
    return {"rule": rule, **packed} if rule else packed


def _order_of(tree: Any, arrays: store.Arrays, corpus: Corpus, batch_size: int) -> Order:
    ruled = isinstance(tree, dict) and "rule" in tree
    if ruled and tree["rule"] == BY_DATE:
        absent = isinstance(corpus, AbsentCorpus)  # it has no dates, and is never read
        return InOrder(corpus.n_docs) if absent else by_date(corpus, batch_size)
    kind: Any = store.part(RULES, str(tree["rule"])) if ruled else I64
    order: Order = store.unpack(kind, tree, arrays)
    return order
