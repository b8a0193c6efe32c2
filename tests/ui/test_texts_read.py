"""The Corpus page by its parts: what its form makes of every field, of files and of paths."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bnpexplorer.corpus.building.steps import SHARES
from bnpexplorer.corpus.readers.source import ReadOptions, Source
from bnpexplorer.corpus.text import AS_COUNTED, TextSettings, usual_settings
from bnpexplorer.ui.frame import machine
from bnpexplorer.ui.texts import form, paths, under_way
from tests.tools.pages import check, field
from tests.tools.waiting import NEVER


def drawn(script):
    """What a function draws; it finds in the session's state what it needs."""
    return AppTest.from_function(script, default_timeout=NEVER)


# ---- how a file is read --------------------------------------------------------------------------


def test_a_fingerprint_tells_names_contents_and_their_order_apart():
    files = [("a", b"bc"), ("ab", b"c"), ("a", b"c"), ("b", b"c")]
    one = [form.fingerprint_of([file]) for file in files]
    assert len({*one}) == 4
    assert form.fingerprint_of(files) != form.fingerprint_of(files[::-1])
    assert form.fingerprint_of(files) == form.fingerprint_of([*files])


def options_form():
    import streamlit as st

    from bnpexplorer.ui.texts import form

    asked = []

    def read(options):
        asked.append(options)
        return st.session_state["source"]

    st.session_state["options"] = form._options_form(read, "read-it")
    st.session_state["asked"] = asked[0]


COLUMNS = ("body", "kind", "day", "head", "nr", "place")
FOUND = {"text": "body", "label": "kind", "date": "day"}


def of_columns(**more):
    usual = {"columns": COLUMNS, "chosen": FOUND, "sheets": ("First", "Second")}
    return Source("a.csv", "csv", texts=("one two", "three"), **{**usual, **more})


def options_of(source, fields=(), numbers=()):
    app = drawn(options_form)
    app.session_state["source"] = source
    check(app.run())
    for label, value in fields:
        kind = app.text_input if label == "Encoding" else app.selectbox
        check(field(kind, label).set_value(value).run())
    for label, value in numbers:
        check(field(app.number_input, label).set_value(value).run())
    return app


def test_what_was_found_out_is_left_to_the_readers():
    app = options_of(of_columns())
    assert app.session_state["options"] == app.session_state["asked"] == ReadOptions()
    shown = {box.label: box.value for box in app.selectbox if box.label.endswith(" column")}
    assert shown == {
        "Text column": "body",
        "Date column": "day",
        "Label column": "kind",
        "Title column": "-",
        "Id column": "-",
    }
    assert "-" not in field(app.selectbox, "Text column").options


def test_every_field_of_the_form_is_an_option_of_its_own():
    app = options_of(
        of_columns(),
        [
            ("Format", "csv"),
            ("Delimiter", ";"),
            ("First row names columns", "no"),
            ("Encoding", " cp1252 "),
            ("Plain text", "paragraphs"),
            ("Sheet", "Second"),
            ("Title column", "head"),
            ("Id column", "nr"),
            ("Label column", "-"),
            ("Long documents", "words"),
            ("Join short texts of one", "place"),
            ("within one", "month"),
        ],
        [("Words in a passage", 90)],
    )
    read = {
        "format": "csv",
        "delimiter": ";",
        "header": "no",
        "encoding": "cp1252",
        "split": "paragraphs",
        "sheet": "Second",
    }
    chosen = {"text": "body", "title": "head", "id": "nr", "date": "day", "label": "-"}
    more = {"passages": "90", "join": "place", "period": "month"}
    assert app.session_state["asked"] == ReadOptions(**read)
    assert app.session_state["options"] == ReadOptions(**read, **chosen, **more)
    check(field(app.selectbox, "Long documents").set_value("paragraphs").run())
    check(field(app.selectbox, "Join short texts of one").set_value("").run())
    assert app.session_state["options"] == ReadOptions(**read, **chosen, passages="paragraphs")
    assert field(app.number_input, "Words in a passage").disabled
    assert field(app.selectbox, "within one").disabled


