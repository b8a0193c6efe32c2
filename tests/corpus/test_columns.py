"""Which column is what, in some ten languages, by name and by content."""

import pytest

from bnpexplorer.corpus.intake import api
from bnpexplorer.corpus.readers.columns import KNOWN
from bnpexplorer.corpus.readers.formats import ReadOptions, read
from tests.tools.readers import notes

DAYS = ("2014-03-05", "2015-10-14", "2016-01-01")
TEXTS = ("the sea and the hills were grey", "a rock on the shore", "sand between the stones")
PARTY = ("left", "right", "left")


def table(columns: str, *values: tuple[str, ...]) -> bytes:
    return "\n".join([columns, *map(";".join, zip(*values, strict=True))]).encode()


@pytest.mark.parametrize(
    ("columns", "language"),
    [
        ("Datum;Partei;Titel;Rede", "German"),
        ("Veröffentlicht;Zeitung;Überschrift;Artikel", "German news"),
        ("Date;Parti;Titre;Texte", "French"),
        ("Année;Orateur;Intitulé;Discours", "French speeches"),
        ("fecha;periódico;título;contenido", "Spanish"),
        ("FECHA;PARTIDO;TITULO;TEXTO", "Spanish without accents"),
        ("data;testata;titolo;testo", "Italian"),
        ("Data;Partido;Título;Conteúdo", "Portuguese"),
        ("datum;krant;kop;tekst", "Dutch"),
        ("Data;Partia;Tytuł;Treść", "Polish"),
        ("datum;parti;rubrik;anförande", "Swedish"),
        ("dato;avis;overskrift;tekst", "Danish"),
        ("Дата;Партия;Заголовок;Текст", "Russian"),
        ("日期;来源;标题;正文", "Chinese"),
        ("日付;新聞;タイトル;本文", "Japanese"),
        ("created_at;outlet;Headline;Full text", "English news"),
        ("Timestamp;Account;Subject;Tweet", "tweets"),
        ("published_at;medium;Title;Body", "media"),
    ],
)
def test_columns_are_recognised(columns, language):
    source = read("t.csv", table(columns, DAYS, PARTY, ("One", "Two", "Three"), TEXTS))
    date, label, title, text = columns.split(";")
    assert source.chosen == {"text": text, "title": title, "date": date, "label": label}
    assert source.texts == TEXTS
    assert source.docs.date.astype(str).tolist() == list(DAYS)


def test_every_name_stands_once_in_its_field_and_texts_are_no_labels():
    for names in KNOWN.values():
        assert len(set(names)) == len(names)
        assert all(name == name.lower() and " " not in name for name in names)
    # A name that is the text and something else would need a rule of its own.
    others = {name for field in KNOWN if field != "text" for name in KNOWN[field]}
    assert set(KNOWN["text"]) & others == {"data"}


def test_data_is_a_date_or_the_text_by_what_it_holds():
    dates = read("t.csv", table("data;testo", DAYS, TEXTS))
    assert dates.chosen == {"text": "testo", "date": "data"}
    alone = read("t.csv", table("data;x", ("5 marzo 2014", "6 marzo 2014", "7 aprile 2014"), TEXTS))
    assert alone.chosen == {"text": "x", "date": "data"}
    texts = read("t.csv", table("data;x", TEXTS, ("ab", "cd", "ef")))
    assert texts.chosen == {"text": "data"}
    assert "not used as the date" not in notes(texts)


def test_a_name_is_a_title_or_a_label_by_whether_it_repeats():
    nom, many = [f"discours {i}" for i in range(12)], ["mer et colline"] * 12
    assert read("t.csv", table("nom;texte", nom, many)).chosen["title"] == "nom"
    again = read("t.csv", table("nom;texte", ["Jaurès", "Hugo"] * 6, many))
    assert again.chosen == {"text": "texte", "label": "nom"}


def test_tag_is_a_day_in_german_and_a_label_in_english():
    assert read("t.csv", table("Tag;Text", DAYS, TEXTS)).chosen["date"] == "Tag"
    assert read("t.csv", table("tag;text", PARTY, TEXTS)).chosen["label"] == "tag"


def test_a_column_named_like_a_date_that_holds_few_is_said():
    cells = ("2014-03-05", "soon", "later", "at night")
    source = read("t.csv", table("date;text", cells, (*TEXTS, "more")))
    assert source.docs.date is None
    said = notes(source)
    assert "Column 'date' is not used as the date: only 25 % of its values" in said
    assert "(not 'soon')" in said
    assert "choose it as the date column" in said
    asked = read(
        "t.csv", table("date;text", cells, (*TEXTS, "more")), options=ReadOptions(date="date")
    )
    assert asked.docs.date.astype(str).tolist() == ["2014-03-05", "NaT", "NaT", "NaT"]
    assert "Dates of 25 % of the texts were read; 3 dates could not be read" in notes(asked)
    empty = read("t.csv", table("date;text", ("", "n/a", ""), TEXTS))
    assert "Column 'date' holds no dates, so the texts have none." in empty.notes
    several = read("t.csv", table("when;date;text", ("x", "y", "z"), ("", "", ""), TEXTS))
    told = [note for note in several.notes if "date" in note and "Columns" not in note]
    assert told == ["Column 'date' holds no dates, so the texts have none."], "the better name"
    # Another column with dates is enough: nothing is said of the first.
    both = read("t.csv", table("date;year;text", cells, ("1999",) * 4, (*TEXTS, "more")))
    assert both.chosen["date"] == "year"
    assert "not used" not in notes(both)


