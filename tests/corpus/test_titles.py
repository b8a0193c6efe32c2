"""Words of titles count with those of their texts, where that is asked for, and stay so."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.documents.leaving_out import leave_out
from bnpexplorer.corpus.intake import api
from bnpexplorer.corpus.readers.formats import ReadOptions, read
from bnpexplorer.corpus.text import TextSettings, make_corpus
from bnpexplorer.corpus.words.occurrences import find_words

ROWS = [("storm at sea", "grey waves and grey hills"), ("", "hills"), ("waves", "")]
TABLE = "\n".join(["title,text", *(",".join(row) for row in ROWS)]).encode()
TEXTS_ONLY = TextSettings(min_df=1, max_df=1.0, min_tokens=1, stop_words="none")
WITH_TITLES = TextSettings(min_df=1, max_df=1.0, min_tokens=1, stop_words="none", titles=True)


def counted(corpus):
    matrix = corpus.to_csr().toarray()
    return [{w: n for w, n in zip(corpus.vocab, row, strict=True) if n} for row in matrix.tolist()]


def by_hand(texts):
    return [Counter(re.findall(r"[^\W\d_]{3,}", text)) for text in texts]


def test_titles_count_where_asked_and_only_there():
    source = read("t.csv", TABLE)
    assert not make_corpus(source)[1].settings.titles
    plain, report = make_corpus(source, TEXTS_ONLY)
    assert counted(plain) == by_hand(["grey waves and grey hills", "hills"])
    assert report.dropped == {"no text": 1}
    corpus, report = make_corpus(source, WITH_TITLES)
    assert counted(corpus) == by_hand(f"{title} {text}" for title, text in ROWS)
    assert corpus.docs.text.tolist() == [text for _, text in ROWS]  # what is read stays the text
    assert report.dropped == {}


def test_titles_stand_above_their_texts_in_phrases_and_runs_of_words():
    """Of the last word of a title and the first of its text: they are neighbours on two lines."""
    rows = [
        ("", "red", "sea"),
        ("old", "red", "sea of sand"),
        ("", "red", "sea"),
        ("", "red", "sea"),
    ]
    table = "\n".join(["title,text", *(f"{a} {b},{c}" for a, b, c in rows)]).encode()
    source = read("t.csv", table, options=ReadOptions(title="title", text="text"))
    settings = replace(WITH_TITLES, ngram_min=2, ngram_max=2)
    assert make_corpus(source, settings)[0].vocab == ("old red", "red sea", "sea sand")
    phrases = replace(WITH_TITLES, phrases=True, phrase_count=4, phrase_npmi=0.3)
    assert make_corpus(source, phrases)[1].settings.joined == "red_sea"
    alone = replace(phrases, titles=False)
    assert make_corpus(source, alone)[1].settings.joined == ""


def test_the_child_counts_titles_too():
    source = api.read_files([("t.csv", TABLE)])
    ours, _ = make_corpus(source, WITH_TITLES)
    theirs, report = api.count_words(source, WITH_TITLES)
    assert theirs.fingerprint == ours.fingerprint
    assert theirs.docs.title.tolist() == [title for title, _ in ROWS]
    assert report.settings.titles
    again, _ = api.leave_out(theirs, ["hills"], WITH_TITLES)
    assert counted(again) == [
        {w: n for w, n in row.items() if w != "hills"}
        for row in counted(ours)
        if row != {"hills": 1}
    ]


def test_words_left_out_leave_titles_counted():
    corpus, _ = make_corpus(read("t.csv", TABLE), WITH_TITLES)
    made, _ = leave_out(corpus, ["grey"], WITH_TITLES)
    assert {"storm", "sea"} <= set(made.vocab)
    assert "grey" not in made.vocab


def test_marks_are_in_the_text_only():
    corpus, _ = make_corpus(read("t.csv", TABLE), WITH_TITLES)
    index = {word: w for w, word in enumerate(corpus.vocab)}
    text = str(corpus.docs.text[0])
    found = find_words(text, WITH_TITLES, index)
    assert [text[o.start : o.stop] for o in found.occurrences] == [
        "grey",
        "waves",
        "and",
        "grey",
        "hills",
    ]


def test_without_titles_it_is_said():
    source = read("t.csv", b"text,x\nsea and hill,1\nrock and sand,2\n")
    with pytest.raises(CorpusError, match=r"t\.csv has no titles whose words could count; choose"):
        make_corpus(source, WITH_TITLES)
