"""Tables both ways: of words with their counts, and of texts, by whoever holds the table."""

import warnings
from dataclasses import replace
from datetime import date, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bnpexplorer import load
from bnpexplorer.corpus import Corpus, CorpusError, DocTable
from bnpexplorer.plugins.interchange import from_table, to_arrow, to_datasets, to_pandas, to_polars
from bnpexplorer.sklearn import HDP, LDA, DPMixture
from tests.tools.neighbours import assert_same, awkward, neighbour
from tests.tools.stored import on_disk

ALL = "id title date label text"
TEXTS = ["The tax on houses.", "A house in the city, a city of houses.", "War and peace and war."]


def as_arrow_types(corpus):
    return to_arrow(corpus).to_pandas(types_mapper=pd.ArrowDtype)


HOLDERS = {
    "arrow": ("pyarrow", to_arrow),
    "pandas": ("pandas", to_pandas),
    "pandas of arrow": ("pandas", as_arrow_types),
    "polars": ("polars", to_polars),
    "datasets": ("datasets", to_datasets),
}


@pytest.fixture(params=HOLDERS)
def holder(request):
    package, make = HOLDERS[request.param]
    neighbour(package)
    return make


def test_counts_vocabulary_and_documents_come_back(holder):
    corpus = awkward()
    table = holder(corpus)
    assert len(table) == corpus.n_docs
    assert_same(from_table(table, vocab=corpus.vocab), corpus, ALL)


def test_texts_read_from_a_table_are_those_of_a_file(holder, tmp_path):
    """The same words, counted by the same settings."""
    frame = to_pandas(awkward())[["id", "date", "label"]].iloc[:3].assign(body=TEXTS, n=[1, 2, 3])
    frame.to_csv(tmp_path / "texts.csv", index=False)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        wanted = load(tmp_path / "texts.csv", text="body", label="label", stop_words="none")
        file = [str(one.message).split(": ", 1)[1] for one in said]
        said.clear()
        docs = replace(awkward().take([0, 1, 2]).docs, title=None, text=np.array(TEXTS, object))
        table = holder(replace(awkward().take([0, 1, 2]), docs=docs))
        given = {"text": "text", "words": "", "label": "label", "stop_words": "none"}
        found = from_table(table, **given)
        ours = [one for one in said if issubclass(one.category, UserWarning)]
        assert [str(one.message).split(": ", 1)[1] for one in ours] == file
    assert len(file) == 1
    assert_same(found, wanted, "id date label text row")


@pytest.mark.parametrize("kind", [LDA, HDP, DPMixture])
def test_estimators_take_and_give_frames_of_polars(kind):
    polars = neighbour("polars")
    corpus = awkward()
    counts = np.minimum(corpus.to_csr().toarray(), 9)
    frame = polars.DataFrame(counts, schema=list(corpus.vocab))
    estimator = kind(max_iter=2, random_state=0).set_output(transform="polars")
    shares = estimator.fit_transform(frame)
    assert isinstance(shares, polars.DataFrame)
    assert shares.columns == list(estimator.get_feature_names_out())
    assert list(estimator.feature_names_in_) == list(corpus.vocab)
    plain = kind(max_iter=2, random_state=0).fit(counts)
    np.testing.assert_array_equal(shares.to_numpy(), plain.transform(counts))


def test_a_large_corpus_becomes_a_table_part_by_part(monkeypatch):
    corpus, whole = awkward(), to_arrow(awkward())
    parts = [corpus.part(first, first + 2) for first in range(0, corpus.n_docs, 2)]
    monkeypatch.setattr(Corpus, "chunks", lambda self: iter(parts))
    assert to_arrow(corpus).to_pylist() == whole.to_pylist()
    assert whole["words"].to_pylist() == [
        [corpus.vocab[w] for w in corpus.part(d, d + 1).word_ids] for d in range(corpus.n_docs)
    ]


