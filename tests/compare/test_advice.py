"""What a sweep recommends: on tables whose answer is known, and on pictures made of ten bars."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from bnpexplorer.claims.claim import TrialOutcome
from bnpexplorer.compare.advice import advice, choose, within_noise
from bnpexplorer.compare.sweep import Axis, Sweep
from bnpexplorer.runs.plan import Plan
from bnpexplorer.samples import bars


def table(rows, spread=0.0, seeds=3):
    """Value -> seed -> score; seeds lie `spread` apart, all values alike."""
    return {x: {s: score + spread * s for s in range(seeds)} for x, score in rows.items()}


def findings(sweep, scores, unigram=-9.0, n_seeds=3):
    return {
        trial: TrialOutcome(
            (1,), (1.0,), (scores[trial.x, trial.line, trial.seed],), unigram=(unigram,)
        )
        for trial in sweep.trials(n_seeds)
    }


def topics(scores, name="n_topics", method="lda-svi", **more):
    values = tuple(float(x) for x in sorted(scores))
    sweep = Sweep(method, Axis(name, values))
    found = {(x, method, s): v for x, seeds in scores.items() for s, v in seeds.items()}
    return advice(sweep, findings(sweep, found, **more))


def test_the_smallest_number_of_topics_that_is_as_good_as_the_best_is_advised():
    said = topics(table({20: -7.1, 60: -7.0, 100: -6.995, 200: -7.02}))
    assert said == (
        "Use about 60 topics; more does not help, 20 is 10 % worse than that. "
        "By 3 seeds, on the same held-out documents."
    )


def test_where_more_topics_help_to_the_end_more_are_advised():
    said = topics(table({20: -7.2, 60: -7.1, 100: -7.0}))
    assert said.startswith("Use 100 topics or more: the most that was tried predicts best.")


def test_where_the_fewest_are_enough_fewer_may_be_too():
    said = topics(table({20: -7.0, 60: -7.0, 100: -7.1}))
    assert said.startswith("Use 20 topics, the fewest that were tried; more does not help.")


def test_what_is_worse_is_compared_by_its_own_gap_and_the_nearest_is_named():
    """The next lower number; for other settings, the best of those that are worse."""
    said = topics(table({10: -7.4, 20: -7.1, 60: -7.0, 100: -6.999, 200: -7.3}))
    assert said.startswith("Use about 60 topics; more does not help, 20 is 10 % worse than that.")
    said = topics(table({8: -7.5, 64: -7.0, 512: -7.2, 900: -7.4}), "batch_size")
    assert said.startswith("Use batch size 64; 512 is 18 % worse than 64.")
    said = topics(table({8: -7.2, 64: -7.0, 512: -7.004, 900: -7.003}), "batch_size")
    assert said.startswith("Use batch size 64; 512 and 900 may be as good; 8 is 18 % worse than 64")


def test_noise_is_that_of_differences_seed_by_seed():
    rng = np.random.default_rng(3)
    for _ in range(50):
        best, other = rng.normal(0.03, 0.03, 4), rng.normal(0.0, 0.03, 4)
        surely_better = ttest_rel(best, other, alternative="greater").pvalue < 0.05
        means_something = (best - other).mean() > 0.01
        assert within_noise(best - other) != (surely_better and means_something)
    # Seeds far apart from each other hide nothing where every seed says the same ...
    assert choose(table({1: -7.05, 2: -7.0}, spread=0.5)).as_good == (2,)
    # ... and the same mean with seeds that contradict each other is noise.
    apart = {1: {0: -7.2, 1: -6.9}, 2: {0: -7.0, 1: -7.0}}
    assert choose(apart).as_good == (1, 2)
    assert within_noise(np.array([0.009]))
    assert not within_noise(np.array([0.011]))
    assert not within_noise(np.array([np.inf, np.inf]))


def test_nothing_is_claimed_where_the_seeds_contradict_each_other():
    apart = {5: {0: -7.0, 1: -7.1}, 20: {0: -6.91, 1: -6.9}}
    said = topics(apart, n_seeds=2)
    assert said.startswith(
        "2 seeds cannot tell 5 topics from 20: the best mean is that of 20, 16 % better than 5; "
        "try more seeds."
    )
    assert "does not help" not in said
    fewest = {5: apart[20], 20: apart[5]}
    said = topics(fewest, n_seeds=2)
    assert said.startswith("2 seeds cannot tell 20 topics from 5: the best mean is that of 5")
    other = topics(apart, "batch_size", n_seeds=2)
    assert other.startswith("2 seeds cannot tell batch size 5 from 20: the best mean is that of 20")
    assert "chance alone" not in other
    # Of several that cannot be told: the fewest, or the nearest; else the one furthest behind.
    noisy = {0.0: {0: -6.91, 1: -6.9}, 0.145: {0: -7.0, 1: -7.1}, 0.35: {0: -7.11, 1: -7.4}}
    best, near, far = noisy.values()
    assert topics({5: far, 20: near, 80: best}, n_seeds=2).startswith(
        "2 seeds cannot tell 5 topics from 80: the best mean is that of 80, 42 % better than 5;"
    )
    assert topics({5: best, 20: far, 80: near}, n_seeds=2).startswith(
        "2 seeds cannot tell 80 topics from 5: the best mean is that of 5, 16 % better than 80;"
    )
    assert topics({5: near, 20: best, 80: far}, "batch_size", n_seeds=2).startswith(
        "2 seeds cannot tell batch size 80 from 20: the best mean is that of 20, 42 % better than"
    )
    # Little noise tells: of 0.5 % apart, more does not help.
    near = {5: {0: -7.0, 1: -7.002}, 20: {0: -6.995, 1: -6.998}}
    assert "5 topics, the fewest that were tried; more does not help" in topics(near, n_seeds=2)


def test_seeds_that_have_not_tried_every_value_do_not_count():
    scores = table({1: -7.0, 2: -7.5})
    scores[2][7] = -1.0
    choice = choose(scores)
    assert (choice.best, choice.n_seeds, choice.means[2]) == (1, 3, pytest.approx(-7.5))
    assert choose({1: {0: -7.0}, 2: {1: -7.0}}) is None
    assert choose({1: {0: -7.0}}) is None
    assert choose({}) is None


def test_other_settings_are_advised_by_name_with_whatever_is_as_good():
    said = topics(table({8: -7.3, 64: -7.0, 512: -7.004}), "batch_size")
    assert said.startswith("Use batch size 64; 512 may be as good; 8 is 26 % worse than 64.")
    same = topics(table({8: -7.0, 64: -7.0, 512: -7.004}), "batch_size")
    assert same == (
        "It does not matter here which batch size is used: all differ by chance alone. "
        "By 3 seeds, on the same held-out documents."
    )
    room = topics(table({20: -7.1, 60: -7.0, 150: -7.0}), "truncation", "hdp-svi")
    assert room.startswith("Use about room for 60 topics; more does not help, 20 is 10 % worse")


def test_one_seed_says_so_and_no_better_than_word_frequencies_advises_nothing():
    scores = table({20: -7.1, 60: -7.0}, seeds=1)
    assert topics(scores, n_seeds=1) == (
        "Use 60 topics or more: the most that was tried predicts best. One seed alone: differences "
        "of 1 % and more count."
    )
    assert "next to nothing was learned" in topics(table({20: -7.1, 60: -7.0}), unigram=-7.02)


def test_of_several_lines_the_best_is_advised():
    sweep = Sweep("lda-svi", Axis("n_topics", (20.0, 60.0)), Axis("eta", (0.1, 0.5)))
    first, second = sweep.line_names()
    scores = {}
    for s in range(3):
        scores |= {(20.0, first, s): -7.0, (60.0, first, s): -7.2}
        scores |= {(20.0, second, s): -6.9, (60.0, second, s): -6.8}
    said = advice(sweep, findings(sweep, scores))
    assert said.startswith(f"With {second}: use 60 topics or more")
    # By its best value, though the smallest that is as good is below the other line's.
    for s in range(3):
        scores |= {(20.0, first, s): -6.806, (60.0, first, s): -6.798}
        scores |= {(20.0, second, s): -7.2, (60.0, second, s): -6.801}
    assert advice(sweep, findings(sweep, scores)) == (
        f"With {first}: use 20 topics, the fewest that were tried; more does not help. "
        "By 3 seeds, on the same held-out documents."
    )


@pytest.mark.second
def test_pictures_made_of_ten_bars_are_advised_ten_topics():
    corpus = bars(0, 100).corpus
    scores = {}
    for k in (4, 10, 30):
        plan = Plan.of("lda-svi", values={"n_topics": k, "alpha": 0.5}, passes=12, batch_size=50)
        train, heldout = plan.split(corpus)
        for seed in (0, 1):
            run = replace(plan, seed=seed).start(train, heldout)
            while not run.done:
                run.step()
            scores.setdefault(k, {})[seed] = run.snapshot().heldout
    assert choose(scores).enough == 10, scores
