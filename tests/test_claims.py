"""Studies: budgets, resumption, verdicts; and the claims of the registry."""

import dataclasses
import json
import re

import numpy as np
import pytest

from bnpexplorer.claims import CLAIMS, Claim, Outcome, Study, Trial, Verdict
from bnpexplorer.claims.claim import decide, judged
from bnpexplorer.claims.reading import by_seed, common_places
from bnpexplorer.claims.study import MOMENTS, fit_to_budget
from bnpexplorer.methods import make_method


def trials(n_seeds):
    return [
        Trial(line, x, "lda-svi", seed, batch_size=x, values=(("n_topics", 4),))
        for seed in range(n_seeds)
        for x in (5, 10, 20)
        for line in ("one", "two")
    ]


SMALL = Claim(
    "small", "A small claim", "Nobody 2020", "One is one.", "By counting.", trials,
    lambda findings: Verdict("holds", f"{len(findings)}"), lambda findings: [],
)  # fmt: skip


@pytest.fixture
def quick(monkeypatch):
    """Trials that may learn for a twentieth of a second."""
    monkeypatch.setattr("bnpexplorer.claims.study.SHORTEST", 0.05)
    monkeypatch.setattr("bnpexplorer.claims.study.OVERHEAD", 0.0)


def test_decides_by_all_seeds():
    assert decide([0.02, 0.5], [1.0, 2.0]) == "holds"
    assert decide([0.02, 0.005], [1.0, 2.0]) == "undecided", "less than the noise"
    assert decide([0.02, -0.5], [1.0, 2.0]) == "undecided", "the seeds disagree"
    assert decide([0.02, 0.5], [-1.0, -2.0]) == "does not hold"
    assert decide([0.02, 0.5], [1.0]) == "undecided", "one seed is none"
    assert decide() == "undecided"


def test_a_small_budget_leaves_out_places_and_keeps_the_ends():
    every, share = fit_to_budget(trials(2), 120.0)
    assert len(every) == 12
    assert share == pytest.approx(120.0 / 12 - 1.5)
    fewer, share = fit_to_budget(trials(2), 30.0)
    assert {t.x for t in fewer} == {5, 20}
    assert share == pytest.approx(30.0 / 8 - 1.5)
    with pytest.raises(ValueError, match="needs 28 seconds at least"):
        fit_to_budget(trials(2), 20.0)


def test_a_trial_keeps_its_key_when_trials_learn_new_fields():
    plain = Trial("one", 5, "lda-svi", 0)
    assert json.loads(plain.key) == {"line": "one", "x": 5, "method": "lda-svi", "seed": 0}
    other = dataclasses.replace(plain, batch_tokens=7)
    assert json.loads(other.key)["batch_tokens"] == 7


def test_a_study_runs_every_trial_and_goes_on_from_its_file(bars, tmp_path, quick):
    corpus = bars[0].take(np.arange(120))
    study = Study(SMALL, corpus, 1.2, 2, tmp_path)
    assert not study.done
    while len(study.findings) < 5:
        study.step()
    again = Study(SMALL, corpus, 1.2, 2, tmp_path)
    assert again.findings == study.findings
    while not again.done:
        again.step()
    assert set(again.findings) == set(trials(2))
    for trial, outcome in again.findings.items():
        assert 1 <= len(outcome.scores) <= len(MOMENTS)
        assert np.all(np.isfinite(outcome.scores))
        assert np.all(np.diff(outcome.docs_seen) > 0)
        assert np.all(np.diff(outcome.seconds) > 0)
        assert outcome.seconds[-1] >= again.share  # these methods may read the texts again
        assert all(0 < n <= 4 for n in outcome.topics), trial
    assert Study(SMALL, corpus, 1.2, 2, tmp_path).done
    assert not Study(SMALL, corpus, 1.3, 2, tmp_path).findings, "another budget is another study"
    other = bars[0].take(np.arange(121))
    assert not Study(SMALL, other, 1.2, 2, tmp_path).findings, "other texts are another study"


@pytest.mark.parametrize("damage", ["", "{", "[1, 2]", '{"a": 3}'])
def test_a_damaged_file_of_findings_counts_as_none(bars, tmp_path, quick, damage):
    corpus = bars[0].take(np.arange(60))
    study = Study(SMALL, corpus, 1.2, 2, tmp_path)
    while not study.findings:
        study.step()
    (path,) = tmp_path.glob("*.json")
    assert json.loads(path.read_text())
    path.write_text(damage)
    assert not Study(SMALL, corpus, 1.2, 2, tmp_path).findings


