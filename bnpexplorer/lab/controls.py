"""What can be set in each demonstration, by the names that an address and a lesson use.

The pages draw these controls; a test compares what they draw with what stands here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .document import HEARD, TOKENS

CONCENTRATIONS = [0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0]
SMALL_PRIORS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0]
PARAMETERS = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7]
PARAMETERS += [1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 70.0, 100.0]
STARTS = [0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0]
KNOWN = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
MUS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9]
GAMMAS = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
SEEDS = range(10_000)

Value = float | str
"""What a control holds; a whole number is an int."""


@dataclass(frozen=True)
class Control:
    """What somebody may choose from."""

    values: Sequence[float] | Sequence[str]
    """A range where it is a whole number."""
    usual: Value
    """What it holds before anybody has chosen."""

    def value_of(self, word: str) -> Value:
        """The value that is written so. Raises ValueError that says which there are."""
        for value in self.values:
            if word == value or (not isinstance(value, str) and word == f"{value:g}"):
                return value
        raise ValueError(f"must be {self.in_words}; got {word!r}")

    @property
    def in_words(self) -> str:
        """What may be chosen."""
        if isinstance(self.values, range):
            return f"a whole number from {self.values[0]} to {self.values[-1]}"
        return "one of " + ", ".join(
            value if isinstance(value, str) else f"{value:g}" for value in self.values
        )


CONTROLS: Mapping[str, Mapping[str, Control]] = {
    "update": {
        "lab_copies": Control(range(1, 21), 5),
        "lab_view": Control(["Log odds", "Probability"], "Log odds"),
        "lab_words": Control(range(2, 51), 10),
        "lab_word1": Control(PARAMETERS, 1.0),
        "lab_rest": Control(PARAMETERS, 1.0),
        "lab_second": Control(PARAMETERS, 0.1),
    },
    "shrinking": {
        "lab_small_start": Control(STARTS, 1.0),
        "lab_small_eta": Control(SMALL_PRIORS, 0.1),
        "lab_small_known": Control(KNOWN, 0.6),
        "lab_small_steps": Control(range(1, 31), 10),
    },
    "sticks": {
        "lab_gem": Control(CONCENTRATIONS, 3.0),
        "lab_gem_shown": Control(range(3, 31), 10),
        "lab_gem_seed": Control(SEEDS, 0),
    },
    "restaurant": {
        "lab_crp": Control(CONCENTRATIONS, 2.0),
        "lab_crp_seed": Control(SEEDS, 0),
        "lab_crp_n": Control(range(101), 0),
    },
    "franchise": {
        "lab_crf_alpha": Control(CONCENTRATIONS, 2.0),
        "lab_crf_gamma": Control(CONCENTRATIONS, 2.0),
        "lab_crf_houses": Control([2, 3], 3),
        "lab_crf_seed": Control(SEEDS, 0),
        "lab_crf_n": Control(range(61), 0),
    },
    "ordered": {
        "lab_osbp_mu": Control(MUS, 0.6),
        "lab_osbp_gamma": Control(GAMMAS, 0.5),
        "lab_osbp_seed": Control(SEEDS, 0),
    },
    "corpora": {
        "lab_prior": Control(["lda", "hdp", "dpm", "gdp"], "hdp"),
        "lab_prior_eta": Control(SMALL_PRIORS, 0.1),
        "lab_prior_topics": Control(range(2, 19), 8),
        "lab_prior_gamma": Control(CONCENTRATIONS, 3.0),
        "lab_prior_lda_alpha": Control(CONCENTRATIONS, 0.5),
        "lab_prior_hdp_alpha": Control(CONCENTRATIONS, 2.0),
        "lab_prior_seed": Control(SEEDS, 0),
    },
    "document": {
        "lab_doc_alpha": Control(CONCENTRATIONS, 2.0),
        "lab_doc_gamma": Control(CONCENTRATIONS, 2.0),
        "lab_doc_eta": Control(SMALL_PRIORS, 0.1),
        "lab_doc_violin": Control(HEARD, HEARD[0]),
        "lab_doc_seed": Control(SEEDS, 1),
        "lab_doc_n": Control(range(6 * len(TOKENS) + 1), 0),
    },
}
"""Demonstration -> its controls; one that ends in _n is the step at which it stands."""
