"""What is suggested for texts, what a person sees of it, and lists of stop words from files."""

from dataclasses import replace

import pytest
from scipy import sparse

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.source import Source
from bnpexplorer.corpus.text import default_settings
from bnpexplorer.corpus.words.cleaning import PARTS, canonical
from bnpexplorer.corpus.words.language.choosing import for_language
from bnpexplorer.corpus.words.settings import TextSettings, read_stop_words, with_words
from bnpexplorer.corpus.words.suggesting import (
    LOOKED_AT,
    Suggestion,
    excerpts,
    given,
    settled,
    spread,
    suggested,
)


def source_of(texts):
    return Source("own.txt", "text", texts=tuple(texts))


def mixed(n=1000):
    """Links in 41 % of the texts, e-mail addresses in 2 %, tags in 3 %, else plain German."""
    for i in range(n):
        link = " siehe bit.ly/x" if i % 100 < 41 else ""
        mail = " an jo@rosen.de" if i % 50 == 0 else ""
        tag = " #garten" if i % 100 in (7, 45, 80) else ""
        yield f"Rosen und Hecken im Garten, Nummer {i}{link}{mail}{tag}"


def test_what_is_in_more_than_two_percent_is_suggested_and_said():
    found = suggested(source_of(mixed()), TextSettings())
    german = for_language(TextSettings(), ("de",))
    assert found.settings == replace(german, clean="links tag-words")
    assert found.said == (
        "The texts are German: German stop words are left out.",
        "Links in 41 % of the texts: left out.",
        "#tags in 3 % of the texts: their words kept.",
    )
    shares = {one.part: one.share for one in found.found}
    assert shares == {"links": 0.41, "tags": 0.03, "emails": 0.02}
    assert found.found[0].examples == ("bit.ly/x",)


def test_numbers_are_none_of_it_unless_the_pattern_lets_them_in():
    source = source_of(mixed())
    pattern = r"(?u)\b\w\w+\b"
    numbers = suggested(source, TextSettings(token_pattern=pattern, language="de"))
    assert "numbers" in numbers.settings.clean.split()
    asked = settled(source, {"clean": "auto", "token_pattern": pattern}).settings
    assert (asked.language, asked.token_pattern) == ("de", pattern)
    assert "numbers" in asked.clean.split()


def test_what_a_person_switched_on_stays_on():
    assert suggested(source_of(mixed()), TextSettings(clean="html")).settings.clean == (
        "html links tag-words"
    )
    english = TextSettings(language="en")
    assert suggested(source_of(["plain words"] * 9), english).settings == english


def test_a_language_that_is_given_stays_and_all_that_is_given_with_it():
    source = source_of(mixed())
    chosen = for_language(TextSettings(), ("fr",))
    assert suggested(source, chosen).settings == replace(chosen, clean="links tag-words")
    found = settled(source, {"clean": "auto", "language": "fr", "stop_words": "none"}).settings
    assert (found.language, found.stop_words, found.clean) == ("fr", "none", "links tag-words")
    alone = settled(source, {"language": "auto"})
    assert (alone.settings.language, alone.settings.clean) == ("de", "")
    assert alone.warnings == ()
    counts = Source("counts", "counts", counts=sparse.csr_matrix([[1, 2]]), vocab=("a", "b"))
    assert settled(counts, {"clean": "auto"}) == Suggestion(default_settings(counts))


def test_clean_auto_is_found_out_and_all_else_is_as_given():
    source = source_of(mixed())
    found = settled(source, {"clean": "auto", "min_df": 3})
    german = for_language(TextSettings(min_df=3), ("de",))
    assert found.settings == replace(german, clean="links tag-words")
    assert found.said == suggested(source, TextSettings()).said
    assert found.warnings == ()
    assert settled(source, {"min_df": 3}).settings == TextSettings(min_df=3)
    as_today = settled(source, {"clean": "links"})
    assert as_today.said == as_today.warnings
    assert "are German, but English stop words are left out" in as_today.said[0]
    assert given({"clean": "auto", "min_df": 3}) == {"language": "auto", "min_df": 3}
    assert given({"language": "auto", "min_df": 3}) == {"language": "auto", "min_df": 3}


def test_only_some_thousand_texts_are_looked_at_spread_evenly():
    texts = [f"{i} " + "long " * 2000 for i in range(LOOKED_AT * 3)]
    some = spread(texts, LOOKED_AT)
    assert (len(some), max(map(len, some))) == (LOOKED_AT, 5000)
    assert [one.split()[0] for one in some[:3]] == ["0", "3", "6"]
    assert spread(["a", "b"]) == ["a", "b"]


def test_excerpts_show_three_documents_around_their_first_change():
    texts = ["nothing here"] * 30
    texts[3] = "word " * 100 + "see bit.ly/x and f&uuml;r\n\n " + "word " * 100
    texts[25] = "a http://b.c"
    found = excerpts(texts, "html links")
    assert len(found) == 2
    long, short = found
    assert [(p.text, p.fate) for p in short] == [("a ", "kept"), ("http://b.c", "removed")]
    assert [(p.text, p.now) for p in long if p.fate != "kept"] == [
        ("bit.ly/x", ""),
        ("&uuml;", "ü"),
    ]
    assert long[0].text == long[-1].text.strip()[::-1] + " " == "… "
    assert sum(len(p.text) for p in long) < 300
    assert excerpts(texts, "emails") == []
    (mended,) = excerpts(["nothing here", "f&uuml;r sie"], "html")
    assert [(p.text, p.fate, p.now) for p in mended][1] == ("&uuml;", "mended", "ü")
    assert "".join(p.text for p in long).count("word word see bit.ly/x and f&uuml;r word") == 1


@pytest.mark.parametrize("switches", ["", *PARTS])
def test_excerpts_of_every_switch_are_pieces_of_the_text(switches):
    text = "From: a@b.c\nTo: @jo\n\nit's <b>#so</b> gra\u00adphic M\ufffdller, 1990 bit.ly/x"
    for pieces in excerpts([text] * 5, canonical(switches)):
        assert "".join(p.text for p in pieces).split() == text.split()


def test_stop_words_come_from_files_as_people_write_them():
    data = "\ufeff# my list\nthe, a;and\n\n und | German\nthe\n".encode()
    assert read_stop_words("stop.txt", data) == "the a and und"
    assert with_words("", "a") == "a"
    assert with_words("a", "b") == "a b"
    with pytest.raises(CorpusError, match=r"^stop\.txt holds no word; give"):
        read_stop_words("stop.txt", b"# nothing\n")
    with pytest.raises(CorpusError, match=r"^stop\.txt is not in UTF-8; save"):
        read_stop_words("stop.txt", b"f\xfcr")
