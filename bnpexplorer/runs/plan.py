"""A plan: the settings that make a run of any texts.

Forms, command line, lessons, races, studies and exported scripts make a `Plan`, which makes the
`Run`, so equal choices give equal numbers everywhere.
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
"""Documents to read in all from a small corpus: truncation-free inference needs about 30 passes
over 1,000 documents to separate its bars (mean distance 0.1; 0.3 after 4 passes)."""
MOST_SUGGESTED = 40
"""Most passes that are suggested."""
MOST_LASTING = 1000
"""Most passes suggested for a method with `Preset.tokens`."""
FEWEST_BATCHES = 10
"""Least mini-batches of a method that reads its texts once, so that its curve has points."""
PASSES_TO_SETTLE = 1000
"""Most passes of a run that ends once settled, if no other number is chosen."""
MOST_CHAINS = 8


def words_each(corpus: Corpus, heldout: Heldout | None = None) -> float:
    """Return the mean number of vocabulary words in a document; held-out documents count too, so
    the split does not change it."""
    parts = [corpus] if heldout is None else [corpus, heldout.whole]
    return sum(part.n_tokens for part in parts) / sum(part.n_docs for part in parts)


@dataclass(frozen=True)
class Plan:
    """A method and the settings of its run; None leaves a setting to the texts.

    >>> from bnpexplorer import Plan, load
    >>> corpus = load("sample_data/small.csv")
    >>> plan = Plan.of("hdp-tsvi", values={"eta": 0.1}, seed=3)
    >>> run = plan.split_and_start(corpus)
    >>> corpus.n_docs, run.corpus.n_docs
    (160, 144)

    Raises ValueError that names an impossible setting.
    """

    method: Method
    seed: int = 0
    """Seed of the split and of the run; further chains have the next numbers."""
    batch_size: int | None = None
    """Documents in a mini-batch; None: as `batch_for` suggests."""
    passes: int | None = None
    """Most passes over the documents; None: as `passes_for` suggests."""
    n_heldout: int | None = None
    """Number of held-out documents; None: 10 %, at most 500."""
    protocol: str | None = None
    """How they are scored, a key of `PROTOCOLS`; None: the default for model and corpus."""
    order: Order = "shuffled"
    until: Until = "passes"
    """`settled`: end before its passes once it has settled, or once several chains have met."""
    minutes: float | None = None
    """Most minutes of learning, for each chain; None: no limit."""
    chains: int = 1
    """Number of chains that `bnpexplorer.chains.chains_of` makes; the first is this plan's run. The
    cores of the machine decide only how many run at once."""
    preset: str = "default"
    """The method's preset that gives batch size and passes where they are None."""
    start_from: Source | None = None
    """A run, or the file of one, from whose topics it starts; None: the start of the method."""
    reason: str = field(default="", compare=False)
    """Why it is recommended, in one sentence; empty if a person chose it."""

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
                    "Chains need different starts to show whether the start matters, and "
                    "start_from gives all of them the same. Choose one chain, or no start_from."
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
        """Return a plan for the method `name`, with `values` for settings of the method or model.

        `chosen`: other fields of the plan. Raises ValueError that names the unknown method, preset
        or setting, or the value out of range.
        """
        return cls(make_method(name, preset, values), preset=preset, **chosen)

    @classmethod
    def of_run(cls, run: Run) -> "Plan":
        """Return the plan that makes `run` again from its whole corpus; for a first chain, the plan
        of all chains."""
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
            run.until if first else "passes",  # a chain alone would end by another rule
            run.minutes,
            1 if chain is None or not first else chain.of,
        )
        return (
            plan
            if given is None
            else replace(plan, start_from=Beginning.of_run_begun(given, run.corpus))
        )

    # ---- suggestions -----------------------------------------------------------------------

    @property
    def _preset(self) -> Preset:
        return self.method.presets[self.preset]

    def batch_for(self, n_docs: int) -> int:
        """Return the mini-batch size for `n_docs` documents to learn: as chosen or in the preset.

        With the default preset, a method that reads its texts once divides a small corpus into at
        least `FEWEST_BATCHES`.
        """
        if self.batch_size is not None:
            return self.batch_size
        size = self._preset.batch_size
        if self.method.batching != "once" or self.preset != "default":
            return size
        return max(min(size, n_docs // FEWEST_BATCHES), 1)

    def passes_for(self, n_docs: int, words_each: float) -> int:
        """Return the passes over `n_docs` documents to learn, with a mean of `words_each` words.

        As chosen, or as in the preset; the default preset reads a small corpus more often.
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
        """Return how held-out documents of the whole `corpus` are scored: a key of `PROTOCOLS`."""
        return self.protocol or default_protocol(self.method.model.name, corpus)

    def n_to_learn(self, corpus: Corpus) -> int:
        """Return how many documents of the whole `corpus` are learned. Raises what `split` does."""
        return corpus.n_docs - heldout_size(corpus, self.n_heldout, self.protocol_for(corpus))

    def settled(self, corpus: Corpus) -> "Plan":
        """Return the plan of the run of `split_and_start(corpus)`, with every setting filled in.

        Raises what `split` does.
        """
        n_docs, method = self.n_to_learn(corpus), self.method
        if method.settled(corpus) is not method:  # only then, since a split takes time
            method = method.settled(self.split(corpus)[0])
        return replace(
            self,
            method=method,
            batch_size=min(self.batch_for(n_docs), n_docs),
            passes=self.passes_for(n_docs, words_each(corpus)),
            n_heldout=corpus.n_docs - n_docs,
            protocol=self.protocol_for(corpus),
            preset="default",  # no longer matters
        )

    def caution(self, corpus: Corpus) -> str:
        """Return warnings about this plan for `corpus`: its settings, and texts that are too short
        for its method; often empty."""
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
        """Return the documents to learn and those held out.

        Raises CorpusError or ValueError with a sentence if that many cannot be held out.
        """
        return split_heldout(corpus, self.seed, self.n_heldout, self.protocol_for(corpus))

    def start(
        self,
        corpus: Corpus,
        heldout: Heldout | None = None,
        name: str = "",
        pool: Pool | None = None,
    ) -> Run:
        """Return a run over all documents of `corpus`, not yet started.

        `heldout`: documents to score it on. Raises ValueError if the corpus is too large, or shares
        no word with the topics of `start_from`.
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
        """Split `corpus` and return a run over the documents to learn, not yet started.

        Raises what `split` and `start` do.
        """
        return self.start(*self.split(corpus), name=name, pool=pool)
