"""Label, time and change on the Topics page, and documents chosen on the Documents page."""

import base64
import re
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.readers.source import Source
from bnpexplorer.corpus.text import describe, make_corpus
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.explore.choosing import Filter
from bnpexplorer.explore.in_context import Hits
from bnpexplorer.explore.proportions import doc_topic
from bnpexplorer.ui.documents.document import not_in_text
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.parts import explore, marked, to_topics
from bnpexplorer.ui.topics import changed, quoted
from bnpexplorer.ui.topics import map as map_view
from bnpexplorer.ui.topics.changed import SENTENCES
from bnpexplorer.ui.topics.in_context import _hits, places_said
from tests.tools.pages import (
    button,
    check,
    choose,
    field,
    figures,
    go,
    html,
    launch,
    open_app,
    small,
    texts,
)

pytestmark = pytest.mark.usefixtures("registry")


def topics(entry, view, **address):
    app = go(open_app(run=entry.run_id, own=entry.secret, **address), "topics")
    return choose(app, "topics-view", view)


def changed_by(app, way):
    return choose(choose(app, "topics-view", "Compare groups"), "topics-changed", way)


def read(values):
    """Numbers as plotly writes them."""
    if isinstance(values, list):
        return values
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).tolist()


def rows_of(z):
    return np.reshape(read(z), [int(n) for n in z["shape"].split(",")]).tolist()


def documents(entry, **address):
    return go(open_app(run=entry.run_id, own=entry.secret, **address), "documents")


def listed(app):
    """How many documents the export button offers."""
    button_ = next(d for d in app.get("download_button") if d.key == "documents-export")
    found = re.search(r"([\d,]+) documents", button_.proto.label)
    return int(found[1].replace(",", "")) if found else 1


# ---- the Documents page --------------------------------------------------------------------------


def test_documents_are_chosen_by_the_address_and_one_click_takes_a_condition_away(registry):
    entry = launch(registry)
    corpus = entry.source.corpus
    dates, label = corpus.docs.date, corpus.docs.label
    app = documents(entry, only_label="kitchen,railway", only_since="2016-01-01")
    choose(app, "documents-rule", "words")
    both = np.isin(label, ["kitchen", "railway"])
    assert listed(app) == int((both & (dates >= np.datetime64("2016-01-01"))).sum())
    chips = [b.label for b in app.button if str(b.key).startswith("documents-chip")]
    assert chips == ["kitchen or railway", "since 1 January 2016"]
    check(button(app, key="documents-chip-since").click().run())
    assert listed(app) == int(both.sum())
    assert app.query_params["only-label"] == "kitchen,railway"
    assert "only-since" not in app.query_params
    check(button(app, key="documents-chip-labels").click().run())
    assert listed(app) == corpus.n_docs
    assert "only-label" not in app.query_params


@pytest.mark.second
def test_the_form_chooses_by_label_word_and_topic(registry):
    entry = launch(registry)
    corpus = entry.source.corpus
    app = choose(documents(entry), "documents-rule", "words")
    w = int(np.bincount(corpus.word_ids).argmax())
    check(field(app.text_input, "Uses the words").set_value(f"{corpus.vocab[w]} xyzzy").run())
    assert listed(app) == int(np.sum(corpus.word_ids == w))
    assert "Not in the vocabulary: xyzzy" in texts(app.caption)
    assert 'hit" title' in html(app), "the word is marked in the text"
    check(button(app, key="documents-chip-words").click().run())
    topic = entry.background.latest.topics.topic_ids.tolist()[0]
    check(field(app.selectbox, "Holds the topic").set_value(topic).run())
    moment = server.moment_of(entry, entry.background.latest)
    share = doc_topic(moment.model, moment.topics, corpus)[:, moment.row[topic]]
    assert listed(app) == int((share >= np.float32(0.1)).sum())
    assert app.query_params["only-topic"] == str(topic)
    check(field(app.select_slider, "with at least this share of the document").set_value(0.5).run())
    assert listed(app) == int((share >= np.float32(0.5)).sum())
    again = choose(
        documents(entry, only_topic=str(topic), only_least="0.5"), "documents-rule", "words"
    )
    assert listed(again) == listed(app)


def test_nonsense_in_an_address_finds_nothing(registry):
    address = {f"only_{name}": "<b>,,%" for name in ("least", "since", "topic", "word", "label")}
    app = documents(launch(registry), **address)
    assert "No document of this list" in texts(app.caption)
    chips = [b.label for b in app.button if str(b.key).startswith("documents-chip")]
    assert len(chips) == 2, "of a day and a topic that are none nothing is asked"


