"""Test the settings of each paper's trials, and verdicts with a number for each place."""

import re

import numpy as np
import pytest

from bnpexplorer.claims import CLAIMS, TrialOutcome
from bnpexplorer.claims.papers import das_2015_settings, liu_2022, wang_blei_2012


def trials(name):
    return [(trial, dict(trial.values)) for trial in CLAIMS[name].trials(1)]


def ended(score, topics=(3, 5), **more):
    return TrialOutcome((2, 20), (0.2, 2.0), (score - 1.0, score), topics, **more)


def judged(name, outcome, wanted=lambda trial: True):
    """The outcome and the sentence of three seeds, of the trials that are wanted."""
    claim = CLAIMS[name]
    found = claim.compare({t: outcome(t) for t in claim.trials(3) if wanted(t)})
    return found.outcome, found.sentence.replace("\u2212", "-")


# ---- trials --------------------------------------------------------------------------------------


def test_the_place_on_the_axis_is_the_setting_that_is_tried():
    for trial, values in trials("sumo-gamma"):
        assert values["gamma"] == trial.x
    for trial, _ in trials("sumo-batch"):
        assert trial.batch_tokens == trial.x * 333
    for line in ("hdp", "lda"):
        for trial, values in trials(f"kappa-{line}"):
            assert (values["kappa"], trial.batch_size) == (trial.x, 500)
        for trial, values in trials(f"batch-{line}"):
            assert ("kappa" in values, trial.batch_size) == (False, trial.x)
    for trial, values in trials("catvi-sensitivity"):
        assert trial.batch_size == trial.x
        assert trial.line.startswith(f"{values['start_topics']} topics")
    for name in ("batch-size-mixture", "batch-size-hdp", "online-hdp-grid"):
        assert all(trial.batch_size == trial.x for trial, _ in trials(name))


def test_settings_are_those_that_the_papers_print():
    truncated = {
        model: [values for trial, values in trials(name) if trial.line == "truncated mean field"]
        for model, name in (("dpm", "batch-size-mixture"), ("hdp", "batch-size-hdp"))
    }
    assert truncated["dpm"] == [{}] * 7
    assert truncated["hdp"] == [{"truncation": 300, "tau": 1.0, "kappa": 0.6}] * 7
    for trial, values in trials("online-hdp-grid"):
        if trial.line.startswith("LDA, kappa"):
            kappa = float(trial.line.split()[-1])
            printed = {"n_topics": 100, "alpha": 0.01, "eta": 0.01, "start": "random"}
            assert values == printed | {"kappa": kappa}
    for trial, values in trials("online-hdp"):
        if trial.line.startswith("online LDA, ") and trial.line.endswith("topics"):
            assert values["alpha"] == 1.0 / values["n_topics"] == 1.0 / trial.x
            assert (values["eta"], values["start"], values["kappa"]) == (0.01, "random", 0.6)
    passes = {trial.line: trial.passes for trial, _ in trials("sumo")}
    assert list(passes.values()) == [1, 1, 10, 50, 1]


def test_each_sweep_has_the_figure_and_the_title_of_its_setting():
    told = {
        name: (CLAIMS[name].title, CLAIMS[name].source.rpartition(" ")[2])
        for name in ("kappa-hdp", "batch-hdp", "kappa-lda", "batch-lda")
    }
    assert told == {
        "kappa-hdp": ("HDP: which forgetting rates?", "12"),
        "batch-hdp": ("HDP: which batch sizes?", "13"),
        "kappa-lda": ("LDA: which forgetting rates?", "14"),
        "batch-lda": ("LDA: which batch sizes?", "15"),
    }


def test_distances_in_the_papers_numbers_are_those_of_their_perplexities():
    def told(name):
        found = CLAIMS[name].judged.numbers.replace("\u2212", "-")
        return [float(n.replace(",", "")) for n in re.findall(r"[-+]?\d[\d,]*(?:\.\d+)?", found)]

    def less(one, other):
        return pytest.approx(np.log(other / one), abs=0.005)

    gibbs, sumo, free, particles, *stands = told("sumo")
    assert stands == [less(sumo, other) for other in (gibbs, free, particles)]
    catvi, online, stands = (told("catvi")[i : i + 3] for i in (0, 3, 6))
    assert stands == [less(*pair) for pair in zip(catvi, online, strict=True)]


# ---- verdicts ------------------------------------------------------------------------------------


