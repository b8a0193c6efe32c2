"""Whether a method at its default is worth starting, on every sample: `benchmarks.defaults --check`
keeps the same of shorter texts, too."""

import pytest

from benchmarks import defaults
from bnpexplorer.methods import METHODS
from bnpexplorer.samples import SAMPLES, load_sample

FEW = 1000
"""Documents of a sample at most, so that all methods take a few minutes together."""


@pytest.mark.second
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_default_beats_word_frequencies_or_cautions_and_has_a_curve(sample, name):
    corpus = defaults.read_alone(load_sample(sample).corpus, FEW)
    found = defaults.checked(corpus, name, seeds=1, longer=False)
    assert found["gain"] > 0.0 or found["cautioned"]
    assert found["points"] >= 10 or found["converged"]
