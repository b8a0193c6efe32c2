"""Files by their paths, for whoever sits at the machine: who may name them, and what is read."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.runs import limits
from bnpexplorer.ui.frame import machine
from bnpexplorer.ui.frame.server import LoadedCorpus

FOLDER, OPTIONS = Path("/texts/a.corpus"), ReadOptions(delimiter=";")


@pytest.fixture
def read(monkeypatch):
    """What is read of the machine, and how."""
    found = []

    def look(paths, options):
        found.append((paths, options))
        return "source", "looked"

    def load(folder):
        found.append(folder)
        return SimpleNamespace(
            corpus="texts", report="its report", notes=("two left out",), warnings=("an old one",)
        )

    monkeypatch.setattr(machine.api, "look", look)
    monkeypatch.setattr(machine.api, "load_with_report", load)
    return found


@pytest.mark.parametrize(
    ("shared", "at_home", "may"),
    [("0", True, True), ("0", False, False), ("1", True, False), ("1", False, False)],
)
def test_only_who_is_alone_at_the_machine_names_paths(monkeypatch, read, shared, at_home, may):
    monkeypatch.setenv(limits.SHARED, shared)
    monkeypatch.setattr(machine, "called_at_home", lambda: at_home)
    assert machine.is_local() == may
    for ask in (lambda: machine.look([FOLDER], OPTIONS), lambda: machine.open_corpus(FOLDER)):
        if may:
            ask()
        else:
            with pytest.raises(CorpusError, match="upload the texts, or build a corpus of them"):
                ask()
    assert bool(read) == may, "nothing is read of a path that may not be named"


def test_files_are_looked_at_as_asked_and_a_corpus_has_its_report_and_notes(monkeypatch, read):
    monkeypatch.setattr(machine, "is_local", lambda: True)
    assert machine.look([FOLDER], OPTIONS) == ("source", "looked")
    loaded, notes = machine.open_corpus(FOLDER)
    assert loaded == LoadedCorpus("texts", "its report")
    assert notes == ("two left out", "an old one")
    assert read == [([FOLDER], OPTIONS), FOLDER]
