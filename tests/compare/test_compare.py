"""What may be compared, what tells runs apart, and what a row of the table says of a run."""

import dataclasses
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.compare import differing, ground_of, settings_of, told_apart, why_apart
from bnpexplorer.compare.rows import coherence_of, compared, in_words, sweepable
from bnpexplorer.core.knob import knobs_of, label_of
from bnpexplorer.evaluate import npmi, split_heldout, unigram_score
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.samples import load_sample


@pytest.fixture(scope="module")
def corpus():
    return load_sample("small-csv").corpus


def run_of(corpus, name="hdp-tsvi", seed=0, split=0, n=None, protocol="completion", **kind):
    train, heldout = split_heldout(corpus, split, n=n, protocol=protocol)
    return Run(make_method(name), train, seed, kind.pop("size", 50), 2, heldout=heldout, **kind)


# ---- what may be compared ------------------------------------------------------------------------


def test_runs_of_one_split_may_be_compared_whatever_the_method_and_its_seed(corpus):
    one, two = run_of(corpus), run_of(corpus, "lda-svi", seed=7, size=20)
    assert why_apart(ground_of(one), ground_of(two)) == ""


def test_why_runs_are_left_out(corpus):
    ground = ground_of(run_of(corpus))

    def why(other):
        return why_apart(ground, ground_of(other))

    assert "other documents are held out" in why(run_of(corpus, split=1))
    assert "5 documents held out, not 16" in why(run_of(corpus, n=5))
    assert "another protocol: 90/10 tokens" in why(run_of(corpus, protocol="tokens-90-10"))
    newer = run_of(corpus, protocol="completion-4-starts")  # the same words, by another version
    assert why(newer) == "scored by another protocol: Document completion, 4 starts"
    assert "another corpus: pictures" in why(
        run_of(dataclasses.replace(load_sample("bars").corpus, name="pictures"))
    )
    fewer = corpus.take(np.arange(corpus.n_docs - 1))
    assert "other texts or words" in why(run_of(fewer))
    train, _ = split_heldout(corpus, 0)
    assert "not scored" in why(Run(make_method("hdp-tsvi"), corpus))
    assert "other texts" in why(Run(make_method("hdp-tsvi"), train))


def test_equal_corpora_with_other_names_are_one_corpus(corpus):
    renamed = dataclasses.replace(corpus, name="the same")
    assert why_apart(ground_of(run_of(corpus)), ground_of(run_of(renamed))) == ""


def test_settings_that_differ(corpus):
    one = settings_of(run_of(corpus))
    two = settings_of(run_of(corpus, size=20))
    other = settings_of(run_of(corpus, "hdp-svi"))
    assert differing([one, two])[0] == ["batch_size"]
    assert differing([one])[0] == []
    apart, equal = differing([one, other])
    assert {"burn_in", "truncation", "kappa"} <= set(apart)
    assert {"gamma", "seed", "passes"} <= set(equal)
    assert differing([other, one])[0] != []
    assert set(differing([other, one])[0]) == set(apart)


def test_runs_are_told_apart_by_what_differs_knobs_first():
    def names(*settings):
        return told_apart(["hdp-svi"] * len(settings), settings)

    usual = {"seed": 0, "batch_size": 64, "passes": 2, "order": "shuffled", "gamma": 5.0}
    usual |= {"eta": 0.1, "learn_gamma": False, "n_topics": 50}
    assert names(usual) == ["hdp-svi"]
    assert names(usual, {**usual, "batch_size": 8}) == [
        "hdp-svi batch size 64",
        "hdp-svi batch size 8",
    ]
    assert names(usual, {**usual, "seed": 3, "gamma": 0.5}) == [
        "hdp-svi gamma 5 seed 0",
        "hdp-svi gamma 0.5 seed 3",
    ]
    assert names(usual, {**usual, "learn_gamma": True, "n_topics": 7, "seed": 1}) == [
        "hdp-svi learn gamma off topics 50",
        "hdp-svi learn gamma on topics 7",
    ]
    assert names(usual, {**usual, "order": "stream"})[1] == "hdp-svi order stream"
    assert names(usual, {**usual, "seed": 1, "passes": 3, "batch_size": 8})[1] == (
        "hdp-svi batch size 8 passes 3"
    ), "the seed last"
    seeds = names(*({**usual, "seed": seed} for seed in (20_260_101, 20_260_102)))
    assert seeds == ["hdp-svi seed 20260101", "hdp-svi seed 20260102"]


