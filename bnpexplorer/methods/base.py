"""The protocol of a method: a dataclass of knobs with three functions on an explicit state."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from ..core.arrays import F64, I64
from ..core.knob import Settings, knob
from ..corpus.corpus import Batch, Corpus
from ..inference.pool import Pool
from ..inference.start import Start
from ..models.base import Model
from ..state.invariants import StateContext
from ..state.snapshot import Event, Info, Kept, Topics, in_use

Batching = Literal["shuffled", "fixed", "once"]
Kind = Literal["mean field", "sampler", "particles"]
Parallel = Literal["documents", "in part", "none"]


@dataclass(frozen=True)
class Preset:
    """A named set of settings: fields of the model, knobs of the method, batch size and passes."""

    title: str
    model: Mapping[str, Any] = field(default_factory=dict)
    knobs: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = 256
    passes: int = 2
    tokens: int = 0
    """Tokens that a run on few texts reads in all its passes, up to `runs.plan.MOST_LASTING`
    passes; 0
    if some dozens of passes are enough."""


@runtime_checkable
class Method(Protocol):
    """A frozen dataclass of knobs; holds no state of its own.

    A step takes one mini-batch, aims at 0.25 s at most (so that pause answers) and may reuse the
    buffers of `state`. A `fixed` method gets the same blocks in every pass; work that ends a pass
    belongs to `batch.index == batch.of - 1`, where the method reports `converged`, and `bound` if
    there is one (otherwise nan). Most methods gather sums in their state until then, as
    `lda_batch.py` does; one that updates in place, as `lda_gibbs.py` does, may report at every
    block. After each pass the topics hold every word once.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    name: ClassVar[str]
    title: ClassVar[str]
    in_words: ClassVar[str]
    """What it does and how fast, for readers who do not know methods by name; forms show it before
    the name. If it is empty, they show the title."""
    source: ClassVar[str]
    """Family names and year of each paper, and the equation numbers if there are any."""
    papers: ClassVar[tuple[str, ...]]
    """Keys of these papers in `export/papers.bib`, in the same order. A method from another package
    may bring a `papers.bib` beside its module."""
    kind: ClassVar[Kind]
    """`mean field`: fits q to the posterior, by draws too; `sampler`: a Markov chain of one state;
    `particles`: many weighted states."""
    too_short: ClassVar[int]
    """Words per text below which the method predicted worse than word frequencies on some texts
    (benchmarks/README.md, what defaults are worth); 0 if it never did."""
    ascends: ClassVar[bool]
    """Whether the bound reported at the end of a pass never falls."""
    colour: ClassVar[int]
    """Place in the palette (`plots/style.py`), 0 to 7. No other method of the same model has it
    while any is free. When all are taken, a dash marks the second method at a place, as it marks
    the second of two runs of one method (`slots_of`)."""
    offered_first: ClassVar[bool]
    """Whether the form lists it before the other methods of its model."""
    batching: ClassVar[Batching]
    """`shuffled`: new random mini-batches every pass; `fixed`: the same partition every pass;
    `once`: in the corpus's order, one pass."""
    parallel: ClassVar[Parallel]
    """What a step gives to a pool. `documents`: each document, fitted given topics that all share;
    `in part`: some numbers of each document, after which one thread draws; `none`: nothing, since
    its law is sequential. Scoring always uses a pool."""
    in_turn: ClassVar[str]
    """One plain sentence that says what one thread does in turn, and why; empty for `documents`."""
    weighs: ClassVar[bool]
    """Whether the method reads counts in sums alone, never word after word. It then learns weights
    such as tf-idf unchanged (`corpus/weighted.py`); other methods get them rounded."""
    untold: ClassVar[str]
    """Plain sentences that say why no numbers are known for the moment of a birth; empty if the
    events of births have `details`."""
    untold_ends: ClassVar[str]
    """The same for ends: why the method weighed nothing, and why no document left last."""
    presets: ClassVar[dict[str, Preset]]
    """At least "default"."""
    state_type: ClassVar[type[Any]]
    """A dataclass of arrays and plain numbers (dataclasses may be nested), saved without pickle."""

    def __init__(self, model: Any = ..., **knobs: Any) -> None: ...

    @property
    def model(self) -> Model: ...

    @classmethod
    def learnable(cls) -> tuple[str, ...]: ...

    def settled(self, corpus: Corpus) -> "Method": ...

    def init(self, corpus: Corpus, rng: np.random.Generator) -> Any:
        """Return the state before any document was seen."""
        ...

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> Any: ...

    def step(
        self, state: Any, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[Any, Info]:
        """Learn from one mini-batch. The result must not depend on `pool`."""
        ...

    def topics(self, state: Any) -> Topics:
        """Return the current posterior in fresh arrays."""
        ...

    def kept(self, state: Any) -> Kept: ...

    def memory(self, corpus: Corpus) -> int: ...

    def looks_beyond(self) -> bool: ...

    def caution(self) -> str: ...

    def edit(
        self,
        state: Any,
        kind: str,
        topics: tuple[int, ...],
        ground: StateContext,
        rng: np.random.Generator,
    ) -> tuple[Any, Event]: ...


class Inference(Settings):
    """Base of all methods: defaults for what only some of them need."""

    in_words: ClassVar[str] = ""
    too_short: ClassVar[int] = 0
    ascends: ClassVar[bool] = False
    offered_first: ClassVar[bool] = False
    parallel: ClassVar[Parallel] = "none"
    in_turn: ClassVar[str] = ""
    weighs: ClassVar[bool] = False
    untold: ClassVar[str] = (
        "It has all its topics from the first step on: none is opened by a document or a word. One "
        "that is born here had nothing left and has words again."
    )
    untold_ends: ClassVar[str] = (
        "Nothing was weighed when it went: it no longer held enough to count."
    )

    @classmethod
    def learnable(cls) -> tuple[str, ...]:
        """Return the concentrations that the method has a knob `learn_<name>` for."""
        return tuple(name for name in LEARNS if f"learn_{name}" in cls.__dataclass_fields__)

    def settled(self, corpus: Corpus) -> Any:
        """Return the method with every choice made that its knobs leave to the texts, or the method
        itself if they leave none. A run begins with it, so that its plan names these choices."""
        return self

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> Any:
        """Return the state before any document was seen, starting from the topics of another run
        or, as `init` does, from what the knob `start` says. Methods that cannot start from topics
        leave this out (`may_begin`)."""
        raise NotImplementedError

    def kept(self, state: Any) -> Kept:
        """Return states or particles over which prediction averages; if none, it uses `topics`."""
        return ()

    def memory(self, corpus: Corpus) -> int:
        """Return the bytes of a run's state that grow with the documents of `corpus`. Arrays with
        an entry per topic and word may be left out, since `runs/limits.py` counts them."""
        return 0

    def looks_beyond(self) -> bool:
        """Return whether a step may read all texts (`Batch.corpus`) and not only its mini-batch.
        Texts of a corpus on disk are then read before the step, which fails without any change if
        they cannot be read."""
        return False

    def caution(self) -> str:
        """Return a sentence that warns of the chosen settings, shown beside the form; often
        empty."""
        return ""

    def edit(
        self,
        state: Any,
        kind: str,
        topics: tuple[int, ...],
        ground: StateContext,
        rng: np.random.Generator,
    ) -> tuple[Any, Event]:
        """Merge, split or delete topics by hand. Return another state of the same model, and the
        event.

        `kind` and `topics`, identities in use, have passed `check_edit`. The given state stays as
        it is. The new one satisfies the constraints of states and has no `kept`: averaging begins
        anew after another `burn_in`. Raises ValueError with a sentence if the change is not
        possible now, and NotImplementedError if the method holds no counts (`can_edit`).
        """
        raise NotImplementedError


def said_of_threads(method: Method | type[Method]) -> str:
    """Return one sentence that says which part of a step several threads share."""
    if method.parallel == "documents":
        return "All threads: documents are fitted apart, given the topics."
    return method.in_turn


def can_begin(method: Method) -> bool:
    """Return whether the method can begin at the topics of another run."""
    return getattr(type(method), "begin", Inference.begin) is not Inference.begin


def may_begin(method: Method) -> None:
    """Raise ValueError unless `can_begin(method)`."""
    if not can_begin(method):
        raise ValueError(f"{method.name} cannot begin at the topics of another run.")


def can_edit(method: Method) -> bool:
    """Return whether topics of the method can be merged, split and deleted by hand."""
    return getattr(type(method), "edit", Inference.edit) is not Inference.edit


def may_edit(method: Method) -> None:
    """Raise ValueError unless `can_edit(method)`."""
    if not can_edit(method):
        raise ValueError(
            f"{method.name} does not assign words or documents to topics, so you cannot change "
            "topics by hand. You can group and hide them instead."
        )


LEARNS = {
    "gamma": "Learn gamma from the texts, starting at the value given; how many topics there are.",
    "alpha": "Learn alpha from the texts, starting at the value given; how documents mix topics.",
    "eta": "Learn eta from the texts, starting at the value given; it tends to small values, which "
    "split topics.",
}


def learns(name: str, default: bool = False) -> Any:
    """Return the knob `learn_gamma`, `learn_alpha` or `learn_eta` of a method."""
    return knob(default, help=LEARNS[name], label=f"Learn {name}", more=True)


LEARN_AFTER = 5
"""Passes before a batch method of topics learns its concentrations. Documents fitted to the
starting topics use too few of them: LDA's alpha fell from 0.4, the true value, to 0.07 for good."""


def has_learned(method: Method, passes: int) -> bool:
    """Return whether a method has learned all concentrations it should, and so may converge."""
    learns_any = any(getattr(method, f"learn_{name}") for name in method.learnable())
    return not learns_any or passes > LEARN_AFTER + 1


def learned(method: Method, **values: float) -> dict[str, float]:
    """Return those of the `values` that the method's knobs say it learns, as named series."""
    return {name: value for name, value in values.items() if getattr(method, f"learn_{name}")}


def towards(old: float, best: float, rho: float) -> float:
    """Take a stochastic step of size `rho` (Hoffman et al. 2013, section 2.5)."""
    return (1.0 - rho) * old + rho * best


def step_size(t: int, tau: float, kappa: float) -> float:
    """Return rho_t = (tau + t)^-kappa for t = 1, 2, ... (Hoffman et al. 2013, equation 26)."""
    return float((tau + t) ** -kappa)


def deaths(before: F64, after: F64, topic_ids: I64, threshold: float = 1.0) -> tuple[Event, ...]:
    """Return deaths and rebirths of a truncated method's topics.

    `before` and `after` (K,) are their sizes around a step; `snapshot.in_use` says which are in
    use.
    """
    was, now = in_use(before, threshold), in_use(after, threshold)
    died = [Event("death", parents=(int(i),)) for i in topic_ids[was & ~now]]
    born = [Event("birth", children=(int(i),)) for i in topic_ids[now & ~was]]
    return tuple(died + born)
