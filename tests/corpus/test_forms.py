"""What a file is, is told by what is in it: every form, and variants that people have of it."""

import gzip
import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.formats import ReadOptions, guess_format, read, read_files
from tests.tools.forms import COUNTED as WITH_VOCABULARY
from tests.tools.forms import (
    COUNTS,
    EXAMPLES,
    FILES,
    FRAME,
    PAGE,
    ROWS,
    TEXTS,
    VOCAB,
    WITH_WORDS,
    WORDS,
    delimited,
    feather,
    found,
    long_counts,
    page,
    page_of,
    pairs,
    parquet,
    sheet,
    with_index,
    wrapped,
)
from tests.tools.readers import notes, packed_tar, packed_zip

TABLES = (
    *("rows.csv", "rows.tsv", "rows.xlsx", "rows.parquet", "rows.feather", "rows.jsonl"),
    *("unicode.txt", "semicolons.txt", "records.json", "answer.json", "pandas.json"),
    *("by_id.json", "tweets.js", "table.zip"),
)
"""Examples with all fields."""


def counts_of(source) -> pd.DataFrame:
    """Counts with words and documents in the order of `COUNTS`."""
    table = pd.DataFrame(source.counts.toarray(), columns=source.vocab)
    return table.reindex(columns=WORDS, fill_value=0)


@pytest.mark.parametrize("name", TABLES)
def test_every_table_gives_all_fields(name):
    source = found()[name]
    assert source.texts == TEXTS
    for field in ("id", "title", "label"):
        assert getattr(source.docs, field).tolist() == [row[field] for row in ROWS], field
    assert source.docs.date.astype(str).tolist() == [row["date"] for row in ROWS]
    assert not source.warnings


@pytest.mark.parametrize("name", [*WITH_WORDS, *WITH_VOCABULARY])
def test_every_form_of_counts_gives_the_same(name):
    expected = COUNTS.iloc[:1] if name == "ngrams.txt" else COUNTS
    assert counts_of(found()[name]).to_numpy().tolist() == expected.to_numpy().tolist()


# ---- tables of another ending ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("savedrecs.txt", delimited("\t", "utf-8-sig"), "tsv"),
        ("a.txt", delimited("\t", "utf-16-le"), "tsv"),
        ("a.text", b"PT\tTI\tAB\nJ\tOn seas\tThe sea is \"wide\".\n", "tsv"),
        ("a.md", "id\ttext\n1\tDas Meer über Köln\n".encode("cp1252"), "tsv"),
        ("a.txt", b"1\tsea\tthe wide water\n2\thill\tthe high rock\n", "tsv"),
        ("a.txt", delimited(";", "cp1252"), "csv"),
        ("a.txt", b"id;text;year\n1;the sea, and more; so it is;1990\n", "text"),
        ("a.txt", b"id;text;year\n1;the sea;1990\n", "csv"),
        ("a.txt", b"id|text\n" + b"1|the sea\n" * 5, "csv"),
        ("a.txt", delimited(","), "csv"),
        ("a.txt", b'id,text\n1,"the sea, wide"\n2,"a hill, high"\n3,"x, y"\n4,"z, u"\n', "csv"),
        # Prose with signs in every line stays prose.
        ("a.txt", b"The sea, and the hill\nthe rock, the sand\n" * 5, "text"),
        ("a.txt", b"sea; hill; rock\nsand; dune; bay\n" * 4, "text"),
        ("a.txt", b"sea,hill\nrock,sand\n", "text"),
        ("a.txt", wrapped().encode(), "text"),
        ("a.csv", wrapped().encode(), "csv"),
    ],
)  # fmt: skip
def test_a_table_is_one_whatever_its_ending(name, content, kind):
    assert guess_format(name, content) == kind


def test_a_format_that_is_asked_for_is_taken():
    """As readings of before have it."""
    source = read("a.txt", delimited("\t"), options=ReadOptions(format="text"))
    assert source.texts[0].startswith("id\tdate\ttitle")
    mixed = packed_zip({"a.txt": b"sea", "b.md": b"hill", "c.csv": b"x"})
    assert read("a.zip", mixed, options=ReadOptions(format="zip")).texts == ("sea",)
    assert read("a.zip", mixed).texts == ("sea", "hill")


# ---- JSON --------------------------------------------------------------------------------------

