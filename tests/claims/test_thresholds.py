"""Every number in a claim's rule decides: just inside of it the claim holds, just outside not."""

import dataclasses

import pytest

from bnpexplorer.claims import CLAIMS, TrialOutcome


def outcome(score, topics=(3, 5)):
    return TrialOutcome((10, 20), (1.0, 2.0), (score - 1.0, score), topics)


def verdict(name, score):
    claim = CLAIMS[name]
    return claim.compare({t: outcome(score(t) - 8.0) for t in claim.trials(3)}).outcome


def of(trial, *lines):
    return float(trial.line in lines)


def upper(trial, name):
    """1 in the upper half of the places on the axis."""
    places = sorted({t.x for t in CLAIMS[name].trials(1)})
    return float(trial.x >= places[-(len(places) // 2)])


def sumo(lead, particles, below_gibbs):
    return lambda t: (
        of(t, "SUMO", "Gibbs") * lead
        + below_gibbs * of(t, "Gibbs")
        + (of(t, "particle filter") * (lead - particles))
    )


def order(better, spread):
    return lambda t: better * of(t, "SUMO") + spread * (t.x == 2)


def steadier(better, less):
    return lambda t: (
        of(t, "SUMO") * better
        + of(t, "truncation-free")
        * less
        * ((t.x == min(x.x for x in CLAIMS["sumo-gamma"].trials(1))) - 0.25)
    )


def catvi(lead, freer):
    return lambda t: of(t, "CATVI, HDP") * lead + of(t, "CATVI, gamma-DP") * (lead + freer)


def sensitivity(spread, corner):
    """Two settings lie apart by `spread`; the smallest batches with most topics above the mean."""

    def score(t):
        if t.line.startswith("140") and t.x == 128:
            return corner * 12 / 11
        return {("60", 256): spread / 2, ("60", 512): -spread / 2}.get(
            (t.line.split()[0], t.x), 0.0
        )

    return score


RULES = [
    ("online-hdp", lambda t: 0.011 * of(t, "online HDP"), "holds"),
    ("online-hdp", lambda t: 0.009 * of(t, "online HDP"), "undecided"),
    *(
        ("online-hdp", lambda t, up=up: 0.02 * of(t, "online HDP") + up * of(t, "batch HDP"), found)
        for up, found in ((0.058, "holds"), (0.062, "undecided"), (0.082, "does not hold"))
    ),
    ("online-hdp", lambda t: 0.011 * of(t, "online HDP", "online LDA, 20 topics"), "undecided"),
    ("online-hdp-grid", lambda t: 0.011 * t.line.startswith("HDP"), "holds"),
    ("online-hdp-grid", lambda t: 0.009 * t.line.startswith("HDP"), "undecided"),
    ("hdp-lda-topics", lambda t: 0.011 * of(t, "HDP"), "holds"),
    ("hdp-lda-topics", lambda t: 0.009 * of(t, "HDP"), "undecided"),
    ("hdp-lda-topics", lambda t: 0.011 * of(t, "HDP") + 0.011 * (t.x == 50), "undecided"),
    *(
        (name, lambda t, name=name, rise=rise: rise * upper(t, name), found)
        for name in ("kappa-hdp", "batch-hdp", "kappa-lda", "batch-lda")
        for rise, found in ((0.0111, "holds"), (0.009, "undecided"), (-0.0111, "does not hold"))
    ),
    ("sumo", sumo(0.011, 0.011, 0.089), "holds"),
    ("sumo", sumo(0.009, 0.011, 0.089), "undecided"),
    ("sumo", sumo(0.011, 0.009, 0.089), "undecided"),
    ("sumo", sumo(0.011, 0.011, 0.091), "undecided"),
    ("sumo", sumo(0.011, 0.011, 0.111), "does not hold"),
    ("sumo-order", order(0.011, 0.089), "holds"),
    ("sumo-order", order(0.009, 0.089), "undecided"),
    ("sumo-order", order(0.011, 0.091), "undecided"),
    ("sumo-order", order(0.011, 0.111), "does not hold"),
    ("sumo-gamma", steadier(0.011, 0.011), "holds"),
    ("sumo-gamma", steadier(0.009, 0.011), "undecided"),
    ("sumo-gamma", steadier(0.011, 0.009), "undecided"),
    ("catvi", catvi(0.011, 0.011), "holds"),
    ("catvi", catvi(0.009, 0.011), "undecided"),
    ("catvi", catvi(0.011, 0.009), "undecided"),
    ("catvi-sensitivity", sensitivity(0.088, 0.011), "holds"),
    ("catvi-sensitivity", sensitivity(0.092, 0.011), "undecided"),
    ("catvi-sensitivity", sensitivity(0.112, 0.011), "does not hold"),
    ("catvi-sensitivity", sensitivity(0.088, 0.009), "undecided"),
]


@pytest.mark.parametrize(("name", "score", "found"), RULES)
def test_a_score_decides_where_the_rule_says(name, score, found):
    assert verdict(name, score) == found


@pytest.mark.parametrize(
    ("lead", "spread", "ours", "theirs", "found"),
    [
        (0.011, 0.02, (3, 4), (9, 8), "holds"),
        (0.009, 0.02, (3, 4), (9, 8), "undecided"),
        (0.011, 0.009, (3, 4), (9, 8), "undecided"),
        (0.011, 0.02, (3, 3), (9, 8), "undecided"),
        (0.011, 0.02, (3, 4), (9, 9), "undecided"),
        (0.011, 0.02, (4, 3), (9, 8), "does not hold"),
        (0.011, 0.02, (3, 4), (8, 9), "does not hold"),
    ],
)
def test_batch_sizes_decide_by_four_conditions(lead, spread, ours, theirs, found):
    claim = CLAIMS["batch-size-hdp"]
    n_sizes = len({t.x for t in claim.trials(1)})
    findings = {
        t: outcome(lead, ours)
        if t.method == "hdp-tsvi"
        else outcome(spread * ((t.x == 1) - 1 / n_sizes), theirs)
        for t in claim.trials(3)
    }
    assert claim.compare(findings).outcome == found


@pytest.mark.parametrize(
    ("gibbs", "particles", "tsvi", "found"),
    [
        (203, 203, 51, "holds"),
        (199, 203, 51, "undecided"),
        (203, 199, 51, "undecided"),
        (203, 203, 50, "undecided"),
        (190, 203, 51, "does not hold"),
        (203, 203, 40, "does not hold"),
    ],
)
def test_memory_decides_at_half_and_twice(gibbs, particles, tsvi, found):
    claim, taken = CLAIMS["sumo-memory"], {"gibbs": gibbs, "particle": particles, "tsvi": tsvi}
    findings = {
        t: dataclasses.replace(
            outcome(0.0), memory=(1, taken.get(t.method.removeprefix("dpm-"), 100) << 20)
        )
        for t in claim.trials(3)
    }
    assert claim.compare(findings).outcome == found


@pytest.mark.parametrize(
    ("late", "found"), [(980, "holds"), (995, "undecided"), (1020, "does not hold")]
)
def test_restaurants_settle_down_by_one_percent(late, found):
    claim = CLAIMS["sumo-growth"]
    series = tuple({"restaurants": float(n)} for n in (500, 1000, 1000 + late))
    outcome_ = TrialOutcome((100, 200, 400), (0.0,) * 3, (0.0,) * 3, (1,) * 3, scalars=series)
    assert claim.compare(dict.fromkeys(claim.trials(3), outcome_)).outcome == found


def test_near_duplicates_share_five_of_ten_words():
    claim = CLAIMS["catvi-words"]

    def findings(shared):
        pair = {"0": "a b c d e f", "1": " ".join("abcdef"[:shared]) + " u v w"}
        alike, apart = ({"words": (w,)} for w in (pair, {"0": "a b", "1": "c d"}))
        return {
            t: dataclasses.replace(outcome(0.0), **(apart if t.line == "CATVI, HDP" else alike))
            for t in claim.trials(2)
        }

    assert claim.compare(findings(5)).outcome == "holds"
    assert claim.compare(findings(4)).outcome == "undecided"
    one_in_use = {t: dataclasses.replace(o, topics=(3, 1)) for t, o in findings(5).items()}
    assert claim.compare(one_in_use).outcome == "undecided", "the other is the prior's"

    def holding(tokens):
        return {
            t: dataclasses.replace(o, sizes=({"0": 40_000.0, "1": tokens},))
            for t, o in findings(5).items()
        }

    assert claim.compare(holding(10.0)).outcome == "holds"
    assert claim.compare(holding(2.7)).outcome == "undecided", "the other holds next to nothing"
    (picture, *_) = claim.pictures(holding(2.7))
    assert len(picture.figure(False, 14).data[0].cells.values) == 1


def test_topics_take_shape_two_moments_apart():
    claim = CLAIMS["online-hdp-stream"]
    clear, other = "a b c d e f g x y z", "a b c d e f u x y z"

    def findings(n_unclear):
        moments = [*[other] * n_unclear, *[clear] * (5 - n_unclear), "a b c d e f g h i j"]
        words = tuple({"0": "a b c d e f g h i j", "1": text} for text in moments)
        found = TrialOutcome(tuple(range(6)), (0.0,) * 6, (0.0,) * 6, (2,) * 6, words)
        return dict.fromkeys(claim.trials(2), found)

    assert claim.compare(findings(2)).outcome == "holds"
    assert claim.compare(findings(1)).outcome == "does not hold"
