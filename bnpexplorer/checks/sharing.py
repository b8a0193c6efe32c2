"""What a method says of its threads is what it does with them."""

from collections.abc import Callable
from typing import Any, TypeVar

from ..inference.pool import Pieces, Threads
from ..methods import METHODS
from ..runs.run import Run
from .expecting import bars, expect, small

R = TypeVar("R")
BATCH = 150
"""Documents in a mini-batch: more than a slice has (`inference/slices.py`)."""


class Asked(Threads):
    """Two threads, and the most parts that they were given at once."""

    def __init__(self) -> None:
        super().__init__(2)
        self.most = 0

    def here(self, work: Callable[[int, int], object], n: int) -> None:
        self.most = max(self.most, n)
        super().here(work, n)

    def each(
        self, work: Callable[..., R], pieces: Pieces, given: Any, joined: bool = False
    ) -> list[R]:
        self.most = max(self.most, len(pieces))
        return super().each(work, pieces, given, joined)


def shares_its_work_as_it_says(name: str) -> None:
    method = METHODS[name]
    expect(method.parallel in ("documents", "in part", "none"), f"parallel is {method.parallel!r}")
    why, alone = method.in_turn, method.parallel == "none"
    if method.parallel == "documents":
        expect(not why, "all its documents are fitted apart, and in_turn says why not")
    else:
        expect(why.endswith("."), "in_turn is no sentence that says what one thread does")
    with Asked() as pool:
        run = Run(small(name), bars(), seed=4, batch_size=BATCH, passes=2, pool=pool)
        run.step()
        run.step()
    given = pool.most > 1
    expect(not (given and alone), "parallel is 'none', and its steps use the pool")
    expect(given or alone, f"parallel is {method.parallel!r}, and no step gives work to the pool")
