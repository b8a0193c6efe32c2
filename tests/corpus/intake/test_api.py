"""What the functions that read from outside pass on, and what they say when it fails: no child is
started here."""

import io
import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.corpus import Corpus, CorpusError, DocTable
from bnpexplorer.corpus.intake import api, refusing, work
from bnpexplorer.corpus.intake.process import ReadingFailed
from bnpexplorer.corpus.readers.source import FIND_OUT, ReadOptions, Source, strings
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.text import describe, make_corpus
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.corpus.words.suggesting import LOOKED_AT, Suggestion
from tests.tools.readers import DATA, VOCAB, packed_zip
from tests.tools.stored import on_disk, with_names

SETTINGS = TextSettings(min_df=1, max_df=1.0, min_tokens=1, stop_words="none")
OWN = replace(SETTINGS, token_pattern="<(sea)>")


@pytest.fixture
def asked(monkeypatch):
    """What children are asked to do, with what they answer: done here, or raised."""
    calls = []

    def set_answer(answer=None):
        def do(function, **given):
            calls.append((function, given))
            if isinstance(answer, Exception):
                raise answer
            return function(**given) if answer is None else answer

        monkeypatch.setattr(api.CHILDREN, "do", do)
        return calls

    return set_answer


# ---- what is said ------------------------------------------------------------------------------

BUILD = (
    "build a corpus of it on the disk (python -m bnpexplorer corpus build FILE OUT), split it, or"
)
FILE = "it is damaged or of an unusual kind; write it again, as CSV or plain text in UTF-8."
REFUSALS = [
    (ReadingFailed("refused", "a.csv, line 3: no."), "a.csv, line 3: no."),
    (
        ReadingFailed("memory"),
        "Reading a.csv takes more than 1,234 MB of memory, or the machine ran out of it; "
        f"{BUILD} raise BNPEXPLORER_MEMORY_MB.",
    ),
    (
        ReadingFailed("time"),
        "Reading a.csv takes more than 77 seconds of processor time; "
        f"{BUILD} raise BNPEXPLORER_READ_SECONDS.",
    ),
    (
        ReadingFailed("still"),
        "Reading a.csv has stood still for 60 seconds, as where a disk or a network does not "
        "answer; copy the file to another place and try again.",
    ),
    (ReadingFailed("cancelled"), "Reading a.csv was cancelled."),
    (
        ReadingFailed("busy"),
        "a.csv was not read, because other files are being read; try again in a minute.",
    ),
    (
        ReadingFailed("start", "it ended at once"),
        "Files are read in a process of their own, which could not be started (it ended at once): "
        "restart the app; if that does not help, install it again.",
    ),
    (ReadingFailed("died"), f"a.csv cannot be read: {FILE}"),
    (ReadingFailed("failed", "Odd: x"), f"a.csv cannot be read (Odd: x): {FILE}"),
]


@pytest.mark.parametrize(("problem", "said"), REFUSALS, ids=lambda one: getattr(one, "why", None))
def test_each_way_to_fail_has_its_sentence(problem, said, asked, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "1234")
    monkeypatch.setenv("BNPEXPLORER_READ_SECONDS", "77")
    asked(problem)
    with pytest.raises(CorpusError) as told:
        api.read_files([("a.csv", b"text\nsea\n")])
    assert str(told.value) == said
    assert isinstance(told.value, refusing.Cancelled) == (problem.why == "cancelled")
    with pytest.raises(store.StoreError) as told:
        api.run_file("my.run", 10**6, "my run")
    of_run = said.replace("a.csv cannot", "my run cannot").replace(
        "Reading a.csv", "Reading my run"
    )
    of_run = of_run.replace(f"{BUILD} raise", "raise").replace("a.csv was", "my run was")
    of_run = of_run.replace("write it again, as CSV or plain text in UTF-8", "export the run again")
    assert str(told.value) == of_run


def test_an_error_of_ours_is_told_as_ours_with_the_name_of_the_file(asked, caplog):
    asked(ReadingFailed("own", "KeyError: 'x'", "in read_csv"))
    with pytest.raises(CorpusError, match=r"^a\.csv was not read because of an error of bnpexplor"):
        api.read_files([("a.csv", b"text\nsea\n")])
    assert "in read_csv" in caplog.text


