"""Long documents in passages: nothing is lost, lengths are as asked, each knows its document."""

import argparse
import re
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer import load
from bnpexplorer.cli.reading import corpus_of
from bnpexplorer.cli.reading_arguments import add_reading
from bnpexplorer.corpus import CorpusError, DocTable
from bnpexplorer.corpus.documents.passages import (
    WORD,
    divide,
    divide_part,
    paragraphs_of,
    passages_of,
    suggested,
    suggestion,
)
from bnpexplorer.corpus.readers.formats import ReadOptions, read, read_files
from bnpexplorer.corpus.readers.source import Source, strings
from bnpexplorer.corpus.text import TextSettings, make_corpus
from tests.tools.readers import VOCAB, data, notes

ALL = TextSettings(min_df=1, max_df=1.0, min_tokens=1, stop_words="none", token_pattern=r"\w+")


def words(text):
    return re.findall(r"\w+", text)


def written(rng, n_sentences, breaks=0.0):
    """Sentences of 1 to 40 words, some with a paragraph's end behind them."""
    out = []
    for _ in range(n_sentences):
        said = " ".join(f"word{rng.integers(99)}" for _ in range(rng.integers(1, 40)))
        out.append(
            f"{said}{rng.choice(list('.!?'))}{chr(10) * 2 if rng.random() < breaks else ' '}"
        )
    return "".join(out)


@pytest.mark.parametrize("seed", range(8))
def test_passages_lose_nothing_and_are_about_as_long_as_asked(seed):
    rng = np.random.default_rng(seed)
    text = written(rng, 200, breaks=0.2 if seed % 2 else 0.0)
    for n in (20, 100, 300):
        found = passages_of(text, n)
        assert words(" ".join(found)) == words(text)
        lengths = [len(words(passage)) for passage in found]
        # Within half of the longest sentence, but for the last, to which a short rest is added.
        assert all(0.8 * n - 20 <= length <= n + 20 for length in lengths[:-1])
        assert n / 2 <= lengths[-1] <= 1.5 * n + 20
        if n > 40:  # the longest sentence: a longer one is cut between words
            assert all(passage[-1] in ".!?" for passage in found)


def test_a_passage_rather_ends_with_its_paragraph():
    sentence = "one two three four five. "
    text = (sentence * 17 + "\n\n") * 3
    assert [len(words(p)) for p in passages_of(text, 100)] == [85, 85, 85]
    assert [len(words(p)) for p in passages_of(sentence * 49, 100)] == [100, 145]


def test_text_without_sentences_is_cut_between_words():
    found = passages_of("word " * 1000, 100)
    assert [len(words(p)) for p in found] == [100] * 10
    assert passages_of("", 100) == []
    assert passages_of(" \n\n ... \n", 100) == ["..."]
    assert passages_of("only a few words", 100) == ["only a few words"]


def test_sentences_end_where_they_end():
    from bnpexplorer.corpus.documents.passages import SENTENCE_END, _cut

    text = 'Mr. Smith met J. R. on the 5. März. He said: "Go!" They left... 海は広い。山は高い。'
    assert [sentence.strip() for sentence, _ in _cut(text, SENTENCE_END)] == [
        "Mr. Smith met J. R. on the 5. März.",
        'He said: "Go!"',
        "They left...",
        "海は広い。",
        "山は高い。",
    ]


def test_scripts_without_blanks_are_measured_by_their_signs():
    found = passages_of("海は広い。山は高い。" * 50, 40)
    assert [len(WORD.findall(passage)) for passage in found] == [40] * 10
    assert "".join(found) == "海は広い。山は高い。" * 50


def test_paragraphs_between_blank_lines_or_of_lines():
    long = "a paragraph of as many words as it needs to stand alone"
    assert paragraphs_of(f"Heading\n\n{long}\nsecond line\n\n{long}\n\nThe end.") == [
        f"Heading\n\n{long}\nsecond line",
        f"{long}\n\nThe end.",
    ]
    for around in ("", "\n\n", " \n \n"):
        assert paragraphs_of(f"{around}{long}\n{long}\n{around}") == [long, long]
    assert paragraphs_of("short") == ["short"]
    assert paragraphs_of("  ") == []


def table(*rows):
    return "\n".join(["date,title,party,text", *rows]).encode()


SENTENCE = "the sea and the hills were as grey as the rocks on the shore were. "


def test_a_passage_knows_its_document():
    content = table(
        f"1999-01-02,Budget,left,{SENTENCE * 4}",
        "2000-03-04,Short,right,one rock",
        "2001,None,left,",
    )
    source = read("t.csv", content, options=ReadOptions(passages="30"))
    assert source.docs.title.tolist() == ["Budget ¶1", "Budget ¶2", "Short", "None"]
    assert source.docs.label.tolist() == ["left", "left", "right", "left"]
    days = ["1999-01-02", "1999-01-02", "2000-03-04", "2001-01-01"]
    assert source.docs.date.astype(str).tolist() == days
    assert source.texts == tuple(source.docs.text)
    assert " ".join(source.texts).split() == f"{SENTENCE * 4} one rock".split()
    assert source.texts[3] == ""
    assert source.notes[-1] == (
        "3 documents divided into 4 passages of about 30 words; each has the title of its document "
        "with its place, such as ¶3."
    )


