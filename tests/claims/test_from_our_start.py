"""Where next to nothing is learned as published, a claim is judged by its lines from our start."""

import dataclasses

import pytest

from bnpexplorer.claims import CLAIMS, Claim, ClaimVerdict, Judged, Trial, TrialOutcome
from bnpexplorer.claims.claim import FROM_OURS, INSTEAD, NOTE_OURS, decide
from bnpexplorer.claims.reading import leads

OURS = {"ours": "first", "ours too": "second"}


def claim(passes=1):
    def compare(found):
        lead = leads(found, "first", ["second"])
        return ClaimVerdict(
            decide(lead), "First less second: " + " ".join(f"{x:.2f}" for x in lead)
        )

    return Claim(
        "one",
        "One",
        "Nobody 2020",
        "The first is better.",
        "By counting.",
        lambda n: [Trial("first", 0, "lda-svi", seed, passes=1) for seed in range(n)],
        compare,
        lambda found: [],
        Judged("Nobody.", passes),
        beside=tuple(OURS),
        instead=OURS,
    )


def outcome(*gains, read=1.0):
    n = len(gains)
    return TrialOutcome(
        tuple(100 * 2**i for i in range(n)),
        tuple(2.0**i for i in range(n)),
        tuple(gain - 8.0 for gain in gains),
        (5,) * n,
        unigram=(-8.0,) * n,
        passes=tuple(read / 2 ** (n - 1 - i) for i in range(n)),
    )


def findings(read=1.0, **gains):
    """Of every line the gains over word frequencies of its moments; the same in two seeds."""
    return {
        Trial(line.replace("_", " "), 0, "lda-svi", seed, passes=1): outcome(*moments, read=read)
        for line, moments in gains.items()
        for seed in (0, 1)
    }


NOTHING = {"first": (0.0,), "second": (-0.1,)}


@pytest.mark.parametrize(
    ("ours", "too", "found"),
    [
        (0.3, 0.2, "holds"),
        (0.2, 0.3, "does not hold"),
        (0.2, 0.2, "undecided"),
        (0.02, -0.3, "too early"),
    ],
)
def test_it_is_judged_by_ours_where_nothing_came_of_the_published(ours, too, found):
    verdict = claim().verdict(findings(**NOTHING, ours=(ours,), ours_too=(too,)))
    assert verdict.outcome == found
    if found == "too early":
        assert verdict.note == ""
        assert "first with" in verdict.sentence, "the published line"
    else:
        assert verdict.sentence == f"{FROM_OURS} First less second: " + " ".join(
            [f"{ours - too:.2f}"] * 2
        )
        assert verdict.note == NOTE_OURS


def test_what_was_learned_as_published_decides_alone():
    learned = findings(first=(0.06,), second=(0.0,), ours=(0.2,), ours_too=(0.3,))
    verdict = claim().verdict(learned)
    assert (verdict.outcome, verdict.note) == ("holds", "")


def test_ours_say_nothing_before_the_published_have_read_to_their_end():
    to_the_end = findings(ours=(0.3,), ours_too=(0.2,))
    assert claim().verdict(findings(0.5, **NOTHING) | to_the_end).outcome == "too early"
    assert claim().verdict(findings(**NOTHING) | to_the_end).outcome == "holds"


def test_a_seed_of_ours_that_was_cut_short_is_not_compared():
    """In the third LDA from our start was tried with 25 topics alone, where it is behind."""
    one = CLAIMS["hdp-lda-topics"]
    gains = {"HDP, our start": 1.0, "LDA, our start": 0.5}
    found = {
        dataclasses.replace(t, passes=10): outcome(gains.get(t.line, 0.0) + (t.x == 100), read=10.0)
        for t in one.trials(3)
        if t.line in gains or t.x != 100
    }
    cut = {t: o for t, o in found.items() if t.seed < 2 or t.line != "LDA, our start" or t.x == 25}
    assert one.verdict(found).outcome == one.verdict(cut).outcome == "does not hold"
    assert one.verdict(cut).note == NOTE_OURS


def test_ours_that_are_cut_short_or_not_all_there_decide_nothing():
    as_published = findings(**NOTHING)
    short = findings(0.5, ours=(0.3,), ours_too=(0.2,))
    assert claim().verdict(as_published | short).outcome == "too early"
    assert claim().verdict(as_published).outcome == "too early"


def test_curves_of_speed_that_climb_towards_another_verdict_are_too_early_from_ours_too():
    flat = {"first": (0.0,) * 4, "second": (-0.1,) * 4}
    level = findings(**flat, ours=(0.3,) * 4, ours_too=(0.2,) * 4)
    assert claim(0).verdict(level).outcome == "holds"
    climbing = findings(**flat, ours=(0.3,) * 4, ours_too=(0.0, 0.1, 0.18, 0.25))
    assert claim(0).compare(climbing).outcome == "holds"
    assert claim(0).verdict(climbing).outcome == "too early"


def test_curves_as_published_that_climb_are_not_passed_over():
    """They have learned: which of them is faster, more time would tell."""
    found = findings(
        first=(0.1,) * 4, second=(-0.3, -0.1, 0.02, 0.08), ours=(0.3,) * 4, ours_too=(0.2,) * 4
    )
    assert claim(0).verdict(found).outcome == "too early"


def test_the_rule_and_the_badge_say_from_which_start():
    one = claim()
    assert INSTEAD in one.decided
    assert INSTEAD not in CLAIMS["batch-size-hdp"].decided
    found = findings(**NOTHING, ours=(0.3,), ours_too=(0.2,))
    badge = one.said(one.verdict(found), found)
    assert badge.startswith("holds here after")
    assert badge.endswith(NOTE_OURS)


WITH_OURS = [name for name, one in CLAIMS.items() if one.instead]


@pytest.mark.parametrize("name", WITH_OURS)
def test_a_line_from_our_start_is_the_published_one_with_another_start(name):
    """Nothing else differs but what its name says: CATVI's steps, the number of topics of LDA."""
    one = CLAIMS[name]
    trials = {(t.line, t.x, t.seed): t for t in one.trials(2)}
    assert set(one.instead) <= set(one.beside)
    assert len(set(one.instead.values())) == len(one.instead), "each in a place of its own"
    published = {t.line for t in trials.values()} - set(one.beside)
    assert set(one.instead.values()) == published
    for ours, line in one.instead.items():
        places = {key[1:]: t for key, t in trials.items() if key[0] == ours}
        assert places.keys() == {key[1:] for key in trials if key[0] == line}
        free = {"start", "sticks_start", "local_start"}
        free |= {"tau", "kappa"} if "steps" in ours else set()
        free |= {"n_topics", "alpha"} if "25 topics" in ours else set()
        for place, trial in places.items():
            other = trials[line, *place]
            ours_values, values = dict(trial.values), dict(other.values)
            changed = {k for k, v in ours_values.items() if values.get(k, v) != v}
            changed |= ours_values.keys() ^ values.keys()
            assert changed <= free
            assert ours_values["start"] == "k-means"
            same = dataclasses.replace(trial, line=line, values=other.values)
            assert same == dataclasses.replace(other, preset=same.preset)
            assert trial.preset == other.preset or "steps" in ours


def test_these_claims_are_judged_so():
    assert set(WITH_OURS) == {
        "hdp-lda-topics",
        "kappa-hdp",
        "batch-hdp",
        "kappa-lda",
        "batch-lda",
        "catvi-words",
        "catvi-sensitivity",
    }