@pytest.mark.parametrize(
    ("why", "kind", "said"),
    [
        (
            "busy",
            refusing.TryAgain,
            "The text was not read, because other files are being read; try",
        ),
        (
            "start",
            refusing.TryAgain,
            "Files are read in a process of their own, which could not be st",
        ),
        ("cancelled", refusing.TryAgain, "Reading The text was cancelled."),
        ("time", CorpusError, ""),
        ("memory", CorpusError, ""),
        ("died", CorpusError, ""),
    ],
)
def test_a_text_is_not_to_blame_where_no_child_was_free(why, kind, said, asked, monkeypatch):
    monkeypatch.setattr(api, "LONG", 10)
    calls = asked(ReadingFailed(why))
    long = (
        "This text of 12 letters was not cut within 10 seconds, so its words are not marked; read "
        "the texts in passages to see them."
    )
    own = (
        "The token pattern '<(sea)>' did not cut this text within 3 seconds, so its words are not "
        "marked; read the texts with another pattern, such as \\w\\w+, to see them."
    )
    for text, settings, sentence in (("sea " * 3, SETTINGS, long), ("<sea>", OWN, own)):
        with pytest.raises(kind) as told:
            api.find_words(text, settings, {})
        assert type(told.value) is kind
        assert str(told.value).startswith(said) if said else str(told.value) == sentence
    assert [given["at_most"] for _, given in calls] == [10.0, 3.0]
    assert api.find_words("sea " * 2 + "ok", SETTINGS, {"sea": 0}).counts == {0: 2}, "ten letters"
    assert len(calls) == 2


@pytest.mark.parametrize("n", [599, 600, 601, 5000])
def test_a_long_sentence_keeps_its_beginning_and_its_end(n):
    sentence = "".join(chr(97 + i % 26) for i in range(n))
    whole = f"{sentence[:300]} ... {sentence[-300:]}"
    assert refusing.shortened(sentence) == (sentence if n <= 600 else whole)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a.csv"], "a.csv"),
        (["a.mtx", "v.txt"], "a.mtx and v.txt"),
        (["a.txt", "b.txt", "c.txt"], "a.txt and b.txt and others"),
    ],
)
def test_several_files_are_named_in_what_is_said(names, said, asked):
    asked(ReadingFailed("cancelled"))
    with pytest.raises(CorpusError, match=f"^Reading {said} was cancelled"):
        api.read_files([(name, b"sea") for name in names])
    paths = [Path("here") / name for name in names]
    others = " and others" if len(names) > 1 else ""
    with pytest.raises(CorpusError, match=f"^Reading {names[0]}{others} was cancelled"):
        api.look(paths)


# ---- what is passed on -------------------------------------------------------------------------

CHOSEN = {
    "text": "A", "id": "B", "title": "C", "date": "D", "label": "E", "delimiter": ";",
    "header": "no", "encoding": "cp1252", "split": "paragraphs", "sheet": "F", "join": "G",
    "period": "week", "format": "csv",
}  # fmt: skip


def test_every_choice_of_load_reaches_the_reader(monkeypatch):
    """Each has a value of its own."""
    seen = []
    corpus = with_names(20)
    loaded = work.CorpusFromFile(corpus, describe(corpus), ("read",), ("odd.", ""))
    monkeypatch.setattr(api, "load_with_report", lambda *given: seen.append(given) or loaded)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = api.load("a.csv", vocab="v.txt", passages=70, min_df=3, stem="none", **CHOSEN)
    assert found is corpus
    options = ReadOptions(**CHOSEN, passages="70")
    assert seen == [("a.csv", "v.txt", options, {"min_df": 3, "stem": "none"})]
    assert [str(one.message)[:16] for one in told] == ["made up: odd.", "made up: 20 docu"]
    assert {Path(one.filename).name for one in told} == {"test_api.py"}, "where load was called"


def test_how_a_file_was_read_is_kept_with_its_report(asked, tmp_path):
    asked()
    (tmp_path / "a.ldac").write_text("2 0:1 2:5\n1 1:7\n")
    (tmp_path / "v.txt").write_text("sea\nhill\nrock\n")
    options = ReadOptions(format="ldac")
    found = api.load_with_report(tmp_path / "a.ldac", tmp_path / "v.txt", options, {"min_df": 1})
    reading = found.report.reading
    assert (reading.options, reading.files, reading.vocabulary) == (
        options,
        ("a.ldac", "v.txt"),
        True,
    )
    assert reading.settings == found.report.settings
    assert (reading.settings.min_df, found.corpus.vocab) == (1, ("sea", "hill", "rock"))
    plain = api.load_with_report(DATA / "small.csv", options=FIND_OUT)
    assert (plain.report.reading.files, plain.report.reading.vocabulary) == (("small.csv",), False)
    assert plain.report.reading.options == FIND_OUT


