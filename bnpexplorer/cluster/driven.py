"""A run that a worker drives as if it were alone, and what stands for it here."""

from collections.abc import Callable
from typing import Any, Self

from ..core import store
from ..runs.run import Run
from ..runs.warming import warm_in_turn
from ..state.snapshot import Info
from .guests import Guest, GuestTexts


def drive(run: Run, docs: int, over: Callable[[], bool] = lambda: False) -> None:
    """Let a run learn until it has processed so many documents, or until it is `over`, but one
    mini-batch at least; one that has processed them is only prepared. Raises what a step does."""
    run.prepare()
    while not run.done and run.docs_seen < docs:
        run.step()
        if over():
            return


class RunThere:
    """On a worker: a `Guest`. It has one thread: the worker's others have runs of their own."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @classmethod
    def arrives(cls, manifest: dict[str, Any], arrays: store.Arrays, texts: GuestTexts) -> Self:
        of = (texts.corpus, texts.heldout)
        run = Run.unpack(manifest, arrays, "The run that was sent", texts=of)
        run.pool = None
        warm_in_turn(run.method)
        return cls(run)

    @property
    def ended(self) -> bool:
        return self.run.done

    def learn(self, docs: int, over: Callable[[], bool]) -> None:
        drive(self.run, docs, over)

    def packed(self) -> store.Packed:
        """Where the run stands, with what its last step told."""
        manifest, arrays = self.run.pack_standing()
        manifest["info"] = store.pack(self.run.latest_info, arrays, "info")
        return manifest, arrays


class RunAway:
    """Here: an `Away` for a run, which changes when it comes home."""

    guest: type[Guest] = RunThere

    def __init__(self, run: Run) -> None:
        self.run = run

    @property
    def mark(self) -> int:
        return self.run.n_steps

    def packed(self) -> store.Packed:
        """What the run is beside its texts."""
        manifest, arrays = self.run.pack_standing()
        if self.run.state is None:
            manifest["given"] = store.pack(self.run.given, arrays, "given")
        return manifest, arrays

    def stand(self, manifest: dict[str, Any], arrays: store.Arrays) -> None:
        self.run.stand(manifest, arrays)
        if "info" in manifest:
            self.run.latest_info = store.unpack(Info, manifest["info"], arrays)
        self.run.threads = 1
