"""Test that who watches a run, study or chains controls none of them, whatever a browser sends."""

import pytest
from streamlit.testing.v1 import element_tree

from bnpexplorer.claims.claim import TrialOutcome
from bnpexplorer.runs.saved import bundle
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.runs.table import TICKED
from tests.tools.pages import button, check, go, open_app, texts
from tests.ui.watching import address_of

OF_STUDIES = pytest.mark.parametrize(("page", "kind"), [("claims", "study"), ("compare", "sweep")])


@OF_STUDIES
def test_a_stranger_is_told_what_others_try_and_not_on_which_texts(start, sent, page, kind):
    entry = start(kind)
    entry.background.status = "paused"  # and no tab shows it: alone at a machine it could be had
    app = go(open_app(compare="Sweep"), page)
    assert f"{entry.background.run.experiment.title}** · paused" in texts(app.markdown)
    assert "Watch" not in {b.label for b in app.button}
    everything = b"".join(sent)
    assert b"own.csv" not in everything
    assert entry.run_id.encode() not in everything, "who knows it may watch"


@OF_STUDIES
def test_who_watches_a_study_of_the_list_does_not_get_its_texts(start, page, kind):
    entry = start(kind)
    entry.background.status = "paused"
    app = go(open_app(compare="Sweep", **address_of({kind: entry})), page)
    check(button(app, "All claims" if kind == "study" else "Another sweep").click().run())
    watch = button(app, key=f"watch-{entry.run_id}")
    named = dict(app.session_state["studies"])
    app.session_state["studies"] = {}
    check(watch.click().run())
    assert app.session_state[kind] == ("", ""), "without its address nobody watches"
    app.session_state["studies"] = named
    check(button(check(app.run()), key=f"watch-{entry.run_id}").click().run())
    assert app.session_state[kind] == (entry.run_id, "")
    assert "loaded" not in app.session_state
    assert "Resume" not in {b.label for b in app.button}
    assert entry.background.status == "paused"


def test_a_sweep_that_was_kept_is_listed_for_who_has_its_texts(start, monkeypatch):
    study = start("sweep").background.run
    study.experiment.write(study.corpus)
    study.findings[study.trials[0]] = TrialOutcome((1,), (1.0,), (-1.0,), (1,))
    study._write()
    server.registry.clear()
    before = "Found before on"
    assert before not in texts(go(open_app(compare="Sweep"), "compare").markdown)
    monkeypatch.delenv("BNPEXPLORER_SHARED")
    assert f"{before} other texts" in texts(go(open_app(compare="Sweep"), "compare").markdown)


def test_what_the_runs_page_does_is_refused_to_who_watches(start, monkeypatch):
    entry = start("run")
    app = open_app(run=entry.run_id)
    app.session_state[TICKED] = [entry.run_id]
    go(app, "runs")
    assert not [b for b in app.button if b.key in ("runs-make", "FormSubmitter")]
    # Another program than a browser may press what it was told is disabled.
    monkeypatch.setattr(element_tree.Widget, "_assert_can_interact", lambda self: None)
    check(button(app, "Resume").click().run())
    check(button(app, "Delete").click().run())
    assert server.library().get(entry.run_id).deleted is None
    assert app.session_state["own"] == {entry.run_id: ""}


def test_a_run_that_is_no_longer_one_s_own_when_the_click_comes_is_not_deleted(start):
    entry = start("run")
    app = open_app(run=entry.run_id, own=entry.secret)
    app.session_state[TICKED] = [entry.run_id]
    delete = button(go(app, "runs"), "Delete")
    app.session_state["own"], app.session_state["held"] = {entry.run_id: ""}, set()
    check(delete.click().run())
    assert server.library().get(entry.run_id).deleted is None


@pytest.mark.second
def test_an_imported_run_that_names_a_group_does_not_open_it(start, tmp_path):
    group, library = start("chains").run_id, server.library()
    one = library.chains(group)[0]
    with (tmp_path / "forged.zip").open("wb") as file:
        bundle.export(library, one.run_id, file)
    mine = bundle.add(library, bundle.read(tmp_path / "forged.zip"))
    app = open_app(run=mine, own=library.secret(mine))
    app.session_state[TICKED] = [mine]
    check(button(go(app, "runs"), "See all chains").click().run())
    assert app.session_state["chains"] == (group, "")
    assert "watching only" in texts(go(app, "compare").caption)


def test_who_watches_chains_does_not_put_aside_what_their_owner_has_open(start):
    entry = start("chains")
    group, alone = entry.run_id, server.library().chains(entry.run_id)[0].run_id
    server.registry.clear()  # the server starts again
    owner = open_app(run=alone, own=entry.secret)
    single = server.registry().get(alone)
    open_app(chains=group, chains_key="guess")
    assert server.registry().get(alone) is single
    assert not check(owner.run()).session_state["troubles"]
    open_app(chains=group, chains_key=entry.secret)
    assert server.registry().get(group) is not None
    assert server.registry().get(alone) is None