def test_a_search_marks_its_hits_and_marks_never_overlap():
    marks = [marked.TextMark(0, 3, 1, 0.9), marked.TextMark(8, 11, 2, 0.9)]
    found = marked.with_hits(marks, [(1, 2), (4, 7), (8, 11), (10, 12)])
    assert [(m.start, m.stop, m.hit) for m in found] == [(0, 3, True), (4, 7, True), (8, 11, True)]
    shown = marked.marked_text("<a> the war", found, str)
    assert '<mark class="plain hit">the</mark>' in shown
    assert '<mark class="t2 c3 hit"' in shown
    assert "&lt;a&gt;" in shown


# ---- the Topics page -----------------------------------------------------------------------------


@pytest.mark.second
def test_labels_have_a_table_a_figure_and_lead_to_their_documents(registry):
    entry = launch(registry)
    corpus = entry.source.corpus
    app = topics(entry, "Compare groups")
    heat, dots, lines = figures(app)
    assert len(heat["data"][0]["customdata"]) == 5
    assert dots["data"][0]["customdata"] == [0, 1, 2, 3, 4]
    assert sum(trace.get("mode") == "lines+markers" for trace in lines["data"]) == 4
    check(field(app.selectbox, "Label").set_value("railway").run())
    app = check(button(app, key="topics-label-go").click().run())
    assert app.session_state["documents-filter"][entry.run_id] == Filter(("railway",))
    app = choose(go(app, "documents"), "documents-rule", "words")
    assert listed(app) == int(np.sum(corpus.docs.label == "railway"))


@pytest.mark.second
@pytest.mark.parametrize("way", ["found", "dates", "labels"])
def test_what_changed_is_said_in_sentences(registry, way):
    app = choose(topics(launch(registry), "Compare groups"), "topics-changed", way)
    said = texts(app.markdown, app.info, app.caption)
    sentences = [m.value for m in app.markdown if m.value.startswith("> ")]
    if way == "found":
        assert bool(sentences) != ("No topic rose or fell surely" in said)
    else:
        n_sure = int(re.search(r"(\d+) of \d+ topics \w+ surely", said)[1])
        in_topics = [s for s in sentences if "The word" not in s]
        assert len(in_topics) == min(n_sure, 2 * SENTENCES)
        assert ("surely, so there is nothing to quote" in said) == (n_sure == 0)
        assert n_sure or way == "dates", "labels of this sample are subjects"
    if way == "labels":
        assert "In words" in said
        one, other = (field(app.selectbox, name) for name in ("One label", "Another"))
        check(one.set_value(other.value).run())
        assert "two different labels" in texts(app.caption)
    if way == "dates":
        before = next(d for d in app.date_input if d.label == "Before: to")
        check(
            before.set_value(next(d for d in app.date_input if d.label == "After: to").value).run()
        )
        assert "share documents" in texts(app.warning)


@pytest.mark.second
def test_a_group_counts_as_one_topic_by_label_and_in_what_changed(registry):
    """Against proportions that were read with the topics as they were learned, and added up."""
    entry = launch(registry)
    alone, corpus = server.moment_of(entry, entry.background.latest), entry.source.corpus
    first, second = alone.ordered()[1:3]
    shares = doc_topic(alone.model, alone.topics, corpus).astype(float)
    share = shares[:, [alone.row[first], alone.row[second]]].sum(axis=1)
    entry.labels = entry.labels.group([first, second])

    def mean(label):
        rows = corpus.docs.label == label
        return np.average(share[rows], weights=corpus.doc_lengths[rows])

    app = topics(entry, "Compare groups", topic=str(first))
    heat, dots, _ = figures(app)
    heads = [square[1] for square in heat["data"][0]["customdata"][0]]
    assert second not in heads
    order = sorted({*corpus.docs.label}, key=lambda name: (-sum(corpus.docs.label == name), name))
    means = [mean(name) for name in order]
    assert read(dots["data"][0]["x"]) == pytest.approx(means, abs=1e-6)
    squares = np.array(rows_of(heat["data"][0]["z"]))
    assert squares[:, heads.index(first)] == pytest.approx(means, abs=1e-6)

    changed_by(app, "labels")
    *_, marks = figures(app)[0]["data"]
    assert second not in marks["customdata"]
    change = dict(zip(marks["customdata"], read(marks["x"]), strict=True))[first]
    one, other = (field(app.selectbox, name).value for name in ("One label", "Another"))
    assert change == pytest.approx(100 * (mean(other) - mean(one)), abs=1e-4)