def test_counts_are_neither_divided_nor_joined_and_plain_text_has_no_columns():
    plain = options_of(of_columns(columns=(), chosen={}, sheets=()))
    labels = {box.label for box in plain.selectbox}
    assert "Long documents" in labels
    assert not labels & {"Join short texts of one", "Sheet", "Text column"}
    counts = options_of(Source("a.ldac", "ldac", vocab=("a",)))
    assert "Long documents" not in {box.label for box in counts.selectbox}


def choosing():
    import streamlit as st

    from bnpexplorer.ui.texts import form

    st.session_state["chosen"] = form.choose(lambda options: st.session_state["source"], "f" * 20)


def test_what_was_found_is_said_and_another_language_starts_the_fields_anew(monkeypatch):
    """So do passages, which are more documents than there were."""
    monkeypatch.setattr(form, "clean_up", lambda source, start, of, key: start)
    notes = ("Dates of 75 % were read.", "Line 1 is *odd*.")
    text = "the sea and the hills are grey in the morning and green at night "
    source = Source("a.txt", "text", texts=(text,) * 160, notes=notes, warnings=notes[1:])
    app = drawn(choosing)
    app.session_state["source"] = source
    check(app.run())
    assert notes[0] in [caption.value for caption in app.caption]
    assert [warning.value for warning in app.warning] == ["Line 1 is \\*odd\\*."]
    fewest = "Leave out words in fewer documents than"

    def chosen():
        found = app.session_state["chosen"]
        return found.settings.min_df, found.form, found.read_as

    usual, first, read_as = chosen()
    assert usual == usual_settings(160).min_df == 2
    assert read_as == f"{'f' * 20}{ReadOptions()}"
    check(field(app.text_input, fewest).set_value("9").run())
    assert chosen() == (9, first, read_as)
    check(field(app.selectbox, "Language of the texts").set_value("fr").run())
    assert chosen()[0] == usual
    check(field(app.text_input, fewest).set_value("7").run())
    check(field(app.selectbox, "Long documents").set_value("paragraphs").run())
    again, form_now, read_now = chosen()
    assert again == usual
    assert len({first, form_now}) == len({read_as, read_now}) == 2


def language():
    import streamlit as st

    from bnpexplorer.corpus.words.settings import TextSettings
    from bnpexplorer.ui.texts import form

    start = TextSettings(min_df=7)
    st.session_state["settings"] = form.language_form(st.session_state["source"], start, "it")


def test_the_language_is_found_out_or_chosen_and_what_follows_is_said():
    german = "Der Haushalt und die Steuern bleiben auch heute ein Streit zwischen Land und Bund. "
    app = drawn(language)
    app.session_state["source"] = Source("a.txt", "text", texts=(german * 9,) * 9)
    check(app.run())
    box = field(app.selectbox, "Language of the texts")
    assert box.options[0] == "found out: German"
    assert box.options[1:-1] == sorted(box.options[1:-1])
    found = app.session_state["settings"]
    assert (found.language, found.stop_words, found.min_df) == ("de", "language", 7)
    check(box.set_value("en").run())
    chosen = app.session_state["settings"]
    assert (chosen.language, chosen.stop_words, chosen.min_df) == ("en", "english", 7)
    assert [caption.value for caption in app.caption] == ["English stop words are left out."]
    check(field(app.selectbox, "Language of the texts").set_value(form.ANY).run())
    other = app.session_state["settings"]
    assert (other.language, other.stop_words, other.min_df) == ("", "none", 7)
    said = "No stop words are left out; two letters or more are a word."
    assert [caption.value for caption in app.caption] == [said]


def test_counts_have_no_language():
    app = drawn(language)
    app.session_state["source"] = Source("a.ldac", "ldac", vocab=("a",))
    check(app.run())
    assert not app.selectbox
    assert app.session_state["settings"] == TextSettings(min_df=7)


# ---- texts by path -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (1_234_000, "1.2 MB"),
        (999_940_000, "999.9 MB"),
        (1_234_000_000, "1.2 GB"),
        (5_678_900_000_000, "5,678.9 GB"),
    ],
)
def test_a_size_in_words(n, words):
    assert paths.bytes_in_words(n) == words


