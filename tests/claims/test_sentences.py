"""Every number of a verdict's sentence, by hand: each line and each seed has a score of its own."""

import pytest

from bnpexplorer.claims import CLAIMS, TrialOutcome
from bnpexplorer.claims.claim import judged
from bnpexplorer.claims.papers.das_2015 import _restaurants
from bnpexplorer.claims.papers.liu_2022 import near_duplicates


def ended(score, topics=(3, 5), **more):
    return TrialOutcome((2, 20), (0.2, 2.0), (score - 1.0, score), topics, **more)


def said(name, score, topics=lambda trial: (3, 5), without=()):
    claim = CLAIMS[name]
    findings = {
        t: ended(score(t), topics(t)) for t in claim.trials(3) if not t.line.startswith(without)
    }
    found = claim.compare(findings)
    return found.outcome, found.sentence.replace("\u2212", "-"), found.note.replace("\u2212", "-")


def test_sumo_stands_from_each_rival_by_its_own_number():
    at = {
        "SUMO": lambda s: -7.0 - 0.01 * s,
        "truncation-free": lambda s: -7.3,
        "truncation-free, more passes": lambda s: -7.1,
        "Gibbs": lambda s: -6.95,
        "particle filter": lambda s: -7.5 - 0.02 * s,
    }
    outcome, sentence, note = said("sumo", lambda t: at[t.line](t.seed))
    assert outcome == "holds"
    assert sentence == (
        "SUMO stands +0.290 from truncation-free inference after the same one pass (by seed: "
        "+0.300, +0.290, +0.280), +0.090 from it after more passes, +0.510 from the particle "
        "filter (+0.500, +0.510, +0.520) and -0.060 from Gibbs sampling."
    )
    assert note == "ahead of truncation-free inference that reads more often"
    at["Gibbs"] = lambda s: -6.92
    assert said("sumo", lambda t: at[t.line](t.seed))[0] == "undecided", "0.1 below in one seed"
    for lead, words in ((0.02, "ahead of"), (0.005, "level with"), (-0.02, "behind")):
        at["truncation-free, more passes"] = lambda s, lead=lead: -7.0 - 0.01 * s - lead
        note = said("sumo", lambda t: at[t.line](t.seed))[2]
        assert note == f"{words} truncation-free inference that reads more often"


def test_catvi_stands_from_the_best_of_the_others():
    at = {
        "CATVI, HDP": lambda s: -7.0,
        "CATVI, gamma-DP": lambda s: -6.8,
        "CATVI, our start and steps": lambda s: -6.5,
        "online HDP": lambda s: -7.4,
        "memoized": lambda s: -7.2 - 0.01 * s,
        "split-merge": lambda s: -7.6,
        "Gibbs": lambda s: -7.3,
    }
    outcome, sentence, note = said("catvi", lambda t: at[t.line](t.seed))
    assert outcome == "holds"
    assert sentence == (
        "After the same seconds CATVI stands +0.210 from the best other method for the HDP (by "
        "seed: +0.200, +0.210, +0.220); the gamma-DP stands +0.200 from the HDP (+0.200, +0.200, "
        "+0.200). With our start and steps CATVI stands +0.710."
    )
    assert note == "with the steps that we read into the paper; with ours +0.71"
    _, sentence, note = said("catvi", lambda t: at[t.line](t.seed), without="CATVI, our")
    assert sentence.endswith("+0.200).")
    assert note == "with the steps that we read into the paper"


def test_catvi_is_judged_by_its_worst_setting_and_by_small_batches_with_many_topics():
    starts, sizes = (60, 100, 140), (128, 256, 512, 1024)

    def score(t):
        ours = 3 * t.line.endswith("our start and steps")
        place = starts.index(int(t.line.split()[0]))
        return -7.0 + (1 + ours) * (0.02 * place - 0.01 * sizes.index(t.x))

    outcome, sentence, note = said("catvi-sensitivity", score)
    assert outcome == "holds"
    assert sentence == (
        "Best and worst setting lie 0.070 apart; the smallest batches with the most topics at the "
        "start end +0.035 from the mean (by seed: +0.035, +0.035, +0.035)."
    )
    assert (
        note == "with the steps that we read into the paper; with ours 0.28 between best and worst"
    )


def test_truncation_free_inference_is_judged_by_four_numbers():
    sizes = (1, 2, 5, 10, 50, 100, 500)

    def score(t):
        place = sizes.index(t.x)
        return -7.0 - 0.01 * place if t.line == "truncation-free" else -8.0 + 0.05 * place

    def topics(t):
        return (3, 9) if t.line == "truncation-free" else (30, 9)

    outcome, sentence, _ = said("batch-size-hdp", score, topics)
    assert outcome == "holds"
    assert sentence == (
        "On average over batch sizes the truncation-free method stands +0.820 from the truncated "
        "one (by seed: +0.820, +0.820, +0.820); its scores spread +0.240 less over batch sizes; "
        "its number of components changed by +6.0 on the way, that of the truncated one by -21.0."
    )