@pytest.mark.parametrize(
    "chosen",
    [{"vocab": VOCAB[0]}, {"options": ReadOptions(label="A")}, {"settings": {"min_df": 2}}],
    ids=lambda chosen: next(iter(chosen)),
)
def test_nothing_can_be_chosen_of_a_corpus_that_was_built(chosen, tmp_path):
    on_disk(with_names(20), tmp_path / "c")
    assert api.load_with_report(tmp_path / "c").corpus.n_docs == 20
    with pytest.raises(CorpusError) as told:
        api.load_with_report(tmp_path / "c", **chosen)
    assert str(told.value) == (
        f"{tmp_path / 'c'} holds a corpus whose words are counted; columns, settings of words and "
        "a vocabulary are chosen when it is built. Leave them out, or build it again with them."
    )


def test_a_mistake_in_settings_is_told_before_anything_is_read(asked):
    calls = asked()
    for wrong in ({"min_df": 0}, {"language": "xx"}, {"clean": "auto", "min_tokens": -1}):
        with pytest.raises(ValueError, match=r"min_df|no language|min_tokens"):
            api.load_with_report(DATA / "small.csv", settings=wrong)
    assert calls == []


def test_titles_travel_only_where_they_count(asked):
    texts = ("grey sea", "", "hill")
    docs = DocTable(
        title=strings(["storm", "none", "calm"]), label=strings("abc"), text=strings(texts)
    )
    source = Source("mine", "csv", texts, docs=docs, columns=("text",))
    calls = asked()
    for settings, names in ((SETTINGS, ()), (replace(SETTINGS, titles=True), ("title",))):
        corpus, report = api.count_words(source, settings)
        wanted, expected = make_corpus(source, settings)
        assert corpus.fingerprint == wanted.fingerprint
        assert corpus.docs.names() == docs.names()
        assert corpus.docs.label.tolist() == wanted.docs.label.tolist()
        assert (corpus.name, report.dropped) == ("mine", expected.dropped)
        assert calls[-1][1]["sent"].docs.names() == names
        fewer, _ = api.leave_out(corpus, ["sea"], settings)
        assert set(corpus.vocab) - set(fewer.vocab) == {"sea"}
        assert fewer.docs.names() == docs.names()
        assert calls[-1][1]["corpus"].docs.names() == (*names, "text")
        assert calls[-1][1]["words"] == ["sea"]


def test_columns_are_left_out_here_and_large_corpora_on_the_disk_nowhere(
    asked, tmp_path, monkeypatch
):
    calls = asked()
    corpus = Corpus.from_csr([[1, 2], [3, 0]], ["sea", "hill"])
    assert api.leave_out(corpus, ["hill"], SETTINGS)[0].vocab == ("sea",)
    texts = replace(corpus, docs=DocTable(text=strings(["sea", "hill"])))
    assert api.leave_out(texts, ["hill"])[0].vocab == ("sea",)
    assert calls == []
    stored = on_disk(with_names(30), tmp_path / "c")
    monkeypatch.setattr("bnpexplorer.corpus.order.LARGE_DOCS", 29)
    with pytest.raises(CorpusError) as told:
        api.leave_out(stored, ["word1"], SETTINGS)
    assert str(told.value) == (
        "The 30 texts of made up lie on the disk and are too many to be counted again here. Put "
        "the words into a file and build the corpus anew: `python -m bnpexplorer corpus build PATH "
        "OUT --stop-words FILE`."
    )
    monkeypatch.setattr("bnpexplorer.corpus.order.LARGE_DOCS", 30)
    fewer, _ = api.leave_out(stored, ["word1"])
    assert "word1" not in fewer.vocab
    assert isinstance(stored, StoredCorpus)


def test_what_is_suggested_goes_by_a_part_of_the_texts(asked):
    calls = asked(Suggestion(OWN))
    counts = Source("c", "mtx", counts=Corpus.from_csr([[1]]).to_csr(), vocab=("a",))
    assert api.suggest(counts, SETTINGS) == Suggestion(SETTINGS)
    assert calls == []
    texts = tuple(f"{i} word" for i in range(2 * LOOKED_AT))
    source = Source("a", "text", texts, docs=DocTable(text=strings(texts)))
    assert api.suggest(source, SETTINGS) == Suggestion(OWN)
    (_, given) = calls[0]
    assert given["sent"].texts == texts[::2]
    assert given["sent"].docs.names() == ()
    assert given["settings"] == SETTINGS


