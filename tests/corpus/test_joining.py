"""Short texts joined by a column, against groups made with pandas."""

import io

import pandas as pd
import pytest

from bnpexplorer import load
from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.formats import ReadOptions, read
from tests.tools.readers import notes

ROWS = [
    ("ann", "2014-03-02", "left", "sea"),
    ("bob", "2014-03-03", "right", "hill"),
    ("ann", "2014-03-02", "left", "rock"),
    ("ann", "2014-03-03", "left", "sand"),
    ("", "2014-03-03", "left", "cliff"),
    ("bob", "", "right", "marsh"),
    ("bob", "2014-03-09", "right", ""),
    ("bob", "2014-03-10", "right", "dune"),
]
FRAME = pd.DataFrame(ROWS, columns=["account", "date", "party", "text"])


def content(frame=FRAME):
    file = io.StringIO()
    frame.to_csv(file, index=False)
    return file.getvalue().encode()


def joined(**options):
    return read("t.csv", content(), options=ReadOptions(text="text", join="account", **options))


def test_all_texts_of_an_account_are_one_document():
    source = joined(label="party")
    assert source.texts == ("sea\n\nrock\n\nsand", "hill\n\nmarsh\n\ndune", "cliff")
    assert source.docs.title.tolist() == ["ann", "bob", ""]
    assert source.docs.label.tolist() == ["left", "right", "left"]
    assert source.docs.date.astype(str).tolist() == ["2014-03-02", "2014-03-03", "2014-03-03"]
    assert (
        "8 texts joined into 3 documents, one for each 'account'. 1 text without 'account' stays "
        "alone."
    ) in notes(source)


@pytest.mark.parametrize("period", ["day", "week", "month", "year"])
def test_periods_are_those_of_pandas(period):
    source = joined(period=period)
    code = {"day": "D", "week": "W-SUN", "month": "M", "year": "Y"}[period]
    known = FRAME[(FRAME.account != "") & (FRAME.date != "")].copy()
    known["unit"] = pd.to_datetime(known.date).dt.to_period(code).dt.start_time
    expected = {
        "\n\n".join(t for t in group if t) for _, group in known.groupby(["account", "unit"]).text
    }
    assert set(source.texts) == expected | {"cliff", "marsh"}
    assert "2 texts without 'account' or date stay alone" in notes(source)
    if period == "month":
        assert source.docs.title.tolist()[:2] == ["ann, 2014-03", "bob, 2014-03"]
    if period == "week":
        assert source.docs.title.tolist()[:2] == ["ann, 2014-02-24", "bob, 2014-03-03"]


def test_labels_that_differ_within_a_document_give_way_to_the_column():
    frame = FRAME.assign(party=[*"abcdefgh"])
    source = read("t.csv", content(frame), options=ReadOptions(text="text", join="account"))
    assert source.chosen["label"] == "party"
    assert source.docs.label.tolist() == ["ann", "bob", ""]


def test_a_joined_document_has_the_earliest_date_and_the_first_id_of_its_texts():
    """The first text is not the earliest, and cells have blanks around them."""
    rows = ["id,account,date,text", "a,ann,2014-05-05,sea", "b, bob ,,hill", "c,ann ,2014-03-02,",
            "d,ann,,  rock ", "e,bob,,sand", "f,,2014-01-01,cliff", "g, ,,dune"]  # fmt: skip
    options = ReadOptions(text="text", id="id", join="account", label="-", title="-")
    source = read("t.csv", "\n".join(rows).encode(), options=options)
    assert source.texts == ("sea\n\nrock", "hill\n\nsand", "cliff", "dune")
    assert source.docs.id.tolist() == ["a", "b", "f", "g"]
    assert source.docs.title.tolist() == ["ann", "bob", "", ""]
    assert source.docs.label.tolist() == ["ann", "bob", "", ""]
    assert source.docs.date.astype(str).tolist() == ["2014-03-02", "NaT", "2014-01-01", "NaT"]
    assert source.docs.text.tolist() == list(source.texts)
    assert source.notes[0] == "Read as CSV, delimiter comma (sniffed), encoding UTF-8."
    assert source.notes[-1] == (
        "7 texts joined into 4 documents, one for each 'account'. 2 texts without 'account' stay "
        "alone."
    )
    daily = ReadOptions(text="text", id="id", join="account", period="day", title="id")
    source = read("t.csv", "\n".join(rows).encode(), options=daily)
    assert source.docs.id.tolist() == ["a", "b", "c", "d", "e", "f", "g"]
    assert source.docs.title.tolist() == ["ann, 2014-05-05", "b", "ann, 2014-03-02", *"defg"]
    assert source.notes[-1] == (
        "7 texts joined into 7 documents, one for each 'account' and day. 5 texts without "
        "'account' or date stay alone."
    )


def test_a_label_stays_where_every_document_has_one_of_its_own():
    """Of one document alone the labels differ: then the values are the labels of all."""
    for third, labels in (("left", ["left", "right"]), ("right", ["ann", "bob"])):
        rows = [f"ann,left,{i}" for i in ("sea", "hill")]
        rows += [f"ann,{third},rock", "bob,right,sand"]
        content = "\n".join(["account,party,text", *rows]).encode()
        source = read("t.csv", content, options=ReadOptions(join="account", text="text"))
        assert source.docs.label.tolist() == labels


def test_joined_texts_can_be_divided():
    frame = pd.DataFrame([("ann", "word " * 30)] * 4, columns=["account", "text"])
    source = read("t.csv", content(frame), options=ReadOptions(join="account", passages="60"))
    assert source.docs.title.tolist() == ["ann ¶1", "ann ¶2"]
    assert [len(text.split()) for text in source.texts] == [60, 60]


def test_what_cannot_be_joined_is_said():
    with pytest.raises(
        CorpusError, match=r"t\.csv has no column 'nobody' by which to join texts; ch"
    ):
        read("t.csv", content(), options=ReadOptions(join="nobody"))
    with pytest.raises(
        CorpusError, match=r"t\.txt has no columns by which its texts could be join"
    ):
        read("t.txt", b"sea\nhill", options=ReadOptions(join="account"))
    with pytest.raises(
        CorpusError, match=r"has no dates by which its texts could be joined for ea"
    ):
        joined(period="day", date="-")
    with pytest.raises(CorpusError, match="joined by day, week, month, year, or for all time; got"):
        joined(period="decade")


def test_the_child_joins(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(content())
    with pytest.warns(UserWarning, match="too few"):
        corpus = load(path, text="text", join="account", period="month", min_df=1, max_df=1.0)
    assert sorted(corpus.docs.title) == ["", "", "ann, 2014-03", "bob, 2014-03"]
