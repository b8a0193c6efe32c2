"""Texts by their paths on the Texts page: built, cancelled, gone on with, opened; and refused."""

import os
import shutil
from pathlib import Path

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.plugins.building import builds
from bnpexplorer.plugins.building.alone import LOCK, alone
from bnpexplorer.plugins.building.build import build
from bnpexplorer.plugins.building.builds import Order
from bnpexplorer.plugins.building.plan import work_folder
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.frame.words import plain
from bnpexplorer.ui.texts.paths import ASKED, paths_of
from tests.tools.builders import slow
from tests.tools.pages import check, field, go, open_app, texts
from tests.tools.paths import ask, errors, metric, opened, press, records, until_begun, until_ended
from tests.tools.waiting import until

pytestmark = pytest.mark.usefixtures("registry")


# ---- what is built and opened --------------------------------------------------------------------


@pytest.mark.second
def test_a_table_is_built_by_the_columns_and_words_that_a_person_chose(at_home, table):
    app = ask(opened(), table)
    assert "**notes.csv**" in texts(app.markdown)
    check(field(app.selectbox, "Text column").set_value("body").run())
    check(field(app.selectbox, "Label column").set_value("kind").run())
    check(field(app.selectbox, "Id column").set_value("nr").run())
    check(field(app.text_input, "Leave out words in fewer documents than").set_value("3").run())
    out = table.with_name("notes.corpus")
    assert field(app.text_input, "Folder of the corpus, which is made").value == str(out)
    app = until_ended(press(app, "Build it"))
    loaded = app.session_state["loaded"]
    assert isinstance(loaded.corpus, StoredCorpus)
    assert loaded.corpus.folder == out
    assert metric(app, "Documents") == f"{loaded.corpus.n_docs:,}"
    wanted = build(
        [table],
        table.with_name("wanted"),
        ReadOptions(text="body", label="kind", id="nr"),
        {**app.session_state["loaded"].report.settings.__dict__},
        threads=1,
    )
    assert loaded.corpus.fingerprint == wanted.fingerprint
    assert loaded.corpus.docs.label[0] == wanted.docs.label[0]
    assert loaded.report.settings.min_df == 3
    assert loaded.report.reading.files == ("notes.csv",)
    assert builds._builds() == {}, "what was opened is looked at no more"
    assert server.library().jobs.all() == []
    assert app.text_area(key=ASKED).value == str(out), "the box names what is open"
    # It stays this tab's corpus when the page is drawn again, and another tab opens it by its path.
    assert check(app.run()).session_state["loaded"] is loaded
    other = ask(opened(), out)
    assert other.session_state["loaded"].corpus.fingerprint == wanted.fingerprint
    assert f"Opened on the disk: {plain(str(out))}" in texts(other.caption)
    shown = next(d.value for d in other.dataframe if "text" in d.value)
    assert len(shown) == 20


@pytest.mark.second
@pytest.mark.parametrize("longer", [b"", b"s"], ids=["as long", "longer"])
def test_a_file_that_is_written_anew_is_looked_at_anew(at_home, table, longer):
    """Also where it has as many bytes as before."""
    app = ask(opened(), table)
    columns = field(app.selectbox, "Text column").options
    assert "body" in columns
    before = table.read_bytes()
    assert before.startswith(b"nr,body,kind")
    table.write_bytes(before.replace(b"body", b"page" + longer, 1))
    assert table.stat().st_size == len(before) + len(longer)
    now = field(check(app.run()).selectbox, "Text column").options
    assert now == [f"page{longer.decode()}" if name == "body" else name for name in columns]


@pytest.mark.second
def test_a_build_is_cancelled_and_goes_on_where_it_ended_also_after_the_app(
    at_home, table, monkeypatch
):
    out = table.with_name("notes.corpus")
    app = ask(opened(), table)
    with monkeypatch.context() as patch:
        slow(patch, 1.5, 3)
        app = press(app, "Build it")
        until_begun(out)
        app = check(app.run())
        assert "**notes.corpus** · Reading the files · " in app.get("progress")[0].proto.text
        app = until_ended(press(app, "Cancel"))
    assert not (out / "manifest.json").exists()
    assert "**notes.corpus** is not complete: it was ended at" in texts(app.markdown)
    assert f"What is done lies in {work_folder(out)}" in texts(app.caption).replace("\\", "")
    assert "loaded" not in app.session_state
    first = records(out)[0].stat().st_mtime_ns
    builds._builds.clear()  # as another server would find it
    app = go(open_app(), "corpus")
    assert "**notes.corpus** is not complete: it was ended." in texts(app.markdown)
    with monkeypatch.context() as patch:
        slow(patch, 0.0, 3)  # chunks end where they ended before
        app = press(app, "Go on")
        for one in builds._builds().values():
            until(lambda one=one: one.step not in ("", "reading"))
        assert records(out)[0].stat().st_mtime_ns == first, "what was done was done again"
        app = until_ended(app)
    assert "**notes.corpus** is built." in texts(app.markdown)
    assert "loaded" not in app.session_state, "nobody asked for it here: texts come by another way"
    app = press(app, "Open it")
    assert app.text_area(key=ASKED).value == str(out)
    assert app.session_state["loaded"].corpus.folder == out
    assert not work_folder(out).exists()
    assert server.library().jobs.all() == []