def test_two_studies_of_the_same_lose_nothing(bars, tmp_path, quick):
    corpus = bars[0].take(np.arange(60))
    one, two = (Study(SMALL, corpus, 1.2, 2, tmp_path) for _ in range(2))
    while len(one.findings) < 3:
        one.step()
    while not two.findings:
        two.step()
    assert len(Study(SMALL, corpus, 1.2, 2, tmp_path).findings) == 3
    assert not list(tmp_path.glob("*.part"))


def test_too_few_texts_are_refused_before_anything_starts(bars, tmp_path):
    with pytest.raises(ValueError, match="has 19 documents; a study needs 20"):
        Study(SMALL, bars[0].take(np.arange(19)), 600.0, 2, tmp_path)


@pytest.mark.parametrize("budget", [float("inf"), float("nan")])
def test_a_budget_without_end_is_refused(bars, tmp_path, budget):
    with pytest.raises(ValueError, match="must be a number of seconds"):
        Study(SMALL, bars[0].take(np.arange(60)), budget, 2, tmp_path)


def test_no_seeds_are_refused(bars, tmp_path):
    with pytest.raises(ValueError, match="at least one seed; got 0"):
        Study(SMALL, bars[0].take(np.arange(60)), 600.0, 0, tmp_path)


def outcome(score, topics=(3, 5)):
    return Outcome((10, 20), (1.0, 2.0), (score - 1.0, score), topics)


def test_findings_by_seed_and_place():
    found = {t: outcome(-5.0 + t.x) for t in trials(2) if t.x < 20 or t.line == "one"}
    seeds = by_seed(found, "one")
    assert sorted(seeds) == [0, 1]
    assert seeds[1][10].scores[-1] == 5.0
    assert common_places(seeds[0], by_seed(found, "two")[0]) == [5, 10]


@pytest.mark.parametrize("name", list(CLAIMS))
def test_every_claim_can_be_tried(name):
    claim = CLAIMS[name]
    assert claim.statement.endswith(".")
    assert claim.rule.endswith(".")
    assert "20" in claim.source
    planned = claim.trials(2)
    assert len({t.key for t in planned}) == len(planned)
    for trial in planned:
        make_method(trial.method, trial.preset, dict(trial.values))
    if planned:
        assert claim.verdict({}).outcome == "undecided"
        fit_to_budget(planned, 600.0)
    for dark in (False, True):
        for picture in claim.pictures({}):
            assert picture.title
            picture.figure(dark, 14)


def test_figure_2_holds_exactly():
    verdict = CLAIMS["toy"].verdict({})
    assert verdict.outcome == "holds"
    (picture,) = CLAIMS["toy"].pictures({})
    assert len([line for line in picture.figure(False, 14).data if len(line.x) == 9]) == 4


def batch_findings(ours, theirs, grows=(3, 9), shrinks=(30, 9)):
    claim = CLAIMS["batch-size-hdp"]
    return claim, {
        trial: outcome(ours(trial), grows)
        if trial.method == "hdp-tsvi"
        else outcome(theirs(trial), shrinks)
        for trial in claim.trials(3)
    }


def test_batch_size_verdicts():
    claim, good = batch_findings(lambda t: -7.0, lambda t: -8.0 + np.log(t.x) / 10)
    assert claim.verdict(good).outcome == "holds"
    assert "+0.7" in claim.verdict(good).sentence
    claim, bad = batch_findings(lambda t: -8.0 + np.log(t.x) / 10, lambda t: -7.0)
    assert claim.verdict(bad).outcome == "does not hold"
    claim, mixed = batch_findings(
        lambda t: -7.0 - 2 * (t.seed == 1), lambda t: -8.0 + np.log(t.x) / 10
    )
    assert claim.verdict(mixed).outcome == "undecided"
    claim, still = batch_findings(lambda t: -7.0, lambda t: -8.0 + np.log(t.x) / 10, shrinks=(9, 9))
    assert claim.verdict(still).outcome == "undecided"
    figures = [picture.figure(False, 14) for picture in claim.pictures(good)]
    assert [len(f.data) for f in figures] == [2, 2, 6]
    assert list(figures[0].data[0].y) == pytest.approx([-7.0] * 7)