def test_two_labels_and_two_dates_are_kept_in_the_address(registry):
    entry = launch(registry)
    run = entry.run_id
    address = {
        "topics_view": "What changed",
        "topics_changed": "Between two labels",
        f"topics_one_label_{run}": "railway",
        f"topics_other_label_{run}": "garden",
    }
    app = go(open_app(run=run, own=entry.secret, **address), "topics")
    chosen = [field(app.selectbox, name).value for name in ("One label", "Another")]
    assert chosen == ["railway", "garden"]
    heads = {head for table in app.dataframe for head in table.value.columns}
    assert {"in railway", "in garden"} <= heads
    assert "more in “garden” than in “railway”" in texts(app.caption)
    assert not {"before", "after"} & heads, "of labels none comes first"
    day = str(np.sort(entry.source.corpus.docs.date)[20])
    address = {
        "topics_view": "What changed",
        "topics_changed": "Between two times",
        f"topics_before_to_{run}": day,
    }
    app = go(open_app(run=run, own=entry.secret, **address), "topics")
    assert str(next(d for d in app.date_input if d.label == "Before: to").value) == day


@pytest.mark.second
def test_what_changed_is_found_before_somebody_asks(registry, monkeypatch):
    works = []
    monkeypatch.setattr(explore, "ahead", lambda shown, work: works.append(work))
    entry = launch(registry)
    topics(entry, "Topics")
    works[-1]()

    asked, truly = [], changed.turns
    monkeypatch.setattr(
        changed, "turns", lambda *what, **more: asked.append(what) or truly(*what, **more)
    )
    app = choose(topics(entry, "Compare groups"), "topics-changed", "found")
    assert "No topic rose" in texts(app.info) or "The surest changes" in texts(app.caption)
    assert not asked, "it was there"
    choose(app, "topics-counted", "documents")
    assert len(asked) == 1


@pytest.mark.second
@pytest.mark.parametrize(
    ("dates", "said"),
    [
        (["0000-01-01", "2001-01-01", "2002-01-01", "20000-01-01"], ""),
        (["0000-01-01", "2001-01-01"], "Only one of these 60 texts has a date"),
        (["-5000-01-01", "20000-01-01"], "None of these 60 texts"),
        (["2001-01-01", "2001-01-01", "NaT"], "All 40 texts that have a date have the same one."),
        (["2001-01-01"], "All these texts have the same date."),
    ],
)
def test_two_times_of_dates_that_no_field_can_hold_or_that_are_too_few(registry, dates, said):
    """Saved runs may have dates that are read no more."""
    found = small().corpus.take(range(60))
    days = np.resize(np.array(dates, "datetime64[D]"), 60)
    days[2:] = np.datetime64("NaT") if said.startswith("Only") else days[2:]
    corpus = replace(found, docs=replace(found.docs, date=days))
    entry = launch(registry, "hdp-tsvi", server.LoadedCorpus(corpus, describe(corpus)), passes=1)
    app = choose(topics(entry, "Compare groups"), "topics-changed", "dates")
    if said:
        assert said in texts(app.info)
    else:
        assert [d.value.year for d in app.date_input] == [2001, 2001, 2002, 2002]


@pytest.mark.second
def test_a_word_in_its_texts(registry):
    entry = launch(registry)
    corpus = entry.source.corpus
    w = int(np.bincount(corpus.word_ids).argmax())
    app = topics(entry, "Words", topics_search=corpus.vocab[w])
    said = texts(app.markdown)
    for head in ("How common it is over time", "Which words travel with it", "Where it stands"):
        assert head in said
    trend = next(d for d in app.dataframe if "share" in d.value)
    assert trend.proto.placeholder == "", "a gap is a blank"
    places = next(d.value for d in app.dataframe if "before" in d.value)
    assert len(places) == len(places.drop_duplicates(["before", "word", "after"]))
    assert "7 that read as another one are left off." in texts(app.caption)
    assert len(places) + 7 >= np.sum(corpus.word_ids == w)
    assert {word.lower() for word in places["word"]} == {corpus.vocab[w]}
    counted = int(corpus.counts[corpus.word_ids == w].sum())
    said = places_said(
        Hits((None,) * (len(places) + 7), int(np.sum(corpus.word_ids == w)), True), counted
    )
    assert said in texts(app.caption)
    again = topics(entry, "Words", topics_search="of the")
    assert "Where it stands" in texts(again.markdown), "also what is no word that counts"


def test_places_as_written_and_how_often_the_word_counts_are_two_numbers():
    hits = Hits((None,) * 3, 2, True)
    plain = "3 places in 2 documents, as it is written, whatever the case and accents."
    assert places_said(hits, None) == places_said(hits, 3) == plain
    differ = " The run counts it 4 times: clean-up, stems and titles may differ."
    assert places_said(hits, 4) == plain + differ
    more = " There are more: the first 3 are here. The run counts it 40 times."
    assert places_said(Hits((None,) * 3, 2, False), 40) == plain + more