def test_without_a_vocabulary_words_come_in_the_order_of_the_alphabet():
    corpus = from_table(to_arrow(awkward()))
    assert corpus.vocab == tuple(sorted(set(awkward().vocab) - {"never"}))
    order = [awkward().vocab.index(word) for word in corpus.vocab]
    np.testing.assert_array_equal(corpus.to_csr().toarray(), awkward().to_csr().toarray()[:, order])


def test_lists_of_words_are_counted():
    frame = pd.DataFrame({"tokens": [["b", "a", "b"], [], ["c"]], "who": ["x", "y", "z"]})
    corpus = from_table(frame, words="tokens", label="who")
    assert corpus.vocab == ("a", "b", "c")
    assert corpus.to_csr().toarray().tolist() == [[1, 2, 0], [0, 0, 1]]
    assert corpus.docs.label.tolist() == ["x", "z"]
    assert corpus.n_empty_dropped == 1


def test_counts_and_fields_are_taken_from_the_columns_that_are_meant():
    frame = pa.table(
        {
            "tokens": [["b", "a"], ["c"]],
            "words": [["x"], ["y"]],
            "counts": [[4], [5]],
            "label": ["left", "right"],
            "title": ["one", "two"],
        }
    )
    own = from_table(frame, label="-", title="label")
    assert own.to_csr().toarray().tolist() == [[4, 0], [0, 5]]
    assert (own.docs.label, own.docs.title.tolist()) == (None, ["left", "right"])
    other = from_table(frame, words="tokens")
    assert other.to_csr().toarray().tolist() == [[1, 1, 0], [0, 0, 1]], "their counts are no others"
    with pytest.raises(CorpusError, match="row 2: 1 words and 2 counts"):
        from_table(frame.set_column(2, "counts", pa.array([[4], [5, 6]])))


def test_texts_in_a_column_called_words_are_texts():
    frame = pd.DataFrame({"words": TEXTS})
    with pytest.warns(UserWarning, match="^table: ") as told:
        corpus = from_table(frame, stop_words="none")
    assert "city" in corpus.vocab
    assert {one.filename for one in told} == {__file__}, "where it was called"


def test_the_types_of_the_table_of_documents():
    table = to_arrow(awkward())
    types = {field.name: str(field.type) for field in table.schema}
    assert types == {
        "id": "string",
        "title": "string",
        "date": "date32[day]",
        "label": "string",
        "text": "string",
        "words": "list<item: string>",
        "counts": "list<item: int32>",
    }
    assert table["date"].null_count == 1
    assert str(to_pandas(awkward())["date"].dtype).startswith("datetime64")


def test_passages_of_one_text_stay_together():
    corpus = replace(awkward(4), docs=DocTable(origin=np.array([0, 0, 1, 1])))
    found = from_table(to_pandas(corpus), vocab=corpus.vocab)
    assert_same(found, corpus, "origin")
    assert found.docs.origin.dtype == np.int64


@pytest.mark.parametrize(
    "dates",
    [
        ["2001-02-03", "1789-04-30", ""],
        [date(2001, 2, 3), date(1789, 4, 30), None],
        [datetime(2001, 2, 3, 23, 59), datetime(1789, 4, 30), None],
        pa.array([date(2001, 2, 3), date(1789, 4, 30), None], pa.date64()),
    ],
)
def test_dates_of_every_type_are_days(dates):
    words = [["a"], ["b"], ["c"]]
    found = from_table(pa.table({"words": words, "when": dates}), date="when").docs.date
    wanted = np.array(["2001-02-03", "1789-04-30", "NaT"], "datetime64[D]")
    np.testing.assert_array_equal(found, wanted)
    assert found.dtype == wanted.dtype


def test_a_corpus_on_the_disk_is_written_as_that_of_memory(tmp_path):
    corpus = awkward()
    assert to_arrow(on_disk(corpus, tmp_path / "corpus")).equals(to_arrow(corpus))


