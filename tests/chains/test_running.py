"""Chains begin apart, are judged by what has no labels, and tell which topics all have found."""

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer import Plan
from bnpexplorer.chains import Chains, ChainsVerdict, chains_of, found_topics
from bnpexplorer.checks import expecting
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.evaluate import score
from bnpexplorer.runs.draws import ChainOf
from bnpexplorer.state.snapshot import Topics

FROM_NOTHING = {"start": "nothing", "moves": 2, "gamma": 1.0, "eta": 0.2, "learn_eta": False}


def driven(chains: Chains) -> Chains:
    while not chains.done:
        chains.step()
    return chains


@pytest.fixture(scope="module")
def stuck() -> Chains:
    """Chains that are too short to leave where they began."""
    bars, _ = expecting.draw_bars(60, 11)
    values = {"start_passes": 5, "n_start": 60}
    plan = Plan.of(
        "hdp-gibbs", values=values, seed=3, passes=20, batch_size=40, n_heldout=6, chains=4
    )
    return driven(chains_of(plan, bars))


@pytest.fixture
def plan() -> Plan:
    return Plan.of("dpm-gibbs", values=FROM_NOTHING, passes=4, batch_size=5, n_heldout=3, chains=4)


def test_the_first_is_the_plans_own_run_and_the_others_begin_elsewhere(plan, dozen):
    chains = driven(chains_of(plan, dozen))
    assert chains.starts == ("nothing", "many", "nothing", "many")
    assert [run.seed for run in chains.runs] == [0, 1, 2, 3]
    assert {run.heldout for run in chains.runs} == {chains.runs[0].heldout}
    alone = plan.split_and_start(dozen)
    while not alone.done:
        alone.step()
    own = [dataclasses.replace(point, seconds=0.0) for point in alone.history]
    found = [dataclasses.replace(p, seconds=0.0) for p in chains.runs[0].history]
    np.testing.assert_equal(*([dataclasses.asdict(p) for p in ps] for ps in (found, own)))
    from_many = Plan.of("dpm-gibbs", values={"start": "many"}, passes=1, n_heldout=3, chains=3)
    assert chains_of(from_many, dozen).starts == ("many", "nothing", "many")
    without = chains_of(Plan.of("lda-gibbs", n_heldout=3, chains=2), dozen)
    assert without.starts == ("", "")
    assert [run.name for run in without.runs] == ["lda-gibbs, chain 1", "lda-gibbs, chain 2"]
    assert [run.name for run in chains.runs[1:3]] == [
        "dpm-gibbs, chain 2, from many",
        "dpm-gibbs, chain 3, from nothing",
    ]


@pytest.mark.second
def test_a_draw_is_what_the_state_tells_after_a_pass(stuck):
    assert [len(draws) for draws in stuck.draws] == [20] * 4
    for run, draws in zip(stuck.runs, stuck.draws, strict=True):
        topics, last = run.method.topics(run.state), draws[-1].values
        shares = topics.size / topics.size.sum()
        assert last["topics"] == len(topics)
        assert last["entropy"] == pytest.approx(-sum(p * math.log(p) for p in shares))
        assert last["heldout"] == score(run.method.model, topics, run.heldout)
        assert last["log_joint"] == pytest.approx(run.method.log_joint(run.state))
    kept = stuck.kept_draws()
    assert kept["topics"].shape == (4, 10)
    assert kept["topics"][2, 0] == stuck.draws[2][10].values["topics"]


def test_draws_of_an_earlier_moment_are_those_that_were_there(stuck):
    """The latter half of ten draws, the tenth of which ends with this very document."""
    docs = stuck.draws[0][9].docs_seen
    for key, values in stuck.kept_draws(docs).items():
        told = [[draw.values[key] for draw in draws[5:10]] for draws in stuck.draws]
        np.testing.assert_array_equal(values, told)
    assert stuck.verdict(docs).n_draws == 5
    assert stuck.verdict(docs - 1).n_draws == 4


def test_the_last_draws_are_judged_also_of_chains_of_unequal_lengths(stuck, monkeypatch):
    """Of chains with 9, 8, 7 and 9 draws the last three each."""
    drawn = [draws[:n] for draws, n in zip(stuck.draws, (9, 8, 7, 9), strict=True)]
    monkeypatch.setattr(stuck, "runs", [SimpleNamespace(draws=draws) for draws in drawn])
    for key, values in stuck.kept_draws().items():
        told = [[draw.values[key] for draw in draws[-3:]] for draws in drawn]
        np.testing.assert_array_equal(values, told)


