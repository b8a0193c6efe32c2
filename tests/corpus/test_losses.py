"""What much of the texts is lost by is said, with the setting that keeps it; else nothing is."""

from dataclasses import replace

import pytest

from bnpexplorer.corpus.documents.enough import losses, too_little
from bnpexplorer.corpus.readers.source import Source
from bnpexplorer.corpus.text import make_corpus
from bnpexplorer.corpus.words.settings import TextSettings

SETTINGS = TextSettings(min_df=1, stop_words="none")
LONG = "meadow garden river forest valley"


def lost(texts, **changed):
    report = make_corpus(Source("own", "lines", tuple(texts)), replace(SETTINGS, **changed))[1]
    return report, losses(report)


def with_short(n):
    """Hundred texts that share no word, `n` of them with three words instead of six."""
    return [" ".join(f"{w}{chr(97 + i // 26)}{chr(97 + i % 26)}"
                     for w in ("one", "two", "three", "four", "five", "six")[: 3 if i < n else 6])
            for i in range(100)]  # fmt: skip


@pytest.mark.parametrize(("n", "said"), [(5, False), (6, True)])
def test_short_documents_are_a_loss_above_five_per_cent(n, said):
    report, found = lost(with_short(n))
    assert report.n_docs == 100 - n
    assert [loss.name for loss in found] == ["min_tokens"] * said
    if said:
        assert (found[0].sentence, found[0].remedy, found[0].value) == (
            "6 of 100 documents are left out, of which fewer than 5 words count.",
            "Keep those of 2 words and more",
            2,
        )
        report, found = lost(with_short(n), min_tokens=found[0].value)
        assert (report.n_docs, found) == (100, ())


def test_nothing_is_said_where_two_words_are_asked_for():
    report, found = lost(["one"] * 20 + with_short(0), min_tokens=2)
    assert report.n_docs == 100
    assert not found


@pytest.mark.parametrize(("n", "said"), [(1, False), (2, True)])
def test_words_that_most_documents_have_are_a_loss_above_a_fifth_of_all(n, said):
    """Every text has six words of its own and `n` of all: a seventh, or a quarter."""
    texts = [f"{text} {' '.join(['common', 'shared'][:n])}" for text in with_short(0)]
    report, found = lost(texts)
    assert report.n_tokens == 600
    assert [loss.name for loss in found] == ["max_df"] * said
    if said:
        rest = (
            "of all that would count. In long documents these are the subjects: keep them, or "
            "divide the documents into passages."
        )
        assert (found[0].sentence, found[0].remedy, found[0].value) == (
            "2 words that more than 50 % of the documents have are left out, 25 % " + rest,
            "Keep these words",
            1.0,
        )
        (as_number,) = lost(texts, max_df=70)[1]
        assert as_number.sentence == (
            "2 words that more than 70 documents have are left out, 25 % " + rest
        )
        report, found = lost(texts, max_df=found[0].value)
        assert (report.n_tokens, found) == (800, ())


def test_all_that_is_lost_is_said_documents_first():
    """Of the texts left out for their length the words that all have are counted too."""
    texts = [f"{text} common shared other" for text in with_short(8)]
    report, found = lost(texts)
    assert [loss.name for loss in found] == ["min_tokens", "max_df"]
    assert report.removed["in more than 50 % of documents"].tokens == 300
    assert "3 words that more" in found[1].sentence
    assert f"{100 * 300 / (92 * 6 + 300):.0f} % of all" in found[1].sentence


def test_a_fifth_of_the_words_itself_is_no_loss():
    """A hundred texts of six words, and 150 of a word that 75 of them have."""
    texts = [f"{text} {'common common' if i < 75 else ''}" for i, text in enumerate(with_short(0))]
    assert lost(texts)[1] == ()
    assert len(lost([*texts[:-1], f"{texts[-1]} common"])[1]) == 1


def test_of_few_documents_one_advice_is_given_and_it_is_not_to_keep_the_words_of_all():
    texts = [f"{text} common shared" for text in with_short(0)]
    for n, names in ((9, []), (10, ["max_df"])):
        assert [loss.name for loss in lost(texts[:n])[1]] == names
        corpus = make_corpus(Source("own", "lines", tuple(texts[:n])), SETTINGS)[0]
        assert too_little(corpus)
