"""The Texts page by its parts: what it says of a corpus, its clean-up and its words."""

from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bnpexplorer.corpus import Corpus, DocTable
from bnpexplorer.corpus.readers.source import Source, strings
from bnpexplorer.corpus.text import TextSettings, describe, make_corpus
from bnpexplorer.corpus.words.suggesting import NonWords, Suggestion
from bnpexplorer.ui.frame.server import LoadedCorpus
from bnpexplorer.ui.texts import cleaning, stop_words
from tests.tools.pages import check, field, texts
from tests.tools.waiting import NEVER


def drawn(script):
    """What a function draws; it finds in the session's state what it needs."""
    return AppTest.from_function(script, default_timeout=NEVER)


# ---- the clean-up --------------------------------------------------------------------------------

MANY = NonWords("links", 0.41, ("http://a", "http://b"))
SOME = NonWords("html", 0.03, ("<br>",))
FEW = NonWords("emails", 0.004, ("a@b",))
FOUND_OUT = Suggestion(TextSettings(clean="links html"), (), (MANY, SOME, FEW))


def test_a_sentence_names_what_is_in_many_texts_and_not_cleaned_up():
    said = cleaning._sentence(FOUND_OUT, ["links", "html"])
    found = "Links in 41 % of the texts and HTML tags and entities in 3 %"
    assert said.replace("\u00a0", " ") == f"**{found}.** As it stands, this counts as words."
    said = cleaning._sentence(FOUND_OUT, ["html"])
    assert said.startswith("**HTML tags and entities in 3"), "links are cleaned up"
    tags = Suggestion(TextSettings(clean="tag-words"), (), (NonWords("tags", 0.2, ("#a",)),))
    assert cleaning._sentence(tags, ["tag-words"]).replace("\\", "").startswith("**#tags in 20")


@pytest.mark.parametrize(
    ("items", "words"),
    [
        (["Links"], "Links"),
        (["Links", "Names"], "Links and names"),
        (["Links", "HTML tags", "Names"], "Links, HTML tags and names"),
    ],
)
def test_items_are_joined_as_in_a_sentence(items, words):
    assert cleaning._joined(items) == words


def test_each_switch_has_the_share_of_its_own_kind(monkeypatch):
    labels, captions, presets = {}, [], {}

    def pills(_, options, format_func, **__):
        labels.update({part: format_func(part) for part in options})

    def button(words, key, args, **__):
        presets[words] = args

    monkeypatch.setattr(st, "pills", pills)
    monkeypatch.setattr(st, "button", button)
    monkeypatch.setattr(st, "caption", lambda said, **_: captions.append(said))
    tags = NonWords("tags", 0.126, ("#one",))
    cleaning._switches(Suggestion(TextSettings(), (), (MANY, tags, FEW)), "it")
    assert labels["links"] == "Links · 41 %"
    assert labels["emails"] == "E-mail addresses", "under half a percent is not said"
    ends = {part: label.partition(" · ")[2] for part, label in labels.items()}
    assert ends["tags"] == ends["tag-words"] == "13 %"
    assert {part for part, end in ends.items() if end} == {"links", "tags", "tag-words"}
    assert presets["speeches"] == ("it", ["contractions", "broken"])
    assert set(presets) == {"tweets", "news", "speeches", "web pages"}
    assert captions[-1].replace("\\", "").replace("\u2060", "") == (
        "Found, among others: Links: http://a, http://b; E-mail addresses: a@b; #tags: leave out: "
        "#one"
    )


# ---- words left out by hand ----------------------------------------------------------------------


@pytest.fixture
def words_left(monkeypatch):
    """Draws the list of common words with rows selected: the button, its line, what it does."""

    def draw(rows, of_form="", stored=False, pressed=False, texts="f"):
        found = SimpleNamespace(captions=[], counted=[])
        commonest = (("sea", 9, 5), ("new york", 7, 4), ("hill", 5, 3), ("rock", 4, 2))
        corpus = stop_words.StoredCorpus.__new__(stop_words.StoredCorpus) if stored else None
        corpus = corpus or SimpleNamespace(fingerprint=texts * 20)

        def table(frame, key="", **__):
            found.table, found.key = frame, key
            return SimpleNamespace(selection=SimpleNamespace(rows=rows))

        def button(words, disabled, on_click, args, **__):
            found.button, found.args = (words, disabled, on_click), args
            return pressed

        monkeypatch.setattr(st, "session_state", {stop_words.FORM: of_form} if of_form else {})
        monkeypatch.setattr(st, "dataframe", table)
        monkeypatch.setattr(st, "button", button)
        monkeypatch.setattr(st, "caption", lambda said, **_: found.captions.append(said))
        monkeypatch.setattr(
            stop_words, "_count_without", lambda _, some: found.counted.append(some)
        )
        report = SimpleNamespace(commonest=commonest)
        stop_words.commonest(LoadedCorpus(corpus), report)
        return found

    return draw


def test_selected_words_are_left_out_in_the_form_or_counted_without(words_left):
    found = words_left([0])
    assert found.button == ("Leave out this word", False, None)
    assert found.captions == ["sea"]
    assert found.table.to_dict("list") == {
        "word": ["sea", "new york", "hill", "rock"],
        "times": [9, 7, 5, 4],
        "documents": [5, 4, 3, 2],
    }
    found = words_left([3, 0, 4], "words-it")
    assert found.button == ("Leave out these words", False, stop_words._add_to_form)
    assert found.args == ("words-it-extra_stop_words", ["rock", "sea"])
    assert found.captions == ["rock, sea"]
    assert words_left([3, 0], pressed=True).counted == [["rock", "sea"]]
    assert words_left([3, 0], "words-it", pressed=True).counted == [], "the form counts again"


