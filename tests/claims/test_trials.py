"""Test what a trial reads, when it is scored, and which values it notes."""

import dataclasses

import numpy as np
import pytest

from bnpexplorer.claims import CLAIMS, Study, Trial
from bnpexplorer.claims.attempt import Attempt, StudyTerms, begin
from bnpexplorer.claims.learned import is_short
from bnpexplorer.evaluate import npmi, score, topics_in_use
from bnpexplorer.methods import make_method
from tests.claims.small import BY_PASSES, SMALL, finished


@pytest.fixture
def quick(monkeypatch):
    """Trials that may learn for a twentieth of a second."""
    monkeypatch.setattr("bnpexplorer.claims.study.SHORTEST", 0.05)
    monkeypatch.setattr("bnpexplorer.claims.study.OVERHEAD", 0.0)


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


def test_a_short_trial_has_too_few_moments(bars, tmp_path):
    """200 documents of 250 are two mini-batches of 100: the moments of figure 3 are missing."""
    claim = dataclasses.replace(CLAIMS["sumo-growth"], protocol="exact")
    study = Study(claim, bars[0].take(np.arange(250)), 3600.0, 2, tmp_path)
    while not study.done:
        study.step()
    assert all(len(outcome.docs_seen) == 2 for outcome in study.findings.values())
    assert claim.verdict(study.findings).sentence.startswith("Too few mini-batches have been read")


def test_a_run_that_has_converged_has_read_all_it_was_to(bars, tmp_path):
    """Batch LDA of a few texts ends before its 5,000 passes, and is not cut short."""
    trial = Trial("one", 0, "lda-batch", 0, values=(("n_topics", 2),), passes=5000)
    claim = dataclasses.replace(BY_PASSES, trials=lambda n: [trial])
    study = finished(Study(claim, bars[0].take(np.arange(30)), 600.0, 1, tmp_path))
    (found,) = study.findings.values()
    assert found.docs_seen[-1] < 5000 * 20
    assert not is_short(trial, found)


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
