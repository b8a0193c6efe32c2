"""Has it converged: on Live, under Runs and after a restart, without a browser."""

import dataclasses

import pytest

from bnpexplorer import Plan, Run
from bnpexplorer.chains import Chains, chains_of
from bnpexplorer.ui.frame import server
from tests.tools.pages import button, check, choose, field, go, html, open_app, small, texts

PLAN = Plan.of(
    "dpm-gibbs", "neal-2000", {"n_start": 40, "start_size": 1}, passes=12, batch_size=200
)


def run_of(plan: Plan) -> tuple[Run, server.LoadedCorpus]:
    loaded = small()
    return plan.split_and_start(loaded.corpus), loaded


def on_live(registry, plan: Plan):
    """The Live page of a run of the plan that has ended, and the run."""
    run, loaded = run_of(plan)
    entry = registry.add(run, loaded, server.keep)
    entry.background.start()
    assert entry.background.wait(300)
    return go(open_app(run=entry.run_id, own=entry.secret), "live"), entry


def kept_chains(registry, steps: int) -> Chains:
    """Chains that were paused and kept on a server that is no longer there."""
    loaded = small()
    chains = chains_of(dataclasses.replace(PLAN, chains=3), loaded.corpus)
    entry = registry.add(chains, loaded, server.keep_all, chains.group, "key")
    for _ in range(steps):
        chains.step()
    server.keep_all(entry, chains, "paused")
    server.registry.clear()
    return chains


@pytest.mark.second
def test_one_run_says_that_it_cannot_tell_and_starts_chains_of_itself(registry):
    app, entry = on_live(registry, PLAN)
    assert "One run alone cannot tell whether what it shows depends on where it began." in texts(
        app.caption
    )
    check(button(app, "Check stability").click().run())
    chains = next(e for e in registry.entries() if e is not entry).background
    assert chains.wait(300)
    run, first = entry.background.run, chains.run.runs[0]
    assert chains.run.starts == ("nothing", "many", "nothing", "many")
    assert (first.method, first.passes, first.batch_size) == (run.method, 12, run.batch_size)
    assert first.latest_info.scalars == run.latest_info.scalars, "it is the run itself"
    assert app.session_state["compare"] == "Chains"
    assert app.session_state["chains"][0] == chains.run.group


@pytest.mark.second
def test_a_run_that_has_settled_says_so_and_one_of_chains_has_their_sentence(registry):
    app, entry = on_live(registry, dataclasses.replace(PLAN, until="settled", passes=30))
    run = entry.background.run
    assert "Not settled after 30 passes: its latter half has 15 draws" in run.ending
    assert run.ending in texts(app.caption)
    assert "pass 30 of at most 30" in html(app)
    chains = kept_chains(registry, 12)
    app = go(open_app(run=chains.run_ids[1], own="key"), "live")
    said = chains.verdict().sentence
    assert f"Chain 2 of 3. {said}" in texts(app.markdown).replace("\\", "")
    assert "One run alone cannot tell" not in texts(app.caption)
    check(button(app, "See all chains").click().run())
    assert app.session_state["chains"] == (chains.group, "key")
    again = server.registry().get(chains.group).background
    assert again.status == "finished"
    assert again.run.verdict() == chains.verdict()


@pytest.mark.second
def test_chains_survive_a_restart_and_go_on(registry):
    before = kept_chains(registry, 9)
    app = choose(
        go(open_app(chains=before.group, **{"chains-key": "key"}), "compare"), "compare", "Chains"
    )
    entry = server.registry().get(before.group)
    after = entry.background.run
    assert entry.background.status == "paused"
    assert after.run_ids == before.run_ids
    assert after.verdict() == before.verdict()
    assert "3 chains" in texts(app.markdown)
    check(button(app, "Resume").click().run())
    assert entry.background.wait(300)
    while not before.done:
        before.step()
    assert after.verdict() == before.verdict()
    assert [r.latest_info.scalars for r in after.runs] == [
        r.latest_info.scalars for r in before.runs
    ]
    saved = server.library().chains(before.group)
    assert [one.run_id for one in saved] == list(before.run_ids)
    assert {one.chain.sentence for one in saved} == {after.verdict().sentence}


@pytest.mark.second
def test_chains_and_their_runs_are_both_there_after_a_restart(registry):
    chains = kept_chains(registry, 12)
    address = {"chains": chains.group, "chains-key": "key", "run": chains.run_ids[0], "own": "key"}
    app = go(open_app(**address), "live")
    assert f"Chain 1 of 3. {chains.verdict().sentence}" in texts(app.markdown).replace("\\", "")
    assert "no longer on this server" not in texts(app.info)
    assert server.registry().get(chains.group).background.status == "finished"


@pytest.mark.second
def test_the_runs_page_calls_them_chains_and_leads_to_them(registry):
    chains = kept_chains(registry, 5)
    app = go(open_app(), "runs")
    stands = list(app.dataframe[0].value["where it stands"])
    assert sorted(stands) == [f"paused, chain {i} of 3" for i in (1, 2, 3)]
    app.session_state["runs-ticked"] = [chains.run_ids[2]]
    check(app.run())
    assert f"one of 3 chains. {chains.verdict().sentence}" in texts(app.caption).replace("\\", "")
    check(button(app, "See all chains").click().run())
    entry = server.registry().get(chains.group)
    entry.background.status = "running"
    app = go(open_app(), "runs")
    assert set(app.dataframe[0].value["where it stands"]) == {
        f"learning, chain {i} of 3" for i in (1, 2, 3)
    }
    app.session_state["runs-ticked"] = [chains.run_ids[2]]
    assert "is among chains that go on: stop the chains on the Compare page first" in texts(
        check(app.run()).caption
    )
    entry.background.status = "paused"


@pytest.mark.second
def test_a_chain_that_goes_on_alone_is_not_opened_among_the_others(registry):
    chains = kept_chains(registry, 3)
    alone = server.open_saved(chains.run_ids[0])
    alone.background.status = "running"
    with pytest.raises(
        ValueError, match="goes on alone, or is not saved: look at it on the Live page"
    ):
        server.open_chains(chains.group)
    alone.background.status = "paused"
    assert server.open_chains(chains.group).background.run.run_ids == chains.run_ids
    assert server.registry().get(chains.run_ids[0]) is None
    server.library().delete(chains.run_ids[0])
    server.library().delete(chains.run_ids[1])
    server.registry.clear()
    assert server.open_chains(chains.group) is None, "one is no chains"


@pytest.mark.second
def test_the_form_makes_a_plan_that_says_when_it_ends(registry):
    app = go(open_app(), "corpus")
    app.session_state["loaded"] = small()
    app = go(app, "live")
    until = field(app.selectbox, "It ends when")
    check(until.set_value("settled").run())
    assert field(app.number_input, "Passes at most").value == 1000
    check(field(app.number_input, "Passes at most").set_value(3).run())
    check(field(app.number_input, "Minutes, 0: no limit").set_value(5.0).run())
    check(field(app.number_input, "Chains").set_value(2).run())
    check(button(app, "Start the chains").click().run())
    (entry,) = server.registry().entries()
    assert entry.background.wait(300)
    run = entry.background.run.runs[0]
    assert (run.until, run.minutes, run.passes, run.chain.of) == ("settled", 5.0, 3, 2)
