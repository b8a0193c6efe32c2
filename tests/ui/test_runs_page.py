"""The Runs page, without a browser: what it lists, and what can be done there."""

import dataclasses
import json

import pytest
import streamlit as st

from bnpexplorer.compare import Race
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.ui.frame import holding, server
from bnpexplorer.ui.frame.words import plain
from bnpexplorer.ui.runs import table as runs
from tests.tools.pages import button, check, field, go, open_app, small_run, texts
from tests.tools.runs_page import kept, the_page


@pytest.fixture(autouse=True)
def library(registry):
    """The library of this test alone."""
    return Library()


def test_nothing_saved_yet():
    app = the_page()
    assert "No run is saved yet" in texts(app.markdown)
    assert not app.dataframe
    assert "MB of 4,096 MB" in texts(app.caption)


def test_every_run_has_a_row(library):
    kept(library, "one")
    library.rename("one", "<b>mine</b>")
    kept(library, "two", n_steps=2, status="running")
    app = the_page()
    rows = app.dataframe[0].value
    assert list(rows["name"]) == ["hdp-tsvi", "<b>mine</b>"], "the newest first"
    assert list(rows["where it stands"]) == ["interrupted", "paused"]
    assert rows["progress"].iloc[0] == pytest.approx(2 * rows["progress"].iloc[1])
    assert button(app, "Open").disabled
    assert button(app, "Delete").disabled


@pytest.mark.second
def test_a_run_in_a_race_that_goes_on_is_only_listed(registry):
    run, loaded = small_run()
    race = Race([run, Run(make_method("hdp-svi"), run.corpus, 0, passes=2, heldout=run.heldout)])
    entry = registry.add(race, loaded)
    race.step()
    server.keep_all(entry, race, "running")
    entry.background.status = "running"
    app = the_page()
    assert set(app.dataframe[0].value["where it stands"]) == {"learning, in a race"}
    app.session_state["runs-ticked"] = [race.run_ids[0]]
    check(app.run())
    for words in ("Open", "Resume", "Delete"):
        assert button(app, words).disabled, words
    assert "is in a race that goes on: stop the race" in texts(app.caption)
    app = open_app(run=race.run_ids[0])
    assert registry.get(race.run_ids[0]) is None, "it would learn there and here"
    entry.background.status = "finished"
    app = open_app(run=race.run_ids[0])
    assert registry.get(race.run_ids[0]) is not None


def test_filters_by_tag_and_texts(library):
    for run_id in ("one", "two"):
        kept(library, run_id)
    library.tag("one", ("lecture",))
    app = the_page()
    app.multiselect[0].set_value(["lecture"])
    check(app.run())
    assert len(app.dataframe[0].value) == 1
    saved = library.saved()
    other = dataclasses.replace(saved[0], facts={**saved[0].facts, "corpus": "other"})
    assert len(runs.table([*saved, other])) == 3


@pytest.mark.second
def test_tags_that_are_taken_out_of_the_field_go_and_those_of_one_run_alone_stay(library):
    """The field has the tags that all ticked runs share."""
    given = {"one": ("lecture", "draft", "first"), "two": ("lecture", "draft", "second")}
    for run_id, tags in given.items():
        kept(library, run_id)
        library.tag(run_id, tags)
    app = the_page()
    app.session_state["runs-ticked"] = list(given)
    tags = field(check(app.run()).text_input, "Tags")
    assert tags.value == "draft, lecture"
    tags.set_value("lecture, new")
    check(button(app, "Save").click().run())
    wanted = {"one": ("first", "lecture", "new"), "two": ("lecture", "new", "second")}
    assert {run_id: library.get(run_id).tags for run_id in given} == wanted
    app.session_state["runs-ticked"] = ["one"]
    field(check(app.run()).text_input, "Tags").set_value("")
    check(button(app, "Save").click().run())
    assert library.get("one").tags == ()
    assert library.get("two").tags == wanted["two"]


def ticked_rows(app):
    """The names of the rows that the browser is told to tick."""
    rows = json.loads(app.dataframe[0].proto.selection_default)["selection"]["rows"]
    return [app.dataframe[0].value["name"].iloc[row] for row in rows]


@pytest.mark.second
def test_ticks_go_by_the_run_however_the_list_changes(library):
    for run_id in ("one", "two", "three"):
        kept(library, run_id)
        library.rename(run_id, run_id)
    app = the_page()
    app.session_state["runs-ticked"] = ["one", "two"]
    library.rename("two", "renamed")
    check(app.run())
    assert ticked_rows(app) == ["renamed", "one"]
    assert "Ticked: renamed, one" in texts(app.caption)
    library.delete("three")
    kept(library, "new")
    library.tag("one", ("lecture",))
    check(app.run())
    assert ticked_rows(app) == ["renamed", "one"]
    check(app.multiselect[0].set_value(["lecture"]).run())
    assert ticked_rows(app) == ["one"]
    assert "Ticked: one" in texts(app.caption)
    check(app.multiselect[0].set_value([]).run())
    assert ticked_rows(app) == ["renamed", "one"], "a filter does not take a tick away"
    check(button(app, "Delete").click().run())
    assert library.get("one").deleted
    assert library.get("two").deleted
    assert not library.get("new").deleted
    check(button(app, "Undo").click().run())
    assert ticked_rows(app) == []


