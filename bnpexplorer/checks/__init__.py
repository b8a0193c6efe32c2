"""What every method must pass, ours and those from outside: `python -m bnpexplorer check NAME`.

A check takes a method's name and raises `Failed` with one sentence, or whatever went wrong; it may
return what it measured.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..methods import METHODS
from ..methods.base import Method, can_edit
from . import conserving, declaring, reopening, stepping
from .expecting import Failed


def _always(_: type[Method]) -> bool:
    return True


def _ascends(method: type[Method]) -> bool:
    return method.ascends


def _by_steps(method: type[Method]) -> bool:
    """Topics are blends of steps; those of all others hold each document's words exactly once."""
    return method.batching == "shuffled"


def _learns(method: type[Method]) -> bool:
    return bool(method.learnable())


def _edits(method: type[Method]) -> bool:
    return can_edit(method())


@dataclass(frozen=True)
class Check:
    """One promise, as it stands in the list: "hdp-svi ..."."""

    sentence: str
    run: Callable[[str], str | None]
    concerns: Callable[[type[Method]], bool] = _always
    """Which methods promise it."""


CHECKS: dict[str, Check] = {
    check.run.__name__: check
    for check in (
        Check("describes itself", declaring.describes_itself),
        Check("describes its knobs", declaring.describes_its_knobs),
        Check("names its papers", declaring.names_its_papers),
        Check("refuses values out of range", declaring.refuses_values_out_of_range),
        Check("says what its state must satisfy", declaring.declares_its_state),
        Check("estimates its memory", declaring.estimates_its_memory),
        Check("keeps its topics sound at every step", stepping.keeps_its_topics_sound),
        Check("reports what happens to topics", stepping.reports_what_happens_to_topics),
        Check("shares no memory with its state", stepping.shares_no_memory_with_its_state),
        Check("learns texts that hold almost nothing", stepping.learns_degenerate_texts),
        Check("learns with one topic", stepping.learns_with_one_topic),
        Check("takes short steps", stepping.takes_short_steps),
        Check("stays finite over many steps", stepping.stays_finite),
        Check("gives equal bits for any threads", reopening.gives_equal_bits_for_any_threads),
        Check("shares its work as it says", declaring.shares_its_work_as_it_says),
        Check("goes on bit for bit when opened", reopening.goes_on_bit_for_bit),
        Check(
            "stays sound when changed by hand", conserving.stays_sound_when_changed_by_hand, _edits
        ),
        Check("goes on from wherever it was saved", reopening.goes_on_from_everywhere),
        Check("begins as it would have when opened", reopening.begins_as_it_would_have),
        Check("learns the same unscored", reopening.learns_the_same_unscored),
        Check(
            "holds every word once",
            conserving.holds_every_word_once,
            lambda method: not _by_steps(method),
        ),
        Check(
            "moves in the words of every batch", conserving.moves_in_the_words_of_a_batch, _by_steps
        ),
        Check("never lowers its bound", stepping.raises_its_bound, _ascends),
        Check(
            "predicts better than word frequencies", stepping.predicts_better_than_word_frequencies
        ),
        Check("learns the concentrations that it says", stepping.learns_what_it_says, _learns),
        Check("compiles every kernel once", declaring.compiles_every_kernel_once),
    )
}
"""Name -> check, in the order in which they are tried."""


def checks_of(name: str) -> list[str]:
    """The names of the checks that concern a method."""
    return [key for key, check in CHECKS.items() if check.concerns(METHODS[name])]


__all__ = ["CHECKS", "Check", "Failed", "checks_of"]
