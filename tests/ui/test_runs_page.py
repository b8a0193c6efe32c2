"""The Runs page and the `runs` command, without a browser."""

import contextlib
import dataclasses
import io
import json
import sqlite3

import pytest
import streamlit as st

from bnpexplorer.__main__ import main
from bnpexplorer.compare import Race
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.saved import bundle
from bnpexplorer.saved.library import Library
from bnpexplorer.ui.frame import holding, server
from bnpexplorer.ui.frame.words import plain
from bnpexplorer.ui.runs import table as runs
from tests.tools.pages import button, check, go, launch, open_app, small_run, texts


@pytest.fixture(autouse=True)
def library(registry):
    """The library of this test alone."""
    return Library()


def kept(library, run_id="one", n_steps=1, status="paused"):
    run, loaded = small_run()
    for _ in range(n_steps):
        run.step()
    library.keep(run_id, run, loaded.corpus, status, "secret", loaded.report)
    return run


def the_page():
    return go(open_app(), "runs")


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


def ticked_rows(app):
    """The names of the rows that the browser is told to tick."""
    rows = json.loads(app.dataframe[0].proto.selection_default)["selection"]["rows"]
    return [app.dataframe[0].value["name"].iloc[row] for row in rows]


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
        assert again.background.wait(120)
        assert again.background.status == "finished"


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
    assert again.wait(120)
    assert again.status == "finished"
    assert again.latest.heldout == alone.history[-1].heldout
    assert library.get("one").progress == 1.0


@pytest.mark.parametrize("page", ["live", "topics", "documents", "compare", "runs"])
def test_pages_of_a_run_that_was_saved_before_its_first_step(library, page):
    kept(library, n_steps=0, status="queued")
    app = go(open_app(run="one", own="secret"), page)
    assert not app.error


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
    assert entry.background.wait(60)
    assert library.get(entry.run_id).facts["status"] == "stopped"


def test_a_message_that_empties_streamlits_caches_takes_no_run_away(registry):
    entry = registry.add(*small_run())
    st.cache_resource.clear()
    assert server.registry().get(entry.run_id) is entry


def test_why_a_run_failed_outlives_the_server(library, registry):
    class Broken(type(small_run()[0].method)):
        def step(self, state, batch, rng, pool):
            raise ZeroDivisionError("the *weights* vanished")

    kept(library)
    entry = server.open_saved("one")
    entry.background.run.method = Broken()
    entry.background.resume()
    assert entry.background.wait(60)
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
    assert again.wait(120)
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


def test_a_damaged_list_is_made_anew(library):
    kept(library)
    (library.folder / "library.sqlite3").write_bytes(b"no database at all" * 100)
    page = the_page()
    assert not page.error
    assert len(page.dataframe[0].value) == 1


def test_a_list_that_cannot_be_used_is_no_traceback(library):
    library.folder.parent.mkdir(parents=True, exist_ok=True)
    library.folder.write_text("no folder")
    assert "cannot be used" in texts(the_page().error)


def test_an_address_opens_what_was_saved(library, registry):
    run = kept(library)
    app = open_app(run="one", own="secret")
    go(app, "live")
    entry = registry.get("one")
    assert (entry.background.status, entry.background.latest.docs_seen) == ("paused", run.docs_seen)
    assert button(app, "Resume")
    assert entry.source.report.n_read == small_run()[1].report.n_read, "how its texts were made"


def test_an_address_of_what_cannot_be_opened_says_why(library):
    for run_id in ("damaged", "deleted"):
        kept(library, run_id)
    (library.folder / "runs" / "damaged" / "standing.zip").write_bytes(b"PK")
    library.delete("deleted")
    app = go(open_app(run="damaged,deleted,unknown", own="x,x,x"), "live")
    said = [info.value for info in app.info]
    assert "standing.zip is damaged" in said[0]
    assert "was deleted; within a week the Runs page brings it back" in said[1]
    assert "no longer on this server" in said[2]


def test_what_is_not_saved_is_said_where_it_is_watched(library, registry):
    kept(library)
    app = go(open_app(run="one", own="secret"), "live")
    registry.get("one").background.not_kept = "No space left on device"
    check(app.run())
    assert "is not saved. No space left" in texts(app.warning)


def test_two_runs_of_the_same_texts_share_them(library, registry):
    for run_id in ("one", "two"):
        kept(library, run_id)
    go(open_app(run="one,two", own="x,x"), "live")
    assert registry.get("one").source is registry.get("two").source


def test_a_run_that_is_opened_again_has_the_texts_it_was_started_with(registry):
    entry = launch(registry, keep=server.keep)
    registry.renew(entry.run_id)
    again = server.open_saved(entry.run_id)
    assert again is not entry
    assert again.source is entry.source, "they are in memory once"


def test_the_command_lists_renames_and_brings_back(library, capsys):
    assert main(["runs"]) == 0
    assert "No run is saved yet" in capsys.readouterr().out
    kept(library)
    assert main(["runs", "rename", "one", "My run"]) == 0
    assert main(["runs", "tag", "one", "b", "a"]) == 0
    assert main(["runs", "list"]) == 0
    listed = capsys.readouterr().out
    assert "My run" in listed
    assert "a b" in listed
    assert main(["runs", "delete", "one"]) == 0
    assert main(["runs"]) == 0
    assert "runs restore one" in capsys.readouterr().out
    assert main(["runs", "restore", "one"]) == 0
    assert [run.name for run in library.saved()] == ["My run"]
    assert main(["runs", "delete", "nobody"]) == 2
    assert "no saved run nobody" in capsys.readouterr().err


