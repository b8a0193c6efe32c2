"""One switch turns from an analyst's pages to those that say how methods learn, and back."""

from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.ui.app import PAGES
from bnpexplorer.ui.frame import explore_or_study, pages, server, session
from bnpexplorer.ui.parts import explore
from tests.tools.pages import button, choose, field, go, html, launch, open_app, texts

OF_STUDY = ["compare", "claims", "lab", "lessons"]


def views(app):
    return next(b.options for b in app.get("button_group") if b.key == "topics-view")


def test_the_menu_of_explore_has_no_page_of_study(monkeypatch):
    menus = []
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "Page", lambda draw, **more: more)
    monkeypatch.setattr(pages, "declare_pages", menus.append)
    for explores in (True, False):
        pages.declare(PAGES, explores)
    seen = [
        {section: [page["url_path"] for page in some if page["visibility"] == "visible"]}
        for menu in menus
        for section, some in menu.items()
    ]
    left = [page.name for page in PAGES if page.name not in OF_STUDY]
    assert seen[0] == {"": left}, "one row, without sections"
    assert sum(len(names) for one in seen[1:] for names in one.values()) == len(PAGES)
    assert [page.name for page in PAGES if page.of_study] == OF_STUDY


@pytest.mark.parametrize("page", OF_STUDY)
def test_a_page_of_study_turns_the_switch_and_is_left_by_it(registry, page):
    app = go(open_app(view="explore"), page)
    assert app.session_state[explore_or_study.KEPT] == "Study"
    assert app.query_params["view"] in ("study", ["study"])
    choose(app, "lead-switch", "Explore")
    assert app.title[0].value == "Nothing is learning yet", "the Live page"
    assert app.session_state[explore_or_study.KEPT] == "Explore"


def test_explore_says_nothing_of_how_methods_learn(registry):
    run = launch(registry, split=40).run_id
    app = go(open_app(run=run, view="explore"), "live")
    said = texts(app.markdown, app.caption)
    assert "Topics, largest first" in said
    assert "held out" not in said
    assert "log likelihood" not in said
    assert not any("Add a method" in str(b.proto) for b in app.get("popover"))
    app = go(app, "topics")
    assert not {"Through the run", "Together"} & set(views(app))
    assert not app.slider, "λ"
    choose(app, "lead-switch", "Study")
    assert {"Through the run", "Together"} <= set(views(app))
    assert field(app.slider, "Relevance (λ)").value == 0.6
    choose(app, "topics-view", "Through the run")
    choose(app, "lead-switch", "Explore")
    assert not app.slider, "a view of Study is left with it"


def test_ways_to_methods_lead_to_study(registry):
    app = open_app(view="explore")
    button(app, "Watch it learn").click().run()
    assert app.session_state[explore_or_study.KEPT] == "Study"
    app = go(open_app(view="explore"), "corpus")
    choose(app, "corpus-way", "Samples")
    button(app, key="load-sample").click().run()
    assert "Zipf's law" not in texts(app.markdown)
    button(app, key="go-live").click().run()
    assert app.session_state[explore_or_study.KEPT] == "Study"
    assert "Zipf's law" in texts(go(app, "corpus").markdown)


METHOD_TALK = ("hdp-tsvi", "documents/s", "thread", "held out", "coherence", "Jensen", "t-SNE")


@pytest.mark.parametrize("page", ["live", "topics", "documents", "runs"])
def test_no_page_of_explore_talks_of_methods(registry, page):
    entry = launch(registry, split=40, keep=server.keep)
    explore.folding_of(server.moment_of(entry, entry.background.latest)).wait()
    said = {}
    for view in ("explore", "study"):
        app = go(open_app(run=entry.run_id, own=entry.secret, view=view), page)
        heads = [str(table.value.columns.tolist()) for table in app.dataframe[:1]]
        said[view] = " ".join([texts(app.markdown, app.caption), html(app), *heads])
    assert [word for word in METHOD_TALK if word in said["explore"].replace("\\", "")] == []
    assert len(said["explore"].split()) < len(said["study"].split())


def test_a_run_that_has_ended_says_what_helps_and_checks_its_stability(registry, monkeypatch):
    started = []

    def launch_together(job, chains, loaded):
        started.append(len(chains.runs))
        return SimpleNamespace(checks="")

    monkeypatch.setattr(session, "launch_together", launch_together)
    entry = launch(registry, split=40)
    app = go(open_app(run=entry.run_id, own=entry.secret, view="explore"), "live")
    said = texts(app.markdown)
    assert "predicts unseen words" in said
    assert "run it longer" not in said
    button(app, "Check stability").click().run()
    assert started == [4]
    guest = go(open_app(run=entry.run_id, view="explore"), "live")
    assert "Check stability" not in [b.label for b in guest.button]