def test_in_other_texts_no_word_is_selected(words_left):
    assert words_left([], texts="a").key != words_left([], texts="b").key


def test_a_term_of_several_words_is_left_out_of_counts_alone(words_left):
    """The form's list is of single words."""
    assert words_left([1, 2]).button[1] is False
    found = words_left([1, 2], "words-it")
    assert found.button[1] is True
    said = "Terms of several words come from ngram_max; select single words."
    assert found.captions == [said]
    assert words_left([], "words-it").captions == ["Select rows to leave words out."]


def test_words_are_added_to_those_that_stand_in_the_form(monkeypatch):
    monkeypatch.setattr(st, "session_state", {"field": "the a"})
    stop_words._add_to_form("field", ["sea", "hill"])
    assert sorted(st.session_state["field"].replace(",", " ").split()) == [
        "a",
        "hill",
        "sea",
        "the",
    ]


def test_of_a_corpus_on_the_disk_nothing_is_left_out_here(words_left):
    found = words_left([0], stored=True)
    assert found.captions == [
        "Which words of a corpus on the disk count was chosen when it was built."
    ]
    assert not hasattr(found, "button")


# ---- what is said of a corpus --------------------------------------------------------------------


def shown():
    import streamlit as st

    from bnpexplorer.ui.texts.preview import preview

    preview(st.session_state["it"])


NAMED = ("title", "label", "text")


def a_corpus():
    """Of 30 texts, in which two are too short and one stands three times; with the report."""
    rng = np.random.default_rng(3)
    words = [f"{a}{b}{c}" for a in "bdfg" for b in "aeiou" for c in "klmn"]
    rows = [" ".join(rng.choice(words, 9 + d % 5)) for d in range(26)]
    source = Source("own.csv", "csv", texts=(*rows, rows[0], rows[0], "tiny", "small"))
    corpus, report = make_corpus(source, TextSettings(min_df=2, max_df=1.0, min_tokens=5))
    return LoadedCorpus(corpus, report)


def test_the_numbers_of_a_corpus_stand_at_their_words():
    loaded = a_corpus()
    app = drawn(shown)
    app.session_state["it"] = loaded
    check(app.run())
    corpus, report = loaded.corpus, loaded.report
    assert [(metric.label, metric.value) for metric in app.metric] == [
        ("Documents", "28"),
        ("Words in all", f"{int(corpus.to_csr().sum()):,}"),
        ("Different words", f"{len(corpus.vocab):,}"),
        ("Documents left out", "2"),
    ]
    said = texts(app.caption)
    lengths = np.asarray(corpus.to_csr().sum(axis=1)).ravel()
    assert f"Half of the documents have at most {int(np.median(lengths))} words that count." in said
    assert "Left out: 2 of 30 documents (" in said
    assert "2 documents have the text of an earlier one. Where one is learned" in said
    tables = [table.value for table in app.dataframe]
    counted = next(t for t in tables if list(t) == ["words in a document", "documents"])
    assert counted.to_dict("list") == {
        "words in a document": sorted({*lengths.tolist()}),
        "documents": [int((lengths == n).sum()) for n in sorted({*lengths.tolist()})],
    }
    ranks = next(t for t in tables if list(t) == ["rank", "times"])
    assert ranks["rank"].tolist()[:3] == [1, 2, 3]
    assert (np.diff(ranks["times"]) <= 0).all()
    reasons = list(report.removed)
    assert reasons, "else nothing is tried"
    removed = next(t for t in tables if list(t) == ["word", "documents"])
    assert removed["word"].tolist() == [word for word, _ in report.removed[reasons[0]].words]
    options = field(app.selectbox, "Why").options
    assert options == [f"{reason} ({report.removed[reason].total:,})" for reason in reasons]


@pytest.mark.parametrize("hours", [0, 5])
def test_the_first_documents_are_shown_with_what_is_known_of_them(hours):
    """Their days without a time, unless one has any."""
    names = [[f"{kind} {d} " + "x" * 300 * (kind == "text") for d in range(24)] for kind in NAMED]
    title, label, text = map(strings, names)
    dates = np.datetime64("2001-01-01T00", "h") + 24 * np.arange(24)
    dates[3] += hours
    counts = np.arange(48).reshape(24, 2) + 1
    corpus = Corpus.from_csr(counts, ("sea", "hill"), DocTable(None, title, dates, label, text))
    app = drawn(shown)
    app.session_state["it"] = LoadedCorpus(corpus, describe(corpus))
    check(app.run())
    table = next(t for t in app.dataframe if "text" in t.value)
    assert list(table.value) == ["date", "title", "label", "text"]
    assert len(table.value) == 20
    assert table.value["title"].tolist() == names[0][:20]
    assert table.value["label"].tolist() == names[1][:20]
    assert table.value["text"].tolist() == [words[:200] for words in names[2][:20]]
    assert ('"format": "YYYY-MM-DD"' in table.proto.columns) == (not hours)


def test_a_corpus_without_a_report_has_its_sizes_alone():
    loaded = a_corpus()
    app = drawn(shown)
    app.session_state["it"] = LoadedCorpus(loaded.corpus)
    check(app.run())
    assert [metric.label for metric in app.metric][-1] == "Documents left out"
    assert app.metric[0].value == "28"
    assert not app.dataframe
