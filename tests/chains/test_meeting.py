"""Chains that stay apart without moves meet with them; those that may end earlier end then; what
was kept of them goes on as if nothing had been."""

import dataclasses

import numpy as np
import pytest

from bnpexplorer import Plan, Run
from bnpexplorer.chains import Chains, chains_again, chains_of
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.evaluate.settling import FEWEST_ALONE


def pairs_of_likes() -> Corpus:
    """Sixty documents of 200 words from three pairs of clusters, a pair alike but for 15 %.

    Document by document no pair comes apart that began as one cluster.
    """
    rng = np.random.default_rng(1)
    base = rng.dirichlet(np.full(20, 0.3), 3)
    topics = 0.85 * np.repeat(base, 2, axis=0) + 0.15 * rng.dirichlet(np.full(20, 0.3), 6)
    counts = [rng.multinomial(200, topics[d % 6]) for d in range(60)]
    return Corpus.from_csr(np.stack(counts), name="pairs")


@pytest.fixture(scope="module")
def pairs() -> Corpus:
    return pairs_of_likes()


def plan_of(**chosen) -> Plan:
    values = {"moves": chosen.pop("moves", 5), "n_start": 30, "eta": 0.3, "gamma": 1.0}
    values |= {"start": "nothing", "start_size": 1, "learn_eta": False}
    chosen = {"passes": 44, "chains": 4} | chosen
    return Plan.of("dpm-gibbs", values=values, batch_size=60, n_heldout=6, **chosen)


def driven(chains: Chains) -> Chains:
    while not chains.done:
        chains.step()
    return chains


@pytest.mark.second
def test_from_nothing_and_from_many_meet_by_moves_alone(pairs):
    apart = driven(chains_of(plan_of(moves=0), pairs)).verdict()
    assert not apart.met
    assert apart.rhat["topics"] > 1.05
    assert apart.sentence == (
        "What you see depends on where it began: from nothing 4 clusters, from many 6."
    )
    together = driven(chains_of(plan_of(moves=5), pairs))
    verdict = together.verdict()
    assert verdict.met, verdict
    assert max(verdict.rhat.values()) <= 1.05
    assert (together.kept_draws()["topics"] == 6).all()


@pytest.fixture(scope="module")
def met(pairs) -> Chains:
    return driven(chains_of(plan_of(until="settled", passes=300), pairs))


@pytest.mark.second
def test_chains_end_when_all_have_met(met, pairs):
    n = met.runs[0].n_steps
    assert FEWEST_ALONE * 2 <= n < 300
    for run in met.runs:
        assert (run.n_steps, run.done, run.ended) == (n, True, "met")
        assert run.ending == f"Ended after {n} passes: the chains have met."
        assert run.history[-1].step == n
    assert met.verdict().met
    stays = driven(chains_of(plan_of(moves=0, until="settled"), pairs))
    assert [run.n_steps for run in stays.runs] == [44] * 4
    assert stays.runs[0].ending == ""


@pytest.mark.second
def test_a_run_knows_which_chain_it_is_and_what_was_judged(met):
    met.note()
    for i, run in enumerate(met.runs):
        assert (run.chain.group, run.chain.place, run.chain.of) == (met.group, i, 4)
        assert run.chain.title == f"chain {i + 1} of 4"
        assert run.judgement.endswith("One of 4 chains. These chains have met.")
    first, second = (Plan.of_run(run) for run in met.runs[:2])
    assert (first.chains, first.until) == (4, "settled")
    assert (second.chains, second.until) == (1, "passes")


@pytest.mark.second
def test_chains_that_were_kept_go_on_as_they_would_have(pairs, met, tmp_path):
    chains = chains_of(plan_of(until="settled", passes=300), pairs)
    for _ in range(25):
        chains.step()
    runs = []
    for i, run in enumerate(chains.runs):
        run.save(tmp_path / f"{i}.zip")
        runs.append(Run.load(tmp_path / f"{i}.zip"))
    assert [run.chain for run in runs] == [run.chain for run in chains.runs]
    again = chains_again(runs, chains.group, chains.run_ids)
    assert again.runs[1].corpus is again.runs[0].corpus, "one copy of the texts"
    assert again.verdict() == chains.verdict()
    driven(again)
    assert [run.n_steps for run in again.runs] == [run.n_steps for run in met.runs]
    assert again.verdict() == met.verdict()
    other = dataclasses.replace(plan_of(), n_heldout=7).split_and_start(pairs)
    with pytest.raises(ValueError, match="same corpus"):
        chains_again([runs[0], other], chains.group, chains.run_ids[:2])


def test_minutes_end_every_chain_and_the_judgement_stays(pairs):
    chains = driven(chains_of(plan_of(minutes=1e-9, chains=2), pairs))
    assert [run.n_steps for run in chains.runs] == [1, 1]
    assert "too short to judge" in chains.verdict().sentence
    assert chains.share_done == 1.0
