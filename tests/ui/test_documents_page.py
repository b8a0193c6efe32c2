"""The Documents page through `app.py`, without a browser; the HTML of coloured texts by itself."""

import re
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus, DocTable
from bnpexplorer.corpus.intake import api, children
from bnpexplorer.corpus.text import describe
from bnpexplorer.explore.documents import title_of
from bnpexplorer.explore.proportions import FoldingIn
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.samples import load_sample
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import server, words
from bnpexplorer.ui.parts import marked
from tests.tools.pages import (
    button,
    check,
    choose,
    field,
    go,
    html,
    launch,
    open_app,
    small_run,
    texts,
)

pytestmark = pytest.mark.usefixtures("registry")


def open_page(*entries, **address):
    if entries:
        address["run"] = ",".join(entry.run_id for entry in entries)
    return go(open_app(**address), "documents")


def marks(page):
    """(word, number or empty) of every coloured word."""
    found = re.findall(r"<mark[^>]*>([^<]*)(?:<sup>(-?\d+|\?)</sup>)?</mark>", page)
    return [(word, number) for word, number in found]


def test_without_a_run_the_page_says_where_to_go():
    assert "no run is open yet" in texts(open_page().markdown)


def test_a_run_without_topics_says_so(registry):
    app = open_page(registry.add(*small_run()))
    assert "has no topics yet" in texts(app.info)
    check(button(app, "Look again").click().run())


@pytest.mark.second
def test_documents_of_a_topic_open_one_by_one(registry):
    entry = launch(registry)
    app = open_page(entry)
    corpus = entry.source.corpus
    (topic,) = (box for box in app.selectbox if box.label == "Topic")
    assert len(topic.options) == len(entry.background.latest.topics)
    lines = [b for b in app.button if b.key and b.key.startswith("list-topic-")]
    assert len(lines) == 9  # eight documents and one button for more
    first = next(m.value for m in app.markdown if m.value.startswith("## "))
    check(button(app, "Next").click().run())
    second = next(m.value for m in app.markdown if m.value.startswith("## "))
    assert first != second
    check(button(app, "Previous").click().run())
    assert next(m.value for m in app.markdown if m.value.startswith("## ")) == first
    check(button(app, key="near-0").click().run())
    row = app.session_state["documents-row"]
    shown = html(app)
    coloured = {word.lower() for word, _ in marks(shown)}
    inside = slice(corpus.indptr[row], corpus.indptr[row + 1])
    assert coloured == {corpus.vocab[w] for w in corpus.word_ids[inside]}
    assert marks(shown)[0][1], "the first coloured word carries its topic's number"
    choose(app, "documents-rule", "words")
    assert "Share times length" in texts(app.caption)


@pytest.mark.second
def test_a_topic_that_another_run_or_moment_lacks_gives_way_to_the_largest(registry):
    entries = launch(registry), launch(registry, "dpm-svi")
    app = open_page(*entries)
    for entry, label, name in zip(entries, ("Topic", "Cluster"), ("tsvi", "dpm"), strict=True):
        key = next(w.key for w in app.get("button_group") if w.key.startswith("explore-run"))
        choose(app, key, next(o for o in ("hdp-tsvi", "dpm-svi") if name in o))
        (box,) = (box for box in app.selectbox if box.label == label)
        smallest = int(box.options[-1].split(" · ")[0])
        check(box.set_value(smallest).run())
        snapshot = entry.background.latest
        keep = np.flatnonzero(snapshot.topics.topic_ids != smallest)
        topics = replace(
            snapshot.topics,
            **{
                field: getattr(snapshot.topics, field)[keep]
                for field in ("topic_word", "total", "size", "weight", "topic_ids")
            },
        )
        later = replace(snapshot, topics=topics, step=snapshot.step + 1)
        app.session_state["explored"] = {
            **app.session_state["explored"],
            entry.run_id: server.moment_of(entry, later),
        }
        check(app.run())
        (box,) = (box for box in app.selectbox if box.label == label)
        assert str(smallest) not in {option.split(":")[0] for option in box.options}