@pytest.mark.parametrize(
    ("names", "n_files", "whole", "words"),
    [
        (["a*b.csv"], 1, True, "**a\\*b.csv**: 2.5 MB."),
        (
            ["a.csv", "b.csv", "c.csv"],
            3,
            False,
            "**a.csv and 2 more**: 3 files, 2.5 MB. Below is what its first 3,000 documents say.",
        ),
        (["folder"], 1200, True, "**folder**: 1,200 files, 2.5 MB."),
    ],
)
def test_how_much_there_is_and_of_what_the_form_speaks(names, n_files, whole, words):
    looked = SimpleNamespace(n_files=n_files, n_bytes=2_500_000, n_docs=3000, whole=whole)
    assert paths._sizes([Path("/home/me") / name for name in names], looked) == words


def test_settings_suit_as_many_documents_as_the_bytes_tell():
    """A tenth of the letters was looked at, in 120 documents: there are some 1,200."""
    source = Source("a.csv", "csv", texts=("x" * 10,) * 120)
    part = SimpleNamespace(n_bytes=12_000, whole=False)
    whole = SimpleNamespace(n_bytes=12_000, whole=True)
    usual = ReadOptions()
    assert paths._usual(part, usual, source) == usual_settings(1200) != usual_settings(120)
    assert paths._usual(whole, usual, source) == usual_settings(120)
    assert paths._usual(part, ReadOptions(join="kind"), source) == usual_settings(120)
    packed = SimpleNamespace(n_bytes=100, whole=False)
    assert paths._usual(packed, usual, source) == usual_settings(120), "more letters than bytes"
    assert paths._usual(part, usual, Source("a", "ldac", vocab=("a",))) == AS_COUNTED


def test_the_folder_that_is_proposed_lies_beside_the_file(tmp_path):
    file, folder = tmp_path / "news.2019.csv.gz", tmp_path / "my.texts"
    file.write_text("x")
    folder.mkdir()
    assert paths._proposed(file) == tmp_path / "news.corpus"
    assert paths._proposed(folder) == tmp_path / "my.texts.corpus"
    hidden = tmp_path / ".csv"
    hidden.write_text("x")
    assert paths._proposed(hidden) == tmp_path / "texts.corpus"


def test_of_a_reading_the_share_of_its_bytes_is_told():
    """`done` is of the whole build, of which reading is a part."""
    part = SHARES["reading"] / sum(SHARES.values())

    def told(said="1,200 documents", step="reading", done=0.25 * part, n_bytes=2_000_000_000):
        build = SimpleNamespace(said=said, step=step, done=done)
        return paths._how_far(SimpleNamespace(build=build, order=SimpleNamespace(n_bytes=n_bytes)))

    assert told() == " · 1,200 documents, 25 % of 2,000 MB"
    assert told(step="cutting", done=0.9 * part) == " · 1,200 documents"
    assert told(done=part) == " · 1,200 documents", "it has read all"
    assert told(n_bytes=0) == " · 1,200 documents"
    assert told(said="") == ""
    assert paths._how_far(SimpleNamespace(build=None)) == ""


def test_a_build_that_this_tab_did_not_begin_is_not_opened_by_itself(monkeypatch):
    asked = []
    builds = [
        SimpleNamespace(built=built, build_id=name)
        for built, name in ((True, "mine"), (False, "mine too"), (True, "theirs"))
    ]
    monkeypatch.setattr(machine, "builds", lambda: builds)
    monkeypatch.setattr(st, "session_state", {paths.MINE: {"mine", "mine too"}})
    monkeypatch.setattr(paths, "_ask_for", lambda begun: asked.append(begun.build_id))
    paths.take_built()
    assert asked == ["mine"]


# ---- what takes long -----------------------------------------------------------------------------


def test_a_reading_is_awaited_by_the_key_of_all_that_it_depends_on(monkeypatch):
    monkeypatch.setattr(under_way, "PATIENCE", NEVER)
    monkeypatch.setattr(under_way, "is_open", lambda tab: True)
    monkeypatch.setattr(st, "session_state", {"tab": "me"})
    assert under_way.awaited("Reading a", "a", lambda: 1) == 1
    assert under_way.GOING not in st.session_state, "the next reading of it begins anew"
    assert under_way.awaited("Reading a", "a", lambda: 2) == 2

    def fails():
        raise ValueError("no")

    with pytest.raises(ValueError, match=r"^no$"):
        under_way.awaited("Reading a", "b", fails)
    assert under_way.awaited("Reading a", "b", lambda: 3) == 3