def test_runs_that_nothing_tells_apart_get_numbers_and_others_keep_their_names():
    one, two = {"seed": 0, "eta": 0.1}, {"seed": 1, "eta": 0.1}
    assert told_apart(["a", "b", "a", "a"], [one, one, one, two]) == [
        "a seed 0 #1",
        "b",
        "a seed 0 #2",
        "a seed 1",
    ]
    assert told_apart(["mine", "mine"], [one, {"kappa": 0.6}]) == [
        "mine eta 0.1 seed 0",
        "mine kappa 0.6",
    ]
    given = told_apart(["a", "a #1", "a"], [one] * 3)
    assert given == ["a #2", "a #1", "a #3"], "a person may call a run as it was called before"


def test_settings_with_a_number_can_be_swept_and_switches_and_words_cannot():
    names = sweepable(METHODS["hdp-svi"]())
    assert names[0] == "batch_size"
    assert {"kappa", "truncation", "gamma"} <= set(names)
    for method in METHODS.values():
        made = method()
        for name in sweepable(made)[1:]:
            value = getattr(made, name, getattr(made.model, name, None))
            assert type(value) in (int, float), name


def test_a_setting_has_the_same_words_in_every_method():
    words = {}
    for method in METHODS.values():
        for owner in (method(), method().model):
            for name, _, about in knobs_of(owner):
                words.setdefault(name, set()).add(label_of(name, about))
    assert {name: found for name, found in words.items() if len(found) > 1} == {}


# ---- a row of the table --------------------------------------------------------------------------


def test_a_row_says_what_the_run_says(corpus):
    run = run_of(corpus, "hdp-svi", size=50)
    for _ in range(4):
        run.step()
    snapshot = replace(run.snapshot(), seconds=8.0, memory=3 * 2**19)
    row = compared(run, run.moment(snapshot, run_id="a"), "first", "paused", 0.25)
    sizes = snapshot.topics.size / snapshot.topics.size.sum()
    assert row.facts() == {
        "run": "first",
        "method": "hdp-svi",
        "held-out": run.history[-1].heldout,
        "documents": 194,
        "passes": pytest.approx(194 / 144),
        "seconds": 8.0,
        "documents/s": 194 / 8,
        "topics in use": run.history[-1].n_topics,
        "effective topics": pytest.approx(np.exp(-(sizes * np.log(sizes)).sum())),
        "coherence": 0.25,
        "memory, MB": 1.5,
        "status": "paused",
    }
    assert (row.run_id, row.ground, row.settings) == ("a", ground_of(run), settings_of(run))
    begun = run_of(corpus)
    early = compared(begun, begun.moment(), "early", "ready")
    assert np.isnan([early.heldout, early.pace, early.coherence]).all()


def test_the_ground_of_a_run_is_its_whole_corpus_and_what_is_held_out(corpus):
    ground = ground_of(run_of(corpus, n=9))
    train, heldout = split_heldout(corpus, 0, n=9, protocol="completion")
    assert (ground.corpus, ground.n_docs, ground.n_heldout) == (corpus.name, 160, 9)
    assert ground.protocol == "completion"
    assert ground.unigram == unigram_score(train, heldout)
    everything = ground_of(Run(make_method("hdp-tsvi"), corpus))
    assert (everything.n_docs, everything.n_heldout, everything.protocol) == (160, 0, "")
    assert everything.texts == ground.texts
    assert np.isnan(everything.unigram)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (12345.6, "12,346"),
        (1000.0, "1,000"),
        (-1000.4, "-1,000"),
        (999.96, "1000"),
        (0.123456, "0.1235"),
        (12345, "12,345"),
        (True, "True"),
        ("many", "many"),
    ],
)
def test_a_value_of_the_table_is_as_long_as_it_is_worth(value, words):
    assert in_words(value) == words


def test_coherence_is_that_of_the_twenty_largest_topics_in_the_texts_learned(bars):
    train, heldout = split_heldout(bars[0], 0, 100)
    run = Run(make_method("hdp-svi", "default", {"truncation": 30}), train, heldout=heldout)
    run.step()
    topics = run.method.topics(run.state)
    n_topics, rng = len(topics), np.random.default_rng(0)
    probs = rng.dirichlet(np.full(train.n_words, 0.1), n_topics).astype(np.float32)
    topics = replace(topics, topic_word=probs, size=rng.permutation(n_topics) + 1.0)
    snapshot = replace(run.snapshot(), topics=topics)
    moment = replace(run.moment(), snapshot=snapshot, corpus=bars[0])  # as pages have it
    each = npmi(probs, train)
    largest = [k for k in range(n_topics) if topics.size[k] > n_topics - 20]
    assert len(largest) == 20 < n_topics
    assert coherence_of(run, moment) == pytest.approx(each[largest].mean())
    assert coherence_of(run, moment) != pytest.approx(each[:20].mean())
    assert coherence_of(run, moment) != pytest.approx(npmi(probs, bars[0])[largest].mean())