def test_a_link_opens_a_topic_and_a_document(registry):
    entry = launch(registry)
    topic = int(entry.background.latest.topics.topic_ids[-1])
    app = open_page(entry, topic=str(topic), document="5")
    (box,) = (box for box in app.selectbox if box.label == "Topic")
    assert box.value == topic
    assert "document 5 of 160" in texts(app.caption)
    check(next(b for b in app.button if b.key == "near-0").click().run())
    assert app.query_params["document"] == str(app.session_state["documents-row"] + 1)


@pytest.mark.second
@pytest.mark.parametrize("document", ["0", "161", "-3", "<b>", "1e2"])
def test_a_document_that_does_not_exist_is_ignored(registry, document):
    app = open_page(launch(registry), document=document, topic="999")
    assert "documents-row" not in app.session_state
    assert "document" not in app.query_params
    assert marks(html(app))


@pytest.mark.second
def test_documents_that_the_run_never_learned_say_so(registry):
    entry = launch(registry)
    run, corpus = entry.background.run, entry.source.corpus
    held_out = set(run.heldout.whole.docs.text)
    app = open_page(entry, document=str(1 + list(corpus.docs.text).index(min(held_out))))
    assert "**Held out**: this run never learned from it." in texts(app.markdown)
    learned = next(i for i, text in enumerate(corpus.docs.text) if text not in held_out)
    assert "Held out" not in texts(open_page(entry, document=str(learned + 1)).markdown)
    choose(app, "documents-part", "Not learned")
    while more := [b for b in app.button if b.key == "list-topic-more"]:
        check(more[0].click().run())
    lines = [c.value for c in app.caption if "%" in c.value and "\n" in c.value]
    assert 1 < len(lines) <= len(held_out)
    assert all(line.startswith("**held out**") for line in lines)


def test_documents_that_the_run_has_not_come_to_say_so(registry):
    sample = load_sample("small-csv")
    run = Run(make_method("hdp-tsvi"), sample.corpus, batch_size=32)
    read = run.reading_order()
    run.step()
    entry = registry.add(run, server.LoadedCorpus(sample.corpus, sample.report))
    app = open_page(entry, document=str(read[32] + 1))
    assert "the run had not come to it" in texts(app.markdown)
    assert "come to it" not in texts(open_page(entry, document=str(read[31] + 1)).markdown)


def test_search_finds_words_and_says_what_is_unknown(registry):
    entry = launch(registry)
    app = choose(open_page(entry), "documents-way", "search")
    search = field(app.text_input, "Search")
    word = entry.source.corpus.vocab[7]
    check(search.set_value(word).run())
    assert word in {w.lower() for w, _ in marks(html(app))}
    check(field(app.text_input, "Search").set_value("zzyzx *x*").run())
    assert "Not in the vocabulary" in texts(app.caption)
    assert "No document found" in texts(app.caption)


def test_a_pasted_text_is_read_and_nothing_in_it_is_taken_for_html(registry):
    entry = launch(registry)
    vocab = entry.source.corpus.vocab
    app = choose(open_page(entry), "documents-way", "own")
    area = field(app.text_area, "A text of your own")
    area.set_value(f"<script>alert(1)</script> {vocab[3]} zzyzx zzyzx & the {vocab[4]}")
    check(button(app, "Read it").click().run())
    page = html(app)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert [word for word, _ in marks(page)] == [vocab[3], vocab[4]]
    assert "2 words that count" in texts(app.caption)
    (table,) = (d.value for d in app.dataframe if "times" in d.value.columns)
    assert dict(zip(table["word"], table["times"], strict=True))["zzyzx"] == 2