RECORDS = json.loads(EXAMPLES["records.json"])


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"response": {"status": "ok", "docs": RECORDS}}),
        json.dumps({"data": RECORDS[:1]}),
        FRAME.to_json(orient="table", index=False),
        FRAME.to_json(orient="split"),
        FRAME.to_json(orient="index", indent=2),
        FRAME.iloc[:1].to_json(),
        FRAME.set_index(pd.Index([f"r{i}" for i in range(6)])).to_json(),
        FRAME.set_index(pd.Index([f"r{i}" for i in range(6)])).to_json(orient="index"),
        json.dumps(FRAME.to_dict(orient="list")),
        "\n".join(json.dumps(row, indent=2) for row in RECORDS),
        f"window.YTD.tweets.part0 = {json.dumps(RECORDS)};\n",
        "var rows = [\n" + ",\n".join(json.dumps(row) for row in RECORDS) + "\n]",
    ],
)
def test_json_of_any_shape_is_the_table_in_it(content):
    for name, encoding in (("a.json", "utf-8"), ("a", "utf-8"), ("a.txt", "utf-16")):
        source = read(name, content.encode(encoding))
        assert source.texts == TEXTS[: source.n_docs]
        assert source.n_docs in (1, 6)
        assert source.docs.title[0] == ROWS[0]["title"]
        assert source.docs.date[0].astype(str) == ROWS[0]["date"]


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        (["sea ü", "hill", ""], ("sea ü", "hill", "")),
        ({"doc1": "the sea", "doc2": "a hill"}, ("the sea", "a hill")),
        ({"texts": ["the sea", "a hill"]}, ("the sea", "a hill")),
        ({"text": "the sea", "title": "On seas"}, ("the sea",)),
        ({"text": "the wide sea", "entities": [{"name": "sea"}, {"name": "x"}]}, ("the wide sea",)),
        ([{"text": "the sea", "tags": ["x", "y"]}], ("the sea",)),
    ],
)
def test_texts_and_single_documents_in_json(content, texts):
    assert read("a.json", json.dumps(content, ensure_ascii=False).encode()).texts == texts
    assert read("a.json", json.dumps(content, indent=1).encode()).texts == texts


def test_fields_within_fields_are_columns_of_their_own():
    rows = [
        {
            "text": f"a text of {country} and of its sea {n}",
            "place": {"country": country, "at": {"lat": n}, "none": {}},
            "when": {"$date": f"2020-0{n}-01T00:00:00Z"},
            "place.country": None if n == 1 else "own",
        }
        for n, country in enumerate(("FR", "DE", "FR"), start=1)
    ]
    for content in ("\n".join(map(json.dumps, rows)), json.dumps(rows), json.dumps({"data": rows})):
        options = ReadOptions(as_of="2026-03-05", label="place.at.lat")
        found = read("a.json", content.encode(), options=options)
        assert found.columns == ("text", "place.country", "place.at.lat", "place.none", "when")
        assert found.docs.label.tolist() == ["1", "2", "3"]
        assert found.docs.date.astype(str).tolist() == [f"2020-0{n}-01" for n in (1, 2, 3)]
        before = read("a.json", content.encode())
        assert before.columns == ("text", "place", "when", "place.country"), "as it was read"
        assert before.rows.cells.tobytes() == found.rows.cells.tobytes(), "given back as they stand"
    options = ReadOptions(as_of="2026-03-05", label="place.country")
    assert read("a.json", content.encode(), options=options).docs.label.tolist() == [
        "",
        "own",
        "own",
    ]


def test_json_nested_too_deeply_is_told():
    for content in (b'{"a":' * 100_000, b'{"data": ' + b"[" * 100_000, b"x.y = [" + b"[" * 100_000):
        with pytest.raises(CorpusError) as told:
            read("a.json", content)
        assert "nested too deeply" in str(told.value) or "not valid JSON" in str(told.value)


# ---- counts ------------------------------------------------------------------------------------


