"""Studies: budgets, resumption, what a trial reads and notes."""

import dataclasses
import json
import threading
import time

import numpy as np
import pytest

from bnpexplorer.claims import CLAIMS, Claim, ClaimVerdict, Judged, Study, Trial, TrialOutcome
from bnpexplorer.claims.attempt import MOMENTS, Attempt, StudyTerms, begin
from bnpexplorer.claims.learned import is_short
from bnpexplorer.claims.reading import by_seed, common_places
from bnpexplorer.claims.study import fit_to_budget
from bnpexplorer.evaluate import npmi, score, topics_in_use
from bnpexplorer.inference.cores import Cores
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from tests.tools.waiting import NEVER


def trials(n_seeds):
    return [
        Trial(line, x, "lda-svi", seed, batch_size=x, values=(("n_topics", 4),))
        for seed in range(n_seeds)
        for x in (5, 10, 20)
        for line in ("one", "two")
    ]


SMALL = Claim(
    "small",
    "A small claim",
    "Nobody 2020",
    "One is one.",
    "By counting.",
    trials,
    lambda findings: ClaimVerdict("holds", f"{len(findings)}"),
    lambda findings: [],
    Judged("Nobody judged it."),
)


@pytest.fixture
def quick(monkeypatch):
    """Trials that may learn for a twentieth of a second."""
    monkeypatch.setattr("bnpexplorer.claims.study.SHORTEST", 0.05)
    monkeypatch.setattr("bnpexplorer.claims.study.OVERHEAD", 0.0)


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


@pytest.mark.second
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


@pytest.mark.second
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


@pytest.mark.second
def test_two_studies_of_the_same_lose_nothing(bars, tmp_path, quick):
    corpus = bars[0].take(np.arange(60))
    one, two = (Study(SMALL, corpus, 1.2, 2, tmp_path) for _ in range(2))
    while len(one.findings) < 3:
        one.step()
    while not two.findings:
        two.step()
    found = Study(SMALL, corpus, 1.2, 2, tmp_path).findings
    assert len(found) >= 3
    assert set(found) == {*one.findings, *two.findings}
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


def test_findings_by_seed_and_place():
    found = {
        t: TrialOutcome((20,), (2.0,), (-5.0 + t.x,), (5,))
        for t in trials(2)
        if t.x < 20 or t.line == "one"
    }
    seeds = by_seed(found, "one")
    assert sorted(seeds) == [0, 1]
    assert seeds[1][10].scores[-1] == 5.0
    assert common_places(seeds[0], by_seed(found, "two")[0]) == [5, 10]


def test_orders_hold_out_the_same_texts_and_read_the_others_otherwise(bars, tmp_path, quick):
    ordered = dataclasses.replace(SMALL, orders=True)
    study = Study(ordered, bars[0].take(np.arange(120)), 1.2, 1, tmp_path)
    first, second = (t for t in study.trials if t.line == "one" and t.x in (5, 10))
    runs = []
    for trial in (first, second):
        attempt = begin(trial, study.terms, study.corpus, study.splits)
        runs.append((attempt.run, attempt.heldout))
    assert runs[0][1] is runs[1][1]
    assert not np.array_equal(runs[0][0]._permutation, runs[1][0]._permutation)


def test_a_short_trial_has_too_few_moments(bars, tmp_path):
    """200 documents of 250 are two mini-batches of 100: the moments of figure 3 are missing."""
    claim = dataclasses.replace(CLAIMS["sumo-growth"], protocol="exact")
    study = Study(claim, bars[0].take(np.arange(250)), 3600.0, 2, tmp_path)
    while not study.done:
        study.step()
    assert all(len(outcome.docs_seen) == 2 for outcome in study.findings.values())
    assert claim.verdict(study.findings).sentence.startswith("Too few mini-batches have been read")


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
    (train, _), size = next(iter(study.splits.values())), once[0].docs_per_batch(corpus)
    assert 1 < size < 60
    for outcome in study.findings.values():
        assert outcome.docs_seen[-1] == train.n_docs
        assert all(seen == train.n_docs or seen % size == 0 for seen in outcome.docs_seen)