def test_one_unknown_word_is_one_and_named_topics_keep_their_names(registry):
    entry = launch(registry)
    top = entry.background.latest.topics.topic_ids
    entry.labels = Labels(dict.fromkeys(map(int, top), "name *one*"))
    app = choose(open_page(entry), "documents-way", "own")
    word = entry.source.corpus.vocab[3]
    field(app.text_area, "A text of your own").set_value(f"{word} zzyzx")
    check(button(app, "Read it").click().run())
    labels = [block.proto.popover.label for block in app.get("popover")]
    assert "1 unknown word" in labels
    (pills,) = (w for w in app.get("button_group") if w.key.startswith("own-only"))
    assert pills.options
    assert all(re.match(r"\d+ · name \\\*", option) for option in pills.options)
    assert len(set(pills.options)) == len(pills.options), "one of one name would stand for all"


def test_a_pasted_text_of_unknown_words_gets_a_sentence(registry):
    app = choose(open_page(launch(registry)), "documents-way", "own")
    field(app.text_area, "A text of your own").set_value("zzyzx qwrtz")
    check(button(app, "Read it").click().run())
    assert "None of these words is in the vocabulary" in texts(app.warning)


def test_a_mixture_shows_one_cluster_for_all_words(registry):
    app = open_page(launch(registry, "dpm-svi"))
    assert any(box.label == "Cluster" for box in app.selectbox)
    assert "Every word belongs to the document's cluster" in texts(app.caption)
    assert len({number for _, number in marks(html(app)) if number}) == 1


def test_counts_without_texts_are_coloured(registry):
    corpus = load_sample("small-csv").corpus
    bare = replace(corpus, docs=DocTable())
    app = open_page(launch(registry, loaded=server.LoadedCorpus(bare, describe(bare))))
    assert "came as word counts" in texts(app.caption)
    assert len(marks(html(app))) > 5


def test_a_saved_run_is_cut_by_the_settings_it_was_made_with(registry):
    entry = launch(registry, keep=server.keep)
    settings = entry.source.report.settings
    server.registry.clear()
    again = server.open_saved(entry.run_id)
    assert again is not entry
    assert again.source.report.settings == settings != describe(entry.source.corpus).settings
    app = open_page(again)
    assert "were not found in the text" not in texts(app.caption)
    assert marks(html(app))
    server.registry().stop_all(60)


@pytest.mark.second
def test_a_pattern_that_never_ends_leaves_the_text_without_colours(registry, monkeypatch):
    """It came with a saved run; the page answers, and no other tab waits."""
    monkeypatch.setattr(api, "PATTERN_SECONDS", 0.5)
    children.CHILDREN.warm()
    do, limits = children.CHILDREN.do, []

    def noted(work, *, at_most=None, **given):
        limits.append(at_most)
        return do(work, at_most=at_most, **given)

    monkeypatch.setattr(children.CHILDREN, "do", noted)
    sample = load_sample("small-csv")
    texts_ = np.array(["\U0001f600" + "a" * 60] * sample.corpus.n_docs, object)
    corpus = replace(sample.corpus, docs=replace(sample.corpus.docs, text=texts_))
    cut = replace(sample.report.settings, token_pattern="\U0001f600(?:a|aa)+!")
    report = replace(sample.report, settings=cut)
    entry = launch(registry, loaded=server.LoadedCorpus(corpus, report), keep=server.keep)
    server.registry.clear()
    again = server.open_saved(entry.run_id)
    assert again.source.report.settings == cut
    app = open_page(again)
    assert "did not cut this text within 0.5 seconds" in texts(app.info)
    assert "aaaa" in html(app)
    assert not marks(html(app))
    limits.clear()
    check(button(app, "Next").click().run())
    choose(app, "documents-way", "own")
    field(app.text_area, "A text of your own").set_value("\U0001f600" + "a" * 61)
    check(button(app, "Read it").click().run())
    assert "did not cut this text" in texts(app.warning)
    assert limits == [api.PATTERN_SECONDS], "a text is tried once, and all documents are alike"
    server.registry().stop_all(60)