def test_chains_that_are_stuck_say_so(stuck):
    verdict = stuck.verdict()
    assert not verdict.met
    assert "depends on where it began: from nothing" in verdict.sentence
    topics = stuck.kept_draws()["topics"].mean(axis=1)
    few, many = topics[[1, 3]].mean(), topics[[0, 2]].mean()
    assert verdict.sentence.endswith(f"from nothing {few:.0f} topics, from many {many:.0f}.")


@pytest.mark.parametrize("met", [True, False])
def test_every_chain_is_told_the_verdict_and_only_twenty_draws_end_them(stuck, monkeypatch, met):
    before = [run.chain for run in stuck.runs]
    for n_draws in (19, 20):
        verdict = ChainsVerdict({}, {}, met, f"It is {met}.", n_draws)
        monkeypatch.setattr(stuck, "verdict", lambda docs=None, verdict=verdict: verdict)
        assert stuck.had_met(7) == (met and n_draws == 20)
    stuck.note()
    for i, run in enumerate(stuck.runs):
        assert run.chain == ChainOf(stuck.group, i, 4, f"It is {met}.", met)
        run.chain = before[i]


@pytest.mark.second
def test_chains_that_have_long_enough_meet(dozen):
    plan = Plan.of(
        "dpm-gibbs", values=FROM_NOTHING, passes=200, batch_size=20, n_heldout=3, chains=4
    )
    verdict = driven(chains_of(plan, dozen)).verdict()
    assert verdict.met, verdict
    assert set(verdict.rhat) == {"log_joint", "heldout", "topics", "entropy"}
    assert max(verdict.rhat.values()) <= 1.05
    assert min(verdict.ess.values()) >= 100


def test_mean_field_has_no_log_joint_and_ends_where_it_began(dozen):
    plan = Plan.of("lda-batch", values={"n_topics": 3}, passes=8, n_heldout=3, chains=2)
    chains = driven(chains_of(plan, dozen, learn_all=True))
    assert set(chains.kept_draws()) == {"topics", "entropy"}
    assert chains.score() is None


def test_prediction_averages_over_chains(stuck):
    topics = [run.method.topics(run.state) for run in stuck.runs]
    model, heldout = stuck.method.model, stuck.runs[0].heldout
    pooled = score(model, topics[0], heldout, kept=tuple((0.25, one) for one in topics))
    assert stuck.score() == pytest.approx(pooled, rel=1e-12)
    assert pooled > np.mean([score(model, one, heldout) for one in topics])


def test_a_chain_with_more_kept_states_counts_no_more_than_another(dozen):
    """One chain has learned two passes, the other one, and each pass keeps a state."""
    values = {"n_topics": 3, "burn_in": 0, "thin": 1}
    plan = Plan.of("lda-gibbs", values=values, passes=4, batch_size=12, n_heldout=3, chains=2)
    chains = chains_of(plan, dozen)
    chains.step()
    ahead, behind = chains.runs
    ahead.step()
    states = [run.method.kept(run.state) for run in (ahead, behind)]
    assert list(map(len, states)) == [2, 1]
    assert chains.share_done == 0.25, "that of the one behind"
    kept = tuple((1.0 / len(own), topics) for own in states for _, topics in own)
    expected = score(ahead.method.model, kept[0][1], ahead.heldout, kept=kept)
    assert chains.score() == pytest.approx(expected, rel=1e-12)
    even = tuple((1.0, topics) for _, topics in kept)
    unlike = score(ahead.method.model, kept[0][1], ahead.heldout, kept=even)
    assert chains.score() != pytest.approx(unlike, rel=1e-6)


def test_a_chain_counts_up_to_where_it_failed(plan, dozen):
    chains = driven(chains_of(dataclasses.replace(plan, chains=2), dozen))
    last = chains.runs[1].docs_seen
    chains.failed[1] = "MemoryError: too large"
    assert chains.sound == (0,)
    for docs, n_sound in ((last - 1, 2), (last, 2), (last + 1, 1)):
        assert len(chains.kept_draws(docs)["topics"]) == n_sound


def test_a_chain_that_fails_is_left_out(plan, dozen, monkeypatch):
    chains = chains_of(dataclasses.replace(plan, chains=3), dozen)
    chains.prepare()
    chains.step()

    def fails():
        raise FloatingPointError("no more numbers")

    monkeypatch.setattr(chains.runs[1], "step", fails)
    driven(chains)
    assert chains.failed == {1: "FloatingPointError: no more numbers"}
    assert chains.sound == (0, 2)
    assert chains.kept_draws()["topics"].shape[0] == 2
    assert chains.share_done == 1.0
    first, other, third = chains.starts
    assert first == third != other
    judged = []
    monkeypatch.setattr(
        "bnpexplorer.chains.running.judge",
        lambda draws, starts, noun: judged.append((starts, noun)),
    )
    chains.verdict()
    assert judged == [([first, third], "cluster")], "each by its own start"


