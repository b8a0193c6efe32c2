"""No verdict on speed while the curves still climb towards another one."""

import math
from dataclasses import replace

import pytest

from bnpexplorer.claims import CLAIMS, Claim, ClaimVerdict, Judged, Trial, TrialOutcome
from bnpexplorer.claims.claim import LATER, decide, still_climbing
from bnpexplorer.claims.trial import UNLIMITED

DOCS = (50, 400, 600, 800)
SEEDS = (0, 1, 2)


def climbing(end, slope):
    """A curve that ends so, in a straight line against the logarithm of the documents; its first
    moment, far off, does not count."""
    scores = [end + slope * math.log(n / DOCS[-1]) for n in DOCS]
    scores[0] = -99.0
    return TrialOutcome(DOCS, (1.0, 4.0, 6.0, 8.0), tuple(scores), (5,) * 4, unigram=(-9.0,) * 4)


def findings(first, second):
    """Of two lines; each a pair of where it ends and its slope."""
    return {
        Trial(f"line {i}", 0, "lda-svi", seed): climbing(*line)
        for i, line in enumerate((first, second))
        for seed in SEEDS
    }


def claim(passes=0, beside=()):
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
        "One is faster.",
        "By counting.",
        lambda n: [Trial("line 0", 0, "lda-svi", seed) for seed in range(n)],
        compare,
        lambda found: [],
        Judged("Nobody.", passes),
        beside=beside,
    )


AHEAD, CLIMBS = (-7.0, 0.0), (-7.2, 0.1)
MEETS = math.exp(0.2 / 0.1)
"""Times as long, at which they meet: 7.4; so within ten times the verdict turns."""


def test_curves_that_have_levelled_off_are_judged():
    assert claim().verdict(findings(AHEAD, (-7.2, 0.0))).outcome == "holds"
    assert claim().verdict(findings((-7.2, 0.0), AHEAD)).outcome == "does not hold"
    assert claim().verdict(findings(AHEAD, (-7.2, 0.07))).outcome == "holds", "not within ten times"
    assert claim().verdict(findings((-7.0, 0.1), (-7.2, 0.1))).outcome == "holds", "in step"


def test_when_it_would_turn_is_told_by_the_longest_trial():
    found = findings(AHEAD, CLIMBS)
    longest = next(iter(found))
    found[longest] = replace(found[longest], seconds=(1.0, 2.0, 3.0, 500.0))
    assert "after 10 times as long, 5,000 seconds a trial." in claim().verdict(found).sentence


@pytest.mark.parametrize(
    ("second", "times", "then"),
    [
        (CLIMBS, 10, "does not hold"),
        ((-7.2, 0.2), 5, "does not hold"),
        ((-7.02, 0.1), 2, "does not hold"),
        ((-7.2, 0.0869), 10, "undecided"),
    ],
)
def test_a_curve_that_would_overtake_makes_it_too_early(second, times, then):
    assert max(LATER) > MEETS
    verdict = claim().verdict(findings(AHEAD, second))
    assert verdict.outcome == "too early"
    assert f"the verdict is: holds; but by their slopes it would be: {then}" in verdict.sentence
    assert f"after {times} times as long, {8 * times} seconds a trial" in verdict.sentence


def test_what_falls_behind_is_followed_too():
    assert claim().verdict(findings((-7.0, -0.1), (-7.2, 0.0))).outcome == "too early"


def test_ends_alone_cannot_tell():
    found = {
        t: replace(
            o,
            docs_seen=o.docs_seen[-2:],
            scores=o.scores[-2:],
            seconds=o.seconds[-2:],
            unigram=o.unigram[-2:],
        )
        for t, o in findings(AHEAD, (-7.2, 0.0)).items()
    }
    verdict = claim().verdict(found)
    assert verdict.outcome == "too early"
    assert "of 6 of 6 trials fewer than 3 scores are known" in verdict.sentence
    assert claim(passes=1).verdict(found).outcome == "holds", "after equal passes ends are enough"


def test_what_has_converged_stays_where_it_is():
    """However steep it was, and with however few moments; one that its time cut off does not."""
    found = findings(AHEAD, (-7.2, 0.2))
    second = [trial for trial in found if trial.line == "line 1"]
    for passes, outcome in (((1.0, 8.0, 12.0, 16.0), "too early"), ((1.0, 8.0, 12.0), "holds")):
        ends = (*passes, UNLIMITED)[:4]
        ended = {trial: replace(found[trial], passes=ends) for trial in second}
        assert [o.converged for o in ended.values()] == [outcome == "holds"] * 3
        assert claim().verdict(found | ended).outcome == outcome
        few = {t: replace(o, scores=(*[math.nan] * 3, -7.2)) for t, o in ended.items()}
        assert claim().verdict(found | few).outcome == outcome


def test_a_claim_of_what_is_learned_is_judged_where_it_is_asked_for():
    assert claim(passes=1).verdict(findings(AHEAD, CLIMBS)).outcome == "holds"


def test_undecided_stays_so_and_lines_beside_do_not_count():
    level = findings(AHEAD, (-7.005, 0.1))
    assert claim().verdict(level).outcome == "undecided"
    drawn = Trial("drawn", 0, "lda-svi", 0)
    found = findings(AHEAD, (-7.2, 0.0)) | {drawn: TrialOutcome((9,), (1.0,), (-8.0,), (3,))}
    assert claim(beside=("drawn",)).verdict(found).outcome == "holds"
    assert "fewer than 3 scores" in still_climbing(found, "holds", lambda f: "holds")


def test_only_claims_of_speed_say_so():
    for one in CLAIMS.values():
        assert ("2 to 10 times as long" in one.decided) == (bool(one.trials(1)) and not one.passes)