def test_settings_that_were_not_kept_are_none(tmp_path):
    sample = load_sample("small-csv")
    library = Library(tmp_path)
    library.keep("a", Run(make_method("hdp-tsvi"), sample.corpus), sample.corpus, "paused")
    assert library.corpus("a").fingerprint == sample.corpus.fingerprint
    assert library.origin("a") == (None, None)


# ---- the HTML of one text ------------------------------------------------------------------------


def test_a_marked_text_is_the_text_itself_between_its_marks():
    text = "a <b> & ok\n“ß”"
    found = [
        marked.TextMark(2, 5, 3, 0.9),
        marked.TextMark(8, 10, 3, 0.5),
        marked.TextMark(12, 13, 17, 0.1),
    ]
    page = marked.marked_text(text, found, lambda i: f'topic "{i}" <i>')
    bare = re.sub(r"<sup>.*?</sup>|</?mark[^>]*>|</?div[^>]*>", "", page)
    assert bare == "a &lt;b&gt; &amp; ok\n“ß”"
    assert re.findall(r"<sup>(\d+)</sup>", page) == ["3", "17"]
    assert re.findall(r'class="(t\d) (c\d)"', page) == [("t3", "c3"), ("t3", "c1"), ("t3", "c0")]
    assert "<i>" not in page
    assert 'dir="auto"' in page
    one = marked.marked_text(text, found, str, only=17)
    assert one.count("<mark") == 1


def test_counts_say_how_often():
    page = marked.marked_counts([("a<b", 3, 2, 0.7), ("c", 1, -1, 0.2)], str, None)
    assert "a&lt;b" in page
    assert "×3" in page
    assert page.count("×") == 1
    assert 'class="none"' in page


def test_a_long_text_is_cut_between_words():
    text = "word " * 100_000
    place = marked.cut_place(text, [], 1002)
    assert place == 999
    assert text[:place].endswith("word")
    across = [marked.TextMark(990, 1010, 1, 1.0)]
    assert marked.cut_place(text, across, 1002) == 990
    assert marked.cut_place("x" * 5000, [], 1002) == 1002
    assert marked.cut_place("short", []) == 5


def test_markdown_in_a_title_stands_for_itself():
    assert (
        words.plain(" a\n*b* [c](d) :red[e] $x$ ")
        == "a \\*b\\* \\[c\\](d) \\:\u2060red\\[e\\] \\$x\\$"
    )


def test_a_document_without_title_has_its_words_or_its_number():
    counts = np.array([[1, 1], [1, 0], [2, 1]])
    docs = DocTable(
        title=np.array(["Own", "", None], object),
        text=np.array(["t", "some  words\nhere", ""], object),
    )
    corpus = Corpus.from_csr(counts, "ab", docs)
    assert [title_of(corpus, row) for row in range(3)] == ["Own", "some words here", "document 3"]


@pytest.mark.second
def test_while_documents_are_read_the_page_says_how_far_and_can_be_used(registry, monkeypatch):
    monkeypatch.setattr(FoldingIn, "wait", lambda self, seconds: None)
    monkeypatch.setattr(FoldingIn, "ended", False)
    entry = launch(registry)
    page = open_page(entry)
    assert not marks(html(page)), "no list yet"
    assert page.selectbox, "another topic can be chosen"
    progress = page.get("progress")
    assert next(p.proto.text for p in progress).startswith("Reading every document with these")
    choose(page, "documents-part", "Not learned")
    assert "has learned" not in texts(page.caption), "nobody knows that yet"
    choose(page, "documents-way", "search")
    choose(page, "documents-part", "All")
    page.text_input(key="documents-search").set_value(entry.source.corpus.vocab[3]).run()
    assert marks(html(check(page))), "a document that was found is shown by itself"