def test_growth_is_told_at_the_moment_nearest_to_half_of_the_documents():
    docs, restaurants = (10, 40, 70, 80, 100), (10, 20, 24, 26, 29)
    series = tuple({"restaurants": float(n)} for n in restaurants)
    outcome = TrialOutcome(docs, (1.0,) * 5, (-7.0,) * 5, (3,) * 5, scalars=series)
    found, sentence = judged("sumo-growth", lambda t: outcome)
    assert found == "holds"
    assert "opened 70% fewer" in sentence, "9 of 60 documents, 20 of 40"


def test_coherence_is_that_at_the_end():
    at = {"SUMO": (0.0, 0.2), "truncation-free": (0.3, 0.1)}
    found, sentence = judged("sumo-coherence", lambda t: ended(-7.0, coherence=at[t.line]))
    assert found == "holds"
    assert "stands +0.100 from" in sentence


def test_both_must_be_stable_over_the_orders():
    def score(t):
        return ended(-7.0 + 0.0125 * t.x if t.line == "SUMO" else -8.0 + 0.0375 * t.x)

    found, sentence = judged("sumo-order", score)
    assert found == "does not hold"
    assert sentence.endswith("SUMO's scores spread by 0.050, the other's by 0.150.")
    for name in ("sumo-order", "sumo-gamma"):
        first = min(t.x for t in CLAIMS[name].trials(1))
        found, sentence = judged(name, score, lambda t, first=first: t.x == first)
        assert (found, sentence) == ("undecided", "Too few trials have ended.")


@pytest.mark.parametrize(
    ("name", "few"),
    [("catvi-sensitivity", lambda t: t.x == 128), ("batch-size-hdp", lambda t: t.x == 1)],
)
def test_too_few_places_decide_nothing(name, few):
    found = judged(name, lambda t: ended(-7.0 + t.seed), few)
    assert found == ("undecided", "Too few trials have ended.")


def test_components_are_counted_on_average_over_batch_sizes():
    sizes = wang_blei_2012.BATCH_SIZES

    def outcome(t):
        return ended(-7.0, (3, 3 + sizes.index(t.x) * (1 if t.line == "truncation-free" else 2)))

    _, sentence = judged("batch-size-mixture", outcome)
    assert sentence.endswith("changed by +3.0 on the way, that of the truncated one by +6.0.")


@pytest.mark.parametrize(("baseline", "found"), [(-8.2, "does not hold"), (-7.9, "holds")])
def test_steadiness_counts_only_if_some_run_of_the_baseline_learned(baseline, found):
    """The truncated scores spread less: they end 0.2 above word frequencies, or 0.1 below."""

    def outcome(t):
        if t.line == "truncation-free":
            return ended(-7.0 + 0.1 * (t.x == 1), (3, 9), unigram=(baseline, baseline))
        return ended(-8.0, (9, 3), unigram=(baseline, baseline))

    name = "batch-size-hdp"
    assert judged(name, outcome)[0] == found
    claim = CLAIMS[name]
    note = claim.compare({t: outcome(t) for t in claim.trials(3)}).note
    assert note.endswith("learned nothing there, so its steadiness is not judged") == (
        found == "holds"
    )


def test_signs_that_differ_from_the_paper_s_do_not_hold(monkeypatch):
    signs = wang_blei_2012._log_odds()
    monkeypatch.setattr(
        wang_blei_2012, "_log_odds", lambda: signs | {("collapsed", "A"): [0.1] * 9}
    )
    assert CLAIMS["toy"].compare({}).outcome == "does not hold"


def test_pairs_are_told_to_be_fewer_or_more(monkeypatch):
    monkeypatch.setattr(liu_2022, "near_duplicates", lambda outcome: outcome.scores[-1])
    for more, words in ((0.4, "0.4 pairs of near-duplicates fewer"), (-2.0, "2.0 pairs of near-d")):
        at = {"CATVI, HDP": 3.0, "online HDP": 3.0 + more}
        _, sentence = judged("catvi-words", lambda t, at=at: ended(at.get(t.line, 1.0)))
        assert words in sentence
    assert " more than online HDP" in sentence


def test_the_grid_is_judged_by_all_cells_and_by_the_best_of_all():
    gain = {"0.6": 0.3, "0.8": 0.1, "1": 0.0}

    def outcome(t):
        model, _, kappa = t.line.partition(", kappa ")
        return ended(-7.0 + gain[kappa] if model == "HDP" else -7.2)

    wanted = CLAIMS["online-hdp-grid"].beside
    found, sentence = judged("online-hdp-grid", outcome, lambda t: t.line not in wanted)
    assert found == "holds"
    assert "scores +0.333 against online LDA" in sentence
    assert sentence.endswith("the best HDP stands +0.500 from the best LDA.")


