"""The ways to texts on the Texts page, and the ways on from them; by direct call."""

import contextlib
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.corpus import CorpusError
from bnpexplorer.ui.frame import explore_or_study, machine, pages, session
from bnpexplorer.ui.texts import page as texts
from bnpexplorer.ui.texts.stop_words import FORM


@pytest.fixture
def tab(monkeypatch):
    """The page of a tab: what it asks, reads and says, with what a person gave."""
    found = SimpleNamespace(
        ways=[], read=[], said=[], went=[], way="", files=[], pasted="", pressed=(), local=False
    )
    monkeypatch.setattr(st, "session_state", {FORM: "a form of before"})

    def control(_, ways, **__):
        found.ways.append(ways)
        return found.way or ways[0]

    def read(files):
        found.read.append(files)
        return f"corpus of {files[0][0]}"

    monkeypatch.setattr(st, "segmented_control", control)
    monkeypatch.setattr(st, "file_uploader", lambda *_, **__: found.files)
    monkeypatch.setattr(st, "text_area", lambda *_, **__: found.pasted)
    monkeypatch.setattr(st, "button", lambda words, **_: words in found.pressed)
    monkeypatch.setattr(st, "spinner", lambda _: contextlib.nullcontext())
    monkeypatch.setattr(st, "container", lambda **_: contextlib.nullcontext())
    for kind in ("title", "markdown", "caption", "divider", "header"):
        monkeypatch.setattr(st, kind, lambda *said, **_: found.said.extend(said))
    monkeypatch.setattr(st, "error", lambda said, **_: found.said.append(f"error: {said}"))
    monkeypatch.setattr(machine, "is_local", lambda: found.local)
    for name in ("tell_languages_soon", "say_shortage"):
        monkeypatch.setattr(texts, name, lambda: None)
    monkeypatch.setattr(texts, "read_form", read)
    monkeypatch.setattr(texts, "say_builds", lambda: found.said.append("builds"))
    monkeypatch.setattr(texts, "from_paths", lambda: found.read.append("paths") or "by path")
    monkeypatch.setattr(texts, "choose_sample", lambda *_: "bars")
    monkeypatch.setattr(texts, "preview", lambda loaded: found.said.append(f"preview {loaded}"))
    monkeypatch.setattr(texts, "_go_on", lambda loaded: found.said.append(f"go on {loaded}"))
    return found


def opened(tab, **more):
    for name, value in more.items():
        setattr(tab, name, value)
    tab.said.clear()
    tab.read.clear()
    texts.page()
    return st.session_state.get("loaded")


@pytest.mark.parametrize("local", [True, False])
def test_paths_are_a_way_at_home_alone(tab, local):
    assert opened(tab, local=local) is None
    ways = ["Upload files", *["By path"] * local, "Paste", "Samples"]
    assert tab.ways == [ways]
    assert any("are held in memory" in said for said in tab.said) == local
    assert "builds" in tab.said
    assert FORM not in st.session_state, "the corpus of before comes from no form on the page"
    loaded = opened(tab, way="By path")
    assert (loaded, tab.read) == (("by path", ["paths"]) if local else (None, []))
    assert "builds" not in tab.said, "that way says them itself"


def test_files_and_pasted_lines_are_read_by_the_form(tab):
    upload = [
        SimpleNamespace(name=name, getvalue=lambda name=name: name.upper().encode())
        for name in ("a.csv", "b.csv")
    ]
    assert opened(tab, files=upload) == "corpus of a.csv"
    assert tab.read == [[("a.csv", b"A.CSV"), ("b.csv", b"B.CSV")]]
    assert tab.said[-2:] == ["go on corpus of a.csv", "preview corpus of a.csv"]
    assert opened(tab, way="Paste", pasted=" \n ") == "corpus of a.csv", "what was loaded stays"
    assert tab.read == []
    assert opened(tab, pasted=" grün\n") == "corpus of pasted.txt"
    assert tab.read == [[("pasted.txt", " grün\n".encode())]]


def test_a_sample_is_loaded_by_a_click(tab, monkeypatch):
    asked = []

    def use(name):
        asked.append(name)
        raise CorpusError("The *package* is absent.")

    monkeypatch.setattr(session, "use_sample", use)
    opened(tab, way="Samples")
    assert asked == []
    opened(tab, pressed=("Load the sample",))
    assert asked == ["bars"]
    assert "error: The \\*package\\* is absent." in tab.said


def test_from_texts_one_way_finds_topics_and_another_chooses(tab, monkeypatch):
    """The name of a file is no Markdown; who chooses is asked for a method, whatever runs."""
    monkeypatch.undo()
    went, said, found = [], [], [False]
    state = {}
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(st, "header", said.append)
    monkeypatch.setattr(st, "container", lambda **_: contextlib.nullcontext())
    monkeypatch.setattr(st, "button", lambda words, **_: words == "Choose a method yourself")
    monkeypatch.setattr(texts, "find_topics", lambda loaded, key: found[0])
    monkeypatch.setattr(texts, "say_why", lambda loaded: None)
    monkeypatch.setattr(pages, "go_to", went.append)
    loaded = SimpleNamespace(corpus=SimpleNamespace(name="my *file*.csv"))
    texts._go_on(loaded)
    assert said == ["my \\*file\\*.csv"]
    assert went == ["live"]
    assert state == {"choosing": True, "own-choice": True, explore_or_study.KEPT: "Study"}
    monkeypatch.setattr(st, "button", lambda *_, **__: False)
    texts._go_on(loaded)
    assert went == ["live"]
    found[0] = True
    texts._go_on(loaded)
    assert went == ["live", "live"]
