"""Comparing runs: what may be compared, aligned topics against planted truth, races, sweeps."""

import dataclasses
import itertools
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.checks.expecting import finish
from bnpexplorer.claims import Study
from bnpexplorer.claims.attempt import begin
from bnpexplorer.compare import (
    FAILURES,
    Axis,
    Race,
    Sweep,
    differing,
    ground_of,
    settings_of,
    told_apart,
    why_apart,
)
from bnpexplorer.compare.rows import coherence_of, compared, in_words, sweepable
from bnpexplorer.compare.sequential import race_of
from bnpexplorer.compare.sweep import values_of
from bnpexplorer.core.knob import knobs_of, label_of
from bnpexplorer.evaluate import default_protocol, npmi, split_heldout, unigram_score
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.runs.plan import Plan
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


# ---- races ---------------------------------------------------------------------------------------


def racing(corpus, sizes=(50, 50), names=("hdp-tsvi", "hdp-svi")):
    train, heldout = split_heldout(corpus, 0)
    return [
        Run(make_method(name), train, 3, size, 2, heldout=heldout)
        for name, size in zip(names, sizes, strict=True)
    ]


def batches_read(monkeypatch):
    """From now on: run's name -> its mini-batches, as rows; preparing reads texts of its own."""
    seen = {}
    next_batch = Run._next_batch

    def watched(run):
        batch = next_batch(run)
        seen.setdefault(run.name, []).append(tuple(batch.rows))
        return batch

    monkeypatch.setattr(Run, "_next_batch", watched)
    return seen


def test_a_race_reads_the_same_mini_batches_and_changes_no_run(corpus, monkeypatch):
    race = Race(racing(corpus))
    race.prepare()
    seen = batches_read(monkeypatch)
    while not race.done:
        race.step()
        assert len({run.docs_seen for run in race.runs}) == 1
    assert seen["hdp-tsvi"] == seen["hdp-svi"]
    assert len(seen["hdp-svi"]) > 4
    alone = [finish(run) for run in racing(corpus)]
    for raced, single in zip(race.runs, alone, strict=True):
        assert [p.heldout for p in raced.history] == [p.heldout for p in single.history]


def test_different_batch_sizes_read_the_same_documents_in_the_same_order(corpus, monkeypatch):
    race = Race(racing(corpus, (10, 35)))
    race.prepare()
    seen = batches_read(monkeypatch)
    while not race.done:
        race.step()
        gap = abs(race.runs[0].docs_seen - race.runs[1].docs_seen)
        assert gap <= 35
    rows = {name: list(itertools.chain(*batches)) for name, batches in seen.items()}
    assert rows["hdp-tsvi"] == rows["hdp-svi"]
    assert race.docs_seen == race.planned_docs


def test_who_fails_leaves_the_race_and_the_others_go_on(corpus, monkeypatch):
    race = Race(racing(corpus))
    race.prepare()
    race.step()
    before = race.snapshot()

    def fails(*_):
        raise FloatingPointError("no more numbers")

    monkeypatch.setattr(type(race.runs[0].method), "step", fails)
    race.step()
    assert race.failed == {0: "FloatingPointError: no more numbers"}
    while not race.done:
        race.step()
    assert race.runs[1].done
    assert race.docs_seen == race.planned_docs
    first, second = race.snapshot()
    assert first is before[0]
    assert second.docs_seen == race.planned_docs
    alone = Race(racing(corpus, names=("hdp-tsvi", "hdp-tsvi")))
    alone.prepare()
    with pytest.raises(FloatingPointError):
        alone.step()


def test_what_cannot_race_is_refused(corpus):
    runs = racing(corpus)
    train, heldout = runs[0].corpus, runs[0].heldout
    for name in ("hdp-batch", "dpm-sumo"):
        with pytest.raises(ValueError, match=f"{name} cannot race"):
            Race([runs[0], Run(make_method(name), train, 3, 50, 2, heldout=heldout)])
    with pytest.raises(ValueError, match="same seed"):
        Race([runs[0], Run(make_method("hdp-svi"), train, 4, 50, 2, heldout=heldout)])
    with pytest.raises(ValueError, match="same corpus"):
        Race([runs[0], run_of(corpus, split=1)])
    with pytest.raises(ValueError, match="2 to 4"):
        Race(runs[:1])


