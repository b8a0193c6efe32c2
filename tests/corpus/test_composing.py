"""Rows to documents: several columns of texts and labels, titles before short texts, placeholders;
and what is offered of the columns that were not chosen."""

import datetime

import pytest

import bnpexplorer
from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.intake import api
from bnpexplorer.corpus.readers.formats import read
from bnpexplorer.corpus.readers.source import Offer, ReadOptions
from tests.corpus.test_guessing import AS_OF, DAYS, N, table, texts
from tests.tools.readers import notes

BODY = texts()
SIDES = [("left", "right")[i % 2] for i in range(N)]
LANDS = [("FR", "DE", "PL")[i % 3] for i in range(N)]


def source_of(columns, **options):
    return read("t.csv", table(columns), options=ReadOptions(as_of=AS_OF, **options))


def offers(source):
    return {offer.button: offer.sets for offer in source.offers}


def test_other_dates_labels_and_texts_are_offered():
    liked = [f"We liked the food and the people of place {i} most of all" for i in range(N)]
    source = source_of(
        {
            "published": DAYS,
            "text": BODY,
            "party": SIDES,
            "land": LANDS,
            "Archived": DAYS,
            "answer": liked,
        }
    )
    assert source.chosen == {"text": "text", "date": "published", "label": "party"}
    assert (
        Offer("'Archived' holds dates.", "Use it as the date", {"date": "Archived"})
        in source.offers
    )
    assert offers(source) == {
        "Use it as the date": {"date": "Archived"},
        "Join them with the text": {"text": "text\nanswer"},
        "Read each as a document": {"text": "text\nanswer", "questions": "apart"},
        "Use it as the label": {"label": "land"},
        "Join it with 'party'": {"label": "party\nland"},
    }


def test_years_without_a_telling_name_are_offered_and_not_taken():
    years = [str(1990 + i % 20) for i in range(N)]
    source = source_of({"y": years, "text": BODY})
    assert "date" not in source.chosen
    assert offers(source) == {"Use it as the date": {"date": "y"}}
    assert str(source_of({"y": years, "text": BODY}, date="y").docs.date[1]) == "1991-01-01"