def test_a_column_is_read_as_far_as_it_goes():
    cells = ["5. März 2014"] * 6 + ["irgendwann"] * 4
    source = read("t.csv", table("Datum;Text", cells, ["Meer und Land"] * 10))
    assert source.docs.date.astype(str).tolist() == ["2014-03-05"] * 6 + ["NaT"] * 4
    assert (
        "Column 'Datum': Dates of 60 % of the texts were read; 4 dates could not be read (the "
        "first is 'irgendwann'): left unknown."
    ) in notes(source)


def test_gaps_do_not_drop_a_column_of_dates(tmp_path):
    cells = [f"2014-03-{i + 1:02}" if i % 5 else "n/a" for i in range(30)]
    path = tmp_path / "t.csv"
    path.write_bytes(table("Datum;Text", cells, [f"{t} {i}" for i in range(10) for t in TEXTS]))
    source = api.read_files([(path.name, path.read_bytes())])
    assert source.docs.date.astype(str).tolist() == [c if c != "n/a" else "NaT" for c in cells]
    assert (
        "Dates of 80 % of the texts were read; 6 of 30 documents have no date (empty or such as "
        "'n/a')."
    ) in notes(source)
    assert api.load(path, min_df=1).docs.date is not None


def test_the_better_name_wins_wherever_its_column_stands():
    """Each field has two columns whose names stand for it; the worse one comes first."""
    columns = "message;text;uuid;id;headline;title;year;date;author;label"
    cells = [TEXTS, TEXTS[::-1], "abc", "xyz", ("A", "B", "C"), ("D", "E", "F")]
    cells += [("1999",) * 3, DAYS, ("ann", "bob", "eve"), PARTY]
    source = read("t.csv", table(columns, *cells))
    assert source.chosen == {
        "text": "text", "id": "id", "title": "title", "date": "date", "label": "label",
    }  # fmt: skip
    assert source.docs.id.tolist() == ["x", "y", "z"]
    asked = ReadOptions(text="message", date="-", label="title", id="uuid")
    source = read("t.csv", table(columns, *cells), options=asked)
    assert source.chosen == {
        "text": "message", "id": "uuid", "title": "headline", "label": "title",
    }  # fmt: skip
    assert source.docs.date is None


@pytest.mark.parametrize(("n_dates", "chosen"), [(4, False), (5, True), (6, True)])
def test_half_of_the_filled_cells_must_be_dates(n_dates, chosen):
    """Of ten filled ones; gaps count for neither."""
    cells = ["2014-03-05"] * n_dates + ["soon"] * (10 - n_dates) + ["n/a"] * 7
    source = read("t.csv", table("date;text", cells, [TEXTS[0]] * 17))
    assert ("date" in source.chosen) == chosen
    told = [note for note in source.notes if "is not used as the date" in note]
    assert told == ([] if chosen else [
        "Column 'date' is not used as the date: only 40 % of its values can be read as dates (not "
        "'soon'). Write dates such as 2014-03-05, or choose it as the date column to use what can "
        "be read."
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("names", "field"),
    [
        (["ann"] * 9, "title"),  # too few rows to tell
        (["ann"] * 10, "label"),
        ([*"abcde"] * 2, "title"),  # half of them differ
        ([*"abcd"] * 2 + ["a", "b"], "label"),
        ([*"abcd"] * 2 + ["", " "], "title"),  # eight filled ones
        ([*"abcdefghij"] + [""] * 14, "title"),  # gaps are no values that repeat
    ],
)
def test_a_name_is_a_label_where_most_of_ten_or_more_repeat(names, field):
    source = read("t.csv", table("name;text", names, [TEXTS[0]] * len(names)))
    assert source.chosen == {"text": "text", field: "name"}


def test_a_column_of_numbers_is_no_text_whatever_its_name():
    source = read("t.csv", table("text;remarks", ("1", "2", "3"), ("a", "b", "c")))
    assert source.chosen == {"text": "remarks"}
    # Of columns without a telling name it is the one with most letters of its first ones.
    long = [*("1" * 3000 + "word " * 900 for _ in range(3))]
    assert read("t.csv", table("x;y", long, TEXTS)).chosen == {"text": "y"}


@pytest.mark.parametrize(("first", "second"), [(90, 91), (500, 501), (1999, 2001)])
def test_the_column_with_more_letters_in_a_cell_is_the_text(first, second):
    """Where no name tells; digits and signs do not count."""
    cells = ["a" * first + "1." * 100] * 3, ["b" * second] * 3
    assert read("t.csv", table("x;y", *cells)).chosen == {"text": "y"}
    assert read("t.csv", table("x;y", *cells[::-1])).chosen == {"text": "x"}
