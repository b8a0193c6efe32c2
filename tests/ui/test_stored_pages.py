"""Pages over a corpus on the disk: every view is there, and none asks for all texts at once."""

import pytest

from bnpexplorer.core import arrays
from bnpexplorer.corpus import corpus as corpora
from bnpexplorer.corpus import order
from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.intake.api import leave_out
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.stored.reporting import described
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.explore import atlas, documents
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.topics import atlas as atlas_page
from tests.tools.pages import choose, go, launch, open_app, texts
from tests.tools.stored import on_disk, with_names
from tests.ui.test_many_documents import visit_everything

pytestmark = pytest.mark.usefixtures("registry")
ARRAYS = ("indptr", "word_ids", "counts")


@pytest.fixture
def entry(registry, tmp_path, monkeypatch):
    corpus = on_disk(with_names(600), tmp_path / "c", shard_docs=200)
    entry = launch(
        registry,
        "lda-svi",
        server.LoadedCorpus(corpus, described(corpus)),
        passes=1,
        batch_size=100,
    )
    for array in ARRAYS:

        def refused(self, array=array):
            raise AssertionError(f"{array} of the whole corpus was asked for")

        monkeypatch.setattr(StoredCorpus, array, property(refused))
    monkeypatch.setattr(arrays, "HELD", 1000)
    monkeypatch.setattr(documents, "BLOCK", 100)
    monkeypatch.setattr(corpora, "CHUNK_DOCS", 100)
    monkeypatch.setattr(atlas, "ROUNDS", (12.0,))
    monkeypatch.setattr(atlas, "LANDMARKS", 100)
    monkeypatch.setattr(atlas_page, "SHORT", 60.0)
    return entry


@pytest.mark.second
def test_every_view_reads_its_part_of_the_disk(entry):
    app = open_app(run=entry.run_id, own=entry.secret)
    app = visit_everything(go(app, "topics"))
    assert "600 documents" in texts(app.caption)
    assert any("Title" in b.label for b in app.button)
    for view in ("Through the run", "Topics"):
        app = choose(go(app, "topics"), "topics-view", view)
    go(app, "live")
    assert isinstance(entry.moment.corpus, StoredCorpus)
    assert entry.moment.corpus.docs.names() == ("date", "origin")
    assert entry.moment.corpus.docs.text is None


def test_words_left_out_of_many_texts_on_the_disk_need_another_build(entry, monkeypatch):
    """Of few they are left out; of many all counts would have to be held."""
    corpus = entry.source.corpus
    monkeypatch.setattr(order, "LARGE_DOCS", 100)
    with pytest.raises(CorpusError, match=r"600 texts of made up lie on the disk .*--stop-words"):
        leave_out(corpus, ["word3"], TextSettings())