def test_a_table_in_pieces_is_one_table():
    whole = to_arrow(awkward())
    pieces = pa.concat_tables([whole.slice(0, 7), whole.slice(7, 1), whole.slice(8)])
    assert_same(from_table(pieces, vocab=awkward().vocab), awkward(), ALL)


def test_a_frame_with_a_column_a_word_comes_back():
    """As the docstring of `to_pandas` says."""
    corpus = awkward()
    frame = pd.DataFrame.sparse.from_spmatrix(corpus.to_csr(), columns=list(corpus.vocab))
    assert_same(Corpus.from_csr(frame.sparse.to_coo(), frame.columns), corpus, "")


def table(**columns):
    return pa.table(columns)


@pytest.mark.parametrize(
    ("given", "asked", "said"),
    [
        (table(a=["x"]), {"text": "b"}, "news has no column 'b' for the text; choose one of: a"),
        (table(a=["x"]), {"words": "b"}, "news has no column 'b' for the words"),
        (table(words=[["x"]]), {"counts": "n"}, "no column 'n' for the counts"),
        (table(words=[["x"]]), {"label": "n"}, "no column 'n' for the label"),
        (table(a=["x y"]), {"words": "a"}, "'a' holds string, not lists.*text="),
        (table(words=[["x"]], counts=[3]), {}, "'counts' holds int64, not lists"),
        (table(words=[["x"], ["y"]], counts=[[1], [1, 2]]), {}, "row 2: 1 words and 2 counts"),
        (table(words=[["x"], ["y"]], counts=[[1], [-2]]), {}, "Document 2 of news .* -2 times"),
        (table(words=[["x"]], counts=[[1.5]]), {}, r"1\.5 times; counts must be whole"),
        (table(words=[["x"]], counts=[[None]]), {}, "None times"),
        (table(words=[["x", None]]), {}, "Document 1 of news holds None in place of a word"),
        (table(words=[["x", ""]]), {}, "holds '' in place of a word"),
        (table(words=[[1, 2]]), {}, "holds 1 in place of a word"),
        (table(words=[["x"]]), {"vocab": ["y"]}, "'x', which the vocabulary given lacks"),
        (table(words=[["x"]]), {"vocab": ["x", "x"]}, "'x' stands twice"),
        (table(words=[["x"]]), {"vocab": ["z", "x", "y", "x"]}, "'x' stands twice"),
        (table(words=[["x"]]), {"stem": "stem"}, "stem cannot change words that are cut already"),
        (table(text=["x y"]), {"vocab": ["x"]}, "go with a column of words"),
        (table(words=[[]]), {}, "No document has a single token"),
        (3, {}, "A int is no table of rows; give a DataFrame"),
        ({"text": ["a"]}, {}, "A dict is no table of rows"),
        (pd.DataFrame({"a": [1, "x"]}), {}, "does not fit into Arrow.*one type each"),
    ],
)
def test_what_is_wrong_is_named_with_the_remedy(given, asked, said):
    with pytest.raises(CorpusError, match=said):
        from_table(given, name="news", **asked)


def test_a_stream_and_several_splits_are_no_table():
    datasets = neighbour("datasets")
    held = to_datasets(awkward())
    for other in (datasets.DatasetDict(train=held), held.to_iterable_dataset()):
        with pytest.raises(CorpusError, match=r"is no table of rows; .*one split"):
            from_table(other)
    part = held.select([5, 2])  # rows by their places, of which Arrow knows nothing
    assert_same(from_table(part, vocab=awkward().vocab), awkward().take([5, 2]), ALL)


def test_a_lazy_frame_is_no_table():
    polars = neighbour("polars")
    lazy = to_polars(awkward()).lazy()
    with pytest.raises(CorpusError, match=r"A LazyFrame is no table of rows; .*collects"):
        from_table(lazy)
    back = from_table(lazy.filter(polars.col("label") == "left").collect(), vocab=awkward().vocab)
    assert back.n_docs == 14