def test_a_run_is_read_from_its_beginning_wherever_its_file_stands(asked, tmp_path):
    path = tmp_path / "my.run"
    store.write(path, {"name": "mine", "counts": {"array": "a"}}, {"a": np.arange(3)})
    asked()
    content = io.BytesIO(path.read_bytes())
    content.seek(7)
    for file in (path, str(path), content):
        manifest, arrays = api.run_file(file, 10**6, "my run")
        assert manifest["name"] == "mine"
        assert arrays["a"].tolist() == [0, 1, 2]
    calls = asked(ReadingFailed("refused", "my run: no"))
    with pytest.raises(store.StoreError, match="my run: no"):
        api.run_file("my.run", 1234, "my run")
    given = calls[-1][1]
    assert (given["path"], given["content"]) == (str(Path("my.run").absolute()), None)
    assert (given["limit"], given["name"]) == (1234, "my run")


def test_a_run_of_a_child_may_be_no_larger_than_the_limit(asked, tmp_path):
    """One that has read a hostile file could send any."""
    store.write(tmp_path / "my.run", {"name": "x" * 2000}, {"a": np.arange(3)})
    asked(work.run_file(str(tmp_path / "my.run"), None, 10**6, "my run"))
    assert api.run_file("my.run", 10**6, "my run")[0]["name"] == "x" * 2000
    with pytest.raises(store.StoreError, match="my run"):
        api.run_file("my.run", 1000, "my run")


# ---- places ------------------------------------------------------------------------------------


def test_a_child_opens_files_and_folders_itself_and_is_given_what_it_cannot_open(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_bytes(b"text\nsea\n")
    for path in ("a.csv", tmp_path):
        place = api.place_of(path)
        assert place.path == Path(path).absolute()
        assert place.content is None
    assert api.place_of("a.csv").file() == ("a.csv", b"text\nsea\n")
    monkeypatch.setattr(api, "OURS", (tmp_path / "ours",))
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "b.csv").write_bytes(b"text\nhill\n")
    place = api.place_of("ours/b.csv")
    (tmp_path / "ours" / "b.csv").unlink()
    assert place.file() == ("b.csv", b"text\nhill\n")


@pytest.mark.skipif(os.name != "posix", reason="pipes with a path")
@pytest.mark.parametrize("more", [0, 1])
def test_a_pipe_may_give_as_much_as_a_child_hands_over(more, tmp_path, monkeypatch):
    """A fifth of the memory of a reader, which is 300 MB at least."""
    monkeypatch.setattr("bnpexplorer.corpus.intake.usage.FEWEST", 1)
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "1")
    monkeypatch.setattr(api, "OURS", (tmp_path,))
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * (2**20 // 5 + more))
    if not more:
        assert len(api.place_of(path).content) == 2**20 // 5
        return
    with pytest.raises(CorpusError) as told:
        api.place_of(path)
    assert str(told.value) == (
        f"{path} gives more than 0 MB, the most that is read from a pipe; write it to a file and "
        "give that, or set BNPEXPLORER_MEMORY_MB to five times as much."
    )


def test_a_vocabulary_goes_to_the_reader_with_its_counts(tmp_path):
    (tmp_path / "a.ldac").write_text("2 0:1 2:5\n1 1:7\n")
    (tmp_path / VOCAB[0]).write_bytes(VOCAB[1])
    found = work.load(
        api.place_of(tmp_path / "a.ldac"), api.place_of(tmp_path / VOCAB[0]), FIND_OUT, {}
    )
    assert found.corpus.to_csr().toarray().tolist() == [[1, 0, 5], [0, 7, 0]]
    assert found.notes == ("Read as LDA-C.", "Vocabulary v.txt: 3 words, encoding UTF-8.")


def test_notes_and_warnings_are_those_of_the_reader_and_of_the_settings(monkeypatch, tmp_path):
    real = work.settled

    def settled(source, words, as_forms):
        return replace(real(source, words, as_forms), said=("chosen",), warnings=("doubtful",))

    monkeypatch.setattr(work, "settled", settled)
    (tmp_path / "v.txt").write_text("word\nsea\nhill\nrock\n")
    (tmp_path / "a.ldac").write_text("2 0:1 2:5\n1 1:7\n")
    vocab = api.place_of(tmp_path / "v.txt")
    found = work.load(api.place_of(tmp_path / "a.ldac"), vocab, FIND_OUT, {})
    assert (len(found.notes), found.notes[-1], found.warnings) == (4, "chosen", ("doubtful",))


def test_the_tables_of_an_archive_are_told_by_a_child():
    content = packed_zip({"a.csv": b"text\nsea\n", "b.csv": b"text\nhill\n", "README.txt": b"x"})
    assert api.entries("a.zip", content) == ("a.csv", "b.csv", "*")
    assert api.entries("a.zip", packed_zip({"a.txt": b"the sea"})) == ()
    assert api.entries("a.csv.gz", b"text\nsea\n") == ()
