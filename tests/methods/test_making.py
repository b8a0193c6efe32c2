"""From names and numbers to a method: what presets and single values set, what is refused."""

import re

import numpy as np
import pytest

from bnpexplorer.methods import METHODS
from bnpexplorer.methods.base import towards
from bnpexplorer.methods.catvi.gdp_catvi import GdpCatvi
from bnpexplorer.methods.catvi.hdp_catvi import HdpCatvi
from bnpexplorer.methods.making import build, markdown_table, model_class
from bnpexplorer.methods.parallel.hdp_parallel_gibbs import FEW, HdpParallelGibbs
from bnpexplorer.models.gdp import GammaDP
from bnpexplorer.models.hdp import HDP

PRESET = "hoffman-2013"
"""Of hdp-svi: gamma and alpha 1, eta 0.01, 300 topics, tau 1."""


def test_values_come_after_the_preset_and_the_preset_after_what_is_usual():
    usual, preset = build(METHODS, "hdp-svi"), build(METHODS, "hdp-svi", PRESET)
    assert (preset.model.eta, preset.truncation, preset.tau) == (0.01, 300, 1.0)
    assert (usual.model.eta, usual.truncation, usual.tau) == (0.1, 100, 64.0)
    own = build(METHODS, "hdp-svi", PRESET, {"eta": 0.4, "tau": 7.0})
    assert (own.model.eta, own.tau) == (0.4, 7.0)
    assert (own.model.gamma, own.truncation) == (preset.model.gamma, 300)
    assert build(METHODS, "hdp-svi", "default", {"truncation": 9}).model == usual.model
    assert METHODS["hdp-svi"].presets[PRESET].model == {"gamma": 1.0, "alpha": 1.0, "eta": 0.01}


@pytest.mark.parametrize(
    ("name", "preset", "values", "said"),
    [
        ("hdp-magic", "default", {}, "There is no method 'hdp-magic'; choose from lda-"),
        (
            "dpm-svi",
            "magic",
            {},
            "dpm-svi has no preset 'magic'; choose from default, wang-blei-2012.",
        ),
        (
            "lda-gibbs",
            "default",
            {"tau": 3},
            "lda-gibbs has no setting 'tau'; choose from n_topics, alpha, eta, burn_in, thin, "
            "n_kept, learn_alpha, learn_eta.",
        ),
        ("lda-gibbs", "default", {"burn_in": -1}, "burn_in"),
        ("lda-gibbs", "default", {"alpha": 1e9}, "alpha"),
    ],
)
def test_what_there_is_not_is_said(name, preset, values, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        build(METHODS, name, preset, values)


def test_the_table_of_methods_has_a_row_for_each():
    head, line, *rows = markdown_table(METHODS).splitlines()
    assert head == "| method | model | inference | source |"
    assert set(line) == {"|", "-"}
    for (name, method), row in zip(METHODS.items(), rows, strict=True):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells == [f"`{name}`", model_class(method).title, method.title, method.source]


def test_a_step_towards_a_value_goes_as_far_as_its_size():
    assert towards(2.0, 10.0, 0.25) == pytest.approx(4.0)


@pytest.mark.parametrize("n_start", [FEW - 1, FEW])
def test_few_topics_at_the_start_are_warned_of_by_their_number(n_start):
    caution = HdpParallelGibbs(n_start=n_start).caution()
    assert (f"begin with more than {n_start}," in caution) == (n_start < FEW) == bool(caution)


def test_what_multiplies_weights_begins_at_alpha_or_at_the_mean_of_the_mass(dozen):
    rng = np.random.default_rng(0)
    assert HdpCatvi(HDP(3.0, 7.0, 0.5)).init(dozen, rng).concentration == 7.0
    assert GdpCatvi(GammaDP(3.0, 0.5)).init(dozen, rng).concentration == 3.0