def test_texts_that_are_read_once_are_scored_on_the_way(bars, tmp_path):
    claim = dataclasses.replace(CLAIMS["sumo-growth"], protocol="exact")
    study = Study(claim, bars[0], 3600.0, 1, tmp_path)
    while not study.done:
        study.step()
    (found,) = study.findings.values()
    assert len(found.docs_seen) >= 2
    assert found.docs_seen[-1] == 225
    assert all(series["restaurants"] >= 1.0 for series in found.scalars)


@pytest.mark.second
def test_studies_note_words_and_coherence(bars, tmp_path, quick):
    study = Study(SMALL, bars[0].take(np.arange(120)), 1.2, 2, tmp_path)
    while not study.findings:
        study.step()
    found, *_ = study.findings.values()
    assert len(found.words) == len(found.coherence) == len(found.scores)
    assert all(len(text.split()) == 10 for text in found.words[-1].values())
    assert [list(one) for one in found.sizes] == [list(one) for one in found.words]
    sizes = list(found.sizes[-1].values())
    assert sizes == sorted(sizes, reverse=True)
    assert all(-1.0 <= value <= 1.0 for value in found.coherence)


def test_a_moment_is_scored_by_all_kept_states_and_words_of_the_texts_learned(bars, tmp_path):
    """Beside averages over states: coherence and word frequencies come from the training texts."""
    corpus = bars[0].take(np.arange(120))
    study = Study(SMALL, corpus, 1200.0, 1, tmp_path)
    attempt = begin(study.trials[0], study.terms, corpus, {})
    run, heldout = attempt.run, attempt.heldout
    run.step()
    one = run.method.topics(run.state)
    flat = dataclasses.replace(one, topic_word=np.full_like(one.topic_word, 1 / corpus.n_words))
    run.method = make_method("lda-svi", "default", {"n_topics": 4})
    object.__setattr__(run.method, "kept", lambda state: ((0.5, one), (0.5, flat)))
    attempt._note()
    found = attempt.outcome
    model = run.method.model
    averaged = score(model, one, heldout, kept=((0.5, one), (0.5, flat)))
    assert abs(averaged - score(model, one, heldout)) > 0.01
    assert found.scores[-1] == pytest.approx(averaged, abs=1e-9)
    totals = run.corpus.to_csr().toarray().sum(axis=0) + 1.0
    hidden = heldout.hidden.to_csr().toarray().sum(axis=0)
    assert found.unigram[-1] == pytest.approx(hidden @ np.log(totals / totals.sum()) / hidden.sum())
    coherence = npmi(one.topic_word, run.corpus).mean()
    assert abs(coherence - npmi(one.topic_word, corpus).mean()) > 1e-4
    assert found.coherence[-1] == pytest.approx(coherence, abs=1e-6)
    assert found.sizes[-1] == dict(zip(map(str, one.topic_ids), one.size, strict=True))
    assert (found.docs_seen[-1], found.seconds[-1]) == (run.docs_seen, run.seconds)
    assert found.passes[-1] == run.docs_seen / run.corpus.n_docs < 1.0
    assert (found.memory[-1], found.scalars[-1]) == (run.memory, run.latest_info.scalars)
    assert found.topics[-1] == topics_in_use(one)
    heaviest = np.argsort(-one.topic_word, axis=1, kind="stable")[:, :10]
    assert found.words[-1] == {
        str(topic): " ".join(corpus.vocab[w] for w in words)
        for topic, words in zip(one.topic_ids, heaviest, strict=True)
    }