def test_the_hdp_is_compared_with_the_best_number_of_topics():
    def score(t):
        if t.line.startswith("HDP"):
            return -7.0 + ("our start" in t.line) - 0.1 * t.seed
        return -7.3 - abs(t.x - 100) / 1000 + 0.5 * ("our start" in t.line)

    _, sentence, note = said("hdp-lda-topics", score)
    assert sentence == (
        "The HDP stands +0.200 from the best LDA over all numbers of topics (by seed: +0.300, "
        "+0.200, +0.100). From our start it stands +0.700 (+0.800, +0.700, +0.600) from the best "
        "LDA."
    )
    assert note == "from the published start; from ours +0.70"
    _, sentence, note = said("hdp-lda-topics", score, without=("HDP, our", "LDA, our"))
    assert sentence.endswith("+0.100).")
    assert note == ""


def test_settings_are_compared_half_against_half():
    """0.5, 0.6 and 0.7 against 0.8, 0.9 and 1.0; from our start twice as steep, downwards."""
    name = "kappa-lda"
    _, sentence, note = said(name, lambda t: t.x * (1.0 if t.line == "LDA" else -2.0) + t.seed)
    assert sentence == (
        "Of the forgetting rates the upper half of the values scores 0.300 higher than the lower "
        "half (by seed: +0.300, +0.300, +0.300)."
    )
    assert note == "from the published start; from ours -0.60"
    _, sentence, _ = said("batch-hdp", lambda t: -t.x / 1000)
    lower, upper = (10 + 50) / 2000, (500 + 1000) / 2000
    assert f"Of the batch sizes the upper half of the values scores {upper - lower:.3f}" in sentence


def test_a_number_below_zero_has_a_minus_sign_in_the_sentence_and_in_the_note():
    found = judged(([0.1, 0.2],), "It stands -0.10 from the best-known.", "from ours -0.60")
    assert found.sentence == "It stands \u22120.10 from the best-known."
    assert found.note == "from ours \u22120.60"


def counted(*restaurants):
    claim = CLAIMS["sumo-growth"]
    series = tuple({"restaurants": float(n)} for n in restaurants)
    found = TrialOutcome((100, 200, 400), (1.0, 2.0, 3.0), (0.0,) * 3, (1,) * 3, scalars=series)
    return claim, dict.fromkeys(claim.trials(2), found)


@pytest.mark.parametrize(
    ("restaurants", "outcome", "sentence"),
    [
        ((4, 6, 7), "holds", "83% fewer restaurants per document than the first (fewer by seed: "
         "+0.833, +0.833); 7.0 in the end."),
        ((1, 2, 9), "does not hold", "250% more restaurants per document than the first (fewer by "
         "seed: -2.500, -2.500); 9.0 in the end."),
    ],
)  # fmt: skip
def test_restaurants_of_both_halves_are_compared_by_document(restaurants, outcome, sentence):
    claim, findings = counted(*restaurants)
    found = claim.compare(findings)
    assert found.outcome == outcome
    told = found.sentence.replace("\u2212", "-")
    assert told == f"The second half of the documents opened {sentence}"
    curve = dict(zip((100.0, 200.0, 400.0), map(float, restaurants), strict=True))
    assert _restaurants(findings) == [curve, curve]


def topics_of(*texts, n_topics=99, sizes=None):
    words = {str(i): text for i, text in enumerate(texts)}
    held = () if sizes is None else (dict(zip(words, sizes, strict=True)),)
    return TrialOutcome((1,), (1.0,), (0.0,), (n_topics,), (words,), sizes=held)


def test_topics_that_share_five_of_ten_words_repeat_each_other():
    one, five = "a b c d e f g h i j", "a b c d e k l m n o"
    four = "a b c d p q r s t u"
    assert near_duplicates(topics_of(one, five)) == 1
    assert near_duplicates(topics_of(one, four)) == 0
    assert near_duplicates(topics_of(one, five, four, one)) == 1 + 1 + 1
    assert near_duplicates(topics_of(one, one, one, n_topics=2)) == 1, "two are in use"
    assert near_duplicates(topics_of(*[one] * 12)) == 45, "of the ten heaviest"
    assert near_duplicates(topics_of(one, one, one, sizes=(30.0, 10.0, 9.9))) == 1, "ten tokens"
