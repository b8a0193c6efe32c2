"""It is too early for a verdict until a curve has left word frequencies behind in every seed."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.claims import CLAIMS, Claim, ClaimVerdict, Judged, Trial, TrialOutcome
from bnpexplorer.claims.claim import decide
from bnpexplorer.claims.learned import FURTHEST, MARGIN, curves, times_as_long, too_early
from bnpexplorer.claims.trial import UNLIMITED

WORDS = -8.0
"""The score of word frequencies."""
DOCS = (100, 250, 500, 750, 1000)


def outcome(*gains, words=WORDS):
    """One that has such gains over word frequencies, at as many of its moments."""
    docs = DOCS[-len(gains) :]
    scores = tuple(WORDS + gain for gain in gains)
    return TrialOutcome(
        docs,
        tuple(n / 100 for n in docs),
        scores,
        (5,) * len(gains),
        unigram=(words,) * len(gains),
        passes=tuple(n / 500 for n in docs),
    )


def findings(*lines):
    """Of every line the last gains by seed."""
    return {
        Trial(f"line {i}", 0, "lda-svi", seed): outcome(gain)
        for i, gains in enumerate(lines)
        for seed, gain in enumerate(gains)
    }


def rising(slope, end, docs=DOCS):
    """Gains that rise by `slope` with the logarithm of the documents, to `end`."""
    return outcome(*(end + slope * math.log(n / docs[-1]) for n in docs))


def claim(beside=()):
    def compare(found):
        first, second = (
            [o.scores[-1] for t, o in found.items() if t.line == f"line {i}"] for i in (0, 1)
        )
        return ClaimVerdict(
            decide([a - b for a, b in zip(first, second, strict=True)]), "They differ."
        )

    return Claim(
        "one",
        "One",
        "Nobody 2020",
        "One is better.",
        "By counting.",
        lambda n: [Trial("line 0", 0, "lda-svi", seed) for seed in range(n)],
        compare,
        lambda found: [],
        Judged("Nobody.", 1),
        beside=beside,
    )


NOTHING = (-0.2, -0.3, -0.1)


def test_a_lead_below_word_frequencies_is_no_finding():
    lead = findings((-0.1, -0.2, -0.05), NOTHING)
    assert claim().compare(lead).outcome in ("holds", "undecided")
    verdict = claim().verdict(lead)
    assert verdict.outcome == "too early"
    assert verdict.sentence == (
        "No curve ends more than 0.05 above word frequencies in every seed, so next to nothing was "
        "learned. The nearest is line 0 with \u22120.100, \u22120.200, \u22120.050. How long it "
        "would take cannot be estimated: of no curve do all seeds rise, over three moments or "
        "more, so that they would be there within 10 times as long."
    )
    behind = findings(NOTHING, (-0.1, -0.2, -0.05))
    assert claim().verdict(behind).outcome == "too early"


@pytest.mark.parametrize(
    ("first", "outcome_of"),
    [
        ((0.06, 0.06, 0.06), "holds"),
        ((0.06, 0.049, 0.06), "too early"),
        ((0.06, 0.06), "holds"),
        ((0.04, 0.04, 0.04), "too early"),
        ((2.0, 2.0, -1.0), "too early"),
    ],
)
def test_one_curve_must_be_there_in_every_seed(first, outcome_of):
    found = findings(first, NOTHING[: len(first)])
    assert claim().verdict(found).outcome == outcome_of


def test_it_may_be_the_curve_that_the_claim_is_against():
    assert claim().verdict(findings(NOTHING, (0.2, 0.3, 0.1))).outcome == "does not hold"


def test_different_curves_in_different_seeds_are_none():
    assert too_early(findings((0.2, -0.1), (-0.1, 0.2)))


def test_a_line_that_is_only_drawn_does_not_count():
    found = findings((-0.1, -0.1), (0.3, 0.3))
    assert claim().verdict(found).outcome == "does not hold"
    assert claim(beside=("line 1",)).verdict(found).outcome == "too early"


def test_places_of_a_line_are_curves_of_their_own():
    found = {
        Trial("line 0", x, "lda-svi", seed): outcome(0.3 if (x == 1) == (seed == 0) else -0.3)
        for x in (1, 2)
        for seed in (0, 1)
    }
    assert [curve.x for curve in curves(found)] == [1, 2]
    assert "line 0 at 1" in too_early(found)


def test_nothing_found_and_nothing_noted():
    assert claim().verdict({}).outcome == "undecided"
    old = {t: replace(o, unigram=()) for t, o in findings((0.3, 0.3), (0.1, 0.1)).items()}
    assert claim().verdict(old).outcome == "too early"
    assert claim().verdict(old).sentence == (
        "Nobody can tell whether anything was learned: the score of word frequencies was not noted."
        " Try it again."
    )


def test_scores_that_rule_a_word_out_have_learned_nothing():
    found = findings((-math.inf, 0.3), NOTHING[:2])
    assert too_early(found)
    assert math.isnan(times_as_long(outcome(-math.inf)))


def test_what_is_exact_needs_no_curve():
    for name in ("toy", "theorem-2"):
        assert CLAIMS[name].verdict({}).outcome == "holds"
        assert "word frequencies" not in CLAIMS[name].decided


# ---- how long it would take ----------------------------------------------------------------------


@pytest.mark.parametrize(("slope", "end"), [(0.1, -0.1), (0.03, 0.01), (0.2, 0.04)])
def test_a_curve_that_rises_with_the_logarithm_is_followed_to_the_margin(slope, end):
    times = times_as_long(rising(slope, end))
    assert times == pytest.approx(math.exp((MARGIN - end) / slope))
    there = rising(slope, end + slope * math.log(times * 1.001))
    assert times_as_long(there) == 1.0


def test_moments_of_the_first_quarter_do_not_count():
    late = rising(0.1, -0.1)
    fallen = replace(late, scores=(-99.0, *late.scores[1:]))
    assert times_as_long(fallen) == pytest.approx(times_as_long(late))


def test_noise_moves_the_estimate_little():
    rng = np.random.default_rng(0)
    exact = math.exp((MARGIN + 0.1) / 0.2)
    noisy = rising(0.2, -0.1)
    scores = tuple(np.array(noisy.scores) + rng.normal(0.0, 0.003, len(noisy.scores)))
    assert times_as_long(replace(noisy, scores=scores)) == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize(
    "found",
    [
        outcome(-0.1),
        outcome(-0.2, -0.1),
        outcome(-0.1, -0.1, -0.1, -0.1, -0.1),
        rising(-0.1, -0.1),
        rising(0.1, MARGIN - 0.1 * math.log(FURTHEST) - 0.001),
    ],
    ids=["one moment", "two", "level", "falling", "too far"],
)
def test_what_cannot_be_estimated_is_not(found):
    assert math.isnan(times_as_long(found))
    words = too_early({Trial("line 0", 0, "lda-svi", s): found for s in (0, 1)})
    assert "cannot be estimated" in words
    assert "nan" not in words


def test_what_has_converged_will_not_be_there():
    climbs = replace(rising(0.1, 0.0), passes=(1.0, 2.0, 3.0))
    assert math.isfinite(times_as_long(climbs))
    assert math.isnan(times_as_long(replace(climbs, passes=(1.0, 2.0, UNLIMITED))))


def test_the_farthest_that_is_estimated():
    near = rising(0.1, MARGIN - 0.1 * math.log(FURTHEST) + 0.001)
    assert times_as_long(near) == pytest.approx(FURTHEST, rel=0.02)


def test_the_slowest_seed_of_the_fastest_curve_says_how_long():
    """500 documents a pass, 100 in a second; the last moment is at 1,000 documents."""
    slow, fast = rising(0.1, -0.05), rising(0.1, 0.0)
    found = {
        Trial("never", 0, "lda-svi", 0): outcome(-0.01),
        Trial("never", 0, "lda-svi", 1): outcome(-0.01),
        Trial("later", 0, "lda-svi", 0): fast,
        Trial("later", 0, "lda-svi", 1): slow,
    }
    assert times_as_long(fast) == pytest.approx(math.exp(0.5))
    words = too_early(found)
    times = math.exp(1.0)
    assert words.endswith(
        f"By its curve later would be there after about {2 * times:.2g} passes, "
        f"{10 * times:.0f} seconds a trial: the later three quarters of its scores, against the "
        "logarithm of the documents read, go on in a straight line."
    )


def test_of_several_curves_that_would_be_there_the_first_in_seconds_is_named():
    """One needs fewer times as long and more seconds for each: its seeds differ in what they used,
    and the most of them counts."""
    steep, flat = rising(0.1, 0.0), rising(0.1, -0.02)
    found = {
        Trial("steep", 0, "lda-svi", 0): replace(steep, seconds=(10.0, 20.0, 30.0, 40.0, 50.0)),
        Trial("steep", 0, "lda-svi", 1): steep,
        Trial("flat", 0, "lda-svi", 0): flat,
        Trial("flat", 0, "lda-svi", 1): replace(flat, passes=(1.0, 2.0, 2.0, 3.0, 4.0)),
    }
    times = math.exp(0.7)
    wanted = f"flat would be there after about {4 * times:.2g} passes, {10 * times:.0f} seconds"
    assert wanted in too_early(found)
    assert 10 * times < 50 * math.exp(0.5)


def test_a_curve_that_a_seed_lacks_is_none_yet():
    """Its one seed may be the lucky one."""
    found = findings((-0.2, -0.3), (0.4,))
    assert [curve.line for curve in curves(found)] == ["line 0"]
    assert too_early(found)


# ---- trials that were made with too little -------------------------------------------------------


def test_a_trial_by_passes_that_has_not_read_them_is_too_early():
    found = findings((0.3, 0.3), (0.1, 0.1))
    asked = {replace(trial, passes=4): o for trial, o in found.items()}
    verdict = claim().verdict(asked)
    assert verdict.outcome == "too early"
    assert verdict.sentence.startswith("4 of 4 trials were made with too little time")
    assert "after 2 of 4, which at its pace take 20 seconds" in verdict.sentence
    enough = {replace(trial, passes=2): o for trial, o in found.items()}
    assert claim().verdict(enough).outcome == "holds"


def test_of_trials_that_were_cut_short_the_one_that_is_least_far_is_named():
    near, far = outcome(0.3), outcome(0.3)
    found = {
        Trial("near", 0, "lda-svi", 0, passes=4): replace(near, passes=(3.0,)),
        Trial("far", 0, "lda-svi", 0, passes=8): replace(far, passes=(1.0,), seconds=(30.0,)),
        Trial("whole", 0, "lda-svi", 0, passes=2): outcome(0.3),
    }
    said = too_early(found)
    assert said == (
        "2 of 3 trials were made with too little time: they ended before the passes at which they "
        "are judged, far after 1 of 8, which at its pace take 240 seconds."
    )
    (worst,) = (trial for trial in found if trial.line == "far")
    found[replace(worst, x=5, passes=2)] = outcome(0.3)
    assert ", far at 0 after 1 of 8, which" in too_early(found), "one of several places"


# ---- where the papers judged ---------------------------------------------------------------------


@pytest.mark.parametrize("name", list(CLAIMS))
def test_every_claim_says_where_its_paper_judged_it(name):
    found = CLAIMS[name]
    if not found.trials(1):
        assert found.judged.paper == ""
        return
    assert found.judged.paper.split(":")[0].split(" ")[0] in (
        "Figure",
        "Figures",
        "Table",
        "Tables",
    )
    assert found.judged.paper.endswith(".")
    assert found.judged.minutes > 0
    places = set(found.source.replace(",", " ").split()) & set(map(str, range(1, 30)))
    assert places & set(found.judged.paper.replace(":", " ").replace("a ", " ").split())
    by_seconds = "seconds" in found.rule
    assert by_seconds == (found.passes == 0), "the rule and the trials are of one kind"


def test_what_is_learned_is_judged_by_passes_and_speed_by_seconds():
    by_seconds = {name for name, found in CLAIMS.items() if found.trials(1) and not found.passes}
    assert by_seconds == {"online-hdp", "catvi", "catvi-sensitivity"}
    once = [name for name, found in CLAIMS.items() if found.passes == 1]
    assert all(name.startswith("sumo") or name == "online-hdp-stream" for name in once)


@pytest.mark.parametrize(
    ("again", "words"), [(-0.5, "ahead of"), (0.0, "level with"), (0.5, "behind")]
)
def test_the_badge_of_sumo_says_what_its_rival_does_with_more_passes(again, words):
    sumo = CLAIMS["sumo"]
    level = {"SUMO": 0.3, "Gibbs": 0.3, "truncation-free, more passes": 0.3 + again}
    found = {
        trial: replace(outcome(level.get(trial.line, 0.1)), passes=(float(trial.passes),))
        for trial in sumo.trials(2)
    }
    verdict = sumo.verdict(found)
    assert verdict.outcome == "holds", verdict
    assert verdict.note.startswith(words)
    assert "reads more often" in verdict.note