def test_what_is_left_to_try_takes_as_long_as_what_ended_on_average(bars, tmp_path, monkeypatch):
    """Of 12 trials two have ended, and three are tried at once: the others take four rounds."""
    monkeypatch.setattr(Study, "n_at_once", 3)
    study = Study(BY_PASSES, bars[0].take(np.arange(120)), 600.0, 2, tmp_path)
    assert len(study.trials) == 12
    assert study.seconds_left == 600.0, "the longest, as long as nothing has ended"
    for trial, seconds in zip(study.trials, (10.0, 150.0), strict=False):
        study.findings[trial] = TrialOutcome((1, 2), (1.0, seconds))
    assert study.seconds_left == 4 * (80.0 + 1.5)
    study.seconds = 599.9
    assert (study.over, study.why_over, study.done) == (False, "", False)
    study.seconds = 600.0
    assert study.done
    assert study.why_over == (
        "It ended after its longest duration, 10.0 minutes: 10 of 12 trials had not ended. Those "
        "that had are kept; begin it again, and it goes on with the others, which need about 5 "
        "minutes."
    )
    for trial in study.trials:
        study.findings[trial] = TrialOutcome((1,), (1.0,))
    assert (study.seconds_left, study.over) == (0.0, False)


def test_trials_of_equal_seconds_take_their_share_each_and_what_a_start_takes(
    bars, tmp_path, monkeypatch
):
    monkeypatch.setattr(Study, "n_at_once", 3)
    study = Study(SMALL, bars[0].take(np.arange(120)), 80.0, 2, tmp_path)
    assert study.share == pytest.approx(80.0 / 12 - 1.5)
    assert study.seconds_left == pytest.approx(4 * 80.0 / 12)
    assert study.longest == 1.5 * 80.0 + 60.0


class Stepping:
    """A run of 64 documents, one a step, each of which takes so many seconds."""

    def __init__(self, seconds):
        self.docs_seen, self.planned_docs, self.took, self.ends = 0, 64, seconds, 64

    @property
    def seconds(self):
        return self.took * self.docs_seen

    @property
    def done(self):
        return self.docs_seen == self.ends

    def step(self):
        self.docs_seen += 1


@pytest.mark.parametrize(
    ("seconds", "ends", "scored"),
    [
        (0.0, 64, [1, 4, 8, 16, 32, 48, 64]),  # by the texts alone
        (2.0, 64, [1, 2, 4, 8, 16, 24, 32]),  # its 64 seconds are over after half of them
        (0.0, 10, [1, 4, 8, 10]),  # it converges
        (48.0, 64, [1, 2]),  # each step is three quarters of its time
    ],
)
def test_a_trial_is_scored_at_its_first_step_and_at_shares_of_its_time_or_texts(
    monkeypatch, seconds, ends, scored
):
    run, found = Stepping(seconds), []
    run.ends = ends
    attempt = Attempt(run, None, 64.0)

    def note(attempt):
        attempt.scored_at = attempt.progress
        found.append(run.docs_seen)

    monkeypatch.setattr(Attempt, "_note", note)
    asked = []
    attempt.learn(lambda: asked.append(run.docs_seen) or len(asked) == 3)
    assert asked[-1] == min(3, scored[-1]), "it ends when that is over"
    assert attempt.ended == (scored[-1] <= 3)
    while not attempt.ended:
        attempt.learn(lambda: False)
    assert found == scored
    attempt.learn(lambda: pytest.fail("it has ended"))


@pytest.mark.second
def test_a_trial_whose_steps_pass_several_moments_is_scored_once_for_them(bars):
    """A tenth of the texts a step, scored at the first and at 1/16, 1/8, 1/4, 1/2, 3/4 and 1."""
    trial = Trial("a", 0, "lda-svi", 0, batch_size=10, passes=1)
    attempt = begin(trial, StudyTerms(1e9, "", False, False), bars[0].take(np.arange(133)), {})
    attempt.learn(lambda: False)
    assert attempt.outcome.docs_seen == (10, 20, 30, 50, 80, 100)
    assert attempt.outcome.passes == pytest.approx((0.1, 0.2, 0.3, 0.5, 0.8, 1.0))