def wide(**options) -> bytes:
    return COUNTS.to_csv(**options).encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("dfm.csv", wide()),
        ("dfm.csv", wide(index_label="doc_id", sep=";", encoding="utf-8")),
        ("dfm.txt", wide(sep="\t")),
        ("dfm.tsv", COUNTS.astype(float).to_csv(sep="\t").encode()),
        ("dfm.csv", COUNTS.to_csv(index=False).encode()),
        ("dfm.csv", COUNTS.reset_index(drop=True).to_csv().encode()),
        ("dfm", b'"sea","hill","rock","sand"\n"t1",2,0,1,0\n"t2",0,3,0,1\n"t3",1,1,0,4\n'),
        ("r.txt", b'"sea" "hill" "rock" "sand"\n"t1" 2 0 1 0\n"t2" 0 3 0 1\n"t3" 1 1 0 4\n'),
    ],
)
def test_a_column_for_every_word_is_a_table_of_counts(name, content):
    source = read(name, content)
    assert source.format == "wide"
    assert (counts_of(source).to_numpy() == COUNTS.to_numpy()).all()


def test_names_of_documents_are_kept_and_words_may_be_of_any_script():
    table = COUNTS.rename(columns={"sea": "Meer", "hill": "größer", "rock": 'so"so', "sand": "海"})
    source = read("dfm.csv", table.to_csv().encode("utf-16"))
    assert source.docs.id.tolist() == ["text1", "text2", "text3"]
    assert set(source.vocab) == {"Meer", "größer", 'so"so', "海"}
    one = read("dfm.csv", COUNTS.iloc[:1].to_csv().encode())
    assert (one.format, one.n_docs, one.counts.sum()) == ("wide", 1, 3)