def test_another_list_is_another_table(library):
    """The browser keeps ticks by their places: in the same table the next run would take them."""
    for run_id in ("one", "two"):
        kept(library, run_id)
    app = the_page()
    drawn = [app.dataframe[0].proto.id]
    check(app.run())
    assert app.dataframe[0].proto.id == drawn[0], "nothing has changed"
    for change in (lambda: library.rename("two", "other"), lambda: library.delete("two")):
        change()
        check(app.run())
        drawn.append(app.dataframe[0].proto.id)
    assert len(set(drawn)) == 3


@pytest.mark.second
def test_a_run_that_was_stopped_or_failed_goes_on_from_where_it_was_saved(library, registry):
    for status in ("stopped", "failed"):
        kept(library, status)
        entry = server.open_saved(status)
        entry.background.status = status
        app = the_page()
        app.session_state["runs-ticked"] = [status]
        check(app.run())
        check(button(app, "Resume").click().run())
        again = registry.get(status)
        assert again is not entry
        assert again.background.wait(300)
        assert again.background.status == "finished"


@pytest.mark.second
@pytest.mark.parametrize(
    ("status", "not_kept", "renewed"),
    [
        ("stopped", "", True),
        ("failed", "", True),
        ("finished", "", False),
        ("paused", "", False),
        ("stopped", "The disk is full.", False),
    ],
)
def test_only_what_can_go_on_and_is_on_the_disk_is_taken_up_again(
    library, status, not_kept, renewed
):
    kept(library)
    entry = server.open_saved("one")
    entry.background.status, entry.background.not_kept = status, not_kept
    holding.take_up_again(library.get("one"))
    assert entry.outdated == renewed


def test_a_run_that_the_server_put_aside_is_not_called_deleted(library, registry, monkeypatch):
    kept(library)
    app = go(open_app(run="one", own="secret"), "live")
    del registry._entries["one"]
    monkeypatch.setattr(server, "open_saved", lambda run_id: None)  # others took its place at once
    check(app.run())
    assert "was put aside for others; it is saved" in texts(app.info)


@pytest.mark.second
def test_a_run_that_waits_in_line_outlives_the_server(library, registry):
    """It is listed, opens, goes on and ends where it would have ended."""
    alone, _ = small_run()
    while not alone.done:
        alone.step()
    kept(library, n_steps=0, status="queued")
    app = the_page()
    row = app.dataframe[0].value.iloc[0]
    assert (row["where it stands"], row["progress"]) == ("interrupted", 0.0)
    app.session_state["runs-ticked"] = ["one"]
    check(app.run())
    check(button(app, "Resume").click().run())
    again = registry.get("one").background
    assert again.wait(300)
    assert again.status == "finished"
    assert again.latest.heldout == alone.history[-1].heldout
    assert library.get("one").progress == 1.0


@pytest.mark.parametrize("page", ["live", "topics", "documents", "compare", "runs"])
def test_pages_of_a_run_that_was_saved_before_its_first_step(library, page):
    kept(library, n_steps=0, status="queued")
    app = go(open_app(run="one", own="secret"), page)
    assert not app.error


@pytest.mark.second
def test_all_runs_of_an_address_are_opened_however_many_others_are_watched(library, registry):
    kept(library, "one", n_steps=2, status="finished")
    kept(library, "two")
    for i in range(registry._kept):
        registry.attach(f"tab {i}", registry.add(*small_run()).run_id)
    app = go(open_app(run="one,two", own="secret,secret"), "live")
    assert registry.get("one").tabs == registry.get("two").tabs != set()
    assert not app.info, "none is called missing"


def test_a_run_is_written_though_this_server_has_let_it_go(library, registry):
    run, loaded = small_run(batch_size=20)
    entry = registry.add(run, loaded, server.keep)
    del registry._entries[entry.run_id]
    entry.background.step_once()
    entry.background.settle(60)
    assert library.get(entry.run_id).facts["docs_seen"] == 20
    entry.background.stop()
    assert entry.background.wait(300)
    assert library.get(entry.run_id).facts["status"] == "stopped"


def test_a_message_that_empties_streamlits_caches_takes_no_run_away(registry):
    entry = registry.add(*small_run())
    st.cache_resource.clear()
    assert server.registry().get(entry.run_id) is entry


