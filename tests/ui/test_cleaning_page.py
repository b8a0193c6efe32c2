"""The Texts page offers a clean-up, shows it, and leaves out words from a list or a file."""

import threading
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.ui.texts import form
from tests.tools.pages import button, check, choose, field, go, html, open_app, texts
from tests.tools.waiting import NEVER

TWEETS = "text\n" + "\n".join(
    f"the {plant} don't grow &amp; fade in New York http://t.co/{i}"
    for i, plant in enumerate(("roses", "hedges", "lilies", "tulips") * 10)
)


def uploaded(content=TWEETS, name="own.csv"):
    app = go(open_app(), "corpus")
    return check(app.file_uploader[0].upload(name, content.encode(), "text/csv").run())


def vocabulary(app):
    return set(app.session_state["loaded"].corpus.vocab)


@pytest.mark.second
def test_what_is_certain_is_cleaned_up_at_once_and_undone_step_by_step():
    app = uploaded(TWEETS.replace("fade", "fade me@home.org"))
    said = texts(app.markdown).replace("\\", "")
    assert "**Cleaned up:** HTML tags and entities, links and contractions" in said
    assert "**E-mail addresses in 100 % of the texts.**" in said.replace("\u00a0", " ")
    assert "<del>http://t.co/0</del>" in html(app)
    assert "<del>&amp;amp;</del><ins>&amp;</ins>" in html(app)
    assert {"http", "amp", "don", "don't"}.isdisjoint(vocabulary(app))
    assert {"roses", "home"} <= vocabulary(app)
    check(button(app, "Clean up the rest").click().run())
    assert "home" not in vocabulary(app)
    settings = app.session_state["loaded"].report.settings
    assert settings.clean == "html links emails contractions"
    check(button(app, "Undo clean-up").click().run())
    assert "home" in vocabulary(app)
    assert "http" not in vocabulary(app)
    check(button(app, "Undo clean-up").click().run())
    assert {"http", "amp"} <= vocabulary(app)
    assert {"don", "don't"}.isdisjoint(vocabulary(app)), "of don't nothing counts in any case"
    assert "Undo clean-up" not in [b.label for b in app.button]
    assert button(app, "Clean up")


@pytest.mark.second
def test_whoever_turns_to_the_page_need_not_wait_for_the_language(monkeypatch):
    ready = threading.Event()
    monkeypatch.setattr(form, "SOON", 0.0)
    monkeypatch.setattr(form, "unpack", ready.set)
    form.tell_languages_soon.clear()
    app = go(open_app(), "corpus")
    assert ready.wait(NEVER)
    ready.clear()
    go(app, "corpus")
    assert not ready.wait(0.05), "once in a server"


@pytest.mark.second
def test_presets_and_single_switches_set_the_clean_up():
    app = uploaded()
    check(button(app, "speeches").click().run())
    assert {"http", "amp"} <= vocabulary(app)
    (pills,) = [p for p in app.button_group if p.key and p.key.endswith("-clean")]
    check(pills.set_value(["links"]).run())
    assert "http" not in vocabulary(app)
    assert "amp" in vocabulary(app)
    check(button(app, "Undo clean-up").click().run())
    assert "http" in vocabulary(app), "switches are steps too"


@pytest.mark.second
def test_clean_texts_are_offered_nothing():
    app = uploaded("text\n" + "roses and hedges grow\n" * 20)
    assert "Nothing to clean up is in more than 2 % of the texts." in texts(app.caption)
    assert not [b for b in app.button if b.label == "Clean up"]


@pytest.fixture
def second_row_selected(monkeypatch):
    """AppTest cannot select rows of a table."""
    drawn = st.dataframe

    def dataframe(*arguments, **options):
        if not (options.get("key") or "").startswith("commonest"):
            return drawn(*arguments, **options)
        return SimpleNamespace(selection=SimpleNamespace(rows=[1, 999]))

    monkeypatch.setattr(st, "dataframe", dataframe)


@pytest.mark.second
def test_a_common_word_is_left_out_in_the_form_and_stands_there(second_row_selected):
    app = uploaded()
    first, second, *_ = [word for word, *_ in app.session_state["loaded"].report.commonest]
    check(button(app, "Leave out this word").click().run())
    assert second not in vocabulary(app)
    assert first in vocabulary(app)
    assert field(app.text_input, "Leave out these words too").value == second
    check(button(app, "Leave out this word").click().run())
    assert len(field(app.text_input, "Leave out these words too").value.split()) == 2


@pytest.mark.second
def test_a_common_word_of_a_sample_is_left_out_too(second_row_selected):
    app = choose(go(open_app(), "corpus"), "corpus-way", "Samples")
    next(r for r in app.radio if r.key == "corpus-sample").set_value("small-csv")
    check(button(app, "Load the sample").click().run())
    loaded = app.session_state["loaded"]
    word = loaded.report.commonest[1][0]
    check(button(app, "Leave out this word").click().run())
    now = app.session_state["loaded"]
    assert now.corpus.name == f"{loaded.corpus.name} without {word}"
    assert word not in now.corpus.vocab
    assert now.report.settings.extra_stop_words == word


def test_nothing_is_left_out_before_a_row_is_selected():
    assert button(uploaded(), "Leave out these words").disabled


def test_stop_words_come_from_a_file():
    app = uploaded()
    more = next(f for f in app.file_uploader if f.label.startswith("Stop words of your own"))
    check(more.upload("stop.txt", b"roses, hedges\nlilies", "text/plain").run())
    assert {"roses", "hedges", "lilies"}.isdisjoint(vocabulary(app))
    assert "tulips" in vocabulary(app)
    more = next(f for f in app.file_uploader if f.label.startswith("Stop words of your own"))
    check(more.upload("empty.txt", b"# none", "text/plain").run())
    assert "empty.txt holds no word" in texts(app.error).replace("\\", "")


@pytest.mark.second
def test_documents_lost_for_their_few_words_are_kept_by_one_button():
    short, long = "hedges grow slowly\n", "tulips fade snow dawn meadow garden\n"
    app = uploaded("text\n" + short * 60 + long * 60)
    assert app.session_state["loaded"].corpus.n_docs == 120, "the least number follows the texts"
    kept = "Documents with at least 1 word that counts: 120; 2: 120; 3: 120; 5: 60. Kept are those"
    assert kept in texts(app.caption)
    check(field(app.number_input, "Leave out documents with fewer words than").set_value(5).run())
    assert app.session_state["loaded"].corpus.n_docs == 60
    assert "60 of 120 documents are left out, of which fewer than 5" in texts(app.warning)
    check(button(app, "Keep those of 2 words and more").click().run())
    assert app.session_state["loaded"].corpus.n_docs == 120
    assert field(app.number_input, "Leave out documents with fewer words than").value == 2
    assert "are left out" not in texts(app.warning)
