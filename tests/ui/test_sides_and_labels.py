"""Which documents are behind a row, a side and a label on the Topics page: none is mixed up."""

import re
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.explore.change import changes
from bnpexplorer.explore.choosing import chosen
from bnpexplorer.explore.means import group_means
from bnpexplorer.explore.periods import labelled
from bnpexplorer.explore.proportions import doc_topic
from bnpexplorer.explore.sentences import Sides
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.parts import explore
from bnpexplorer.ui.topics import changed
from bnpexplorer.ui.topics import labels as view
from bnpexplorer.ui.topics.atlas import _by_label
from tests.tools.pages import check, choose, field, go, launch, open_app, small, texts

pytestmark = pytest.mark.usefixtures("registry")


def topics(entry, name, **address):
    app = go(open_app(run=entry.run_id, own=entry.secret, **address), "topics")
    return choose(app, "topics-view", name)


def uneven(registry):
    """A run of texts in which every label has another number of documents."""
    loaded = small()
    label = loaded.corpus.docs.label
    rows = [np.flatnonzero(label == name)[3 * k :] for k, name in enumerate(np.unique(label))]
    corpus = loaded.corpus.take(np.sort(np.concatenate(rows)))
    return launch(registry, "hdp-tsvi", replace(loaded, corpus=corpus))


def read(entry):
    """The moment, and every document's share of its topics."""
    moment = server.moment_of(entry, entry.background.latest)
    return moment, doc_topic(moment.model, moment.topics, moment.corpus)


def test_every_row_of_the_table_by_label_has_its_own_label(registry):
    entry = uneven(registry)
    moment, shares = read(entry)
    corpus = entry.source.corpus
    labels = labelled(corpus.docs.label, corpus.n_docs)
    assert len(set(labels.n_docs.tolist())) == len(labels.names)
    found = group_means(shares, labels.codes, len(labels.names), np.ones(corpus.n_docs))
    low, high = found.interval()
    table = view._table(moment, labels, found)
    assert len(table) == len(labels.names) * len(moment.in_use)
    for row in table.itertuples():
        rows = corpus.docs.label == row.label
        topic = int(row.topic.split(" · ")[0])
        assert row.documents == rows.sum()
        assert row.share == pytest.approx(shares[rows, moment.row[topic]].mean(), abs=1e-6)
        place = labels.names.index(row.label), moment.row[topic]
        assert row[-2:] == (low[place], high[place])


def test_behind_all_other_labels_are_the_documents_of_no_label_that_is_drawn(registry):
    corpus = uneven(registry).source.corpus
    labels = labelled(corpus.docs.label, corpus.n_docs)
    drawn = labels.folded(2)
    for row, name in enumerate(drawn.names):
        found = chosen(corpus, view.documents_of(labels, drawn, row), None, ())
        own = corpus.docs.label == name
        others = ~np.isin(corpus.docs.label, drawn.names[:-1])
        assert np.array_equal(found, others if row == 2 else own)
        assert found.sum() == drawn.n_docs[row]


def test_labels_of_the_map_are_those_of_the_table():
    labels = np.array(["Whig", " Whig ", None, "Tory", "", "Tory", "Whig"], object)
    found = _by_label(labelled(labels, 7))
    assert list(found.names) == ["Whig", "Tory"]
    assert found.of.tolist() == [0, 0, -1, 1, -1, 1, 0], "without a label it is grey"


@pytest.mark.second
def test_label_lines_are_those_of_the_address(registry):
    """The browser writes them there."""
    entry = launch(registry)
    key = f"topics-label-lines-{entry.run_id}"
    app = topics(entry, "Compare groups", **{key: ["railway", "garden"]})
    assert field(app.multiselect, "Labels").value == ["railway", "garden"]
    app = topics(entry, "Compare groups", **{key: ["<b>nonsense", "garden"]})
    assert "<b>nonsense" not in field(app.multiselect, "Labels").value


@pytest.mark.second
def test_too_many_periods_are_not_drawn(registry, monkeypatch):
    entry = launch(registry)
    monkeypatch.setattr(explore, "MOST_PERIODS", 1)
    for name in ("Over time", "Compare groups"):
        assert "periods are too many to show" in texts(topics(entry, name).warning), name
    app = choose(topics(entry, "Compare groups"), "topics-changed", "found")
    assert "periods are too many to show" in texts(app.warning)


@pytest.mark.second
def test_words_and_paragraphs_before_and_after_are_those_of_their_side(registry):
    entry = launch(registry)
    corpus = entry.source.corpus
    app = choose(topics(entry, "Compare groups"), "topics-changed", "dates")
    until = next(d for d in app.date_input if d.label == "Before: to").value
    early = corpus.docs.date <= np.datetime64(until)
    rows = np.repeat(np.arange(corpus.n_docs), np.diff(corpus.indptr))

    def in_10_000(words, side):
        counts = np.bincount(corpus.word_ids, corpus.counts * side[rows], corpus.n_words)
        return 1e4 * counts[[corpus.vocab.index(w) for w in words]] / counts.sum()

    tables = [d.value for d in app.dataframe if d.value.columns[0] == "word"]
    words = [w for table in tables[:2] for w in table["word"]]
    n_early = int((corpus.counts * early[rows]).sum())
    assert abs(2 * n_early - corpus.n_tokens) > 0.01 * corpus.n_tokens, "sides of different size"
    for column, side in ((1, early), (2, ~early)):
        said = np.concatenate([table.iloc[:, column].to_numpy(float) for table in tables[:2]])
        np.testing.assert_allclose(said, in_10_000(words, side), rtol=0, atol=0.0051)

    key = next(b.key for b in app.button if str(b.key).endswith("-read-0")).removesuffix("-read-0")
    app.session_state[f"{key}-paragraphs"] = True
    check(app.run())
    found = [re.fullmatch(rf"{key}-(\d+)-open", str(b.key)) for b in app.button]
    shown = [int(match[1]) for match in found if match]
    assert early[shown].tolist() == [True, True, False, False]


def test_every_row_of_the_table_of_changes_is_of_its_topic(registry):
    """Between sides of different size: shares before and after, the ends of their difference."""
    moment, shares = read(launch(registry))
    corpus, ids = moment.corpus, moment.ordered()
    early = np.zeros(corpus.n_docs, bool)
    early[np.argsort(corpus.docs.date, kind="stable")[: corpus.n_docs // 3]] = True
    lengths = np.diff(corpus.indptr)
    longer = np.bincount(np.repeat(np.arange(corpus.n_docs), lengths), corpus.counts)
    columns = [moment.row[topic] for topic in ids]
    found = changes(shares, early, ~early, longer, units=corpus.units, columns=columns)
    table = changed._changes_table(moment, found, ids, Sides("then", "now"))
    assert sorted(int(head.split(" · ")[0]) for head in table["topic"]) == sorted(ids)
    assert len(set(table["sure"])) == 2
    for head, words, before, after, change, low, high, sure in table.itertuples(index=False):
        topic = int(head.split(" · ")[0])
        own = shares[:, moment.row[topic]]
        wanted = [np.average(own[side], weights=longer[side]) for side in (early, ~early)]
        assert words == moment.name(topic)
        assert [before, after] == pytest.approx(wanted, abs=1e-6)
        assert change == pytest.approx(after - before, abs=1e-9)
        assert low < change < high
        assert sure == (low > 0 or high < 0)
