"""A filter on the Documents page while the documents are still read, and after it."""

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.explore.proportions import FoldingIn, doc_topic
from bnpexplorer.ui.documents import filtering
from bnpexplorer.ui.frame import server
from tests.tools.pages import button, check, choose, go, launch, open_app, texts

pytestmark = pytest.mark.usefixtures("registry")


def listed(app):
    """How many documents the export button offers."""
    (label,) = [d.proto.label for d in app.get("download_button") if d.key == "documents-export"]
    return int(re.search(r"(\d+) documents", label)[1])


def test_the_file_of_documents_has_the_share_of_every_topic_hidden_ones_too(registry, monkeypatch):
    entry, made = launch(registry), {}
    latest = entry.background.latest
    ids = server.moment_of(entry, latest).ordered()
    entry.labels = replace(entry.labels, hidden=frozenset(ids[1:2]), folded=frozenset(ids[2:3]))
    moment, corpus = server.moment_of(entry, latest), entry.source.corpus
    assert len(moment.ordered()) == len(ids) - 2
    download = filtering.st.download_button

    def noted(label, data, **more):
        made[more["key"]] = data
        return download(label, data, **more)

    monkeypatch.setattr(filtering.st, "download_button", noted)
    go(open_app(run=entry.run_id, own=entry.secret), "documents")
    rows = list(csv.DictReader(io.StringIO(made["documents-export"]().decode("utf-8-sig"))))
    shares = doc_topic(moment.model, moment.topics, corpus)
    assert {moment.head(topic) for topic in ids} <= set(rows[0])
    for row in rows:
        place = int(row["document"]) - 1
        said = [float(row[moment.head(topic)]) for topic in ids]
        wanted = shares[place, [moment.row[topic] for topic in ids]]
        np.testing.assert_allclose(said, wanted, rtol=0, atol=6e-7)


@pytest.mark.second
def test_a_topic_is_asked_for_once_the_documents_are_read(registry, monkeypatch):
    entry = launch(registry)
    moment, corpus = server.moment_of(entry, entry.background.latest), entry.source.corpus
    topic, word = moment.ordered()[0], int(corpus.word_docs.argmax())
    with monkeypatch.context() as patch:
        patch.setattr(FoldingIn, "wait", lambda self, seconds: None)
        patch.setattr(FoldingIn, "ended", False)
        asked = {"only_topic": str(topic), "only_least": "0.05"}
        app = go(open_app(run=entry.run_id, own=entry.secret, **asked), "documents")
        choose(app, "documents-way", "search")
        check(app.text_input(key="documents-search").set_value(corpus.vocab[word]).run())
        found = listed(app)
        assert "pass the filter" not in texts(app.caption), "no document's share is known yet"
    shares = doc_topic(moment.model, moment.topics, corpus)[:, moment.row[topic]]
    most = int((shares >= np.float32(0.05)).sum())
    check(app.run())
    assert 1 < listed(app) <= most
    assert listed(app) < found
    assert f"{listed(app)} of {found} documents pass the filter" in texts(app.caption)
    check(button(app, key="documents-chip-topic").click().run())
    assert listed(app) == found
