"""A file that somebody imports on a shared server opens the stored corpus of nobody else: its run
opens without texts, says so, and every page of it can be used."""

import io
import json
import zipfile

import pytest

from bnpexplorer.corpus.documents.absent import AbsentCorpus
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.stored.reporting import described
from bnpexplorer.runs import limits
from bnpexplorer.runs.packed_texts import FOLDERS
from bnpexplorer.runs.saved import bundle
from bnpexplorer.ui.compare.page import VIEWS as COMPARED
from bnpexplorer.ui.frame import server
from tests.tools.pages import button, check, choose, go, launch, open_app, texts
from tests.tools.runs_page import the_page
from tests.tools.stored import on_disk, with_names
from tests.tools.waiting import NEVER
from tests.ui.test_many_documents import visit_everything

WITHOUT = "opens without its texts"


@pytest.fixture(params=["lda-svi", "hdp-tsvi"])
def owned(request, tmp_path, monkeypatch):
    """A run on a stored corpus that somebody has on a shared server."""
    registry = request.getfixturevalue("registry")
    monkeypatch.setenv(limits.SHARED, "1")
    monkeypatch.setenv(FOLDERS, str(tmp_path / "corpora"))
    corpus = on_disk(with_names(300), tmp_path / "corpora" / "news")
    loaded = server.LoadedCorpus(corpus, described(corpus))
    return launch(registry, request.param, loaded, keep=server.keep, passes=1, batch_size=100)


def exported(entry, **wishes):
    """Its file; `wishes`: what somebody wrote into the manifest's corpora."""
    file, out = io.BytesIO(), io.BytesIO()
    bundle.export(server.library(), entry.run_id, file)
    with zipfile.ZipFile(file) as parts, zipfile.ZipFile(out, "w") as written:
        manifest = json.loads(parts.read("manifest.json"))
        for part in ("corpus", "whole"):
            manifest[part] |= wishes
        for name in parts.namelist():
            told = json.dumps(manifest) if name == "manifest.json" else parts.read(name)
            written.writestr(name, told)
    return out.getvalue()


def imported(app, data):
    """The run that the file became in this tab."""
    check(app.file_uploader[0].set_value(("theirs.zip", data, "application/zip")).run())
    assert not app.error, texts(app.error)
    return app.session_state["runs-news"][0]


@pytest.mark.second
def test_a_stranger_s_file_opens_without_texts_and_says_so(owned):
    data = exported(owned, columns=["text", "title", "id", "label", "date"])
    app = the_page()
    run_id = imported(app, data)
    assert "It opens without its texts" in texts(app.markdown)
    assert not isinstance(server.library().corpus(run_id), StoredCorpus)
    check(button(app, "Open it").click().run())
    app = go(app, "live")
    assert WITHOUT in texts(app.info)
    entry = server.registry().get(run_id)
    assert isinstance(entry.background.run.corpus, AbsentCorpus)
    everything = texts(visit_everything(app).markdown, app.caption)
    assert "The text of" not in everything
    for view in ("Through the run", "Topics"):
        app = choose(go(app, "topics"), "topics-view", view)
    app = go(app, "compare")
    for view in COMPARED:
        app = choose(app, "compare", view)
    app = go(app, "live")
    for open_why in [b for b in app.button if "why" in (b.key or "")]:
        check(open_why.click().run())


@pytest.mark.second
def test_it_never_goes_on_without_them(owned):
    app = the_page()
    run_id = imported(app, exported(owned))
    row = server.library().get(run_id)
    check(button(app, "Open it").click().run())
    go(app, "live")
    entry = server.registry().get(run_id)
    entry.background.resume()
    assert entry.background.wait(NEVER)
    assert entry.background.run.n_steps == owned.background.run.n_steps
    assert server.library().get(run_id).facts["docs_seen"] == row.facts["docs_seen"]


@pytest.mark.second
def test_who_controls_a_run_on_the_corpus_opens_it_with_its_texts(owned):
    app = go(open_app(run=owned.run_id, own=owned.secret), "runs")
    check(
        app.file_uploader[0]
        .set_value(("theirs.zip", exported(owned, columns=["text"]), "application/zip"))
        .run()
    )
    check(button(app, "Import a copy").click().run())
    corpus = server.library().corpus(app.session_state["runs-news"][0])
    assert isinstance(corpus, StoredCorpus)
    assert corpus.docs.names() == owned.source.corpus.docs.names()


@pytest.mark.second
def test_who_only_watches_a_run_on_the_corpus_does_not_open_it(owned):
    run_id = imported(go(open_app(run=owned.run_id), "runs"), exported(owned))
    assert not isinstance(server.library().corpus(run_id), StoredCorpus)
