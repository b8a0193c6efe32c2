"""What a line of a list says of a document: put together again, it is the text's beginning."""

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus
from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.explore.documents import snippet_of, title_of

LONG = "The minister spoke of ports and ferries for an hour before anybody asked who was to pay."


def corpus_of(text, title=None):
    titles = None if title is None else np.array([title], object)
    docs = DocTable(text=np.array([text], object), title=titles)
    return Corpus.from_csr(np.array([[2, 3]]), "ab", docs)


@pytest.mark.parametrize("length", [8, 20, 37, 70, 87, 88, 90, 200])
@pytest.mark.parametrize("text", [LONG, LONG.replace(" ", ""), "Word " * 40, "海" * 120])
def test_a_title_from_the_text_and_how_it_goes_on_lose_and_repeat_nothing(text, length):
    corpus, line = corpus_of(text), text.strip()
    title, rest = title_of(corpus, 0, length), snippet_of(corpus, 0, 500, length)
    assert len(title) <= length
    assert "".join((title.removesuffix("…") + rest).split()) == "".join(line.split())
    if len(line) <= length:
        assert (title, rest) == (line, ""), "the title has said all"
    elif " " in line and length > 14:
        head = title.removesuffix("…")
        assert line[len(head)] == " ", "cut between two words"


def test_a_title_is_cut_in_its_latter_half_and_blanks_do_not_use_it_up():
    assert title_of(corpus_of("ab cdefghijkl"), 0, 10) == "ab cdefgh…"
    assert title_of(corpus_of("abcde fghijkl"), 0, 10) == "abcde…"
    assert title_of(corpus_of("abcdef ghi"), 0, 10) == "abcdef ghi", "just as long"
    spaced = corpus_of("  ab\n\n\n  " * 9)
    assert title_of(spaced, 0, 10) == "ab ab ab…"
    assert snippet_of(spaced, 0, 8, 10) == "ab ab…"


def test_a_title_of_its_own_goes_only_where_the_text_repeats_it():
    assert snippet_of(corpus_of("Ports and ferries", "News"), 0) == "Ports and ferries"
    assert snippet_of(corpus_of("Ports. And ferries", "Ports"), 0) == ". And ferries"
    assert snippet_of(corpus_of("Portsmouth ferries", "Ports"), 0) == "Portsmouth ferries"


def test_without_a_text_the_commonest_words_stand_for_it():
    assert snippet_of(Corpus.from_csr(np.array([[2, 3]]), "ab"), 0) == "b, a"
