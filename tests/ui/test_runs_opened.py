"""Saved runs opened by an address, by the `runs` command and from files, without a browser."""

import io

import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.runs.table import TICKED
from tests.tools.pages import button, check, go, launch, open_app, small_run, texts
from tests.tools.runs_page import kept, the_page


@pytest.fixture(autouse=True)
def library(registry):
    """The library of this test alone."""
    return Library()


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


@pytest.mark.second
def test_what_is_not_saved_is_said_where_it_is_watched(library, registry):
    kept(library)
    app = go(open_app(run="one", own="secret"), "live")
    registry.get("one").background.not_kept = "No space left on device"
    check(app.run())
    assert "is not saved. No space left" in texts(app.warning)


@pytest.mark.second
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


@pytest.mark.second
def test_a_run_that_cannot_be_shown_is_said_and_can_be_deleted(library, capsys):
    for run_id in ("one", "two", "three"):
        kept(library, run_id)
    row = library.folder / "runs" / "one" / "row.json"
    row.write_text(row.read_text().replace('"seed": 0', f'"seed": {2**70}'))
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


@pytest.mark.second
def test_the_file_that_is_offered_is_the_one_that_is_asked_for_now(library):
    """With or without the texts, of this run, as it was saved last."""
    run = kept(library)
    kept(library, "two")
    app = the_page()

    def tick(run_id):
        app.session_state[TICKED] = [run_id]
        check(app.run())

    def is_offered():
        return [d.key for d in app.get("download_button")] == ["runs-download"]

    tick("one")
    assert not is_offered()
    check(button(app, key="runs-make").click().run())
    assert is_offered()
    check(app.checkbox(key="runs-with-text").check().run())
    assert not is_offered(), "it has no texts"
    check(button(app, key="runs-make").click().run())
    assert is_offered()
    tick("two")
    assert not is_offered(), "it is another run"
    tick("one")
    assert is_offered()
    run.step()
    server.library().load("one")
    server.library().keep("one", run, small_run()[1].corpus, "paused")
    check(app.run())
    assert not is_offered(), "the run was saved again"


@pytest.mark.second
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


@pytest.mark.second
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


@pytest.mark.second
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


@pytest.mark.second
def test_an_export_opens_on_the_live_page_without_texts(library, registry):
    kept(library)
    out = io.BytesIO()
    bundle.export(library, "one", out)
    out.seek(0)
    run_id = bundle.add(library, bundle.read(out))
    go(open_app(run=run_id, own="x"), "live")
    assert registry.get(run_id).source.corpus.docs.text is None
    assert server.library().get(run_id).name == "hdp-tsvi"
