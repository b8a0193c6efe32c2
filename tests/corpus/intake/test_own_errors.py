"""A mistake of ours while a file is read is told as ours, whichever process it happens in."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.core.installation import PACKAGE
from bnpexplorer.corpus import Corpus, CorpusError
from bnpexplorer.corpus.intake import api, children, work
from bnpexplorer.corpus.text import TextSettings

ROWS = b"text\n" + b"the sea and the hill\n" * 30
MISTAKES = {
    "AttributeError": "None.planted",
    "TypeError": "len(3)",
    "KeyError": "{}['planted']",
    "NameError": "planted",
}


@pytest.fixture
def group(monkeypatch):
    """Children that were started by this test alone."""
    mine = children.Children()
    monkeypatch.setattr(api, "CHILDREN", mine)
    yield mine
    mine.end()


def plant(folder: Path, mistake: str) -> None:
    """A copy of the package in a folder, whose reader of tables makes a mistake."""
    package = folder / "bnpexplorer"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "ui"))
    path = package / "corpus" / "readers" / "table.py"
    source = path.read_text(encoding="utf-8")
    head = "def read_csv(upload: Upload) -> Source:\n"
    assert source.count(head) == 1
    path.write_text(source.replace(head, f"{head}    {mistake}\n"), encoding="utf-8")


@pytest.mark.second
@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_in_a_reader_is_told_as_ours_with_its_traceback_in_the_log(
    kind, group, monkeypatch, tmp_path, caplog
):
    plant(tmp_path, MISTAKES[kind])
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(CorpusError) as said:
        api.read_files([("mine.csv", ROWS)])
    assert str(said.value).startswith(
        f"mine.csv was not read because of an error of bnpexplorer's own ({kind}: "
    )
    assert "damaged" not in str(said.value)
    (record,) = caplog.records
    assert record.levelname == "CRITICAL"
    assert "in read_csv" in record.getMessage()


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_where_the_server_checks_what_was_read_is_told_as_ours(kind, monkeypatch, caplog):
    def fault(corpus):
        eval(MISTAKES[kind])

    source = api.read_files([("mine.csv", ROWS)])
    monkeypatch.setattr(Corpus, "fault", fault)
    with pytest.raises(CorpusError, match=rf"error of bnpexplorer's own \({kind}: "):
        api.count_words(source, TextSettings(min_df=1, max_df=1.0, min_tokens=1))
    assert "in fault" in caplog.text


def test_a_corpus_without_documents_is_told_as_damaged(monkeypatch, tmp_path):
    (tmp_path / "mine.csv").write_bytes(ROWS)
    loaded = api.load_with_report(tmp_path / "mine.csv", settings={"min_df": 1, "max_df": 1.0})
    answer = work.CorpusFromFile(Corpus.from_csr([[1]]).take([]), loaded.report, ())
    monkeypatch.setattr(api.CHILDREN, "do", lambda *_, **__: answer)
    with pytest.raises(CorpusError, match=r"^mine\.csv cannot be read: it is damaged"):
        api.load_with_report(tmp_path / "mine.csv")


def test_what_a_child_made_up_is_still_told_as_damaged(monkeypatch):
    corpus = Corpus(np.array([0, 1]), np.array([7]), np.array([1]), ("sea",))
    source = api.read_files([("mine.csv", ROWS)])
    monkeypatch.setattr(api.CHILDREN, "do", lambda *_, **__: work.Made(corpus, None))
    with pytest.raises(CorpusError, match=r"^mine\.csv cannot be read: it is damaged"):
        api.count_words(source, TextSettings(min_df=1))


@pytest.mark.second
def test_a_command_prints_one_sentence_and_the_details_of_a_mistake_of_ours(
    group, monkeypatch, tmp_path, capsys
):
    plant(tmp_path, MISTAKES["KeyError"])
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mine.csv").write_bytes(ROWS)
    assert main(["fit", str(tmp_path / "mine.csv")]) == 2
    told = capsys.readouterr().err
    assert "Traceback" in told
    assert "in read_csv" in told
    assert told.splitlines()[-1].startswith(
        "bnpexplorer: mine.csv was not read because of an error"
    )