def test_a_race_of_plans_shares_one_split_and_a_score_that_all_have(corpus):
    plans = [Plan.of(name, seed=3, passes=2) for name in ("dpm-tsvi", "hdp-tsvi", "dpm-svi")]
    race = race_of(plans, corpus)
    assert len({id(run.heldout) for run in race.runs}) == 1
    assert {run.protocol for run in race.runs} == {default_protocol("hdp", corpus)}
    assert race.runs[1].heldout.whole.fingerprint == plans[1].split(corpus)[1].whole.fingerprint
    assert race_of([plans[0], plans[2]], corpus).runs[0].protocol == "exact"
    apart = [replace(plans[0], protocol="exact"), replace(plans[1], protocol="importance")]
    with pytest.raises(ValueError, match="no held-out score in common"):
        race_of(apart, corpus)


# ---- sweeps --------------------------------------------------------------------------------------


def test_a_sweep_is_the_whole_grid():
    sweep = Sweep("hdp-svi", Axis("batch_size", (8, 64)), Axis("kappa", (0.6, 0.9)))
    trials = sweep.trials(3)
    assert len(trials) == len({t.key for t in trials}) == 12
    assert {(t.batch_size, dict(t.values)["kappa"], t.seed) for t in trials} == {
        (size, kappa, seed) for size in (8, 64) for kappa in (0.6, 0.9) for seed in range(3)
    }
    assert {t.line for t in trials} == set(sweep.line_names())
    single = Sweep("hdp-svi", Axis("gamma", (1.0, 5.0)), batch_size=100)
    assert {(t.x, t.batch_size, dict(t.values)["gamma"]) for t in single.trials(1)} == {
        (1.0, 100, 1.0),
        (5.0, 100, 5.0),
    }


def test_bad_sweeps_are_refused():
    with pytest.raises(ValueError, match="kappa must lie"):
        Sweep("hdp-svi", Axis("kappa", (0.6, 3.0)))
    with pytest.raises(ValueError, match="truncation must be a whole number"):
        Sweep("hdp-svi", Axis("truncation", (2.5,)))
    for size in (0.5, 0, 1e20):
        with pytest.raises(ValueError, match="batch size must be a whole number from 1 to 10,000"):
            Sweep("hdp-svi", Axis("batch_size", (size,)))
    with pytest.raises(ValueError, match="two different"):
        Sweep("hdp-svi", Axis("kappa", (0.6,)), Axis("kappa", (0.7,)))
    with pytest.raises(ValueError, match="'x' is not a number"):
        values_of("8, x", "batch size")
    with pytest.raises(ValueError, match="got 0"):
        values_of(" ,", "batch size")
    with pytest.raises(ValueError, match="not a number that can"):
        values_of("nan", "eta")
    assert values_of("64; 8,8.0, 512", "batch size") == (8.0, 64.0, 512.0)
    ten = ", ".join(map(str, range(1, 11)))
    assert values_of(f"{ten}, 10, 9", "eta") == tuple(map(float, range(1, 11)))
    with pytest.raises(ValueError, match="eta: give 1 to 10 values; got 11"):
        values_of(f"{ten}, 11", "eta")


def test_all_that_is_chosen_for_a_sweep_reaches_its_trials_its_name_and_its_file(monkeypatch):
    kappa, size = Axis("kappa", (0.6, 0.9)), Axis("batch_size", (20.0,))
    sweep = Sweep("lda-svi", kappa, Axis("n_topics", (3.0, 7.0)), "default", 100)
    assert Sweep.from_json(json.loads(json.dumps(sweep.to_json()))) == sweep
    others = [
        replace(sweep, method="hdp-svi", lines=None),
        replace(sweep, across=Axis("kappa", (0.6, 0.8))),
        replace(sweep, lines=None),
        replace(sweep, lines=size),
        replace(sweep, batch_size=101),
    ]
    other_preset = next(p for p in METHODS["lda-svi"].presets if p != "default")
    others.append(replace(sweep, preset=other_preset))
    assert len({one.name for one in (sweep, *others)}) == 7
    assert {trial.preset for trial in others[-1].trials(2)} == {other_preset}
    asked = []
    monkeypatch.setattr(
        "bnpexplorer.compare.sweep.check_memory",
        lambda method, texts: asked.append((method, texts)),
    )
    sweep.check_memory("the texts")
    assert {texts for _, texts in asked} == {"the texts"}
    tried = [(method.kappa, method.model.n_topics) for method, _ in asked]
    assert sorted(tried) == [(0.6, 3), (0.6, 7), (0.9, 3), (0.9, 7)]


