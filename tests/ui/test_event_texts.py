"""The text that opened a topic: which of its words are marked, and with what."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from bnpexplorer.core.display import plain
from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.words.occurrences import Occurrence, TextMatches
from bnpexplorer.ui.parts import event_texts
from tests.tools.alone import drawn, explored, moment
from tests.tools.pages import html, texts

FOUND = TextMatches(
    (Occurrence(0, 4, 0), Occurrence(5, 9, 1), Occurrence(10, 13, 2)), {}, {}, 0
)  # fmt: skip


@pytest.fixture
def given(monkeypatch):
    """What an excerpt is made of."""
    found = []
    monkeypatch.setattr(event_texts, "found_in", lambda *_: FOUND)
    monkeypatch.setattr(
        event_texts, "excerpt", lambda *what: found.append(what) or ("tide ship tax", [])
    )
    return found


def shown(at, words, row=2, settings="its settings"):
    loaded = explored(at).loaded
    report = replace(loaded.report, settings=settings)
    loaded = replace(loaded, report=report)
    told = SimpleNamespace(words=words)
    return drawn(event_texts._shown, at, loaded, loaded.corpus, row, told, 9)


def test_of_a_text_the_words_that_went_into_the_topic_are_marked_and_one_opened_it(given):
    shown(moment(), (2, 0))
    ((text, inside, first, topic),) = given
    assert text.startswith("tax tax")
    assert [o.word for o in inside] == [0, 2]
    assert (first, topic) == ((2,), 9)


@pytest.mark.parametrize(("words", "settings"), [((), "its settings"), ((2,), None)])
def test_without_words_or_settings_the_text_stands_there_plain(given, words, settings):
    app = shown(moment(), words, settings=settings)
    assert given[0][1] == []
    assert "tide ship tax" in html(app)


def test_a_text_that_is_not_cut_in_time_says_so_and_one_of_counts_its_commonest_words(
    given, monkeypatch
):
    def stuck(*_):
        raise CorpusError("Its *pattern* did not cut this text.")

    monkeypatch.setattr(event_texts, "found_in", stuck)
    app = shown(moment(), (2,))
    assert texts(app.caption) == plain("Its *pattern* did not cut this text.")
    assert given[0][1] == []
    at = moment()
    bare = replace(at, corpus=replace(at.corpus, docs=replace(at.corpus.docs, text=None)))
    app = shown(bare, (2,))
    assert texts(app.caption) == "Its commonest words: tax, law, rose"
    assert len(given) == 1
