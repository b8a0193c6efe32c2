"""Clean-up, languages, stems and phrases together: what is counted is what is marked."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.documents.leaving_out import leave_out
from bnpexplorer.corpus.readers.source import Source, strings
from bnpexplorer.corpus.text import make_corpus
from bnpexplorer.corpus.words.language.choosing import for_language
from bnpexplorer.corpus.words.occurrences import find_words, index_of
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.explore.documents import counts_of

WRITTEN = tomllib.loads((Path(__file__).parent / "languages.toml").read_text(encoding="utf-8"))
ALL = {"min_df": 1, "max_df": 1.0, "max_features": 0, "min_tokens": 1}
JOINS = {"phrases": True, "phrase_count": 3, "phrase_npmi": 0.3}
DIRTY = " @jo_haus &amp; f&uuml;r #Gül_Garten bit.ly/{} "
PLANTED = {
    "de": "Die Grünen Parteien im Rathaus",
    "fr": "l'énergie nucléaire, l&#39;Assemblée nationale",
    "ja": "新しい東京大学の学校",
    "zh": "中国人民大学的学校",
}


def corpus_of(texts, settings):
    docs = DocTable(id=strings(map(str, range(len(texts)))), text=strings(texts))
    return make_corpus(Source("some.txt", "text", tuple(texts), docs=docs), settings)


def texts_in(code):
    """Texts of a language with what tweets hold besides, and a sentence that comes five times."""
    texts = [*WRITTEN[code]["short"], WRITTEN[code]["long"], *[PLANTED[code]] * 5]
    return [f"{text}{DIRTY.format(i)}" for i, text in enumerate(texts)]


COMBINED = [
    ("de", {"clean": "tweets", "stem": "stem", **JOINS}),
    ("de", {"clean": "links", "stem": "stem", "ngram_max": 2, **JOINS}),
    ("de", {"clean": "tweets", "stem": "stem", "strip_accents": "unicode", **JOINS}),
    ("fr", {"clean": "news", "stem": "stem", "extra_stop_words": "nationale", **JOINS}),
    ("ja", {"clean": "tweets", "cutter": "budoux"}),
    ("ja", {"clean": "tweets", "cutter": "budoux", **JOINS}),
    ("zh", {"clean": "web-pages", "cutter": "budoux", "ngram_max": 2, **JOINS}),
    ("zh", {"clean": "tweets", "cutter": "pairs", **JOINS}),
]


@pytest.mark.parametrize(("code", "more"), COMBINED)
def test_marks_are_what_was_counted_with_all_at_once(code, more):
    settings = replace(for_language(TextSettings(**ALL), (code,)), **more)
    texts = texts_in(code)
    corpus, report = corpus_of(texts, settings)
    index = index_of(corpus.vocab, report.settings)
    assert len(index) == corpus.n_words
    for row, place in enumerate(corpus.docs.id):
        text = texts[int(place)]
        found = find_words(text, report.settings, index)
        assert dict(found.counts) == counts_of(corpus, row)
        assert not found.unknown
        if "ngram_max" not in more and settings.cutter != "pairs":
            assert len(found.occurrences) == sum(found.counts.values())
        for one in found.occurrences:
            stands = text[one.start : one.stop]
            assert stands.strip(" ") == stands
            assert "bit.ly" not in stands
    joined = {word for word in corpus.vocab if word in report.settings.joined_words()}
    assert bool(joined) == more.get("phrases", False)
    if settings.cutter == "pairs":  # they overlap: each would make a phrase with the next
        assert all(word.isascii() or "für" in word for word in joined)
    assert {"bit", "amp", "ly"}.isdisjoint(corpus.vocab) or more["clean"] == "links"


def test_a_chinese_phrase_is_joined_marked_and_left_out_as_a_whole():
    settings = replace(for_language(TextSettings(**ALL), ("zh",)), cutter="budoux", **JOINS)
    texts = texts_in("zh")
    corpus, report = corpus_of(texts, settings)
    phrase = next(w for w in corpus.vocab if w in report.settings.joined_words())
    place = next(i for i, text in enumerate(texts) if phrase.replace("_", "") in text)
    found = find_words(texts[place], report.settings, index_of(corpus.vocab, report.settings))
    marked = {corpus.vocab[o.word]: texts[place][o.start : o.stop] for o in found.occurrences}
    assert marked[phrase] == phrase.replace("_", "")
    without, _ = leave_out(corpus, [phrase], report.settings)
    assert {*corpus.vocab} - {*without.vocab} == {phrase}


def test_words_are_stemmed_and_phrases_stay_as_found():
    settings = replace(for_language(TextSettings(**ALL), ("de",)), stem="stem", **JOINS)
    texts = ["Rote Häuser, alte Dächer"] * 4 + ["das Haus, des Hauses", "roter Häusern"]
    corpus, report = corpus_of(texts, settings)
    totals = dict(zip(corpus.vocab, corpus.word_totals.tolist(), strict=True))
    assert report.settings.joined_words() & {*totals} == {"rote_häuser", "alte_dächer"}
    assert totals["rote_häuser"] == 4
    kinds = {word for word in totals if word.startswith("h")}
    assert len(kinds) == 1  # haus, hauses and häusern: one kind, of one count each
    assert totals[kinds.pop()] == 3
    given = replace(report.settings, joined="rote_häuser rote_häusern")
    several, _ = corpus_of(["rote Häuser, roten Rote Häusern, Häuser, Haus"], given)
    assert {*several.vocab} == {"rote_häuser", "rote_häusern", "roten", "haus"}