def test_a_table_of_many_words_is_known_by_its_first_rows():
    """Whose first line is longer than what is looked at at first."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        rng.poisson(0.05, (4, 12_000)), columns=[f"word{i:05}x" for i in range(12_000)]
    )
    source = read("dfm.csv", table.to_csv().encode())
    assert source.format == "wide"
    assert source.counts.sum() == table.to_numpy().sum()


def test_weights_are_refused_by_their_place():
    weights = (COUNTS * 0.37).to_csv().encode()
    wider = pd.concat([COUNTS * 0.37, COUNTS.add_prefix("x"), COUNTS.add_prefix("y")], axis=1)
    with pytest.raises(CorpusError, match=r"row 2, column 'sea': '0\.74' is a weight such as"):
        read("w.csv", wider.to_csv().encode())
    assert guess_format("w.csv", weights) == "csv", "four columns may be anything"


@pytest.mark.parametrize(
    "content",
    [b"id,year,age,score\n1,1990,30,2\n2,1991,40,3\n", b"x,y\n1,2\n3,4\n",
     b"text,a,b,c\nthe sea is wide and blue here,1,0,1\n"],
)  # fmt: skip
def test_tables_of_numbers_are_not_all_counts(content):
    kind = guess_format("a.csv", content)
    assert kind == ("wide" if content.startswith(b"text") else "csv")


@pytest.mark.parametrize(
    ("names", "sign", "ending"),
    [
        (("document", "word", "n"), ",", ".csv"),
        (("doc_id", "term", "count"), ";", ".csv"),
        (("book", "token", "freq"), "\t", ".txt"),
        (("id", "feature", "frequency"), "\t", ".tsv"),
        (("Document", "Wort", "Anzahl"), ";", ".txt"),
    ],
)
def test_rows_of_document_word_and_number_are_counts(names, sign, ending):
    table = long_counts()[["n", "document", "word"]]
    table.columns = [names[2], names[0], names[1]]
    for index in (False, True):  # with row names, as R writes them
        source = read(f"tidy{ending}", table.to_csv(sep=sign, index=index).encode())
        assert source.format == "long"
        assert source.docs.id.tolist() == ["text1", "text2", "text3"]
        assert (counts_of(source).to_numpy() == COUNTS.to_numpy()).all()


AS_OF = ReadOptions(as_of="2026-03-05")
LONGER = COUNTS.rename_axis("speech").reset_index()


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        *((name, EXAMPLES[name], "wide") for name in ("dfm.xlsx", "dfm.parquet", "dfm.feather")),
        *((name, EXAMPLES[name], "long") for name in ("tidy.xlsx", "tidy.parquet")),
        ("named.parquet", with_index(COUNTS.rename_axis("speech")), "wide"),
        ("named.xlsx", sheet(LONGER), "wide"),
        ("floats.parquet", with_index(COUNTS.astype(float)), "wide"),
        ("plain.xlsx", sheet(COUNTS), "wide"),
        (
            "numbers.xlsx",
            sheet(COUNTS.reset_index(drop=True).rename_axis("").reset_index()),
            "wide",
        ),
        ("numbers.parquet", parquet(COUNTS.assign(doc_id=[1, 2, 3])), "wide"),
        ("index.parquet", with_index(long_counts()), "long"),
        ("tidy.feather", feather(long_counts().reset_index(drop=True)), "long"),
        ("rows.xlsx", sheet(long_counts().rename_axis("").reset_index()), "long"),
    ],
)
def test_counts_in_excel_parquet_and_feather_are_those_in_csv(name, content, kind):
    source = read(name, content, options=AS_OF)
    assert (source.format, source.n_docs) == (kind, 3)
    assert source.vocab == tuple(sorted(WORDS))
    assert (counts_of(source).to_numpy() == COUNTS.to_numpy()).all()
    if "numbers" not in name and name != "plain.xlsx":
        assert source.docs.id.tolist() == ["text1", "text2", "text3"]
    asked = read(name, content, options=ReadOptions(format=kind))
    assert (asked.counts != source.counts).nnz == 0


def test_tables_of_texts_and_earlier_readings_stay_tables():
    answers = COUNTS.reset_index(drop=True).assign(answer=TEXTS[:3])
    short = COUNTS.reset_index(drop=True).assign(answer=["good", "bad", "good"])
    tidy = long_counts().assign(text=TEXTS[0])
    for frame in (answers, short, answers[["answer", *WORDS]], tidy):
        for name, content in (("a.xlsx", sheet(frame)), ("a.parquet", parquet(frame))):
            source = read(name, content, options=AS_OF)
            assert source.format in ("excel", "parquet")
            assert source.texts is not None
            assert source.columns == tuple(frame.columns)
    for options in (ReadOptions(), ReadOptions(as_of="2026-03-05", format="excel")):
        assert read("tidy.xlsx", EXAMPLES["tidy.xlsx"], options=options).format == "excel"
    chosen = read("tidy.xlsx", EXAMPLES["tidy.xlsx"], options=replace(AS_OF, text="word"))
    assert chosen.chosen["text"] == "word"


def test_a_weight_in_a_sheet_is_refused_by_its_row():
    frame = pd.concat([COUNTS.astype(float)] * 20).assign(**{f"word{j}": 1 for j in range(9)})
    frame.iloc[57, 0] = 0.5
    with pytest.raises(CorpusError, match=r"w\.xlsx, row 59, column 'sea': '0\.5' is a weight"):
        read("w.xlsx", sheet(frame), options=AS_OF)


def test_a_count_that_is_none_is_told_by_its_row():
    with pytest.raises(CorpusError, match=r"t\.csv, row 61, column 'n': '-1' is no whole number"):
        read("t.csv", b"document,word,n\n" + b"a,sea,1\n" * 59 + b"a,sea,-1\n")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.txt", b"sea\t2\nhill\t1\n", {"sea": 2, "hill": 1}),
        ("a.tsv", b"word\tcount\nsea\t2\nhill\t1\n", {"sea": 2, "hill": 1}),
        ("a.txt", "größer\t2\nnew york\t1\n".encode("utf-16"), {"größer": 2, "new york": 1}),
        ("a", b"sea\t2\r\nhill\t1", {"sea": 2, "hill": 1}),
        ("a.txt", b'"\t2\nhill\t1\n', {'"': 2, "hill": 1}),
    ],
)
def test_words_with_their_numbers_are_one_document(name, content, words):
    source = read(name, content)
    assert source.format == "pairs"
    counts = source.counts.toarray()[0].tolist()
    assert dict(zip(source.vocab, counts, strict=True)) == words


def test_sentences_with_a_number_are_no_counts():
    content = b"the sea is wide and blue\t1\nthe hill is high and bare\t0\n"
    assert guess_format("a.txt", content) == "tsv"


def test_files_of_counts_in_an_archive_are_documents():
    files = pairs()
    for content in (packed_zip(files), packed_tar(files), packed_tar(files, "w:bz2")):
        source = read("ngrams.zip" if content[:2] == b"PK" else "ngrams.tar.bz2", content)
        assert (counts_of(source).to_numpy() == COUNTS.to_numpy()).all()
        assert source.docs.title.tolist() == [f"text{i}-ngram1" for i in (1, 2, 3)]
    files["ngrams/notes.txt"] = b"These are counts of words, in three files.\n"
    assert read("n.zip", packed_zip(files)).counts is None


def test_a_dictionary_of_gensim_is_in_the_order_of_its_ids():
    for text in ("3\n1\thill\t2\n2\trock\t1\n0\tsea\t2\n3\tsand\t2\n",
                 "1\thill\t2\n2\trock\t1\n0\tsea\t2\n3\tsand\t2\n"):  # fmt: skip
        mm = found()["corpus.mm"]
        counts = ("corpus.mm", WITH_VOCABULARY["corpus.mm"])
        source = read_files([counts, ("dictionary.txt", text.encode())])
        assert source.vocab == ("sea", "hill", "rock", "sand")
        assert (source.counts != mm.counts).nnz == 0


def test_a_matrix_that_is_as_long_as_wide_is_told():
    content = b"%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 2 3\n4 1 1\n"
    source = read("a.mtx", content, vocab=VOCAB)
    assert "4 rows and 4 columns" in " ".join(source.warnings)


# ---- columns -----------------------------------------------------------------------------------


def test_lists_of_words_are_joined_and_columns_that_are_not_offered_are_named():
    table = pa.table(
        {
            "note": ["a", "b"],
            "tokens": pa.array([["the", "sea", None], ["new york", "ü"]]),
            "vector": pa.array([[0.1], [0.2]]),
            "user": pa.array([{"name": "x"}, {"name": "y"}]),
        }
    )
    import pyarrow.feather
    import pyarrow.parquet as pq

    for write in (pq.write_table, pyarrow.feather.write_feather):
        file = io.BytesIO()
        write(table, file)
        source = read("a.bin", file.getvalue())
        assert source.chosen["text"] == "tokens"
        assert source.texts == ("the sea ", "new york ü")
        assert source.columns == ("note", "tokens")
        said = notes(source)
        assert "'tokens' the parts of each list are joined by blanks" in said
        assert "Not offered: 'vector' (lists of double), 'user' (records within records)." in said


@pytest.mark.parametrize("version", [1, 2])
def test_feather_of_both_versions_is_read(version):
    source = read("rows", feather(version=version))
    assert (source.format, source.texts) == ("feather", TEXTS)
    cut = feather(version=version)[:-300]
    with pytest.raises(CorpusError, match=r"rows\.feather is a damaged feather file"):
        read("rows.feather", cut)


def test_a_table_of_one_row_and_of_categories():
    one = FRAME.iloc[:1].assign(label=pd.Categorical(["sea"]))
    for content in (parquet(one), feather(one)):
        source = read("a", content)
        assert (source.texts, source.docs.label.tolist()) == (TEXTS[:1], ["sea"])


# ---- prose -------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [45, 72, 90])
def test_wrapped_lines_with_blank_lines_between_are_paragraphs(width):
    text = wrapped(width)
    expected = tuple(f"{text} {text}" for text in TEXTS)
    for content in (text, text.replace("\n", "\r\n"), text.replace("\n\n", "\n \n\n")):
        source = read("a.txt", content.encode())
        assert tuple(" ".join(one.split()) for one in source.texts) == expected
        assert "since its lines are wrapped" in source.notes[0]
    lines = read("a.txt", text.encode(), options=ReadOptions(split="lines"))
    assert lines.n_docs > 6, "as scripts of before ask for it"


def test_a_document_a_line_stays_one():
    long = "\n\n".join(f"{text} {text} {text}" for text in TEXTS)
    verse = "Sea\nhill and rock\n\nsand\nand dune\nof the bay\n" * 5
    for text in (long, verse, "\n".join(TEXTS)):
        assert read("a.txt", text.encode()).n_docs == len([x for x in text.split("\n") if x])


def test_a_book_of_gutenberg_is_read_without_its_licence():
    source = read("a", EXAMPLES["book.txt"])
    assert tuple(" ".join(one.split()) for one in source.texts) == tuple(f"{t} {t}" for t in TEXTS)
    assert "The header and the licence of Project Gutenberg are left out." in source.notes
    whole = read("a", EXAMPLES["book.txt"], options=ReadOptions(split="lines"))
    assert "Licence" in notes(whole) or whole.texts[-1].startswith("Licence")


def test_what_is_hardly_prose_is_warned_of():
    assert read("a.txt", b"12.5 33 -- 7\n== 44 :: 5\n").warnings
    assert not read("a.txt", b"The sea, in 1990.\n").warnings


# ---- archives ----------------------------------------------------------------------------------

SPLIT = {"data/train.csv": delimited(","), "data/test.csv": delimited(","), "README.txt": b"About."}


@pytest.mark.parametrize(
    "entries",
    [
        {"rows.csv": delimited(",")},
        {
            "rows.csv": delimited(","),
            "README.md": b"x",
            "__MACOSX/._rows.csv": b"\0",
            ".DS_Store": b"",
        },
        {"a/rows.txt": EXAMPLES["unicode.txt"], "LICENSE": b"MIT"},
        {"rows.json": EXAMPLES["answer.json"], "dataset-metadata.json": b"{}"},
        {"rows.parquet": parquet(), "Readme.html": b"<p>"},
        {"größe.xlsx": EXAMPLES["rows.xlsx"]},
    ],
)
def test_an_archive_with_one_table_is_that_table(entries):
    for content in (packed_zip(entries), packed_tar(entries), gzip.compress(packed_tar(entries))):
        name = {b"PK": "a.zip", b"\x1f\x8b": "a.tgz"}.get(content[:2], "a.tar")
        source = read(name, content)
        assert (source.name, source.texts) == (name, TEXTS)
        assert "Read of the archive: " in notes(source)


def test_an_archive_with_several_tables_asks():
    content = packed_zip(SPLIT)
    with pytest.raises(CorpusError) as told:
        read("kaggle.zip", content)
    assert str(told.value) == (
        "kaggle.zip holds 2 tables (data/train.csv, data/test.csv); choose the entry to read "
        '(--entry data/train.csv), or "*" to read all tables as one.'
    )
    for entry in ("data/train.csv", "test.csv"):
        assert read("kaggle.zip", content, options=ReadOptions(entry=entry)).texts == TEXTS
    both = read("kaggle.zip", content, options=ReadOptions(entry="*", label="file"))
    assert both.texts == TEXTS * 2
    assert both.docs.label.tolist() == ["data/train.csv"] * 6 + ["data/test.csv"] * 6
    for entry, said in (("x.csv", "has no entry 'x.csv'; choose one of: data/train.csv"),):
        with pytest.raises(CorpusError, match=said):
            read("kaggle.zip", content, options=ReadOptions(entry=entry))
    with pytest.raises(CorpusError, match=r"^a\.csv is no archive of which an entry"):
        read("a.csv", delimited(","), options=ReadOptions(entry="x"))


def test_tables_of_other_columns_are_not_read_as_one():
    entries = SPLIT | {"data/test.csv": b"id,words\n1,sea\n"}
    with pytest.raises(CorpusError, match=r"test\.csv has other columns than data/train\.csv"):
        read("a.zip", packed_zip(entries), options=ReadOptions(entry="*"))


def test_tables_given_together_are_read_as_one_where_it_is_asked_for():
    files = [(f"year{year}.csv", FRAME.drop(columns="date").to_csv(index=False).encode())
             for year in (2019, 2020)]  # fmt: skip
    with pytest.raises(CorpusError, match="do not belong together"):
        read_files(files)
    source = read_files(files, ReadOptions(entry="*", file_names="date", id="-"))
    assert source.docs.date.astype(str).tolist() == ["2019-01-01"] * 6 + ["2020-01-01"] * 6


def test_a_message_about_a_table_in_an_archive_names_both():
    content = packed_zip({"b.csv": b"id,text\n1,sea\n2,a,b\n"})
    with pytest.raises(CorpusError, match=r"^a\.zip, entry b\.csv, line 3: 3 fields"):
        read("a.zip", content)


@pytest.mark.parametrize(
    "rename",
    [
        lambda path: path,
        lambda path: path.replace(".txt", ".md"),
        lambda path: path.replace(".txt", ""),
        lambda path: path.replace(".txt", ".TXT"),
        lambda path: path.replace("-", ".").replace(".txt", ".1"),
    ],
)
def test_texts_of_an_archive_may_have_any_name_of_texts(rename):
    files = {rename(path): content for path, content in FILES.items()}
    for content in (packed_zip(files), packed_tar(files, "w:xz"), packed_tar(files)):
        source = read("a", content)
        assert {*source.texts} == {*TEXTS}
        assert {*source.docs.label} == {"sea", "farm", "law"}


def test_pages_of_html_lose_their_tags():
    files = {f"{row['id']}.htm": page_of(row) for row in ROWS} | {"index": page_of(ROWS[0])}
    source = read("a.zip", packed_zip(files))
    assert all("<" not in text and "{" not in text for text in source.texts)
    assert all(row["text"] in text for row, text in zip(ROWS, source.texts, strict=False))
    assert read("a.html", page_of(ROWS[0])).texts == (f"{ROWS[0]['title']} {ROWS[0]['text']}",)


def test_names_above_a_text_in_markdown_are_no_words():
    entry = b"---\ntitle: x\n---\n# Head\nThe sea.\n"
    assert read("a.zip", packed_zip({"a.md": entry})).texts == ("# Head\nThe sea.\n",)


@pytest.mark.parametrize(
    ("path", "date", "label"),
    [
        ("2019-03-05-speech.txt", "2019-03-05", "speech"),
        ("obama_20090120.txt", "2009-01-20", "obama"),
        ("year2019.txt", "2019-01-01", "year"),
        ("1990/sea_1.txt", "1990-01-01", "sea"),
        ("letters 1848.02/Marx, Karl.txt", "1848-02-01", "Marx"),
        ("doc123456.txt", "NaT", ""),
    ],
)
def test_names_of_files_say_dates_and_labels_where_it_is_asked_for(path, date, label):
    entries = {path: b"sea", "2000-01-01-x.txt": b"hill"}
    plain = read("a.zip", packed_zip(entries))
    assert plain.docs.date is None
    source = read("a.zip", packed_zip(entries), options=ReadOptions(file_names="date label"))
    at = source.docs.id.tolist().index(path)
    assert (str(source.docs.date[at]), source.docs.label[at]) == (date, label)


def test_dates_in_names_are_offered():
    source = found()["texts.zip"]
    assert "choose dates from names (--file-names date) to use them." in notes(source)
    with pytest.raises(CorpusError, match="Names of files can say 'date', 'label', 'date label'"):
        read("a.zip", EXAMPLES["texts.zip"], options=ReadOptions(file_names="year"))


def test_a_tar_that_is_hostile_is_told_in_a_sentence():
    import tarfile

    def tar(change) -> bytes:
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w") as archive:
            entry = tarfile.TarInfo("a.txt")
            change(entry)
            archive.addfile(entry)
        return file.getvalue()

    def link(entry):
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"

    def hard_link(entry):
        entry.type, entry.linkname = tarfile.LNKTYPE, "b.txt"

    def device(entry):
        entry.type = tarfile.CHRTYPE

    for change in (link, hard_link, device):
        with pytest.raises(CorpusError, match=r"^a\.tar, entry a\.txt is a link or device, which"):
            read("a.tar", tar(change))
    huge = packed_tar({"a.txt": b"sea"})
    size = f"{10**10:o}".zfill(11).encode()
    claimed = bytearray(huge[:124] + size + huge[135:])
    claimed[148:156] = b" " * 8
    claimed[148:156] = f"{sum(claimed[:512]):06o}\0 ".encode()
    with pytest.raises(CorpusError, match=r"unpacks to 10,000 MB|damaged or unusual tar"):
        read("a.tar", bytes(claimed))
    with pytest.raises(CorpusError, match="damaged or unusual tar archive"):
        read("a.tar", packed_tar({"a.txt": b"sea" * 1000})[:1500])


def test_the_page_of_the_docs_tells_what_was_read():
    assert PAGE.read_text("utf-8") == page(), "write it: python -m tests.tools.forms"


def test_an_entry_that_grows_beyond_any_text_is_refused_as_a_table_too():
    content = packed_zip({"a.csv": b"text\n" + b"sea\n" * 10**6}, zipfile.ZIP_DEFLATED)
    with pytest.raises(CorpusError, match=r"a\.zip, entry a\.csv grows [\d,]+-fold"):
        read("a.zip", content)


@pytest.mark.parametrize("kind", ["long", "wide"])
def test_a_row_of_another_width_in_a_table_of_counts_is_named(kind):
    content = {"long": b"document,word,n\na,sea\nb,hill,1\n", "wide": b",sea,hill\na,1\nb,1,2\n"}
    with pytest.raises(
        CorpusError, match=r"^a\.csv, row 2: 2 fields where the first row has 3; mend"
    ):
        read("a.csv", content[kind], options=ReadOptions(format=kind))
