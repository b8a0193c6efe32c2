"""Presets of papers have the values that the papers state, where they state them.

Sections and figures are those of the papers; "code" is a value that only the authors' program
states. What a preset adds of its own (passes, sweeps) is not pinned here.
"""

import re

import pytest

from bnpexplorer.methods import METHODS, make_method

HOFFMAN = "section 4: 'we set tau = 1'; figure 11: kappa = 0.9 and 500 documents; eta = 0.01"
WANG = (
    "section 4.2: gamma = alpha_0 = 1, K = 150, T = 15, tau_0 = 64; figure 3: kappa = 0.6, S = 256"
)
TSVI = (
    "section 3, experimental settings: eta = 0.5 and a = 1 for mixtures, eta = 0.01 and a = b = 1"
)
DAS = "section 5.1, experimental settings: mu = 0.6, gamma = 0.5, lambda = 5, eta = 0.5"
LIU = (
    "experiments, beside table 1: alpha = gamma = eta = 5, 100 topics at first, 256 documents, the "
    "rate of Hoffman et al. 2010"
)
ONES = {"gamma": 1.0, "alpha": 1.0, "eta": 0.01}
FIVES = {"gamma": 5.0, "eta": 5.0}
STATED = {
    ("lda-svi", "hoffman-2013"): (
        HOFFMAN + "; LDA: alpha = 1 / K, figure 14: 100 topics",
        {"n_topics": 100, "alpha": 1 / 100, "eta": 0.01, "tau": 1.0, "kappa": 0.9, "S": 500},
    ),
    ("hdp-svi", "hoffman-2013"): (
        HOFFMAN + "; HDP: gamma = alpha = 1, K = 300, T = 20; figure 9: random lambda, b = omega",
        ONES
        | {"truncation": 300, "doc_truncation": 20, "tau": 1.0, "kappa": 0.9, "S": 500}
        | {"start": "random", "sticks_start": "prior", "local_start": "paper"},
    ),
    ("hdp-svi", "wang-2011"): (
        WANG + "; eta: code; figure 2: random start",
        ONES
        | {"truncation": 150, "doc_truncation": 15, "tau": 64.0, "kappa": 0.6, "S": 256}
        | {"start": "random", "sticks_start": "prior", "local_start": "paper"},
    ),
    ("hdp-batch", "wang-2011"): (
        WANG + "; eta: code",
        ONES | {"truncation": 150, "doc_truncation": 15, "start": "random", "local_start": "paper"},
    ),
    ("dpm-batch", "wang-blei-2012"): (
        TSVI + "; truncation 300",
        {"gamma": 1.0, "eta": 0.5, "truncation": 300},
    ),
    ("dpm-svi", "wang-blei-2012"): (
        TSVI + "; truncation 300, tau_0 = 1, kappa = 0.6, S from 1 to 500",
        {"gamma": 1.0, "eta": 0.5, "truncation": 300, "tau": 1.0, "kappa": 0.6, "S": 500},
    ),
    ("dpm-collapsed", "wang-blei-2012"): (TSVI, {"gamma": 1.0, "eta": 0.5}),
    ("dpm-tsvi", "wang-blei-2012"): (
        TSVI + "; 0 components at the start, pruned every 20K documents, S from 1 to 500",
        {
            "gamma": 1.0,
            "eta": 0.5,
            "start": "nothing",
            "prune_every": 20_000,
            "alone": 0.0,
            "S": 10,
        },
    ),
    ("hdp-tsvi", "wang-blei-2012"): (
        TSVI + "; 0 topics at the start; section 2.2: samples are counted",
        ONES | {"start": "nothing", "counts": "drawn", "alone": 0.0, "S": 500},
    ),
    ("dpm-sumo", "das-2015"): (
        DAS + "; 500 documents of the New York Times",
        {
            "gamma": 0.5,
            "eta": 0.5,
            "mu": 0.6,
            "base_gamma": 5.0,
            "learn_base_gamma": False,
            "S": 500,
        },
    ),
    ("dpm-particle", "das-2015"): (
        DAS + "; baselines: 10K particles, in sequence",
        {"gamma": 0.5, "eta": 0.5, "particles": 10_000, "S": 1},
    ),
    ("hdp-catvi", "liu-2022"): (
        LIU,
        FIVES
        | {"alpha": 5.0, "start_topics": 100, "tau": 64.0, "kappa": 1.0, "S": 256}
        | {"g0_rule": "map", "new_topic_word": "expected-log"},
    ),
    ("gdp-catvi", "liu-2022"): (
        LIU + "; 'the same settings but discard' the document's concentration",
        FIVES
        | {"start_topics": 100, "tau": 64.0, "kappa": 1.0, "S": 256}
        | {"g0_rule": "map", "new_topic_word": "expected-log"},
    ),
    ("hdp-memoized", "liu-2022"): (LIU, FIVES | {"alpha": 5.0, "truncation": 100}),
    ("hdp-splitmerge", "liu-2022"): (LIU, FIVES | {"alpha": 5.0, "n_start": 100}),
    ("lda-gibbs", "griffiths-steyvers-2004"): (
        "page 5231: 300 topics, beta = 0.1, alpha = 50 / T; figure 3: 1,000 and 100 iterations",
        {"n_topics": 300, "alpha": 50 / 300, "eta": 0.1, "burn_in": 1000, "thin": 100},
    ),
    ("hdp-gibbs", "teh-2006"): (
        "section 6.1: eta = 0.5, gamma ~ Gamma(1, 0.1), alpha_0 ~ Gamma(1, 1)",
        {"eta": 0.5, "learn_gamma": True, "learn_alpha": True, "alpha_rate": 1.0},
    ),
    ("dpm-gibbs", "neal-2000"): (
        "section 3, algorithm 3: one observation at a time, and no other moves",
        {"start": "nothing", "moves": 0},
    ),
}


@pytest.mark.parametrize(("name", "preset"), STATED, ids=["/".join(key) for key in STATED])
def test_a_preset_has_what_its_paper_states(name, preset):
    where, stated = STATED[name, preset]
    method = make_method(name, preset)
    found = {**vars(method.model), **vars(method), "S": METHODS[name].presets[preset].batch_size}
    assert {key: found[key] for key in stated} == pytest.approx(stated), where


def test_every_preset_that_names_a_paper_is_pinned():
    named = {
        (name, preset)
        for name in METHODS.ours
        for preset in METHODS[name].presets
        if re.search(r"-\d{4}$", preset)
    }
    assert named == set(STATED)
