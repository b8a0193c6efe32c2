"""Every number of a demonstration that a lesson states, and those of the class, which has both."""

import math

import numpy as np
import pytest

from bnpexplorer.compare.sequential import race_of
from bnpexplorer.explore.likeness import found_again
from bnpexplorer.lab import restaurant, shrinking, toy
from bnpexplorer.lab.sticks import expected_sticks
from bnpexplorer.runs.plan import Plan
from bnpexplorer.samples import load_sample
from bnpexplorer.ui.parts.setting_up import plans_of_race
from tests.lessons.test_numbers import came_back, last, n_topics, ran, said, step_of


def test_customers_and_tables():
    answer = step_of("birth", 1).answer
    new = [restaurant.choices([n] * bool(n), 2.0)[-1] for n in (0, 1, 20)]
    assert new[0] == 1
    assert f"= {100 * new[1]:.1f} %" in answer
    assert f"= {100 * new[2]:.1f} %" in answer
    tables = [restaurant.expected_tables(100, alpha)[-1] for alpha in (1.0, 10.0)]
    assert step_of("concentration", 1).answer.startswith(f"{tables[0]:.1f} and {tables[1]:.1f}.")


def test_one_word_and_two_topics():
    answer, case = step_of("collapsed", 1).answer, toy.CASES["B"]
    words = np.zeros(case.n_words, int)
    words[0] = 5
    mean_field = toy.mean_field_log_odds(words, case.lam1, case.lam2)
    collapsed = toy.collapsed_log_odds(words, case.lam1, case.lam2)
    assert f"+{mean_field:.2f}" in answer
    assert f"{said(collapsed)}, that is {100 * (1 - toy.probability(collapsed)):.0f} %" in answer


@pytest.mark.second
def test_a_small_topic_shrinks():
    first, second, third = (step_of("shrinking", n) for n in (1, 2, 3))
    sizes, counted = (cells(first.text, head) for head in ("λ", "exp(ψ(λ))"))
    for size, count in zip(sizes, counted, strict=True):
        decimals = 5 if float(size) < 0.5 else 3
        assert count == f"{shrinking.exp_psi(float(size)):.{decimals}f}"
        if float(size) >= 5:
            assert abs(float(size) - float(count) - 0.5) < 0.01, "differ by 0.5"
    assert 2000 < 0.1 / shrinking.exp_psi(0.1) < 4000, "a three-thousandth"
    lost, kept = (shrinking.shrinking(way, 40) for way in ("mean field", "collapsed"))
    assert cells(second.answer, "mean field: violins") == [f"{t.tokens:.2f}" for t in lost[:10]]
    assert cells(second.answer, "collapsed: violins") == [f"{t.tokens:.2f}" for t in kept[:10]]
    uncertain = [f"{100 * t.spread:.0f} %" for t in lost[:10]]
    assert cells(second.answer, "how uncertain it is") == uncertain
    assert f"= {kept[0].weight:.3f}, so it should have {kept[1].tokens:.2f} of" in second.question
    assert f"weight is {lost[0].weight:.3f}, which gives it {lost[1].tokens:.2f}" in second.answer
    assert lost[8].tokens > 0.1 > 0.02 > lost[9].tokens, "after nine steps it is gone"
    assert lost[-1].tokens < 1e-4
    assert f"grows to {kept[-1].tokens:.2f} violins" in second.answer
    assert kept[-1].tokens == pytest.approx(kept[-2].tokens, abs=1e-6), "and stays"
    run = ran("collapsed", 3, 1)
    assert third.set_up.runs == step_of("collapsed", 3).set_up.runs[1:]
    assert third.answer.startswith(f"{n_topics(run)}, and none comes back")
    assert not came_back("shrinking", 3, 0)
    assert f"{shrinking.exp_psi(run.method.model.eta):.5f} above" in third.answer
    counts = [point.n_topics for point in run.history]
    assert counts[0] == 100
    assert counts == sorted(counts, reverse=True)


def test_what_locally_means():
    assert f"ten words and five topics make {5**10:,}." in step_of("locally", 3).answer
    run = Plan.of("hdp-tsvi").split_and_start(load_sample("small-csv").corpus)
    run.step()
    assert math.isnan(run.history[-1].bound), "this method draws none"


def cells(text, head):
    """The column of a table with these words on top."""
    rows = [row.strip("|").split("|") for row in text.splitlines() if row.startswith("|")]
    place = [cell.strip() for cell in rows[0]].index(head)
    return [row[place].strip() for row in rows[2:]]


@pytest.mark.second
def test_a_class():
    one, two, three, four, five = (step_of("class", n).answer for n in range(1, 6))
    for concentration, words in ((3, "3 with concentration 3"), (10, "8 with concentration 10")):
        left = [expected_sticks(n, concentration).left for n in range(12)]
        n = int(words.split()[0])
        assert left[n] < 0.5 < left[n - 1]
        assert words in one
        assert f"= {100 * left[n]:.1f} % are left" in one
    tables = restaurant.expected_tables(100, 2.0)
    assert two.startswith(f"{tables[20]:.1f} and {tables[100]:.1f}.")
    assert round(tables[100] - tables[20]) == 3, "three tables more"
    case, copies = toy.CASES["B"], np.zeros((3, 10), int)
    copies[:, 0] = (1, 2, 3)
    mean_field = toy.mean_field_log_odds(copies, case.lam1, case.lam2)
    collapsed = toy.collapsed_log_odds(copies, case.lam1, case.lam2)
    assert (mean_field > 0).all()
    assert f"+{mean_field[0]:.2f}" in three
    assert collapsed[0] == pytest.approx(0, abs=1e-12)
    assert (collapsed[1:] < 0).all()
    assert three.startswith("From two copies on.")
    free, mean_field = (ran("collapsed", 3, which) for which in range(2))
    assert step_of("class", 4).set_up.race == step_of("collapsed", 3).set_up.runs
    corpus = load_sample("bars").corpus
    race = race_of(plans_of_race(step_of("class", 4).set_up, corpus), corpus)
    for alone, raced in zip((free, mean_field), race.runs, strict=True):
        assert Plan.of_run(raced) == Plan.of_run(alone), "equal choices give equal numbers"
        assert raced.heldout.whole.fingerprint == alone.heldout.whole.fingerprint
    assert f"run has {n_topics(free)}, and began" in four
    assert f"Mean field has {n_topics(mean_field)} of 100" in four
    again = [
        found_again(load_sample("bars").true_topics, r.method.topics(r.state)).count
        for r in (free, mean_field)
    ]
    assert again == [10, 1]
    assert "the first finds all ten again, mean field one." in " ".join(four.split())
    alone, hundred = (ran("class", 5, which) for which in range(2))
    assert f"{n_topics(alone)} with batches of one document, {n_topics(hundred)} with" in five
    assert f"about {said(last(hundred))} against\n{said(last(alone))}." in five