def tilt(trial):
    """Higher with the place on the axis: between 0 and 1."""
    return float(np.log(trial.x + 1.0)) / 10.0


def of(trial, *lines):
    return float(any(trial.line.startswith(line) for line in lines))


AS_PRINTED = {
    "online-hdp": lambda t: of(t, "online HDP"),
    "online-hdp-grid": lambda t: of(t, "HDP") + tilt(t) / 9,
    "hdp-lda-topics": lambda t: of(t, "HDP"),
    "kappa-hdp": tilt,
    "batch-hdp": tilt,
    "kappa-lda": tilt,
    "batch-lda": tilt,
    "sumo": lambda t: of(t, "SUMO", "Gibbs"),
    "sumo-order": lambda t: of(t, "SUMO"),
    "sumo-gamma": lambda t: of(t, "SUMO") + tilt(t) * of(t, "truncation-free"),
    "sumo-batch": lambda t: of(t, "SUMO") + tilt(t) * of(t, "truncation-free"),
    "catvi": lambda t: of(t, "CATVI") + of(t, "CATVI, gamma-DP"),
    "catvi-sensitivity": lambda t: (of(t, "140") - tilt(t)) / 20,
}


@pytest.mark.parametrize("name", list(AS_PRINTED))
def test_verdicts_follow_the_scores(name):
    """Scores as the paper prints them hold; ten times turned round they do not."""
    claim, score = CLAIMS[name], AS_PRINTED[name]
    planned = claim.trials(3)
    printed = claim.verdict({t: outcome(score(t) - 8.0) for t in planned})
    turned = claim.verdict({t: outcome(-10.0 * score(t) - 8.0) for t in planned})
    assert printed.outcome == "holds", printed.sentence
    assert turned.outcome == "does not hold", turned.sentence
    mixed = {t: outcome(score(t) * (1.0 - 2.0 * (t.seed == 0)) - 8.0) for t in planned}
    assert claim.verdict(mixed).outcome == "undecided"
    assert "nan" not in printed.sentence
    half = {t: outcome(score(t) - 8.0) for t in planned[: len(planned) // 2]}
    for findings in (half, {t: Outcome() for t in planned}):
        claim.verdict(findings)
        for picture in claim.pictures(findings):
            picture.figure(True, 19)


def test_restaurants_must_settle_down():
    claim = CLAIMS["sumo-growth"]

    def findings(*restaurants):
        series = tuple({"restaurants": float(n)} for n in restaurants)
        docs, nothing = (100, 200, 400), (0.0, 0.0, 0.0)
        found = Outcome(docs, (1.0, 2.0, 3.0), nothing, (1, 1, 1), scalars=series)
        return dict.fromkeys(claim.trials(3), found)

    assert claim.verdict(findings(4, 6, 7)).outcome == "holds"
    assert claim.verdict(findings(1, 2, 9)).outcome == "does not hold"
    assert claim.verdict({}).outcome == "undecided"


def test_memory_is_compared_as_the_table_does():
    claim = CLAIMS["sumo-memory"]

    def findings(**megabytes):
        taken = {t: megabytes[t.method.removeprefix("dpm-")] for t in claim.trials(3)}
        return {
            t: Outcome((1,), (1.0,), (0.0,), (1,), memory=(n * 2**20, 2**19))
            for t, n in taken.items()
        }

    as_printed = findings(gibbs=480, particle=450, tsvi=70, sumo=110)
    assert claim.verdict(as_printed).outcome == "holds"
    assert "110.0 MB at most, Gibbs sampling 480.0" in claim.verdict(as_printed).sentence
    greedy = findings(gibbs=480, particle=450, tsvi=70, sumo=300)
    assert claim.verdict(greedy).outcome == "does not hold"
    assert claim.verdict({}).outcome == "undecided"
    unknown = dict.fromkeys(claim.trials(3), Outcome((1,), (1.0,), (0.0,), (1,)))
    assert claim.verdict(unknown).outcome == "undecided", "findings of a version without memory"
    (picture,) = claim.pictures(as_printed)
    assert [line.y[0] for line in picture.figure(False, 14).data] == [110, 70, 480, 450]


def test_orders_hold_out_the_same_texts_and_read_the_others_otherwise(bars, tmp_path, quick):
    ordered = dataclasses.replace(SMALL, orders=True)
    study = Study(ordered, bars[0].take(np.arange(120)), 1.2, 1, tmp_path)
    first, second = (t for t in study.trials if t.line == "one" and t.x in (5, 10))
    runs = []
    for trial in (first, second):
        study._run = None
        run, heldout = study._begun(trial)
        runs.append((run, heldout))
    assert runs[0][1] is runs[1][1]
    assert not np.array_equal(runs[0][0]._permutation, runs[1][0]._permutation)


def test_online_hdp_is_scored_as_the_paper_did_and_judged_from_its_start():
    claim = CLAIMS["online-hdp"]
    assert claim.protocol == CLAIMS["online-hdp-grid"].protocol == "tokens-90-10"
    published = {t: outcome(-8.0 + of(t, "online LDA")) for t in claim.trials(2)}
    verdict = claim.verdict(published)
    assert verdict.outcome == "does not hold"
    assert "From our start it stands \u22121.000" in verdict.sentence
    better = {t: outcome(o.scores[-1] + 3 * of(t, "online HDP, our")) for t, o in published.items()}
    assert claim.verdict(better).outcome == "does not hold", "our start is not the paper's"
    assert "From our start it stands +2.000" in claim.verdict(better).sentence
    without = {t: o for t, o in published.items() if "our start" not in t.line}
    assert "our start" not in claim.verdict(without).sentence
    assert claim.verdict(without).outcome == "does not hold"


@pytest.mark.parametrize("missing", ["moments", "series", "trials"])
def test_too_few_moments_are_named_and_not_computed_with(missing):
    claim = CLAIMS["sumo-growth"]
    n = 2 if missing == "moments" else 4
    series = tuple({} if missing == "series" else {"restaurants": 1.0 + i} for i in range(n))
    docs, nothing = tuple(range(100, 100 * n + 100, 100)), (0.0,) * n
    found = Outcome(docs, nothing, nothing, (1,) * n, scalars=series)
    planned = [] if missing == "trials" else claim.trials(3)
    verdict = claim.verdict(dict.fromkeys(planned, found))
    assert verdict.outcome == "undecided"
    assert verdict.sentence.startswith("Too few mini-batches have been read: no seed has 3 moments")
    assert not re.search(r"\bnan\b", verdict.sentence)


def test_a_short_trial_has_too_few_moments(bars, tmp_path):
    """200 documents of 250 are two mini-batches of 100: the moments of figure 3 are missing."""
    claim = dataclasses.replace(CLAIMS["sumo-growth"], protocol="exact")
    study = Study(claim, bars[0].take(np.arange(250)), 3600.0, 2, tmp_path)
    while not study.done:
        study.step()
    assert all(len(outcome.docs_seen) == 2 for outcome in study.findings.values())
    assert claim.verdict(study.findings).sentence.startswith("Too few mini-batches have been read")


@pytest.mark.parametrize("name", ["sumo", "sumo-coherence", "sumo-gamma", "sumo-batch"])
def test_sumo_is_not_judged_by_fewer_texts_than_its_rival(name):
    claim = CLAIMS[name]
    read = {t: dataclasses.replace(outcome(-8.0 + of(t, "SUMO")), coherence=(0.1,))
            for t in claim.trials(2)}  # fmt: skip
    assert not claim.verdict(read).sentence.startswith("Too little time")
    last = [t for t in read if t.line == "SUMO"][-1]
    cut = {**read, last: dataclasses.replace(read[last], docs_seen=(5, 10))}
    assert claim.verdict(cut).outcome == "undecided"
    assert claim.verdict(cut).sentence.startswith("Too little time")


def test_no_sentence_has_a_number_that_is_none():
    assert judged(([0.5, 0.6],), "It leads by +0.550.").outcome == "holds"
    for sentence in ("nan% fewer", "It leads by +nan."):
        assert judged(([0.5, 0.6],), sentence) == Verdict("undecided", "Too few trials have ended.")
    assert judged(([0.5, 0.6],), "It is dominant.").outcome == "holds"


def test_mini_batches_of_as_many_tokens_as_the_paper(bars, tmp_path):
    corpus = bars[0]
    trial = Trial("one", 0, "lda-svi", 0, batch_tokens=1000)
    length = corpus.n_tokens / corpus.n_docs
    assert trial.docs_per_batch(corpus) == round(1000 / length)
    assert trial.batch == "1,000 tokens"
    assert dataclasses.replace(trial, batch_tokens=1).docs_per_batch(corpus) == 1
    assert Trial("one", 0, "lda-svi", 0, 7).docs_per_batch(corpus) == 7
    sizes = {t.batch_tokens for t in CLAIMS["sumo"].trials(1) if t.method != "dpm-gibbs"}
    assert sizes == {126_700, 0}, "100 NIPS papers; the particle filter has none"


def test_a_trial_of_one_pass_ends_with_it(bars, tmp_path):
    corpus = bars[0].take(np.arange(120))
    once = [Trial("one", 0, "lda-svi", s, 0, batch_tokens=200, passes=1) for s in range(2)]
    study = Study(dataclasses.replace(SMALL, trials=lambda n: once), corpus, 3600.0, 2, tmp_path)
    while not study.done:
        study.step()
    (train, _), size = next(iter(study._splits.values())), once[0].docs_per_batch(corpus)
    assert 1 < size < 60
    for outcome in study.findings.values():
        assert outcome.docs_seen[-1] == train.n_docs
        assert all(seen == train.n_docs or seen % size == 0 for seen in outcome.docs_seen)


def test_the_theorem_fails_where_its_condition_does(monkeypatch):
    assert CLAIMS["theorem-2"].verdict({}).outcome == "holds"
    monkeypatch.setattr("bnpexplorer.claims.sumo_theorem.MU", 0.1)
    assert CLAIMS["theorem-2"].verdict({}).outcome == "does not hold"


def test_texts_that_are_read_once_are_scored_on_the_way(bars, tmp_path):
    claim = dataclasses.replace(CLAIMS["sumo-growth"], protocol="exact")
    study = Study(claim, bars[0], 3600.0, 1, tmp_path)
    while not study.done:
        study.step()
    (found,) = study.findings.values()
    assert len(found.docs_seen) >= 2
    assert found.docs_seen[-1] == 225
    assert all(series["restaurants"] >= 1.0 for series in found.scalars)


def test_topics_take_shape_at_different_moments():
    claim = CLAIMS["online-hdp-stream"]
    end = "a b c d e f g h i j"
    almost, other = "a b c d e f g x y z", "a b c d e f u x y z"

    def findings(*late):
        words = tuple({"0": end, "1": text} for text in (*late, end))
        n = len(words)
        found = Outcome(tuple(range(1, n + 1)), (0.0,) * n, (0.0,) * n, (2,) * n, words)
        return dict.fromkeys(claim.trials(3), found)

    assert claim.verdict(findings(other, other, other, almost)).outcome == "holds"
    assert claim.verdict(findings(other, almost, almost, almost)).outcome == "does not hold"
    assert claim.verdict({}).outcome == "undecided"
    (late, early) = claim.pictures(findings(other, other, other, almost))
    assert "late" in late.title
    assert list(late.figure(True).data[0].cells.values[0]) == other.split()
    assert list(early.figure(False).data[0].cells.values[0]) == end.split()


def test_coherence_and_near_duplicates_decide():
    for name, better, worse in (
        ("sumo-coherence", {"coherence": (0.1,)}, {"coherence": (0.05,)}),
        (
            "catvi-words",
            {"words": ({"0": "a b c d e", "1": "f g h i j", "2": "a b c d k"},)},
            {"words": ({"0": "a b c d e f", "1": "a b c d e g"},)},
        ),
    ):
        claim = CLAIMS[name]
        first = claim.trials(1)[0].line

        def found(ours, theirs, claim=claim, first=first):
            return {
                t: Outcome((1,), (1.0,), (0.0,), (1,), **(ours if t.line == first else theirs))
                for t in claim.trials(2)
            }

        assert claim.verdict(found(better, worse)).outcome == "holds"
        assert claim.verdict(found(worse, better)).outcome == "does not hold"
        assert claim.verdict(found(better, better)).outcome == "undecided"
        for picture in claim.pictures(found(better, worse)):
            picture.figure(False, 14)


def test_studies_note_words_and_coherence(bars, tmp_path, quick):
    study = Study(SMALL, bars[0].take(np.arange(120)), 1.2, 2, tmp_path)
    while not study.findings:
        study.step()
    (found,) = study.findings.values()
    assert len(found.words) == len(found.coherence) == len(found.scores)
    assert all(len(text.split()) == 10 for text in found.words[-1].values())
    assert all(-1.0 <= value <= 1.0 for value in found.coherence)