@pytest.mark.second
def test_why_a_run_failed_outlives_the_server(library, registry):
    class Broken(type(small_run()[0].method)):
        def step(self, state, batch, rng, pool):
            raise ZeroDivisionError("the *weights* vanished")

    kept(library)
    entry = server.open_saved("one")
    entry.background.run.method = Broken()
    entry.background.resume()
    assert entry.background.wait(300)
    said = "stopped with an error: ZeroDivisionError: the *weights* vanished"
    assert library.get("one").facts["status"] == "failed"
    registry.renew("one")  # as after a restart
    app = the_page()
    assert app.dataframe[0].value["where it stands"].iloc[0].startswith(said)
    app.session_state["runs-ticked"] = ["one"]
    check(app.run())
    assert "Resume goes on from step 1" in texts(app.caption).replace("\\", "")
    check(button(app, "Open").click().run())
    (error,) = app.error
    assert f"{plain(said)}. Resume goes on from step 1" in error.value
    again = registry.get("one").background
    again.resume()
    assert again.wait(300)
    assert not check(app.run()).error
    assert library.get("one").facts["status"] == "finished"
    assert "error" not in library.get("one").facts


def test_a_run_that_was_stopped_stays_so_when_it_is_opened(library):
    kept(library, status="stopped")
    server.open_saved("one")
    assert list(the_page().dataframe[0].value["where it stands"]) == ["stopped"]


@pytest.mark.parametrize("off", ["", "0", " 0 "])
def test_on_a_server_of_one_s_own_every_saved_run_is_one_s_own(library, monkeypatch, off):
    monkeypatch.setenv("BNPEXPLORER_SHARED", off)
    kept(library)
    app = the_page()
    assert len(app.dataframe[0].value) == 1
    assert "This server is shared" not in texts(app.caption)
    app.session_state["runs-ticked"] = ["one"]
    check(app.run())
    assert not button(app, "Delete").disabled


@pytest.mark.second
def test_on_a_shared_server_a_tab_changes_its_own_runs_only(library, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1")
    for run_id in ("mine", "watched", "theirs"):
        run, loaded = small_run()
        run.step()
        library.keep(run_id, run, loaded.corpus, "paused", f"secret of {run_id}", loaded.report)
        library.rename(run_id, run_id)
    library.delete("theirs")
    app = go(open_app(run="mine,watched", own="secret of mine,wrong"), "runs")
    assert "This server is shared" in texts(app.caption)
    assert not [e for e in app.expander if "Deleted" in e.label], "those of others"
    library.restore("theirs")
    check(app.run())
    assert sorted(app.dataframe[0].value["name"]) == ["mine", "watched"]
    app.session_state["runs-ticked"] = ["watched"]
    check(app.run())
    assert "watched is somebody else's run: to watch only" in texts(app.caption)
    assert not button(app, "Open").disabled
    assert button(app, "Resume").disabled
    assert button(app, "Delete").disabled
    app.session_state["runs-ticked"] = ["mine"]
    check(app.run())
    check(button(app, "Open").click().run())
    assert app.session_state["own"] == {"mine": "secret of mine"}
    go(app, "compare")
    (asked,) = (m for m in app.multiselect if m.label == "Runs to compare")
    assert [option.split(" · ")[0] for option in asked.options] == ["mine"]
    app.session_state["own"] = {}
    go(app, "runs")
    assert list(app.dataframe[0].value["name"]) == ["mine"], "it stays the tab's own"
    library.delete("mine")
    check(app.run())
    assert [e for e in app.expander if e.label == "Deleted within a week: 1"]
    assert not [c for c in app.checkbox if c.key == "runs-sure"], "that would empty all"
    assert "No run is saved yet" in texts(go(open_app(), "runs").markdown)


def test_undo_and_the_deleted_of_a_week(library):
    kept(library, "one")
    library.delete("one")
    app = open_app()
    app.session_state["runs-deleted"] = [("one", "a *star*")]
    go(app, "runs")
    assert "Deleted: a \\*star\\*" in texts(app.markdown)
    check(button(app, "Undo").click().run())
    assert library.get("one").deleted is None
    assert len(app.dataframe[0].value) == 1
    library.delete("one")
    check(app.run())
    check(button(app, "Bring back").click().run())
    assert library.get("one").deleted is None
    library.delete("one")
    check(app.run())
    next(c for c in app.checkbox if c.key == "runs-sure").check()
    check(app.run())
    check(button(app, "Empty").click().run())
    assert library.get("one") is None
    assert "No run is saved yet" in texts(app.markdown)


def test_a_full_disk_says_what_to_do(library, monkeypatch):
    kept(library)
    monkeypatch.setenv("BNPEXPLORER_DISK_MB", "0")
    assert "BNPEXPLORER_DISK_MB" in texts(the_page().warning)


def test_a_home_that_is_no_folder_is_no_traceback(library):
    library.folder.parent.mkdir(parents=True, exist_ok=True)
    library.folder.write_text("no folder")
    assert "Nothing can be written in" in texts(the_page().warning)