@pytest.mark.second
def test_what_was_ended_can_be_discarded_and_nothing_else_goes(at_home, table, monkeypatch):
    out = table.with_name("notes.corpus")
    slow(monkeypatch, 1.5, 3)
    app = press(ask(opened(), table), "Build it")
    until_begun(out)
    (work_folder(out) / "mine.txt").write_text("mine")
    app = until_ended(press(app, "Cancel"))
    assert not (work_folder(out) / LOCK).exists(), "a build takes its lock with it"
    done = records(out)
    with alone(work_folder(out)):  # as where somebody has just gone on with it on the command line
        app = press(app, "Discard what is done")
        assert "is being built by another process; wait for it" in errors(app)
        assert records(out) == done
    app = press(app, "Discard what is done")
    assert not app.error
    assert [path.name for path in work_folder(out).rglob("*")] == ["mine.txt"]
    assert (work_folder(out) / "mine.txt").read_text() == "mine"
    assert not [b for b in app.button if b.label == "Go on"]
    assert server.library().jobs.all() == []
    assert table.exists()


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.second
def test_what_cannot_be_read_is_told_and_what_was_loaded_stays(at_home, table, tmp_path):
    out = tmp_path / "notes.corpus"
    app = until_ended(press(ask(opened(), table), "Build it"))
    before = app.session_state["loaded"]
    (tmp_path / "empty").mkdir()
    (tmp_path / "blank.csv").write_text(" \n")
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n1,2,3\n")
    (tmp_path / "halfway").mkdir()
    (tmp_path / "halfway" / "building.json").write_text("{}")
    os.mkfifo(tmp_path / "pipe")
    for name, said in (
        ("nowhere", "There is no file"),
        ("empty", "is empty; give a file, or a folder with some."),
        ("blank.csv", "blank.csv is empty; give a file with at least one document."),
        ("ragged.csv", "ragged.csv, line 3: 3 fields where the first row has 2"),
        ("halfway", "is not complete; start the same build again"),
        ("pipe", "is neither a file nor a folder"),
    ):
        app = ask(app, tmp_path / name)
        assert said in errors(app), name
        assert "The texts that were loaded before are still there." in texts(app.caption)
        assert app.session_state["loaded"] is before
        assert not [b for b in app.button if b.label == "Build it"]
    damaged = tmp_path / "damaged.corpus"
    shutil.copytree(out, damaged)
    os.truncate(damaged / "counts.npy", (out / "counts.npy").stat().st_size - 4)
    app = ask(app, damaged)
    assert "counts.npy has" in errors(app)
    assert "Build it again from its files" in errors(app)


@pytest.mark.second
def test_a_folder_that_holds_other_things_and_other_settings_are_refused(
    at_home, table, tmp_path, monkeypatch
):
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    app = ask(opened(), table)
    check(field(app.text_input, "Folder of the corpus, which is made").set_value(str(other)).run())
    app = until_ended(press(app, "Build it"))
    assert "exists and holds something else than a corpus; give another name." in errors(app)
    assert (other / "mine.txt").read_text() == "mine"
    app = press(app, "Dismiss")
    assert not app.error
    check(field(app.text_input, "Folder of the corpus, which is made").set_value(" ").run())
    app = press(app, "Build it")
    assert "The corpus needs a folder" in errors(app)
    # Begun with other settings: the sentence, and a button for its remedy.
    out = tmp_path / "notes.corpus"
    check(field(app.text_input, "Folder of the corpus, which is made").set_value(str(out)).run())
    with monkeypatch.context() as patch:
        slow(patch, 1.5, 3)
        app = press(app, "Build it")
        until_begun(out)
        assert not [b for b in app.button if b.label == "Build it"]
        with pytest.raises(CorpusError, match="is being built; wait until that has ended"):
            builds.begin(Order(("x",), "y", ReadOptions(), {}))
        app = until_ended(press(app, "Cancel"))
    done = records(out)
    check(field(app.text_input, "Leave out words in fewer documents than").set_value("4").run())
    check(field(app.text_input, "Folder of the corpus, which is made").set_value(" ").run())
    app = press(app, "Build it")
    assert "The corpus needs a folder" in errors(app), "beside a build that was ended"
    check(field(app.text_input, "Folder of the corpus, which is made").set_value(str(out)).run())
    app = until_ended(press(app, "Build it"))
    assert "holds a build that was begun with another setting of min_df" in errors(app)
    assert records(out) == done
    app = press(app, "Dismiss")
    assert records(out) == done, "what is dismissed stays on the disk"
    app = until_ended(press(app, "Build it"))
    app = until_ended(press(app, "Start anew"))
    assert app.session_state["loaded"].report.settings.min_df == 4
    # A complete corpus is never replaced from the page.
    before = (out / "manifest.json").read_bytes()
    app = ask(app, table)
    check(field(app.text_input, "Leave out words in fewer documents than").set_value("5").run())
    app = until_ended(press(app, "Build it"))
    assert "holds a corpus of other files or settings" in errors(app)
    assert not [b for b in app.button if b.label == "Start anew"]
    assert (out / "manifest.json").read_bytes() == before


def test_paths_are_taken_as_systems_copy_them(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths_of(f"  '{tmp_path}/a b.csv' \n\n\"/x/y\"\n~/c.csv") == [
        tmp_path / "a b.csv",
        Path("/x/y"),
        tmp_path / "c.csv",
    ]
    for none in ("a\0b", "~nobody-of-this-name/x"):
        with pytest.raises(CorpusError, match="There is no file"):
            paths_of(none)
