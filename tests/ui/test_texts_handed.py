"""The Texts page: what is handed from what a person chose to what is read and counted."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions, Source, strings
from bnpexplorer.corpus.stored.layout import MANIFEST
from bnpexplorer.corpus.text import TextSettings, describe
from bnpexplorer.corpus.words.suggesting import NonWords, Stretch, Suggestion
from bnpexplorer.ui.parts import under_way
from bnpexplorer.ui.texts import cleaning, form, paths, preview, stop_words
from bnpexplorer.ui.texts.stop_words import FORM
from tests.tools.alone import COUNTS, asked, drawn, texts_of
from tests.tools.pages import button, check, html, texts

SIX = texts_of(COUNTS)
OPTIONS = ReadOptions(delimiter=";")


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "counts", "vocabulary"),
    [
        (("a.ldac", "vocab.txt"), True, True), (("a.ldac",), True, False),
        (("a.txt", "b.txt"), False, False),
    ],
)  # fmt: skip
def test_how_texts_were_read_is_kept_with_them(monkeypatch, names, counts, vocabulary):
    files = [(name, name.encode()) for name in names]
    settings, report = TextSettings(min_df=3), describe(SIX)
    source = SimpleNamespace(texts=None if counts else ["one"])
    chosen = form.Chosen(source, OPTIONS, settings, "read as", "fields")
    asked_for = []
    monkeypatch.setattr(form, "choose", lambda read, fingerprint, among: chosen)
    monkeypatch.setattr(form, "_count", lambda *what: asked_for.append(what) or (SIX, report))
    _, (found,) = asked(form.read_form, files)
    assert asked_for == [(source, "read as", settings)]
    assert found.corpus is SIX
    reading = found.report.reading
    assert (reading.options, reading.files, reading.vocabulary) == (OPTIONS, names, vocabulary)
    assert reading.settings == report.settings


def test_what_cannot_be_read_leaves_what_was_loaded(monkeypatch):
    def refuse(*_, **__):
        raise CorpusError("It is *damaged*.")

    monkeypatch.setattr(form, "choose", refuse)
    for loaded in (None, "texts"):
        state = {"loaded": loaded} if loaded else {}
        app, (found,) = asked(form.read_form, [("a.csv", b"x")], **state)
        assert found is None
        assert texts(app.error) == "It is \\*damaged\\*."
        assert ("loaded before are still there" in texts(app.caption)) == bool(loaded)
        assert FORM not in app.session_state


def test_files_are_told_apart_by_names_and_contents():
    one, other = ("a.csv", b"x"), ("b.csv", b"x")
    found = [
        form.fingerprint_of(files)
        for files in ([one], [other], [("a.csv", b"y")], [one, other], [other, one])
    ]
    assert len(set(found)) == 5
    assert form.fingerprint_of([one]) == found[0]


@pytest.mark.parametrize("titled", [True, False])
def test_titles_count_only_where_texts_have_some(monkeypatch, titled):
    asked_for = []

    def inputs(start, key, more, n_columns, values, **how):
        asked_for.append((more, [*how["elsewhere"]], how["names_in_help"]))
        values["max_df" if more else "min_df"] = 0.5 if more else 9

    monkeypatch.setattr(form, "settings_inputs", inputs)
    monkeypatch.setattr(
        form, "stop_words_file", lambda values, key: values.update(extra_stop_words="sea")
    )
    title = np.array(["One"], object) if titled else None
    source = SimpleNamespace(docs=SimpleNamespace(title=title))
    _, (found,) = asked(form._settings_form, source, TextSettings(), "key")
    elsewhere = [] if titled else ["titles"]
    assert asked_for == [(False, elsewhere, True), (True, elsewhere, True)]
    assert found == TextSettings(min_df=9, max_df=0.5, extra_stop_words="sea")


def test_stop_words_of_a_file_are_added_to_those_of_the_form(monkeypatch):
    file = SimpleNamespace(name="mine.txt", getvalue=lambda: b"sea\nland")
    monkeypatch.setattr(st, "file_uploader", lambda *_, **__: file)
    values = {"extra_stop_words": "ship"}
    stop_words.stop_words_file(values, "key")
    assert values["extra_stop_words"].split() == ["ship", "sea", "land"]


# ---- under way -----------------------------------------------------------------------------------


class Reading:
    """A reading that this tab waits for; `lost` and the like are as a test sets them."""

    def __init__(self, what, key, work):
        self.what, self.key, self.found = what, key, work()
        self.lost = self.asked_to_end = self.cancelled = False
        self.ended, self.problem = True, None
        self.follower = SimpleNamespace(cancel=lambda: setattr(self, "cancelled", True))

    def wait(self, seconds):
        return self.found


def test_a_tab_waits_for_one_reading_and_begins_another_for_other_settings(tab, monkeypatch):
    monkeypatch.setattr(under_way, "Going", Reading)

    def going(key, **state):
        one = Reading("reading", key, lambda: f"old {key}")
        for name, value in state.items():
            setattr(one, name, value)
        tab[under_way.GOING] = one
        return one

    def await_it():
        return under_way.awaited("reading", "a", lambda: "new")

    assert await_it() == "new"
    assert under_way.GOING not in tab
    same = going("a")
    assert (await_it(), same.cancelled) == ("old a", False)
    for other in (going("b"), going("a", lost=True)):
        tab[under_way.GOING] = other
        assert (await_it(), other.cancelled) == ("new", True)
    for waits in ({"ended": False}, {"asked_to_end": True}):
        one = going("a", **waits)
        with pytest.raises(under_way.UnderWay) as told:
            await_it()
        assert told.value.going is one is tab[under_way.GOING]
    going("a", problem=CorpusError("It is damaged."))
    with pytest.raises(CorpusError, match="It is damaged"):
        await_it()
    assert await_it() == "new", "what failed is tried again"


# ---- what was left out ---------------------------------------------------------------------------


def test_words_left_out_are_counted_and_listed_by_their_reason():
    left_out = {
        "too rare": SimpleNamespace(total=1_234, words=[("a", 1), ("b", 2)]),
        "stop words": SimpleNamespace(total=56_789, words=[("the", 9)]),
    }
    app = drawn(preview._left_out, None, SimpleNamespace(removed=left_out, lost=None))
    assert app.selectbox[0].options == ["too rare (1,234)", "stop words (56,789)"]
    check(app.selectbox[0].set_value("stop words").run())
    assert app.dataframe[0].value.values.tolist() == [["the", 9]]
    assert (
        texts(drawn(preview._left_out, None, SimpleNamespace(removed={}, lost=None)).caption)
        == "None."
    )


# ---- the clean-up --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "chosen", "shown", "pressed", "becomes"),
    [
        ("links html", [], "html links", "Clean up", ["html", "links"]),
        ("links html", ["emails"], "emails", "Clean up the rest", ["html", "links", "emails"]),
        ("", ["emails"], "emails", "Undo clean-up", []),
        ("", [], None, None, None),
    ],
)
def test_a_clean_up_shows_what_is_chosen_else_what_is_found(
    monkeypatch, found, chosen, shown, pressed, becomes
):
    looked = []
    start = TextSettings(min_df=4)
    many = (NonWords("links", 0.41, ("http://a",)), NonWords("html", 0.3, ("<br>",)))
    suggestion = Suggestion(TextSettings(clean=found), (), many)
    monkeypatch.setattr(cleaning, "_suggested", lambda *what: suggestion)

    def excerpts(some, key, switches):
        looked.append(switches)
        return [[Stretch("ships", "kept"), Stretch("http://a", "gone", "")]]

    monkeypatch.setattr(cleaning, "_excerpts", excerpts)
    source = Source("mine", "csv", texts=strings(["one"]))
    app, got = asked(cleaning.clean_up, source, start, "of", "clean", clean=chosen)
    assert got[-1] == TextSettings(min_df=4, clean=" ".join(chosen))
    assert looked == ([shown] if shown else [])
    assert ("<del>http://a</del>" in html(app)) == (shown is not None)
    app_says = texts(app.caption)
    assert ("in more than 2 % of the texts." in app_says) == (shown is None)
    if pressed:
        check(button(app, pressed).click().run())
        assert app.session_state["clean"] == becomes
        assert got[-1].clean == " ".join(becomes)


# ---- paths ---------------------------------------------------------------------------------------


@pytest.fixture
def built(monkeypatch):
    """What is asked of the machine and of the pages that build."""
    found = SimpleNamespace(went=[], stored=set())
    pages = SimpleNamespace(
        take_built=lambda: found.went.append("taken"),
        say_builds=lambda: found.went.append("builds"),
        build_form=lambda some: found.went.append([path.name for path in some]),
    )
    monkeypatch.setattr(paths, "plugin_if_there", lambda name: pages)
    monkeypatch.setattr(paths, "plugin", lambda name: pages)
    monkeypatch.setattr(paths.machine, "is_local", lambda: True)
    monkeypatch.setattr(paths, "is_stored", lambda path: path.name in found.stored)
    monkeypatch.setattr(paths, "_opened", lambda path: f"texts of {path.name}")
    return found


@pytest.mark.parametrize(
    ("asked_for", "got", "went"),
    [
        ("", None, ["taken", "builds"]),
        ("/x/a.corpus", "texts of a.corpus", ["taken", "builds"]),
        ("/x/a.csv", None, ["taken", ["a.csv"]]),
        ("/x/a.corpus\n'/x/b.csv'", None, ["taken", ["a.corpus", "b.csv"]]),
    ],
)
def test_one_corpus_that_was_built_is_opened_and_all_else_is_to_be_built(
    built, asked_for, got, went
):
    built.stored = {"a.corpus"}
    _, found = asked(paths.from_paths, corpus_paths=asked_for)
    assert found == [got]
    assert built.went == went


def test_from_elsewhere_no_builds_are_shown(monkeypatch, built):
    monkeypatch.setattr(paths.machine, "is_local", lambda: False)
    paths.say_builds()
    assert built.went == []


def test_a_corpus_that_was_built_anew_is_opened_anew(monkeypatch, tmp_path):
    stamps, said = [], []
    monkeypatch.setattr(
        paths,
        "_open",
        lambda folder, stamp: stamps.append((folder, stamp)) or ("texts", ("a *b*",)),
    )
    monkeypatch.setattr(st, "caption", said.append)
    manifest = Path(tmp_path / MANIFEST)
    assert paths._opened(tmp_path) == "texts"
    manifest.write_text("{}")
    paths._opened(tmp_path)
    assert stamps == [(tmp_path, 0), (tmp_path, manifest.stat().st_mtime_ns)]
    assert said == ["a \\*b\\*"] * 2
