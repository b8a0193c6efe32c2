"""Constraints on values that come from a file, declared beside the types of their parts.

    n: Annotated[F64, Must("K")]                           float64 (K,), finite, nothing negative
    z: Annotated[I64, Must("D", least=-1, below="n_ids")]
    lam: Annotated[Dirichlets, Must("K")]                  its length is K, too

Axes and limits are numbers or names: of the corpus (D documents, V words, U pairs of both, N
tokens, B mini-batches a pass), of a setting of the method or of its model, of another field of the
same dataclass. Any other name stands for the first size found under it, "K+1" for one more, and
"..." for any. What a dataclass promises across its parts, its method `mismatch` looks after.

Kernels do not look where they read, so this is checked once, when a file is opened. Of 7,600 files
with one altered array or number none led a kernel astray; numbers that merely are not those of the
method are not found out.
"""

import dataclasses
import math
import sys
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I64
from ..core.packing import hints_of
from ..corpus.corpus import CHUNK_DOCS, Corpus
from ..corpus.order import Order

LARGEST = 1e15
"""No count and no sum of ours comes near; below it doubles tell whole numbers apart."""
CLOSE = 1e-6
"""Relative rounding that a sum may have gathered over a run."""


@dataclass(frozen=True, init=False)
class Constraint:
    """What a field must satisfy; of a tuple or list, each of its items."""

    axes: tuple[str, ...]
    limits: tuple[float | str, float | str, float | str]
    """At least, at most, below."""
    finite: bool
    """False: nan and infinity are answers too."""
    ascending: bool
    """Each entry is larger than the one before."""
    distinct: bool
    or_empty: bool
    """Whatever the axes, it may also have no rows."""

    def __init__(
        self,
        *axes: str,
        least: float | str = 0,
        most: float | str = LARGEST,
        below: float | str = math.inf,
        finite: bool = True,
        ascending: bool = False,
        distinct: bool = False,
        or_empty: bool = False,
    ) -> None:
        values = (axes, (least, most, below), finite, ascending, distinct, or_empty)
        for f, value in zip(dataclasses.fields(self), values, strict=True):
            object.__setattr__(self, f.name, value)


TINY = sys.float_info.min
"""The least that is more than nothing."""
POSITIVE = Constraint(least=1e-9, most=1e9)
"""A concentration."""
ALL_DOCUMENTS = Constraint(least="D", most="D")
IDENTITIES = Constraint("K", below="n_ids", distinct=True)
IN_ORDER = Constraint("truncation", below="truncation", distinct=True)
"""Identities of truncated methods."""
ANY_SIGN = Constraint(least=-LARGEST)
UNBOUNDED = Constraint(least=-math.inf, most=math.inf, finite=False)