def test_a_stem_that_is_never_written_is_found_as_the_texts_were_cut():
    """“parti” counts party and parties, and stands nowhere as it is."""
    written = "one party and two parties but no part"
    texts_ = np.array([written], object)
    settings = TextSettings(min_df=1, max_df=1.0, min_tokens=1, stem="stem", language="en")
    corpus, _ = make_corpus(
        Source("x", "texts", texts=(written,), docs=DocTable(text=texts_)), settings
    )
    word = next(w for w in corpus.vocab if w.startswith("part") and w != "part")
    place = corpus.vocab.index(word)
    found = _hits("partying", place, corpus, settings)
    assert [hit.word for hit in found.hits] == ["party", "parties"]


def test_words_that_are_not_in_the_text_stand_in_the_title_or_were_cut_otherwise():
    counts, text, title = {0: 3, 1: 2, 2: 1}, {0: 1, 1: 2, 2: 5}, {0: 1, 1: 9}
    assert not_in_text(counts, text, title) == (
        "1 word that counts stands in the title. 1 word that counts was not found in the text: it "
        "was cut with settings that this run no longer knows."
    )
    assert not_in_text(counts, text, {}).startswith("2 words that count were not found")
    assert not_in_text(counts, text, {0: 7}) == "2 words that count stand in the title."
    assert not not_in_text(counts, counts, {})


@pytest.mark.second
def test_who_only_watches_sees_dates_but_no_labels_and_no_places(registry, monkeypatch):
    entry = launch(registry)
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1")
    monkeypatch.setattr("bnpexplorer.ui.frame.access.is_sample", lambda corpus: False)
    app = go(open_app(run=entry.run_id), "topics")
    changed_by(app, "every")
    assert "documents are for the owner" in texts(app.info)
    assert "kitchen" not in texts(app.markdown, app.caption) + str(figures(app))
    changed_by(app, "found")
    assert not [b for b in app.button if "paragraphs" in b.label]
    choose(app, "topics-changed", "labels")
    assert "documents are for the owner" in texts(app.info)
    app = go(open_app(run=entry.run_id, topics_search="the"), "topics")
    choose(app, "topics-view", "Words")
    for head in ("How common it is", "Which words travel with it", "Where it stands"):
        assert head not in texts(app.markdown)


def test_filters_keep_names_with_commas_in_the_address():
    parts = ("a, b", "50 %", "c%2Cd")
    joined = ",".join(map(to_topics._escaped, parts))
    assert to_topics._parts(joined) == parts


def test_a_filter_lists_what_it_lets_pass_also_where_nothing_is_searched(registry):
    entry = launch(registry)
    label = entry.source.corpus.docs.label
    app = choose(documents(entry, only_label="kitchen"), "documents-way", "search")
    n = int((label == "kitchen").sum())
    assert listed(app) == n
    assert f"{n} of {len(label)} documents pass the filter." in texts(app.caption)
    assert "take a condition away" not in texts(app.caption)
    check(button(app, key="documents-chip-labels").click().run())
    assert "pass the filter" not in texts(app.caption)
    assert not app.get("download_button"), "without words and conditions there is no list"


@pytest.mark.second
def test_where_nothing_changed_ways_lead_on(registry, monkeypatch):
    monkeypatch.setattr(changed, "turns", lambda *_, **__: [])
    entry = launch(registry)
    app = changed_by(topics(entry, "Topics"), "found")
    assert "too thin in each" in texts(app.info)
    period = field(app.selectbox, "From one period to the next")
    before = period.value
    check(button(app, key="nothing-longer").click().run())
    assert field(app.selectbox, "From one period to the next").value != before
    check(button(app, key="nothing-dates").click().run())
    assert field(app.date_input, "Before: from")
    choose(app, "topics-changed", "found")
    check(button(app, key="nothing-group").click().run())
    assert "## Which topics could be one" in [text.value for text in app.markdown]


@pytest.mark.parametrize("owned", [True, False])
def test_where_nothing_changed_words_are_compared_for_readers_only(registry, monkeypatch, owned):
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1")
    monkeypatch.setattr(changed, "turns", lambda *_, **__: [])
    asked, truly = [], quoted.changed_words
    monkeypatch.setattr(quoted, "changed_words", lambda *what: asked.append(what) or truly(*what))
    corpus = small().corpus.take(range(60))  # no sample, which all may read
    entry = launch(registry, "hdp-tsvi", server.LoadedCorpus(corpus, describe(corpus)), passes=1)
    address = {"run": entry.run_id, "topics_view": "What changed"}
    if owned:
        address["own"] = entry.secret
    app = go(open_app(**address), "topics")
    assert "too thin in each" in texts(app.info)
    assert bool(asked) == owned


def test_topics_that_could_be_one_lead_to_the_tree(registry, monkeypatch):
    monkeypatch.setattr(map_view, "duplicates_of", lambda _: 3)
    app = topics(launch(registry), "Topics")
    (leads,) = [b for b in app.button if b.label.startswith("3 topics look like fewer")]
    check(leads.click().run())
    assert "## Which topics could be one" in [text.value for text in app.markdown]
