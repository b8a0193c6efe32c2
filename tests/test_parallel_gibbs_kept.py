"""What is said of the parallel sampler's settings, and of finishing it, is what was measured."""

import json
from statistics import mean

import numpy as np
import pytest

from benchmarks import parallel_gibbs as bench
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.methods.parallel.hdp_parallel_gibbs import HdpParallelGibbs
from tests.tools.methods import corpus_of_counts

README = bench.KEPT.with_name("README.md")


@pytest.fixture(scope="module")
def lines():
    return [json.loads(line) for line in bench.KEPT.read_text(encoding="utf-8").splitlines()]


def test_the_tables_say_what_was_measured(lines):
    assert bench.tables(lines) in README.read_text(encoding="utf-8")


def test_every_corpus_was_learned_by_all(lines):
    """Short texts and long ones, equal seconds for all."""
    programs = {(line["program"], line["share"]) for line in lines}
    corpora = {line["corpus"]: line["tokens"] / line["documents"] for line in lines}
    assert len(corpora) >= 4
    assert min(corpora.values()) < 10 < 100 < max(corpora.values())
    for corpus in corpora:
        own = [line for line in lines if line["corpus"] == corpus]
        seeds = {line["seed"] for line in own}
        assert len(own) == len(programs) * len(seeds)
        whole = {line["seconds"] for line in own if line["share"] == 1.0}
        alone = {line["seconds"] for line in own if line["program"] == bench.FINISHED}
        assert max(whole - alone) < 1.1 * min(whole - alone)


def test_no_setting_that_was_tried_should_be_the_default_instead(lines):
    assert bench.better_settings(lines) == []
    for variant in bench.VARIANTS:
        assert getattr(HdpParallelGibbs(), variant.knob) != variant.value


def test_what_the_docstring_says_of_them(lines):
    """Exact draws are behind on all corpora but the shortest; finishing is level with `hdp-gibbs`
    alone, and ahead of two threads of this sampler."""
    exact = bench.gains(lines)["draw exact"]
    ahead = [corpus for corpus, gain in exact.items() if gain > 0]
    assert ahead == ["tweets89.jsonl.xz"]
    clock = bench.in_time(lines).values()
    behind = [c[bench.ALONE] - c[bench.FINISHED] for c in clock]
    assert mean(behind) < 0.02
    assert all(c[bench.FINISHED] > c[bench.TWICE] - bench.CLOSE for c in clock)


def test_a_better_setting_would_be_found(lines):
    raised = [
        line | {"score": line["score"] + 0.05} if line["program"] == "burn_in 40" else line
        for line in lines
    ]
    assert bench.better_settings(raised) == ["burn_in 40"]


def test_the_command_measures_what_it_says():
    """A small corpus: every program and share once, after the seconds asked for."""
    rng = np.random.default_rng(0)
    corpus: Corpus = corpus_of_counts(rng.poisson(0.6, (60, 30)) + np.eye(60, 30, dtype=int))
    found = list(bench.measured(corpus, 0, 0.05))
    assert len(found) == 3 + 4 + 3 * len(bench.VARIANTS) + 1
    assert len({(line["program"], line["share"]) for line in found}) == len(found)
    for line in found[:-1]:
        assert line["seconds"] >= round(0.05 * line["share"], 2)
        assert line["score"] < 0
    assert found[-1]["program"] == bench.FINISHED
    assert "\n| corpus | -" in bench.tables(found)