def test_what_are_no_chains_is_refused(plan, dozen):
    with pytest.raises(ValueError, match="2 to 8 chains"):
        chains_of(dataclasses.replace(plan, chains=1), dozen)
    for n in (0, 9):
        with pytest.raises(ValueError, match=f"chains must be 1 to 8; got {n}"):
            dataclasses.replace(plan, chains=n)
    train, heldout = plan.split(dozen)
    others = {"corpus": dozen, "heldout": None, "passes": 5, "order": "stream", "batch_size": 6}
    for what, value in (others | {"until": "settled", "minutes": 2.5}).items():
        runs = [plan.start(train, heldout), plan.start(train, heldout)]
        assert Chains(runs).starts == ("nothing", "nothing")
        setattr(runs[1], what, value)
        with pytest.raises(ValueError, match=f"^All chains have the same {what}.$"):
            Chains(runs)
    other = Plan.of(
        "dpm-gibbs", values={**FROM_NOTHING, "gamma": 3.0}, passes=4, batch_size=5, n_heldout=3
    )
    with pytest.raises(ValueError, match="same method and settings"):
        Chains([plan.start(train, heldout), other.start(train, heldout)])


# ---- topics ------------------------------------------------------------------------------------


def topics_of(sizes: list[float], words: list[int]) -> Topics:
    """Topics of these sizes, nine tenths of each on one of ten words."""
    rows = np.full((len(sizes), 10), 0.1 / 9, np.float32)
    rows[np.arange(len(sizes)), words] = 0.9
    size = np.array(sizes)
    weight = size / max(size.sum(), 1.0)
    ids = 100 + np.arange(len(sizes))
    total = size + 0.1
    return Topics(rows, total, size, weight, 1.0 - weight.sum(), ids, 1.0, 1.0, 0.01)


def test_topics_of_all_chains_are_told_from_those_of_one():
    first = topics_of([50, 30, 20], [0, 1, 2])
    second = topics_of([60, 40], [1, 0])
    third = topics_of([40, 30, 30], [3, 2, 0])
    found = found_topics([first, second, third])
    told = [(one.chain, one.topic, one.chains, round(one.share, 9)) for one in found]
    assert told == [
        (0, 100, (0, 1, 2), 0.5),
        (0, 101, (0, 1), 0.3),
        (0, 102, (0, 2), 0.2),
        (2, 100, (2,), 0.4),
    ]
    assert len(found_topics([first, second, third], near=0.0)) == 8
    found = found_topics([topics_of([70, 30], [4, 1]), topics_of([80, 20], [0, 2]), third])
    told = [(one.chain, one.topic, one.chains, round(one.share, 9)) for one in found]
    assert told == [
        (1, 100, (1, 2), 0.8),
        (1, 101, (1, 2), 0.2),
        (0, 100, (0,), 0.7),
        (2, 100, (2,), 0.4),
        (0, 101, (0,), 0.3),
    ], "by share, whichever chain a topic is of"
    assert found_topics([topics_of([], []), first])[0].chains == (1,)


def test_shares_are_of_all_words_of_a_chain_also_of_those_in_topics_that_are_left_out():
    """Three topics hold 99 % of the words together, and the fourth is none to trust."""
    found = found_topics([topics_of([600, 385, 9, 6], [0, 1, 2, 3])])
    assert [round(one.share, 9) for one in found] == [0.6, 0.385, 0.009]


def test_a_topic_has_one_counterpart_in_a_chain():
    twins = topics_of([50, 50], [0, 0])
    found = found_topics([twins, topics_of([100], [0])])
    assert sorted(one.chains for one in found) == [(0,), (0, 1)]


def test_stuck_chains_share_some_topics_and_no_chain_has_a_topic_twice(stuck):
    found = found_topics([snapshot.topics for snapshot in stuck.snapshot()])
    assert any(len(one.chains) == 4 for one in found)
    assert any(len(one.chains) == 1 for one in found)
    assert len({(one.chain, one.topic) for one in found}) == len(found)
    assert all(one.chain == one.chains[0] for one in found)


def test_the_draws_of_a_stream_follow_its_mini_batches():
    docs = Corpus.from_csr(
        np.random.default_rng(0).poisson(0.5, (40, 8)) + np.eye(40, 8, dtype=int)
    )
    plan = Plan.of("hdp-tsvi", batch_size=9, order="stream", n_heldout=4, chains=2)
    chains = driven(chains_of(plan, docs))
    assert [draw.docs_seen for draw in chains.draws[0]] == [9, 18, 27, 36]