@pytest.mark.second
def test_every_order_of_every_seed_is_another_and_learns_the_same_texts(bars):
    corpus, splits, terms = bars[0].take(np.arange(40)), {}, StudyTerms(1e9, "", True, False)
    seeds, learned = set(), {}
    for seed in range(2):
        for order in range(5):
            trial = Trial("a", order, "lda-svi", seed, batch_size=10, passes=1)
            run = begin(trial, terms, corpus, splits).run
            seeds.add(run.seed)
            learned.setdefault(seed, set()).add(run.corpus.fingerprint)
    assert len(seeds) == 10
    assert [len(found) for found in learned.values()] == [1, 1]
    assert learned[0] != learned[1]


@pytest.mark.parametrize("one_split", [False, True])
def test_every_seed_has_a_split_of_its_own_unless_said_otherwise(bars, tmp_path, one_split):
    claim = dataclasses.replace(SMALL, one_split=one_split)
    study = Study(claim, bars[0].take(np.arange(120)), 1200.0, 2, tmp_path)
    held = []
    for seed in (0, 1):
        trial = next(t for t in study.trials if t.seed == seed)
        attempt = begin(trial, study.terms, study.corpus, study.splits)
        held.append(attempt.heldout.whole.fingerprint)
    assert (held[0] == held[1]) == one_split


# ---- equal passes --------------------------------------------------------------------------------

BY_PASSES = dataclasses.replace(SMALL, name="by-passes", judged=Judged("Nobody.", 2))


def finished(study):
    while not study.done:
        study.step()
    return study


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr("bnpexplorer.claims.study.usual_pool", lambda: made)
    made = Cores(2)
    return made


@pytest.mark.second
def test_trials_of_equal_passes_are_tried_at_once_and_find_the_same(
    bars, tmp_path, two_cores, monkeypatch
):
    corpus = bars[0].take(np.arange(120))
    together = Study(BY_PASSES, corpus, 600.0, 2, tmp_path / "two")
    assert together.n_at_once == 2
    begun = []
    with monkeypatch.context() as patched:
        patched.setattr("bnpexplorer.claims.study._learn", begun.append)
        together.step()  # in which nothing is learned
    assert [len(attempts) for attempts in begun] == [2]
    finished(together)
    two_cores.use(1)
    alone = Study(BY_PASSES, corpus, 600.0, 2, tmp_path / "one")
    assert alone.n_at_once == 1
    with monkeypatch.context() as patched:
        patched.setattr("bnpexplorer.claims.study._learn", begun.append)
        alone.step()
    assert [len(attempts) for attempts in begun] == [2, 1]
    finished(alone)
    assert list(together.findings) == list(alone.findings) == together.trials
    for trial, outcome in together.findings.items():
        other = alone.findings[trial]
        assert outcome.passes[-1] == trial.passes == 2
        assert outcome.scores[-1] == other.scores[-1]
        assert outcome.docs_seen[-1] == other.docs_seen[-1]
        assert outcome.unigram == (other.unigram[-1],) * len(outcome.unigram)


def test_trials_at_once_compute_at_the_same_time(bars, tmp_path, two_cores, monkeypatch):
    """Both are inside a step at one moment: each waits there for the other."""
    there = threading.Barrier(2, timeout=NEVER)
    learn = Attempt.learn

    def met(attempt, over):
        there.wait()
        learn(attempt, over)

    study = Study(BY_PASSES, bars[0].take(np.arange(120)), 600.0, 1, tmp_path)
    monkeypatch.setattr(Attempt, "learn", met)
    study.step()
    assert not there.broken


def test_trials_of_equal_seconds_are_tried_at_once_too(bars, tmp_path, two_cores, monkeypatch):
    study = Study(SMALL, bars[0].take(np.arange(120)), 120.0, 2, tmp_path)
    begun = []
    monkeypatch.setattr("bnpexplorer.claims.study._learn", begun.append)
    study.step()
    assert [len(attempts) for attempts in begun] == [study.n_at_once] == [2]
    assert all(attempt.run.pool is None for attempt in begun[0]), "each has one core"