def test_a_run_that_cannot_be_shown_is_said_and_can_be_deleted(library, capsys):
    for run_id in ("one", "two", "three"):
        kept(library, run_id)
    with contextlib.closing(sqlite3.connect(library.folder / "library.sqlite3")) as index, index:
        facts = json.dumps(library.get("one").facts | {"seed": 2**70})
        index.execute("UPDATE runs SET facts = ? WHERE run_id = 'one'", (facts,))
        index.execute("DELETE FROM runs WHERE run_id = 'two'")
    (library.folder / "runs" / "two" / "row.json").write_text("[]")
    app = the_page()
    assert len(app.dataframe[0].value) == 1
    assert "The run one cannot be shown: its seed is 1180591620717411303424" in texts(app.markdown)
    assert "The run two cannot be shown: its row.json cannot be read" in texts(app.markdown)
    assert main(["runs"]) == 0
    assert "two         damaged: its row.json cannot be read" in capsys.readouterr().out
    assert main(["runs", "delete", "two"]) == 0
    assert "The row of the run one is damaged" in texts(go(open_app(run="one"), "live").info)
    check(button(app, key="runs-discard-one").click().run())
    assert "cannot be shown" not in texts(app.markdown)
    assert [path.name for path in (library.folder / "runs").iterdir()] == ["three"]


def test_a_second_import_says_so_and_offers_a_copy(library):
    kept(library)
    out = io.BytesIO()
    bundle.export(library, "one", out)
    app = the_page()
    check(app.file_uploader[0].set_value(("a.zip", out.getvalue(), "application/zip")).run())
    assert "This run is here already, as **hdp-tsvi**." in texts(app.markdown)
    assert len(library.saved()) == 1
    check(button(app, "Import a copy").click().run())
    assert sorted(row.name for row in library.saved()) == ["hdp-tsvi", "hdp-tsvi (2)"]
    assert "Imported: **hdp-tsvi (2)**" in texts(app.markdown)


def test_a_file_in_the_uploader_is_read_once_and_not_at_every_rerun(library, monkeypatch):
    kept(library)
    out = io.BytesIO()
    bundle.export(library, "one", out)
    asked, read = [], bundle.read
    monkeypatch.setattr(bundle, "read", lambda *given: asked.append(1) or read(*given))
    app = the_page()
    check(app.file_uploader[0].set_value(("a.zip", b"hello", "application/zip")).run())
    refusal = "a.zip is damaged or is not a saved run"
    for _ in range(2):
        assert refusal in texts(app.error)
        check(app.run())
    assert len(asked) == 1
    check(app.file_uploader[0].set_value(("a.zip", out.getvalue(), "application/zip")).run())
    for _ in range(2):
        assert refusal not in texts(app.error)
        assert "This run is here already, as **hdp-tsvi**." in texts(app.markdown)
        check(app.run())
    assert len(asked) == 2
    library.delete("one")
    check(app.run())
    assert "Imported: **hdp-tsvi**" in texts(app.markdown), "it is here no longer"
    assert len(asked) == 3


def test_the_command_exports_and_imports(library, capsys, tmp_path):
    run = kept(library)
    path = tmp_path / "a.zip"
    assert main(["runs", "export", "one", str(path)]) == 0
    assert bundle.read(path).corpus.docs.text is None
    assert "though the name" not in capsys.readouterr().out
    assert main(["runs", "export", "one", str(path), "--with-text"]) == 2
    assert "a.zip exists" in capsys.readouterr().err
    assert bundle.read(path).corpus.docs.text is None
    assert main(["runs", "export", "one", str(path), "--with-text", "--force"]) == 0
    assert bundle.read(path).corpus.docs.text is not None
    assert [p.name for p in tmp_path.glob("a.zip*")] == ["a.zip"]
    assert main(["runs", "export", "one", str(tmp_path / "a.csv")]) == 0
    assert "a .zip that `runs import` reads, though" in capsys.readouterr().out
    assert main(["runs", "import", str(path)]) == 2
    assert "here already, as hdp-tsvi (one); --copy imports it again" in capsys.readouterr().err
    assert main(["runs", "import", str(path), "--copy"]) == 0
    assert sorted(row.name for row in library.saved()) == ["hdp-tsvi", "hdp-tsvi (2)"]
    assert all(row.facts["docs_seen"] == run.docs_seen for row in library.saved())
    path.write_bytes(b"PK")
    assert main(["runs", "import", str(path)]) == 2
    assert "a.zip is damaged" in capsys.readouterr().err
    assert main(["runs", "import", str(tmp_path / "none.zip")]) == 2
    assert main(["runs", "export", "one", str(tmp_path / "no" / "a.zip")]) == 2


def test_fit_can_keep_its_run(library, capsys, pytestconfig):
    csv = str(pytestconfig.rootpath / "sample_data" / "small.csv")
    assert main(["fit", csv, "--passes", "1", "--keep", "From the shell"]) == 0
    (saved,) = library.saved()
    assert (saved.name, saved.facts["status"]) == ("From the shell", "finished")
    assert saved.run_id in capsys.readouterr().err
    assert library.corpus(saved.run_id).docs.text is not None


def test_an_export_opens_on_the_live_page_without_texts(library, registry):
    kept(library)
    out = io.BytesIO()
    bundle.export(library, "one", out)
    out.seek(0)
    run_id = bundle.add(library, bundle.read(out))
    go(open_app(run=run_id, own="x"), "live")
    assert registry.get(run_id).source.corpus.docs.text is None
    assert server.library().get(run_id).name == "hdp-tsvi"
