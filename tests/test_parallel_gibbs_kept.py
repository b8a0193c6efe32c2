"""What is said of the parallel sampler's settings, and of finishing it, is what was measured."""

import json
from statistics import mean

import numpy as np
import pytest

from benchmarks import drawn_topics
from benchmarks import parallel_gibbs as bench
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.methods.parallel.hdp_parallel_gibbs import HdpParallelGibbs
from tests.tools.methods import corpus_of_counts

README = bench.KEPT.with_name("README.md")
LEVEL = 0.01
"""Scores of two draws that differ by less are level."""


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


@pytest.mark.second
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


# ---- where Poisson counts may stand for exact draws ----------------------------------------------


@pytest.fixture(scope="module")
def of_draws():
    text = drawn_topics.KEPT.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_the_table_of_draws_says_what_was_measured(of_draws):
    assert drawn_topics.table(of_draws) in README.read_text(encoding="utf-8")


def test_draws_were_measured_on_both_sides_of_the_rule(of_draws):
    """Short texts and long ones, few tokens a topic and many, V eta small and large; each setting
    with both draws, equal seeds and equal passes."""
    gaps = drawn_topics.gaps(of_draws)
    assert len({setting.corpus for setting in gaps}) >= 5
    for name, low, high in (("length", 10, 100), ("v_eta", 20, 1000), ("tokens_each", 100, 5000)):
        values = [getattr(gap, name) for gap in gaps.values()]
        assert min(values) < low < high < max(values), name
    assert {gap.usual for gap in gaps.values()} == {"exact", "poisson"}
    for setting in gaps:
        own = [line for line in of_draws if all(line[n] == v for n, v in setting._asdict().items())]
        seeds = [sorted(x["seed"] for x in own if x["draw"] == d) for d in drawn_topics.DRAWS]
        assert seeds[0] == seeds[1]
        assert len({line["passes"] for line in own}) == 1


def test_counts_are_taken_by_themselves_only_where_they_score_as_exact_draws(of_draws):
    gaps = drawn_topics.gaps(of_draws)
    taken = {s: gap for s, gap in gaps.items() if gap.usual == "poisson"}
    assert taken
    for setting, gap in taken.items():
        assert abs(gap.score) < LEVEL, setting
        assert gap.seconds > 1.0, "they would be no faster"


def test_most_settings_that_are_drawn_exactly_would_score_worse_by_counts(of_draws):
    exact = [gap for gap in drawn_topics.gaps(of_draws).values() if gap.usual == "exact"]
    worse = [gap for gap in exact if gap.score < -LEVEL]
    assert len(worse) > 0.7 * len(exact)
    assert all(gap.score < LEVEL for gap in exact)


def test_the_command_measures_both_draws():
    rng = np.random.default_rng(0)
    corpus: Corpus = corpus_of_counts(rng.poisson(0.6, (60, 30)) + np.eye(60, 30, dtype=int))
    found = list(drawn_topics.measured(corpus, 0, 0.1, 20, 20))
    assert [line["draw"] for line in found] == ["exact", "poisson"]
    assert {line["passes"] for line in found} == {20}
    assert found[0]["score"] != found[1]["score"]
    (gap,) = drawn_topics.gaps(found).values()
    assert gap.usual == "exact"
    assert gap.score == pytest.approx(found[1]["score"] - found[0]["score"])
    assert gap.v_eta == pytest.approx(3.0)
