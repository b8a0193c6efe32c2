"""What every model is: statistical assumptions, apart from how they are learned."""

from dataclasses import Field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from ..core.arrays import F64
from ..corpus.corpus import Corpus
from ..inference.pool import Pool
from ..state.snapshot import Topics
from .drawing import Drawn


@runtime_checkable
class Model(Protocol):
    """A frozen dataclass whose knobs are the parameters of the prior."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    name: ClassVar[str]
    title: ClassVar[str]
    unit: ClassVar[str]
    """What the sizes of topics count: `words` or `documents`."""
    noun: ClassVar[str]
    """What one component is called: `topic` or `cluster`."""
    mixture: ClassVar[bool]
    """Whether every document belongs to one component; else it mixes many topics."""

    def __init__(self, **knobs: Any) -> None: ...

    @property
    def eta(self) -> float:
        """Dirichlet parameter of the topics."""
        ...

    def sample(
        self, rng: np.random.Generator, n_docs: int, n_words: int, mean_length: float
    ) -> Drawn:
        """Draw `n_docs` documents over `n_words` words, `mean_length` tokens each on average."""
        ...

    def fold_in(self, topics: Topics, docs: Corpus, pool: Pool | None = None) -> F64:
        """Expected proportions of new documents under fixed topics: float64 (D, K)."""
        ...
