"""The Texts page by its parts: what its form makes of every field, and of files."""

from datetime import date
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bnpexplorer.corpus.readers.source import ReadOptions, Source
from bnpexplorer.corpus.text import TextSettings, usual_settings
from bnpexplorer.ui.parts import under_way
from bnpexplorer.ui.texts import form
from tests.tools.alone import asked
from tests.tools.pages import check, field
from tests.tools.readers import packed_zip
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


TODAY = ReadOptions(as_of=str(date.today()))
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
    assert app.session_state["options"] == app.session_state["asked"] == TODAY
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
            ("Documents of a text", "paragraphs"),
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
        "as_of": TODAY.as_of,
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
    assert read_as == f"{'f' * 20}{TODAY}"
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


@pytest.mark.parametrize("full", [False, True])
def test_what_all_tabs_hold_is_asked_before_a_reading_and_noted_after_it(monkeypatch, full):
    """Where that is much, what closed tabs held goes first."""
    done = []
    held = SimpleNamespace(
        full=full,
        check=lambda name: done.append(("check", name)),
        note=lambda found: done.append(("note", found)),
    )
    monkeypatch.setattr(form, "HELD", held)
    monkeypatch.setattr(form, "let_go_of_closed_tabs", lambda: done.append("let go"))
    monkeypatch.setattr(form, "awaited", lambda what, key, work: done.append(what) or work())
    monkeypatch.setattr(form, "read_files", lambda files, options: "a source")
    monkeypatch.setattr(form, "count_words", lambda source, settings: ("a corpus", "its report"))
    files = [(f"{name}.txt", b"x") for name in "abcd"]
    _, (source,) = asked(form._read, files, f"print {full}", ReadOptions())
    assert source == "a source"
    read = [("check", "a.txt, b.txt, c.txt"), "Reading a.txt, b.txt, c.txt", ("note", "a source")]
    assert done == ["let go"] * full + read
    done.clear()
    named = SimpleNamespace(name="a.txt")
    _, (counted,) = asked(form._count, named, f"print {full}", TextSettings())
    assert counted == ("a corpus", "its report")
    assert done == [("check", "a.txt"), "Counting the words of a.txt", ("note", "a corpus")]


def test_another_reading_of_the_same_files_is_awaited_by_another_key(monkeypatch):
    keys = []
    held = SimpleNamespace(full=False, check=lambda name: None, note=lambda found: None)
    monkeypatch.setattr(form, "HELD", held)
    monkeypatch.setattr(form, "awaited", lambda what, key, work: keys.append(key) or ("it", "it"))
    files, source = [("a.txt", b"x")], SimpleNamespace(name="a.txt")
    for fingerprint in ("one print", "other print"):
        for delimiter in (";", ","):
            asked(form._read, files, fingerprint, ReadOptions(delimiter=delimiter))
        for min_df in (3, 4):
            asked(form._count, source, fingerprint, TextSettings(min_df=min_df))
    assert len({*keys}) == len(keys) == 8


def choosing_of_tables():
    import streamlit as st

    from bnpexplorer.corpus.readers.formats import read_files
    from bnpexplorer.ui.texts import form

    files = st.session_state["files"]
    among = form.entries_of(files, "f" * 20)
    try:
        st.session_state["chosen"] = form.choose(
            lambda options: read_files(files, options), "f" * 20, among=among
        )
    except ValueError as problem:
        st.error(str(problem))


@pytest.mark.second
def test_one_of_several_tables_of_an_archive_is_chosen_on_the_page():
    text = "the sea and the hills are grey in the morning and green at night"
    tables = {f"{name}.csv": f"text\n{name} {text}\n".encode() for name in ("train", "test")}
    app = drawn(choosing_of_tables)
    app.session_state["files"] = (("kaggle.zip", packed_zip(tables)),)
    check(app.run())
    assert "choose the entry to read" in app.error[0].value
    (table,) = [box for box in app.selectbox if box.label == "Table"]
    assert [*table.options] == ["found out", "train.csv", "test.csv", "all tables as one"]
    check(table.set_value("test.csv").run())
    assert not app.error
    assert app.session_state["chosen"].options.entry == "test.csv"
    (table,) = [box for box in app.selectbox if box.label == "Table"]
    check(table.set_value("*").run())
    assert app.session_state["chosen"].source.n_docs == 2


@pytest.mark.second
def test_dates_of_names_are_chosen_on_the_page():
    text = b"the sea and the hills are grey in the morning and green at night"
    content = packed_zip({f"{year}-sea.txt": text for year in (1990, 1991)})
    app = drawn(choosing_of_tables)
    app.session_state["files"] = (("speeches.zip", content),)
    check(app.run())
    (names,) = [box for box in app.selectbox if box.label == "Names of files say"]
    check(names.set_value("date").run())
    dates = app.session_state["chosen"].source.docs.date
    assert dates.astype(str).tolist() == ["1990-01-01", "1991-01-01"]