def test_documents_without_labels_become_those_of_their_passages():
    files = [(f"{name}.txt", (SENTENCE * 6).encode()) for name in ("one", "two")]
    source = read_files(files, ReadOptions(passages="40"))
    assert source.docs.title.tolist() == ["one ¶1", "one ¶2", "two ¶1", "two ¶2"]
    assert source.docs.id.tolist() == ["one.txt ¶1", "one.txt ¶2", "two.txt ¶1", "two.txt ¶2"]
    assert source.docs.label.tolist() == ["one", "one", "two", "two"]
    plain = read(
        "t.txt", (SENTENCE * 6 + "\n" + SENTENCE).encode(), options=ReadOptions(passages="40")
    )
    assert plain.docs.label.tolist() == ["Document 1", "Document 1", "Document 2"]


def test_counts_of_words_stay_those_of_the_documents():
    whole = read("small.csv", data("small.csv"))
    parts = read("small.csv", data("small.csv"), options=ReadOptions(passages="20"))
    assert parts.n_docs > whole.n_docs
    a, _ = make_corpus(whole, ALL)
    b, _ = make_corpus(parts, ALL)
    assert a.vocab == b.vocab
    np.testing.assert_array_equal(a.word_totals, b.word_totals)


def test_the_child_divides(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(table(*(f"1999,Title {i},left,{SENTENCE * 10}" for i in range(3))))
    with pytest.warns(UserWarning, match="too few"):
        corpus = load(path, passages=70, min_df=1, max_df=1.0)
    assert corpus.docs.title.tolist() == [f"Title {i} ¶{k}" for i in range(3) for k in (1, 2)]
    parser = argparse.ArgumentParser()
    add_reading(parser)
    parser.add_argument("path")
    given = corpus_of(parser.parse_args([str(path), "--passages", "paragraphs"]))
    assert given.corpus.n_docs == 3
    assert "3 documents divided into 3 paragraphs" in given.said()["read"]


@pytest.mark.parametrize("how", ["19", "100001", "-3", "many", "1.5", "²"])
def test_what_is_no_length_is_refused(how):
    with pytest.raises(CorpusError, match=r"t\.txt: passages must be a number of words from 20 to"):
        read("t.txt", b"sea and hill", options=ReadOptions(passages=how))


def test_counts_cannot_be_divided():
    with pytest.raises(CorpusError, match=r"a\.mtx holds counts, which cannot be divided"):
        read("a.mtx", b"%%MatrixMarket matrix coordinate integer general\n2 3 1\n1 1 4\n",
             vocab=VOCAB, options=ReadOptions(passages="200"))  # fmt: skip


def test_too_many_passages_are_refused(monkeypatch):
    monkeypatch.setattr("bnpexplorer.corpus.readers.source.MAX_TEXTS", 50)
    with pytest.raises(CorpusError, match=r"has \d+ passages; the most is 50"):
        read("t.txt", (SENTENCE * 200).encode(), options=ReadOptions(passages="20"))


def _of_words(*lengths):
    return ("\n".join(" ".join(["word"] * n) for n in lengths)).encode()


@pytest.mark.parametrize(
    ("lengths", "said"),
    [
        ((1999, 1999, 9000), ""),
        ((10, 2000, 9000), "2,000"),
        ((3149, 3149, 10), "3,100"),
        ((25_000,), "25,000"),
    ],
)
def test_the_typical_document_decides_whether_passages_are_suggested(lengths, said):
    """Half are longer and half are shorter; a blank one is none."""
    source = read("t.txt", _of_words(*lengths))
    sentence = (
        f"The typical document has about {said} words. Topics become sharper if such long "
        "documents are divided into passages of about 200 words."
    )
    assert source.notes[1:] == ((sentence,) if said else ())
    assert suggested(source) == bool(said)
    with_blanks = replace(source, texts=(*source.texts, "", " "))
    assert suggestion(with_blanks) == (sentence if said else "")
    assert suggestion(replace(source, texts=("", " "))) == ""


def test_documents_all_over_are_measured_for_it():
    """Of a thousand texts the last eight hundred are long: a sample of the first would not say."""
    texts = ("word",) * 200 + ("word " * 2500,) * 800
    assert "about 2,500 words" in suggestion(Source("t.txt", "text", texts))


@pytest.mark.parametrize(("n_words", "paragraphs"), [(9, 1), (10, 2), (11, 2)])
def test_a_paragraph_of_ten_words_stands_alone(n_words, paragraphs):
    first, second = " ".join(["short"] * n_words), " ".join(["long"] * 12)
    assert len(paragraphs_of(f"{first}\n\n{second}")) == paragraphs
    assert len(paragraphs_of(f"{second}\n\n{first}")) == paragraphs


@pytest.mark.parametrize(("n_words", "passages"), [(79, 1), (80, 2), (81, 2)])
def test_a_passage_ends_with_a_paragraph_that_fills_four_fifths_of_it(n_words, passages):
    text = f"{' '.join(['word'] * n_words)}.\n\n{' '.join(['next'] * 10)}.\n\n"
    found = passages_of(text + " ".join(["rest"] * 90), 100)
    assert len(words(found[0])) == (n_words if passages == 2 else n_words + 10)


@pytest.mark.parametrize(("rest", "lengths"), [(49, [149]), (50, [100, 50])])
def test_a_rest_of_less_than_half_goes_with_the_passage_before(rest, lengths):
    text = f"{' '.join(['word'] * 100)}. {' '.join(['rest'] * rest)}."
    assert [len(words(passage)) for passage in passages_of(text, 100)] == lengths


def test_a_passage_is_called_by_title_id_or_number_whichever_its_document_has():
    docs = DocTable(id=strings(["a", "b", ""]), title=strings(["One", " ", ""]))
    source = Source("some", "csv", (SENTENCE * 4, SENTENCE * 4, SENTENCE * 4), docs=docs)
    found = divide(source, "30").docs
    marks = ["¶1", "¶2"]
    assert found.title.tolist() == [f"{n} {m}" for n in ("One", "b", "Document 3") for m in marks]
    assert found.id.tolist() == ["a ¶1", "a ¶2", "b ¶1", "b ¶2", "", ""]
    assert found.label.tolist() == [n for n in ("One", "b", "Document 3") for _ in marks]
    later = divide_part(source, "30", 997, 2000).docs
    assert later.title.tolist()[-1] == "Document 1,000 ¶2"
    assert later.label is None, "of so many none becomes a label"


@pytest.mark.parametrize(("n_docs", "labelled"), [(1, False), (2, True), (500, True), (501, False)])
def test_so_many_documents_may_be_the_labels_of_their_passages(n_docs, labelled):
    source = Source("some", "text", ("one short text",) * n_docs)
    assert (divide(source, "20").docs.label is not None) == labelled


@pytest.mark.parametrize("how", ["20", "100000"])
def test_the_ends_of_what_may_be_asked_for_are_allowed(how):
    assert divide(Source("some", "text", ("one text",)), how).texts == ("one text",)


def test_paragraphs_are_documents_that_know_their_text():
    long = "a paragraph of as many words as it needs to stand alone"
    source = Source("some", "text", (f"{long}\n\n{long}", "short", f"{long}\n\n{long}\n\n{long}"))
    found = divide(source, "paragraphs")
    assert found.texts == (long, long, "short", long, long, long)
    marks = ("1 ¶1", "1 ¶2", "2", "3 ¶1", "3 ¶2", "3 ¶3")
    assert found.docs.title.tolist() == [f"Document {mark}" for mark in marks]
    assert found.notes == (
        "3 documents divided into 6 paragraphs; each has the title of its document with its place, "
        "such as ¶3.",
    )


def test_undivided_texts_stay_as_they_are():
    source = Source("some", "text", (SENTENCE * 40,))
    assert divide(source, "") is source


def test_what_follows_a_title_or_a_number_is_the_same_sentence():
    from bnpexplorer.corpus.documents.passages import SENTENCE_END, _cut

    text = (
        "Prof. Meyer, Dr. Hu, Mrs. Li, Ms. Roe, St. Ives on the 12. Juni. He left… Why? (Oh!) So."
    )
    assert [sentence.strip() for sentence, _ in _cut(text, SENTENCE_END)] == [
        "Prof. Meyer, Dr. Hu, Mrs. Li, Ms. Roe, St. Ives on the 12. Juni.",
        "He left…",
        "Why?",
        "(Oh!)",
        "So.",
    ]
    assert [s for s, _ in _cut("In 1990. It was so.", SENTENCE_END)] == ["In 1990. ", "It was so."]


def test_passages_are_suggested_for_long_documents_only():
    long = read("t.txt", (("word " * 5321 + "\n") * 3).encode())
    assert "The typical document has about 5,300 words" in notes(long)
    assert "The typical" not in notes(read("t.txt", (("word " * 1900 + "\n") * 3).encode()))
    done = read(
        "t.txt", (("word " * 5321 + "\n") * 3).encode(), options=ReadOptions(passages="200")
    )
    assert "The typical" not in notes(done)


def test_a_sentence_as_far_above_as_below_still_belongs_to_the_passage():
    """Eight words, of ten that are asked for, and then a sentence of four: 8 or 12 are as near."""
    four, eight = "one two three four. ", "one two three four five six seven eight. "
    found = passages_of(eight + four + eight + four, 10)
    assert [len(words(p)) for p in found] == [12, 12]
