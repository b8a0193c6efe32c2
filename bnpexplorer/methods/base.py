"""What every method is: knobs, and three functions on an explicit state."""

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
    """A named whole setting: fields of the model, knobs of the method, batch size and passes."""

    title: str
    model: Mapping[str, Any] = field(default_factory=dict)
    knobs: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = 256
    passes: int = 2
    tokens: int = 0
    """Tokens that small texts are read for in all passes, up to `runs.plan.MOST_LASTING` of them; 0
    for what needs some dozens of passes at most."""


@runtime_checkable
class Method(Protocol):
    """A frozen dataclass of knobs; holds no state of its own.

    Rules: a step takes one mini-batch, aims at 0.25 s at most (so that pause answers) and may reuse
    the buffers of `state`. A `fixed` method gets the same blocks in every pass; what ends a pass
    belongs to `batch.index == batch.of - 1`: there it reports `converged`, and `bound` if there is
    one (otherwise nan). Most gather in their state until then, as `lda_batch.py`; one that updates
    in place, as `lda_gibbs.py`, may do so at every block. After each pass the topics hold every
    word once.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    name: ClassVar[str]
    title: ClassVar[str]
    in_words: ClassVar[str]
    """What it does and at what pace, for people who know no method by its name; in forms before the
    name. May be empty: then its title stands there."""
    source: ClassVar[str]
    """Of every paper its family names and year, and the equation numbers where there are any."""
    papers: ClassVar[tuple[str, ...]]
    """The papers of `source`, in its order, by their keys in `export/papers.bib`; a method from
    outside may bring a `papers.bib` beside its module."""
    kind: ClassVar[Kind]
    """`mean field`: fits q to the posterior, by draws too; `sampler`: a Markov chain of one state;
    `particles`: many weighted states."""
    too_short: ClassVar[int]
    """Words a text, below which it has predicted worse than word frequencies on some texts
    (benchmarks/README.md, what defaults are worth); 0 where it never has."""
    ascends: ClassVar[bool]
    """Whether the bound that it reports at the end of a pass never falls."""
    colour: ClassVar[int]
    """Place in the palette (`plots/style.py`), from 0 to 7: one that no other method of its model
    has, while there is any. When all are taken, a second method at a place is told apart by a dash,
    as two runs of one method are (`slots_of`)."""
    offered_first: ClassVar[bool]
    """Whether the form offers it before the other methods of its model."""
    batching: ClassVar[Batching]
    """`shuffled`: new random mini-batches every pass; `fixed`: the same partition every pass;
    `once`: in the corpus's order, one pass."""
    parallel: ClassVar[Parallel]
    """What a step gives to a pool. `documents`: each is fitted given topics that all share;
    `in part`: some numbers of each, and then one thread draws; `none`: nothing, since its law is
    sequential. Scoring uses a pool in any case."""
    in_turn: ClassVar[str]
    """In one plain sentence, what one thread does in turn, and why; empty for `documents`."""
    weighs: ClassVar[bool]
    """Whether it reads counts in sums alone, never word after word, so that weights such as tf-idf
    are learned as they stand (`corpus/weighted.py`); for all others they are rounded."""
    untold: ClassVar[str]
    """Why a birth has no moment of which numbers could be told, in plain sentences; empty where the
    events of births have `details`."""
    untold_ends: ClassVar[str]
    """Likewise of ends: why nothing was weighed and nobody was the last to leave."""
    presets: ClassVar[dict[str, Preset]]
    """At least "default"."""
    state_type: ClassVar[type[Any]]
    """A dataclass of arrays and plain numbers (may nest dataclasses), saved without pickle."""

    def __init__(self, model: Any = ..., **knobs: Any) -> None: ...

    @property
    def model(self) -> Model: ...

    @classmethod
    def learnable(cls) -> tuple[str, ...]: ...

    def settled(self, corpus: Corpus) -> "Method": ...

    def init(self, corpus: Corpus, rng: np.random.Generator) -> Any:
        """The state before any document was seen."""
        ...

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> Any: ...

    def step(
        self, state: Any, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[Any, Info]:
        """Learn from one mini-batch. Results must not depend on `pool`."""
        ...

    def topics(self, state: Any) -> Topics:
        """The posterior now, in fresh arrays."""
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
    """Base of all methods: what only some of them need, with the answer of all others."""

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
        """The concentrations that it learns where its knobs `learn_<name>` say so."""
        return tuple(name for name in LEARNS if f"learn_{name}" in cls.__dataclass_fields__)

    def settled(self, corpus: Corpus) -> Any:
        """Return the method with every choice made that its knobs leave to the texts to learn; the
        method itself where they leave none. A run begins with it, so that its plan names them."""
        return self

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> Any:
        """The state before any document was seen, where it begins at topics of another run; or, as
        `init`, where its knob `start` says. A method that has none cannot (`may_begin`)."""
        raise NotImplementedError

    def kept(self, state: Any) -> Kept:
        """States or particles over which prediction averages probabilities; none: `topics`."""
        return ()

    def memory(self, corpus: Corpus) -> int:
        """Bytes that the state of a run on `corpus` takes, if it grows with the documents; what
        has an entry for each topic and word may be left out (`runs/limits.py` counts it)."""
        return 0

    def looks_beyond(self) -> bool:
        """Whether a step may look at all texts, `Batch.corpus`, and not at its mini-batch alone. Of
        a corpus on the disk they are then read before the step, which fails with nothing changed if
        they cannot be."""
        return False

    def caution(self) -> str:
        """A sentence that warns of the settings chosen, to stand beside the form; often none."""
        return ""

    def edit(
        self,
        state: Any,
        kind: str,
        topics: tuple[int, ...],
        ground: StateContext,
        rng: np.random.Generator,
    ) -> tuple[Any, Event]:
        """Topics merged, split or deleted by hand: another state of the same model, and what became
        of them. A method that holds no counts cannot (`can_edit`).

        `kind` and `topics`, identities in use, passed `check_edit`. The state that is given stays
        as it is. The new one satisfies what is declared of states and has no `kept`: averaging
        begins anew after another `burn_in`. Raises ValueError with a sentence if it cannot be done
        now.
        """
        raise NotImplementedError


def said_of_threads(method: Method | type[Method]) -> str:
    """In one sentence, what of a step several threads do."""
    if method.parallel == "documents":
        return "All threads: documents are fitted apart, given the topics."
    return method.in_turn


def can_begin(method: Method) -> bool:
    """Whether the method can begin at the topics of another run."""
    return getattr(type(method), "begin", Inference.begin) is not Inference.begin


def may_begin(method: Method) -> None:
    """Raise ValueError if it cannot."""
    if not can_begin(method):
        raise ValueError(f"{method.name} cannot begin at the topics of another run.")


def can_edit(method: Method) -> bool:
    """Whether topics of the method can be merged, split and deleted by hand."""
    return getattr(type(method), "edit", Inference.edit) is not Inference.edit


def may_edit(method: Method) -> None:
    """Raise ValueError if they cannot."""
    if not can_edit(method):
        raise ValueError(
            f"{method.name} holds no assignment of words or documents to topics that a hand could "
            "change; topics can be grouped and hidden instead."
        )


LEARNS = {
    "gamma": "Learn gamma from the texts, starting at the value given; how many topics there are.",
    "alpha": "Learn alpha from the texts, starting at the value given; how documents mix topics.",
    "eta": "Learn eta from the texts, starting at the value given; it tends to small values, which "
    "split topics.",
}


def learns(name: str, default: bool = False) -> Any:
    """The knob `learn_gamma`, `learn_alpha` or `learn_eta` of a method."""
    return knob(default, help=LEARNS[name], label=f"Learn {name}", more=True)


LEARN_AFTER = 5
"""Passes before a batch method of topics learns its concentrations. Documents that are fitted to
the topics of the start use too few: LDA's alpha fell from 0.4, the true value, to 0.07 for good."""


def has_learned(method: Method, passes: int) -> bool:
    """Whether a batch method that learns concentrations has done so, and so may converge."""
    learns_any = any(getattr(method, f"learn_{name}") for name in method.learnable())
    return not learns_any or passes > LEARN_AFTER + 1


def learned(method: Method, **values: float) -> dict[str, float]:
    """Those of the `values` that the method's knobs say it learns, as named series."""
    return {name: value for name, value in values.items() if getattr(method, f"learn_{name}")}


def towards(old: float, best: float, rho: float) -> float:
    """A stochastic step of size `rho` (Hoffman et al. 2013, section 2.5)."""
    return (1.0 - rho) * old + rho * best


def step_size(t: int, tau: float, kappa: float) -> float:
    """rho_t = (tau + t)^-kappa for t = 1, 2, ... (Hoffman et al. 2013, equation 26)."""
    return float((tau + t) ** -kappa)


def deaths(before: F64, after: F64, topic_ids: I64, threshold: float = 1.0) -> tuple[Event, ...]:
    """Deaths and rebirths of a truncated method's topics.

    By their sizes (K,) before and after a step; who is in use, says `snapshot.in_use`.
    """
    was, now = in_use(before, threshold), in_use(after, threshold)
    died = [Event("death", parents=(int(i),)) for i in topic_ids[was & ~now]]
    born = [Event("birth", children=(int(i),)) for i in topic_ids[now & ~was]]
    return tuple(died + born)