@pytest.mark.second
def test_a_sweep_goes_on_where_it_stopped(corpus, monkeypatch, tmp_path):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    monkeypatch.setattr("bnpexplorer.claims.study.SHORTEST", 0.0)
    monkeypatch.setattr("bnpexplorer.claims.study.OVERHEAD", 0.0)
    sweep = Sweep("hdp-svi", Axis("batch_size", (20, 60)), Axis("truncation", (5, 20)))
    study = Study(sweep, corpus, 0.08, 2, tmp_path)
    while len(study.findings) < 3:
        study.step()
    again = Study(Sweep.from_json(sweep.to_json()), corpus, 0.08, 2, tmp_path)
    assert set(again.findings) == set(study.findings)
    assert 3 <= len(again.findings) < len(again.trials) == 8
    assert again.waiting == [trial for trial in again.trials if trial not in study.findings]
    while not again.done:
        again.step()
    pictures = sweep.pictures(again.findings)
    score = pictures[0].figure(False, 14)
    lines = [trace for trace in score.data if trace.mode == "lines+markers"]
    assert [line.name for line in lines] == sweep.line_names()
    for line in lines:
        found = {t: o for t, o in again.findings.items() if t.line == line.name}
        for x, y in zip(line.x, line.y, strict=True):
            scores = [o.scores[-1] for t, o in found.items() if t.x == x]
            assert y == pytest.approx(np.median(scores))


def test_all_seeds_of_a_sweep_are_tested_on_the_same_documents(corpus, tmp_path):
    sweep = Sweep("hdp-svi", Axis("batch_size", (20, 60)))
    study = Study(sweep, corpus, 60.0, 2, tmp_path)
    first, second = (t for t in study.trials if t.x == 20)
    splits = []
    for trial in (first, second):
        attempt = begin(trial, study.terms, corpus, study.splits)
        splits.append((attempt.heldout, attempt.run.corpus, attempt.run.seed))
    assert splits[0][:2] == splits[1][:2]
    assert (first.seed, second.seed) == (splits[0][2], splits[1][2]) == (0, 1)


def test_a_kept_sweep_is_read_again(corpus, monkeypatch, tmp_path):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    sweep = Sweep("dpm-svi", Axis("kappa", (0.6, 0.9)), None, "default", 100)
    sweep.write(corpus)
    assert Sweep.read(sweep.name) == sweep
    assert Sweep.read("unknown") is None
    (tmp_path / "sweeps" / f"{sweep.name}.json").write_text('{"method": "dpm-svi"}')
    assert Sweep.read(sweep.name) is None


# ---- settings that fail --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def addresses():
    return load_sample("sotu").corpus


@pytest.mark.second
@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_shows(addresses, monkeypatch, name):
    """On so many paragraphs, read twice, or once where 2,000 are too few: a hundred topics learn
    slowly, and two are as good after 2,000 (0.02 apart; 0.10 after 8,000). The other scores are
    0.10 to 0.33 apart after 1,000."""
    n_docs, passes = {"truncation-too-low": (8000, 1), "one-first-batch": (2000, 2)}.get(
        name, (1000, 2)
    )
    monkeypatch.setattr("bnpexplorer.compare.failures.DOCUMENTS", passes * n_docs)
    chosen = np.random.default_rng(0).permutation(addresses.n_docs)[:n_docs]
    race = FAILURES[name].race(addresses.take(chosen))
    race.prepare()
    while not race.done:
        race.step()
    failing, sound = (run.history[-1] for run in race.runs)
    if name == "one-first-batch":
        assert failing.n_topics < 0.6 * sound.n_topics
        numbers = f"{failing.n_topics} clusters beside {sound.n_topics}"
    else:
        assert failing.heldout < sound.heldout - 0.02
        numbers = f"{sound.heldout - failing.heldout:.2f} worse"
    assert race.seen(race.snapshot()).startswith(f"Here it shows: {numbers}")


def test_a_failure_that_does_not_show_says_so(corpus, monkeypatch):
    """160 short texts are seven clusters, read at once or 64 at a time."""
    monkeypatch.setattr("bnpexplorer.compare.failures.DOCUMENTS", 300)
    race = finish(FAILURES["one-first-batch"].race(corpus))
    failing, sound = (run.history[-1].n_topics for run in race.runs)
    assert failing > 0.7 * sound
    words = race.seen(race.snapshot())
    scores = [f"{run.history[-1].heldout:.2f}".replace("-", "\u2212") for run in race.runs]
    found = f"{failing} clusters beside {sound} (scores {scores[0]} beside {scores[1]})"
    assert words.startswith(f"Here it does not show: {found}. It takes")
    turned = FAILURES["truncation-too-low"]
    race = finish(turned.race(corpus))
    better = race.snapshot()[::-1]
    assert re.match(r"Here it does not show: \d\.\d\d better \(\u2212", turned.seen(better))
    assert "no more than 0.02 apart" in turned.seen((better[0], better[0]))
    race = FAILURES["batch-too-small"].race(corpus)
    assert race.seen(race.snapshot()) == "", "no numbers yet"


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
