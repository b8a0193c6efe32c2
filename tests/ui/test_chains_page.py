"""Chains on the Compare page, without a browser: started, steered, judged, opened as runs."""

from base64 import b64decode

import numpy as np
import pytest

from bnpexplorer import Plan
from bnpexplorer.chains import QUANTITIES, chains_of, found_topics, rhat_and_ess
from bnpexplorer.evaluate import unigram_score
from bnpexplorer.ui.frame import server
from tests.tools.pages import button, check, choose, field, figures, go, open_app, small, texts


@pytest.fixture(autouse=True)
def a_small_sample(registry, monkeypatch):
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")


def numbers(packed):
    """An array as plotly's JSON has it."""
    return list(np.frombuffer(b64decode(packed["bdata"]), packed["dtype"]))


def open_page(**address):
    return choose(go(open_app(**address), "compare"), "compare", "Chains")


def some_chains(passes=3):
    values = {"start": "nothing", "moves": 0, "n_start": 40}
    plan = Plan.of("dpm-gibbs", values=values, passes=passes, chains=2)
    loaded = small()
    return chains_of(plan, loaded.corpus), loaded


@pytest.mark.second
def test_chains_are_started_judged_and_opened_on_live(registry):
    app = open_page()
    check(app.radio[0].set_value("dpm").run())
    check(field(app.selectbox, "Method").set_value("dpm-gibbs").run())
    check(field(app.number_input, "Chains").set_value(3).run())
    check(field(app.number_input, "Passes").set_value(9).run())
    check(button(app, "Start the chains").click().run())
    (entry,) = registry.entries()
    assert entry.background.wait(300)
    check(app.run())
    chains = entry.background.run
    assert chains.starts == ("many", "nothing", "many")
    assert chains.verdict().sentence in texts(app.info, app.success)
    (figure,) = figures(app)
    titles = {figure["layout"][axis]["title"]["text"] for axis in ("yaxis", "yaxis2", "yaxis3")}
    assert titles == {"log joint", "held-out score", "topics in use"}
    assert len(figure["data"]) == 9
    judged_from = figure["layout"]["shapes"][0]["x0"]
    labels = [f"chain {i}, from {start}" for i, start in enumerate(chains.starts, start=1)]
    for trace in figure["data"]:
        draws = chains.draws[labels.index(trace["name"])]
        panel = {"y": "log_joint", "y2": "heldout", "y3": "topics"}[trace["yaxis"]]
        assert numbers(trace["x"]) == [draw.docs_seen for draw in draws]
        assert numbers(trace["y"]) == pytest.approx([draw.values[panel] for draw in draws])
    (level,) = (s for s in figure["layout"]["shapes"] if s.get("name") == "word frequencies")
    first = chains.runs[0]
    assert (level["yref"], level["y0"]) == ("y2", unigram_score(first.corpus, first.heldout))
    counted = [draw.values["topics"] for draw in chains.draws[0] if draw.docs_seen >= judged_from]
    assert counted == list(chains.kept_draws()["topics"][0])
    said = texts(app.markdown)
    for key, draws in chains.kept_draws().items():
        rhat, ess = rhat_and_ess(draws)
        assert f"| {QUANTITIES[key].title} | {rhat:.3f} | {ess:,.0f} |" in said
    alone = [run.snapshot().heldout for run in chains.runs]
    assert f"averages over all chains scores **{chains.score():.3f}** per held-out word" in said
    assert f"single chains score {min(alone):.3f} to {max(alone):.3f}." in said
    assert "Which clusters to trust" in said
    found = found_topics([run.moment().topics for run in chains.runs])
    held = [len(one.chains) for one in found]
    assert 0 < held.count(3) < len(held), "all and some are told apart here"
    assert f"All 3 chains have found {held.count(3)} of {len(held)} clusters." in said
    shown = app.dataframe[-1].value
    assert list(shown["chains that have it"]) == held[: len(shown)]
    assert list(shown.iloc[:, 1]) == [f"{one.share:.1%}" for one in found[: len(shown)]]
    assert {row.run_id for row in server.library().saved()} == set(chains.run_ids)
    check(button(app, "Open its runs on Live").click().run())
    assert set(app.session_state["own"]) == set(chains.run_ids)


@pytest.mark.second
def test_chains_can_be_paused_and_tell_how_far_they_are(registry):
    chains, loaded = some_chains(passes=30)
    entry = registry.add(chains, loaded, server.keep_all)
    app = open_page(**{"chains": entry.run_id, "chains-key": entry.secret})
    assert button(app, "Resume")
    check(button(app, "Step").click().run())
    entry.background.settle(60)
    check(app.run())
    assert entry.background.status == "paused"
    assert chains.runs[0].n_steps == chains.runs[1].n_steps == 1
    assert "too short to judge" in texts(app.info)
    check(button(app, "Stop").click().run())
    assert entry.background.wait(300)
    check(button(check(app.run()), "Other chains").click().run())
    assert button(app, "Start the chains")


def test_a_chain_that_fails_is_named_and_the_others_go_on(registry, monkeypatch):
    chains, loaded = some_chains()

    def fails():
        raise FloatingPointError("no more numbers")

    monkeypatch.setattr(chains.runs[1], "step", fails)
    entry = registry.add(chains, loaded)
    entry.background.start()
    assert entry.background.wait(300)
    app = open_page(**{"chains": entry.run_id, "chains-key": entry.secret})
    assert "chain 2, from many stopped with an error: FloatingPointError" in texts(app.error)
    assert "A single chain cannot tell" in texts(app.info)


def test_a_guest_watches_and_bad_numbers_are_refused(registry):
    chains, loaded = some_chains()
    entry = registry.add(chains, loaded)
    app = open_page(chains=entry.run_id)
    assert "watching only" in texts(app.caption)
    assert not {"Pause", "Stop", "Step"} & {b.label for b in app.button}
    app.session_state["chains"] = ("gone", "")
    assert "The chains gone are no longer on this server" in texts(check(app.run()).info)
    check(field(app.number_input, "Chains").set_value(9).run())
    assert "Chains must lie from 2 to 8; got 9." in texts(app.error)
    assert "Start the chains" not in {b.label for b in app.button}
