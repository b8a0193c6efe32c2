"""The chosen topic and what its owner says of it, by direct call; a run's files by their names."""

import contextlib
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.runs import limits
from bnpexplorer.samples import SAMPLES
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import access, pages, server, session
from bnpexplorer.ui.parts import explore, setting_up, share
from bnpexplorer.ui.parts import topics_choice as choice
from tests.tools.pages import launch

pytestmark = pytest.mark.usefixtures("registry")


def test_a_topic_is_chosen_for_its_run_until_it_is_gone(tab):
    assert choice.chosen_topic("one", [7, 4]) == 7
    choice.choose_topic("one", 4)
    choice.choose_topic("two", 9)
    assert (choice.chosen_topic("one", [7, 4]), choice.chosen_topic("two", [7, 9])) == (4, 9)
    assert choice.is_chosen("one", 4)
    assert not choice.is_chosen("one", 7)
    assert choice.chosen_topic("one", [7, 8]) == 7, "it has come to its end"
    drawn = tab["topics-list"]
    choice.choose_topic("one", None)
    assert choice.chosen_topic("one", [7, 4]) == 7
    assert tab["topics-list"] == drawn + 1, "the list is drawn anew"


@pytest.mark.parametrize(
    ("asked", "chosen"), [(None, 4), ("", 7), ("8", 8), ("9", 4), ("x", 4), ("-7", 4)]
)
def test_an_address_chooses_a_topic_that_the_run_has(tab, monkeypatch, asked, chosen):
    choice.choose_topic("one", 4)
    monkeypatch.setattr(pages, "asked", lambda name: asked)
    choice.topic_of_address("one", [7, 4, 8])
    assert choice.chosen_topic("one", [7, 4, 8]) == chosen
    choice.keep_in_address("one", [7, 4, 8])
    assert st.query_params == ({"topic": str(chosen)} if asked != "" else {})


def test_a_topic_s_documents_are_listed_from_the_first(tab, monkeypatch):
    went = []
    monkeypatch.setattr(pages, "go_to", went.append)
    tab |= {"documents-row": 3, "documents-way": "search"}
    choice.read_documents("one", 4)
    assert "documents-row" not in tab
    assert tab["documents-way"] == "topic"
    assert choice.is_chosen("one", 4)
    assert went == ["documents"]


def test_what_the_owner_says_of_a_topic_is_kept_and_taken_back(registry, tab, monkeypatch):
    """Names and hidden topics stay chosen, so that the same click takes it back."""
    entry = launch(registry, keep=server.keep)
    moment = server.moment_of(entry, entry.background.latest)
    first, topic = moment.in_use[:2]
    fields = {}

    def widget(label, key, on_change, **more):
        fields[label] = (key, on_change, tab[key], more.get("placeholder"))

    for kind in ("text_input", "checkbox"):
        monkeypatch.setattr(st, kind, widget)
    monkeypatch.setattr(st, "container", lambda **_: contextlib.nullcontext())
    entry.labels = Labels({first: "other"}, hidden=frozenset({first}), pinned=frozenset({first}))

    def draw():
        now = server.moment_of(entry, entry.background.latest)
        at = explore.Explored(session.RunOnPage(entry, True), now, entry.source, True)
        choice.label_fields(at, topic)
        return [value for _, _, value, _ in fields.values()]

    def say(label, value):
        key, on_change, *_ = fields[label]
        tab[key] = value
        on_change()
        return draw()

    assert draw() == ["", False, False]
    assert fields["Name"][3] == " ".join(moment.vocab[w] for w in moment.own_words[topic])
    assert say("Name", "tides") == ["tides", False, False]
    assert choice.is_chosen(moment.run_id, topic)
    assert say("Pin", True) == ["tides", True, False]
    assert say("Hide", True) == ["tides", True, True]
    assert entry.labels.hidden == {first, topic}
    assert server.library().get(entry.run_id).labels == entry.labels
    assert say("Pin", False) == ["tides", False, True]
    assert say("Hide", False) == ["tides", False, False]
    assert say("Name", " ") == ["", False, False]
    assert entry.labels == Labels({first: "other"}, frozenset({first}), frozenset({first}))
    entry.labels = Labels(folded=frozenset({topic}))
    assert draw() == ["", False, False], "what is folded away was not hidden by hand"


@pytest.mark.parametrize("drawn", [False, True])
def test_samples_are_offered_by_their_titles_with_their_sentences(monkeypatch, drawn):
    asked = {}

    def radio(label, options, format_func, captions, key):
        asked.update(titles=[format_func(name) for name in options], captions=captions)
        return options[-1]

    monkeypatch.setattr(st, "radio", radio)
    chosen = setting_up.choose_sample("Which", "it", drawn)
    there = {name: one for name, one in SAMPLES.items() if one.drawn == drawn}
    assert asked["titles"] == [one.title for one in there.values()]
    assert asked["captions"] == [one.sentence for one in there.values()]
    assert chosen == list(there)[-1]
    assert 0 < len(there) < len(SAMPLES)


# ---- files ---------------------------------------------------------------------------------------


@pytest.fixture
def files(monkeypatch, tab):
    """The files that Share offers of a run, and what it says beside them."""
    found = SimpleNamespace(names={}, said=[])

    def button(label, make, file_name, mime, **more):
        found.names[label] = (file_name, mime)

    monkeypatch.setattr(st, "download_button", button)
    monkeypatch.setattr(st, "caption", lambda said, **_: found.said.append(said))
    monkeypatch.setattr(share, "run_field", lambda *_, **__: 0)
    monkeypatch.setattr(share, "how_to_cite", lambda names: found.said.append(names))
    return found


@pytest.mark.parametrize("owned", [True, False])
def test_files_are_named_by_method_and_run_and_texts_are_for_readers(
    registry, files, tab, monkeypatch, owned
):
    monkeypatch.setenv(limits.SHARED, "1")
    entry = launch(registry, "lda-svi", passes=1)
    entry.source = session.LoadedCorpus(entry.source.corpus.unnamed())
    tab["held"] = {entry.secret} if owned else set()
    share._downloads([session.RunOnPage(entry, owned)])
    offered = [one for one in share.downloads() if owned or not one.texts]
    assert files.names == {
        one.label: (f"bnpexplorer-lda-svi-{entry.run_id}{one.suffix}", one.mime) for one in offered
    }
    told = f"Files of the documents are not here. {access.FOR_ITS_OWNER}"
    assert (told in files.said) != owned
    assert ["lda-svi"] in files.said
    name = f"The run's name on this server and on the command line: `{entry.run_id}`"
    assert name in files.said
    goes_on = "The run goes on: a file has what it had learned when you pressed."
    assert goes_on not in files.said
    entry.background.status = "paused"
    share._downloads([session.RunOnPage(entry, owned)])
    assert files.said.count(goes_on) == 1
    entry.background.status = "finished"