def test_a_topic_is_recognisable_from_where_it_stays_so():
    end = "a b c d e f g h i j"
    lost = "a b c d e f w x y z"
    early = [lost, end, end, end, end]
    late = [lost, end, lost, lost, end]
    words = tuple({"1": a, "2": b} for a, b in zip(early, late, strict=True))
    outcome = TrialOutcome((1, 2, 3, 4, 5), (1.0,) * 5, (-7.0,) * 5, (2,) * 5, words=words)
    found, sentence = judged("online-hdp-stream", lambda t: outcome)
    assert found == "holds"
    assert "to become recognisable lie 3.0 of" in sentence, "the second moment, and the fifth"


def test_the_theorem_is_told_by_the_number_of_atoms_that_comes_nearest(monkeypatch):
    """Bounds of 0.707, 0.5, 0.354, 0.25, ...; the largest share is not the nearest to its own."""
    shares = np.zeros(30)
    shares[:4] = 0.41, 0.32, 0.23, 0.1
    monkeypatch.setattr(das_2015_settings, "_left_over", lambda: None)
    monkeypatch.setattr(das_2015_settings.ordered, "share_above", lambda left: shares)
    found = CLAIMS["theorem-2"].compare({})
    assert (found.outcome, found.sentence) == (
        "holds",
        "Of 20,000 draws of the prior (mu 0.6, gamma 0.5), at most 41.0% left more than epsilon "
        "after n atoms, where the theorem allows epsilon = 2^(-n/2); the closest was n = 3.",
    )
    shares[3] = 0.25
    found = CLAIMS["theorem-2"].compare({})
    assert found.outcome == "does not hold", "as often as the bound is too often"
    assert found.sentence.endswith("the closest was n = 4.")


# ---- pictures ------------------------------------------------------------------------------------


def test_the_theorem_is_drawn_from_one_atom_on_with_quantiles_below_each_other(monkeypatch):
    drawn = []
    monkeypatch.setattr(das_2015_settings, "N_DRAWS", 400)
    monkeypatch.setattr(das_2015_settings, "against", lambda lines, *_, **__: drawn.extend(lines))
    (picture,) = CLAIMS["theorem-2"].pictures({})
    picture.figure(False, 12)
    bound, half, most, nearly = (line.seeds[0] for line in drawn)
    assert list(bound) == [float(n) for n in range(1, 31)]
    assert bound[2.0] == pytest.approx(0.5)
    assert half[3.0] < most[3.0] < nearly[3.0]
    assert [line.name.split()[0] for line in drawn[1:]] == ["50%", "90%", "99%"]


def test_words_of_the_heaviest_topics_are_those_of_the_first_seed_numbered_from_one():
    """Show each line at its end, without topics of fewer than ten tokens."""
    claim = CLAIMS["catvi-words"]
    lines = ["CATVI, HDP", "online HDP"]

    def outcome(t):
        early = {"7": "x y"}
        late = {"7": f"{t.line[:2]} seed{t.seed}", "2": "few tokens", "5": "tax bank"}
        words, sizes = (early, late), ({"7": 90.0}, {"7": 80.0, "2": 9.9, "5": 10.0})
        return ended(-7.0, (1, 3), words=words, sizes=sizes)

    pictures = claim.pictures({t: outcome(t) for t in claim.trials(2) if t.line in lines})
    titles = [f"Ten words of the ten heaviest topics, {line} (table 2)" for line in lines]
    assert [picture.title for picture in pictures] == titles
    for picture, line in zip(pictures, lines, strict=True):
        (table,) = picture.figure(False, 12).data
        assert list(table.header["values"]) == ["1", "2"]
        assert [list(column) for column in table.cells["values"]] == [
            [line[:2], "seed0"],
            ["tax", "bank"],
        ]


@pytest.mark.parametrize("name", list(CLAIMS))
def test_figures_and_tables_of_the_pictures_are_those_of_the_source(name):
    claim = CLAIMS[name]
    told = set(re.findall(r"\b(?:figure|table) (\d+)", claim.source + claim.source.lower()))
    told |= set(re.findall(r"(?:figures|tables) (\d+) and", claim.source))
    told |= set(re.findall(r"(?:figures|tables) \d+ and (\d+)", claim.source))
    for picture in claim.pictures({}):
        assert set(re.findall(r"(?:figure|table) (\d+)", picture.title)) <= told