def test_seconds_of_a_trial_are_those_that_a_processor_spent_on_it(bars, tmp_path, monkeypatch):
    """A step that waits, as where others have the processor, takes none of a trial's time."""
    corpus = bars[0].take(np.arange(120))
    study = Study(SMALL, corpus, 1200.0, 1, tmp_path)
    attempt = begin(study.trials[0], study.terms, corpus, {})
    usual = Run(make_method("lda-svi", "default", {"n_topics": 4}), corpus, 0, batch_size=5)
    for run in (attempt.run, usual):
        run.step()  # which compiles
        step = type(run.method).step

        def slow(self, *given, step=step):
            time.sleep(0.5)
            return step(self, *given)

        before = run.seconds
        with monkeypatch.context() as patched:
            patched.setattr(type(run.method), "step", slow)
            run.step()
        spent = run.seconds - before
        assert spent < 0.4 if run is attempt.run else spent >= 0.5


@pytest.mark.second
def test_a_study_ends_after_its_longest_and_goes_on_when_begun_again(bars, tmp_path, two_cores):
    corpus = bars[0].take(np.arange(120))
    study = Study(BY_PASSES, corpus, 600.0, 2, tmp_path)
    while len(study.findings) < 3:
        study.step()
    assert not study.why_over
    study.seconds = 600.0
    assert study.done
    assert study.over
    n = len(study.waiting)
    assert f"after its longest duration, 10.0 minutes: {n} of 12 trials had not" in study.why_over
    again = Study(BY_PASSES, corpus, 60.0, 2, tmp_path)
    assert again.findings == study.findings, "more or fewer minutes are the same study"
    assert not again.over
    finished(again)
    assert not again.waiting
    assert not again.why_over
    more = Study(BY_PASSES, corpus, 60.0, 2, tmp_path, passes=3)
    assert not more.findings, "other passes are another study"
    assert {trial.passes for trial in more.trials} == {3}


def test_the_time_that_is_over_is_that_of_its_steps(bars, tmp_path, two_cores):
    study = Study(BY_PASSES, bars[0].take(np.arange(120)), 0.001, 2, tmp_path)
    study.step()
    assert study.seconds > 0.001
    assert study.over


def test_trials_of_equal_seconds_have_a_longest_duration_too(bars, tmp_path):
    study = Study(SMALL, bars[0].take(np.arange(120)), 600.0, 2, tmp_path)
    assert study.longest == 960.0
    assert not study.over
    study.seconds = 960.0
    assert study.done


@pytest.mark.parametrize("passes", [-1, 10_000])
def test_impossible_passes_are_refused(bars, tmp_path, passes):
    with pytest.raises(ValueError, match=f"Passes must be 1 to 9,999; got {passes}"):
        Study(BY_PASSES, bars[0].take(np.arange(60)), 600.0, 2, tmp_path, passes=passes)


@pytest.mark.second
def test_findings_of_old_without_word_frequencies_are_tried_again(bars, tmp_path):
    corpus = bars[0].take(np.arange(120))
    study = finished(Study(BY_PASSES, corpus, 600.0, 2, tmp_path))
    kept = json.loads(study.path.read_text())
    first = study.trials[0]
    kept[first.key]["unigram"] = []
    study.path.write_text(json.dumps(kept))
    assert Study(BY_PASSES, corpus, 600.0, 2, tmp_path).waiting == [first]


def test_a_run_that_has_converged_has_read_all_it_was_to(bars, tmp_path):
    """Batch LDA of a few texts ends before its 5,000 passes, and is not cut short."""
    trial = Trial("one", 0, "lda-batch", 0, values=(("n_topics", 2),), passes=5000)
    claim = dataclasses.replace(BY_PASSES, trials=lambda n: [trial])
    study = finished(Study(claim, bars[0].take(np.arange(30)), 600.0, 1, tmp_path))
    (found,) = study.findings.values()
    assert found.docs_seen[-1] < 5000 * 20
    assert not is_short(trial, found)