@dataclass(frozen=True, eq=False)
class StateContext:
    """The context of a state: the corpus, the settings, and where in a pass the run is."""

    corpus: Corpus
    settings: Mapping[str, Any]
    """Of the method and its model."""
    order: Order
    """int64 (D,), or a rule of which slices are made: the documents in the order of the present
    pass."""
    batch_size: int
    n_batches_done: int
    """Mini-batches of the present pass."""
    n_passes: int
    """Complete ones."""

    @property
    def docs_seen(self) -> int:
        """Documents learned, those of earlier passes too."""
        return self.n_passes * self.corpus.n_docs + len(self.rows_of_pass)

    @property
    def n_batches(self) -> int:
        """Mini-batches in a pass."""
        return -(-self.corpus.n_docs // self.batch_size)

    def rows(self, index: int) -> I64:
        """The documents of one mini-batch."""
        return self.order[index * self.batch_size : (index + 1) * self.batch_size]

    @property
    def rows_of_pass(self) -> I64:
        """The documents of the present pass that were learned."""
        return self.order[: self.n_batches_done * self.batch_size]

    def misses(self, words: F64) -> str:
        """What a pass has gathered so far must be the words, (V,), of its documents, each once."""
        expected, rows = np.zeros(self.corpus.n_words, np.int64), self.rows_of_pass
        for first in range(0, len(rows), CHUNK_DOCS):
            expected += self.corpus.take(rows[first : first + CHUNK_DOCS]).word_totals
        same = self.n_batches_done == 0 or close(words, expected)
        return "" if same else "other words than those of the present pass"

    @cached_property
    def sizes(self) -> dict[str, Any]:
        """What names stand for everywhere; asked for at every part of a history."""
        corpus = self.corpus
        return {
            **self.settings,
            "D": corpus.n_docs,
            "V": corpus.n_words,
            "U": corpus.n_pairs,
            "N": corpus.n_tokens,
            "B": self.n_batches,
            "docs_seen": self.docs_seen,
        }


def check(value: Any, ground: StateContext, path: str) -> None:
    """Raise ValueError, naming the part below `path`, if a dataclass breaks what it declares."""
    own = vars(value)
    sizes = {**ground.sizes, **{name: v for name, v in own.items() if isinstance(v, int)}}
    kind: Any = type(value)
    hints = hints_of(kind, extras=True)
    leaves = [
        (leaf, _declared(f, hints[f.name]), place)
        for f in dataclasses.fields(value)
        for leaf, place in _leaves(own[f.name], f"{path}.{f.name}")
    ]
    for leaf, must, place in leaves:  # all shapes first: limits may name them
        _check_shape(leaf, must, sizes, place)
    for leaf, must, place in leaves:
        if dataclasses.is_dataclass(leaf):
            check(leaf, ground, place)
        else:
            _check_numbers(np.asarray(leaf), must, sizes, place)
    if hasattr(value, "mismatch") and (problem := value.mismatch(ground)):
        raise ValueError(f"{path}: {problem}")


def _leaves(part: Any, path: str) -> Iterator[tuple[Any, str]]:
    """Arrays of numbers, numbers and dataclasses, however they are packed, with their paths."""
    if isinstance(part, Mapping):
        part = list(part.values())
    if isinstance(part, (tuple, list)):
        for i, item in enumerate(part):
            yield from _leaves(item, f"{path}[{i}]")
    elif isinstance(part, np.ndarray):
        if part.dtype.kind in "iuf":
            yield part, path
    elif dataclasses.is_dataclass(part) or type(part) in (int, float):
        yield part, path


def _declared(f: "dataclasses.Field[Any]", hint: Any) -> Constraint:
    """Of numbers that declare nothing: whole ones are counts, and others have any sign and are as
    unbounded as their default."""
    for extra in getattr(hint, "__metadata__", ()):
        if isinstance(extra, Constraint):
            return extra
    if hint is float:
        default = f.default if isinstance(f.default, float) else 0.0
        return ANY_SIGN if math.isfinite(default) else UNBOUNDED
    return Constraint()


def _check_shape(leaf: Any, must: Constraint, sizes: dict[str, Any], path: str) -> None:
    if isinstance(leaf, np.ndarray):
        shape = leaf.shape
    elif must.axes and dataclasses.is_dataclass(leaf):
        shape = (len(typing.cast(Any, leaf)),)
    else:
        return
    if must.or_empty and shape and shape[0] == 0:
        return
    known = (*shape, *[0] * len(must.axes))  # a missing axis is none
    wanted = tuple(
        size if axis == "..." else _size(axis, size, sizes)
        for axis, size in zip(must.axes, known, strict=False)
    )
    if shape != wanted:
        raise ValueError(f"{path} has the shape {shape} in place of {wanted}")


def _size(axis: str, found: int, sizes: dict[str, Any]) -> int:
    """What the name of an axis stands for; of a new name, what makes `found` right."""
    name, _, more = axis.partition("+")
    size = int(name) if name.isdecimal() else int(sizes.setdefault(name, found - int(more or 0)))
    return size + int(more or 0)


def _check_numbers(
    numbers: npt.NDArray[Any], must: Constraint, sizes: dict[str, Any], path: str
) -> None:
    if not numbers.size:
        return
    low, high = float(numbers.min()), float(numbers.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        if must.finite:
            raise ValueError(f"{path} is not finite")
        return
    least, most, below = (sizes[x] if isinstance(x, str) else x for x in must.limits)
    if numbers.dtype.kind == "f":
        most += CLOSE * abs(most)
    if low < least:
        raise ValueError(f"{path} is {low:g} somewhere, less than {least:g}")
    if high > most or high >= below:
        raise ValueError(f"{path} is {high:g} somewhere, more than there can be")
    if must.ascending and not (numbers[1:] > numbers[:-1]).all():
        raise ValueError(f"{path} is not in ascending order")
    if must.distinct and len(np.unique(numbers)) < numbers.size:
        raise ValueError(f"{path} has the same entry twice")


def close(found: npt.NDArray[Any], expected: npt.NDArray[Any]) -> bool:
    """Whether sums carried along are those counted anew, up to rounding; of the same shape."""
    if found.shape != expected.shape:
        return False
    largest = float(np.abs(expected).max(initial=1.0))
    return bool(np.abs(found - expected).max(initial=0.0) <= CLOSE * largest)
