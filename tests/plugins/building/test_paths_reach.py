"""Texts by their paths on the Texts page: who may name them, and how much a page reads."""

import shutil
import threading
from dataclasses import asdict

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.stored.fields import Fields
from bnpexplorer.plugins.building import builds
from bnpexplorer.plugins.building.build import build
from bnpexplorer.plugins.building.builds import Build, Order
from bnpexplorer.runs import limits
from bnpexplorer.runs.saved.jobs import UnfinishedJob
from bnpexplorer.ui.frame import machine, server, session, words
from bnpexplorer.ui.frame.words import plain
from bnpexplorer.ui.parts import in_background
from bnpexplorer.ui.texts import preview
from bnpexplorer.ui.texts.paths import ASKED, PATHS, WAY
from tests.tools.pages import check, go, launch, open_app, texts
from tests.tools.paths import ask, metric, opened
from tests.tools.waiting import NEVER

pytestmark = pytest.mark.usefixtures("registry")


# ---- who may -------------------------------------------------------------------------------------


@pytest.mark.second
def test_on_a_server_that_others_reach_nothing_of_it_exists(at_home, table, monkeypatch):
    out = table.with_name("notes.corpus")
    built = build([table], out, ReadOptions(text="body"), threads=1)
    order = Order((str(table),), str(table.with_name("more.corpus")), ReadOptions(), {})
    builds._builds()["kept"] = Build(order, 1)
    assert builds._builds()["kept"].wait(300)
    about = {"order": asdict(order)}
    server.library().jobs.write(UnfinishedJob("x", builds.KIND, "", "", "more.corpus", about))
    reached = {
        "in a class": lambda patch: patch.setenv(limits.SHARED, "1"),
        "from elsewhere": lambda patch: patch.setattr(machine, "called_at_home", lambda: False),
    }
    for where, reach in reached.items():
        with monkeypatch.context() as patch:
            reach(patch)
            app = go(open_app(), "corpus")
            way = next(w for w in app.get("button_group") if w.key == WAY)
            assert PATHS not in [option.content for option in way.proto.options], where
            app.session_state[WAY] = PATHS  # as no click can
            app.session_state[ASKED] = str(out)
            page = check(app.run())
            everything = texts(page.markdown, page.caption, page.error, page.text_area)
            assert str(table.parent) not in everything, where
            assert "corpus" not in [b.label for b in page.button]
            assert not page.text_area, "nor does the box stand there, which would tell what exists"
            assert "loaded" not in page.session_state
            assert builds.builds() == []
            for refused in (
                lambda: machine.look([table], ReadOptions()),
                lambda: machine.open_corpus(built.folder),
                lambda: builds.begin(order),
                lambda: builds.cancel("kept"),
                lambda: builds.dismiss("kept"),
                lambda: builds.discard(builds.Begun("kept", order, None)),
            ):
                with pytest.raises(CorpusError, match="open to this machine alone"):
                    refused()
    assert list(builds._builds()) == ["kept"]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("/data/my texts/a.corpus/counts.npy is missing (gone).", "counts.npy is missing (gone)."),
        (
            "There is no stored corpus in /a.corpus; it has no x.",
            "There is no stored corpus in a.c",
        ),
        (r"C:\texts\a.corpus cannot be read.", "a.corpus cannot be read."),
        ("It needs 3/4 of the memory and/or time.", "It needs 3/4 of the memory and/or time."),
        ("Step 7: numbers are not finite.", "Step 7: numbers are not finite."),
    ],
)
def test_on_a_shared_server_nobody_is_told_a_folder(monkeypatch, said, left):
    assert words.told(said) == plain(said)
    monkeypatch.setenv(limits.SHARED, "1")
    assert words.told(said).startswith(plain(left))


@pytest.mark.second
def test_a_watcher_of_a_run_whose_corpus_is_gone_is_told_no_folder(
    registry, at_home, table, monkeypatch
):
    out = table.with_name("notes.corpus")
    corpus = build([table], out, ReadOptions(text="body"), threads=1)
    entry = launch(registry, "lda-svi", server.LoadedCorpus(corpus), keep=server.keep, passes=1)
    run_id, error = entry.run_id, ""
    registry.let_go(run_id)
    entry = None
    server._sources.clear()
    shutil.rmtree(out)
    for shared in ("0", "1"):
        monkeypatch.setenv(limits.SHARED, shared)
        app = go(open_app(run=run_id), "live")
        error = texts(app.error, app.warning, app.info, app.markdown, app.caption)
        assert "notes.corpus" in error.replace("\\", "")
        assert (str(table.parent) in error.replace("\\", "")) == (shared == "0")


# ---- how much a page reads -----------------------------------------------------------------------


@pytest.mark.second
def test_of_a_large_corpus_a_page_reads_what_it_shows(at_home, table, monkeypatch):
    """What goes through all documents is worked out by a thread, and only twenty are read."""
    out = table.with_name("notes.corpus")
    build([table], out, ReadOptions(text="body", label="kind"), threads=1)
    monkeypatch.setattr(in_background, "MANY", 100)
    monkeypatch.setattr(in_background, "PATIENCE", NEVER)
    rows, counting, drawing = [], [], set()
    read, lengths, restore = Fields.read, preview.lengths_of, session.restore

    def noted(self, name, at=None):
        rows.append(self.n_docs if at is None else len(at))
        return read(self, name, at)

    def counted(given):
        counting.append(threading.current_thread())
        return lengths(given)

    def restored():
        drawing.add(threading.current_thread())
        restore()

    monkeypatch.setattr(Fields, "read", noted)
    monkeypatch.setattr(preview, "lengths_of", counted)
    monkeypatch.setattr(session, "restore", restored)
    app = ask(opened(), out)
    assert metric(app, "Documents") != "0"
    assert "Half of the documents have at most" in texts(app.caption)
    assert rows
    assert max(rows) == 20
    assert len(counting) == 1
    assert not set(counting) & drawing
    check(app.run())
    assert len(counting) == 1, "what was worked out is kept"
