"""A plan: how a run is made, whatever the texts.

Form, command line, lessons, races, studies and exported scripts make a `Plan`, and a `Plan` makes
the `Run`, so that equal choices give equal numbers wherever they were made.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..corpus.corpus import Corpus
from ..evaluate import PROTOCOLS, Heldout, default_protocol, heldout_size, split_heldout
from ..inference.pool import Pool
from ..methods import make_method
from ..methods.base import Method, Preset, may_begin
from .beginning import Beginning, Source
from .choices import Order, Until, check_choices, reads_once
from .run import Run

SMALL_CORPUS_DOCUMENTS = 30_000
"""Documents that a small corpus should be read for in all: 1,000 documents need some 30 passes
until truncation-free inference has its bars apart (distance 0.1 on average; 0.3 after 4 passes)."""
MOST_SUGGESTED = 40
"""Passes that are suggested at most."""
MOST_LASTING = 1000
"""And at most of a method that reads few texts for so many `Preset.tokens`."""
FEWEST_BATCHES = 10
"""Mini-batches at least of a method that comes back to none, so that its curve has points."""
PASSES_TO_SETTLE = 1000
"""Passes after which a run ends that has not settled, if no other number is chosen."""
MOST_CHAINS = 8


def words_each(corpus: Corpus, heldout: Heldout | None = None) -> float:
    """Return how many words that count a document has on average, held-out ones included, so that
    it is the same before and after they are held out."""
    parts = [corpus] if heldout is None else [corpus, heldout.whole]
    return sum(part.n_tokens for part in parts) / sum(part.n_docs for part in parts)


@dataclass(frozen=True)
class Plan:
    """A method, and all that is chosen beside it; None leaves a choice to the texts at hand.

    >>> from bnpexplorer import Plan, load
    >>> corpus = load("sample_data/small.csv")
    >>> plan = Plan.of("hdp-tsvi", values={"eta": 0.1}, seed=3)
    >>> run = plan.split_and_start(corpus)
    >>> corpus.n_docs, run.corpus.n_docs
    (160, 144)

    Raises ValueError that names the choice if no run can be made with it.
    """

    method: Method
    seed: int = 0
    """Of the split and of the run; chains have those that follow."""
    batch_size: int | None = None
    """Documents in a mini-batch; None: as suggested for those to learn (`batch_for`)."""
    passes: int | None = None
    """Times that the documents are read, at most; None: as suggested for those to learn
    (`passes_for`)."""
    n_heldout: int | None = None
    """Documents that are held out; None: 10 %, at most 500."""
    protocol: str | None = None
    """How they are scored, a key of `PROTOCOLS`; None: as usual for the model and the corpus."""
    order: Order = "shuffled"
    until: Until = "passes"
    """`settled`: ends before its passes as soon as it has settled; several chains when they have
    met."""
    minutes: float | None = None
    """Of learning, of every chain its own, after which it ends in any case; None: no limit."""
    chains: int = 1
    """How many chains `bnpexplorer.chains.chains_of` makes, the first of which is this plan's run;
    whatever the machine, whose cores decide only how many run at once."""
    preset: str = "default"
    """Of the method's presets, the one whose batch size and passes count where none are chosen."""
    start_from: Source | None = None
    """A run, or the file of one, at whose topics it begins; None: where the method says."""
    reason: str = field(default="", compare=False)
    """Why it is recommended, in one sentence; empty if somebody chose it."""

    def __post_init__(self) -> None:
        if isinstance(self.method, (str, type)):
            raise ValueError(
                "A plan needs a method with its settings: Plan.of('hdp-tsvi'), or "
                f"Plan(make_method('hdp-tsvi')); got {self.method!r}."
            )
        method, known = self.method, self.method.presets
        if self.preset not in known:
            raise ValueError(
                f"{method.name} has no preset {self.preset!r}; choose from {', '.join(known)}."
            )
        passes = 1 if self.passes is None else self.passes
        size = 1 if self.batch_size is None else self.batch_size
        check_choices(method, self.seed, size, passes, self.order, self.until, self.minutes)
        if not 1 <= self.chains <= MOST_CHAINS:
            raise ValueError(f"chains must be 1 to {MOST_CHAINS}; got {self.chains}.")
        if self.start_from is not None:
            may_begin(method)
            if self.chains > 1:
                raise ValueError(
                    "Chains begin at different places, so that they can tell whether that matters; "
                    "start_from gives all of them one. Choose one chain, or no run to begin at."
                )
            object.__setattr__(self, "start_from", Beginning.of(self.start_from))
        if self.n_heldout is not None and self.n_heldout < 1:
            raise ValueError(
                f"n_heldout must be at least 1; got {self.n_heldout}. `start` learns all documents."
            )
        suited = [key for key, found in PROTOCOLS.items() if method.model.name in found.models]
        if self.protocol is not None and self.protocol not in suited:
            raise ValueError(
                f"The protocol of {method.name} must be one of {', '.join(suited)}; "
                f"got {self.protocol!r}."
            )

    @classmethod
    def of(
        cls, name: str, preset: str = "default", values: Mapping[str, Any] = {}, **chosen: Any
    ) -> "Plan":
        """A plan for the method `name`, with single `values` of its knobs or its model's fields.

        `chosen`: the other fields of a plan. Raises ValueError that names the unknown method,
        preset or setting, or the value out of range.
        """
        return cls(make_method(name, preset, values), preset=preset, **chosen)

    @classmethod
    def of_run(cls, run: Run) -> "Plan":
        """The plan that makes `run` again from its whole corpus; of the first chain, all."""
        heldout, chain, given = run.heldout, run.chain, run.given
        first = chain is None or chain.place == 0
        plan = cls(
            run.method,
            run.seed,
            run.batch_size,
            run.passes,
            None if heldout is None else heldout.whole.n_docs,
            None if heldout is None else heldout.protocol,
            run.order,
            run.until if first else "passes",  # alone it would end by another rule
            run.minutes,
            1 if chain is None or not first else chain.of,
        )
        return (
            plan
            if given is None
            else replace(plan, start_from=Beginning.of_run_begun(given, run.corpus))
        )

    # ---- what is left open -----------------------------------------------------------------

    @property
    def _preset(self) -> Preset:
        return self.method.presets[self.preset]

    def batch_for(self, n_docs: int) -> int:
        """Return the documents in a mini-batch, of `n_docs` to learn.

        As chosen, or else as the preset says; a method of our own presets that reads its texts once
        divides a small corpus into `FEWEST_BATCHES` at least.
        """
        if self.batch_size is not None:
            return self.batch_size
        size = self._preset.batch_size
        if self.method.batching != "once" or self.preset != "default":
            return size
        return max(min(size, n_docs // FEWEST_BATCHES), 1)

    def passes_for(self, n_docs: int, words_each: float) -> int:
        """Return the passes over `n_docs` documents to learn, held-out ones not counted, which have
        `words_each` words that count on average (`words_each`).

        As chosen, or else as the preset says; our own presets read a small corpus more often.
        """
        if reads_once(self.method, self.order):
            return 1
        if self.passes is not None:
            return self.passes
        if self.until == "settled":
            return PASSES_TO_SETTLE
        preset = self._preset
        if self.preset != "default":
            return preset.passes
        suggested = min(MOST_SUGGESTED, -(-SMALL_CORPUS_DOCUMENTS // n_docs))
        if preset.tokens:
            suggested = min(MOST_LASTING, int(preset.tokens / max(n_docs * words_each, 1.0)))
        return max(preset.passes, suggested)

    def protocol_for(self, corpus: Corpus) -> str:
        """How what is held out of the whole `corpus` is scored: a key of `PROTOCOLS`."""
        return self.protocol or default_protocol(self.method.model.name, corpus)

    def n_to_learn(self, corpus: Corpus) -> int:
        """Documents of the whole `corpus` that are not held out. Raises what `split` does."""
        return corpus.n_docs - heldout_size(corpus, self.n_heldout, self.protocol_for(corpus))

    def settled(self, corpus: Corpus) -> "Plan":
        """The plan with nothing left open: that of the run of `split_and_start(corpus)`.

        Raises what `split` does.
        """
        n_docs, method = self.n_to_learn(corpus), self.method
        if method.settled(corpus) is not method:  # only then are the texts divided: it takes time
            method = method.settled(self.split(corpus)[0])
        return replace(
            self,
            method=method,
            batch_size=min(self.batch_for(n_docs), n_docs),
            passes=self.passes_for(n_docs, words_each(corpus)),
            n_heldout=corpus.n_docs - n_docs,
            protocol=self.protocol_for(corpus),
            preset="default",  # has no more to say
        )

    def caution(self, corpus: Corpus) -> str:
        """Return what to beware of before these texts are learned with this plan: sentences about
        the settings of its method, and about texts that are too short for it. Often none."""
        said, method, length = self.method.caution(), self.method, words_each(corpus)
        if length >= method.too_short:
            return said
        short = (
            f"{method.name} may predict worse than word frequencies here: it did on some texts of "
            f"fewer than {method.too_short} words, and these have {int(length)} on average. "
            "Samplers, which read them many times, predict them better."
        )
        return f"{said} {short}".strip()

    # ---- making runs -----------------------------------------------------------------------

    def split(self, corpus: Corpus) -> tuple[Corpus, Heldout]:
        """(documents to learn, documents held out), for plans that share them.

        Raises CorpusError or ValueError with a sentence if so many cannot be held out.
        """
        return split_heldout(corpus, self.seed, self.n_heldout, self.protocol_for(corpus))

    def start(
        self,
        corpus: Corpus,
        heldout: Heldout | None = None,
        name: str = "",
        pool: Pool | None = None,
    ) -> Run:
        """A synchronous run over all documents of `corpus`, not yet started.

        `heldout`: documents to score it on. Raises ValueError if the corpus is too large for it, or
        has no word of the topics at which it is to begin.
        """
        passes = self.passes_for(corpus.n_docs, words_each(corpus, heldout))
        run = Run(
            self.method,
            corpus,
            self.seed,
            self.batch_for(corpus.n_docs),
            passes,
            self.order,
            heldout,
            name,
            pool,
            self.until,
            self.minutes,
        )
        if self.start_from is not None:
            run.begin_at(Beginning.of(self.start_from).on(corpus))
        return run

    def split_and_start(self, corpus: Corpus, name: str = "", pool: Pool | None = None) -> Run:
        """A synchronous run over `corpus` without the documents held out of it, not yet started.

        Raises what `split` and `start` do.
        """
        return self.start(*self.split(corpus), name=name, pool=pool)