def test_several_text_columns_are_joined_or_a_document_each():
    columns = {
        "nr": [f"n{i}" for i in range(N)],
        "liked": BODY,
        "missed": ["More sea", ""] * (N // 2),
    }
    both = source_of(columns, text="liked\nmissed")
    assert both.texts[:2] == (f"{BODY[0]}\n\nMore sea", BODY[1])
    apart = source_of(columns, text="liked\nmissed", questions="apart", id="nr")
    assert apart.n_docs == 2 * N
    assert apart.texts[:4] == (BODY[0], "More sea", BODY[1], "")
    assert apart.docs.label[:3].tolist() == ["liked", "missed", "liked"]
    assert apart.docs.id[:2].tolist() == ["n0/liked", "n0/missed"]
    with pytest.raises(CorpusError, match="has no column 'gone'"):
        source_of(columns, text="liked\ngone")


def test_several_labels_are_one_and_one_of_several_values_its_first():
    columns = {
        "text": BODY,
        "party": SIDES,
        "land": LANDS,
        "tags": ["sea;trade", "law", "law; sea"] * (N // 3),
    }
    assert source_of(columns, label="party\nland").docs.label[:2].tolist() == [
        "left · FR",
        "right · DE",
    ]
    whole = source_of(columns, label="tags")
    assert whole.docs.label[:3].tolist() == ["sea;trade", "law", "law; sea"]
    assert f"{2 * N // 3} labels name several values; each combination is one label." in notes(
        whole
    )
    assert offers(whole)["Let the first value count"] == {"label_parts": "first"}
    first = source_of(columns, label="tags", label_parts="first")
    assert first.docs.label[:3].tolist() == ["sea", "law", "law"]


def test_titles_before_short_texts():
    titles = [
        f"A study of the {WORD} number {i}" for i, WORD in enumerate(("sea", "hill") * (N // 2))
    ]
    long = ["The sea was grey " * 8, "", "Short"] * (N // 3)
    source = source_of({"title": titles, "abstract": long})
    assert source.chosen == {"text": "abstract", "title": "title"}
    assert f"Of the first {N} texts {2 * N // 3} have fewer than 20 words." in [
        o.sentence for o in source.offers
    ]
    assert offers(source) == {"Begin short texts with their titles": {"add_title": "short"}}
    filled = source_of({"title": titles, "abstract": long}, add_title="short")
    assert filled.texts[:3] == (long[0], titles[1], f"{titles[2]}\n\nShort")
    assert f"{2 * N // 3} texts of fewer than 20 words begin with their titles." in notes(filled)
    assert not filled.offers


@pytest.mark.parametrize("cell", ["[No abstract available]", "n/a", "[deleted]", "NULL"])
def test_placeholders_are_no_texts(cell):
    source = source_of({"text": [*BODY[:-2], cell, cell]})
    assert source.texts[-2:] == ("", "")
    assert f"2 texts such as {cell!r} count as empty." in notes(source)
    assert read("t.csv", table({"text": [*BODY[:-1], cell]})).texts[-1] == cell, "as before"


def test_the_whole_text_comes_before_one_that_was_cut_off():
    whole = [f"{one} {one} {i}" for i, one in enumerate(BODY)]
    cut = [f"{one[:60]}… https://t.co/{i}" for i, one in enumerate(whole)]
    assert source_of({"text": cut, "full_text": whole}).chosen["text"] == "full_text"
    assert source_of({"text": cut, "x": whole}).chosen["text"] == "x"
    assert source_of({"text": whole, "body": BODY[::-1]}).chosen["text"] == "text"


def test_names_of_nested_fields_are_known_by_their_last_part():
    chosen = source_of({"data.text": BODY, "user.created_at": DAYS, "user.name": SIDES}).chosen
    assert chosen == {"text": "data.text", "date": "user.created_at", "label": "user.name"}


def test_boards_come_before_authors():
    authors = [f"u{i % 7}" for i in range(N)]
    assert (
        source_of({"author": authors, "subreddit": SIDES, "body": BODY}).chosen["label"]
        == "subreddit"
    )


def test_a_nameless_index_is_the_id_and_repeated_ids_are_none():
    counted = [str(i) for i in range(N)]
    for name in ("", "Unnamed: 0", "index"):
        assert source_of({name: counted, "text": BODY}).chosen["id"] in (name, "column 1")
    again = source_of({"ID": ["A", "A", *counted[2:]], "text": BODY})
    assert "id" not in again.chosen
    assert (
        "the id 'A' in column 'ID' was already used on line 2, so it is not used as the id"
        in notes(again)
    )


def test_the_day_of_the_first_reading_is_kept_with_the_corpus(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(
        table({"Erschienen am": ["02.02.41", "1860s", "03.03.42"] * (N // 3), "text": BODY})
    )
    loaded = api.load_with_report(path, None, ReadOptions(as_of=AS_OF))
    assert loaded.report.reading.chosen == {"as_of": AS_OF}
    again = bnpexplorer.load(path, **loaded.report.reading.chosen)
    assert again.docs.date.tolist() == loaded.corpus.docs.date.tolist()
    assert str(again.docs.date[0]) == "1941-02-02"
    assert bnpexplorer.load(path).docs.date is None, "as scripts of the first version have it"
    today = bnpexplorer.load(path, as_of="today", text=["text"])
    assert today.docs.date.tolist() == loaded.corpus.docs.date.tolist()
    assert datetime.date.fromisoformat(AS_OF)


def test_an_option_that_is_none_is_refused():
    with pytest.raises(CorpusError, match="ragged is 'leave out' or empty; got 'skip'"):
        source_of({"text": BODY}, ragged="skip")
