"""Changing topics for good, each part of the page alone: what may be done, and what is said."""

from types import SimpleNamespace

import pytest

from bnpexplorer.core.display import plain
from bnpexplorer.models import MODELS
from bnpexplorer.state.edits import Edit
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.topics import surgery
from tests.tools.alone import drawn, explored, moment
from tests.tools.pages import button, check, texts

DONE = (Edit("delete", (3,)), Edit("merge", (4, 9), children=(9,)))


@pytest.fixture(autouse=True)
def _editable(monkeypatch):
    monkeypatch.setattr(surgery, "can_edit", lambda method: True)


def changing(at, owned=True, **background):
    """The run can be changed by hand, as far as the page sees."""
    method = SimpleNamespace(name="lda-gibbs", model=at.model)
    usual = {"passes": 3, "befores": (), "edits": (), "name": "a run", "method": method}
    run = SimpleNamespace(**usual | background.pop("run", {}))
    usual = {"refusal": "", "changing": False, "run": run}
    return explored(at, owned, **usual | background)


@pytest.mark.parametrize(
    ("chosen", "can"),
    [
        ([], set()),
        ([9], {"split", "delete"}),
        ([9, 2], {"merge", "delete"}),
        ([9, 2, 4], {"merge"}),
    ],
)
def test_what_can_be_done_goes_by_how_many_are_chosen(chosen, can):
    """All topics cannot be deleted; a group is as many as it has members."""
    app = drawn(surgery._choose, changing(moment()), surgery_topics_run_a=chosen)
    on = {b.key.removeprefix("surgery-") for b in app.button if not b.disabled}
    assert on == can
    for kind in can:
        asked = button(app, key=f"surgery-{kind}").click().run()
        assert check(asked).session_state["surgery-confirm"] == ("run-a", kind, tuple(chosen))


def test_a_group_is_merged_or_deleted_as_a_whole_and_not_split():
    grouped = moment(Labels(groups={9: (2,)}))
    app = drawn(surgery._choose, changing(grouped), surgery_topics_run_a=[9, 77])
    assert app.multiselect[0].value == [9], "what has come to its end leaves the field"
    on = {b.key.removeprefix("surgery-") for b in app.button if not b.disabled}
    assert on == {"merge", "delete"}


@pytest.mark.parametrize(
    ("model", "noun", "unit"), [("hdp", "topic", "words"), ("dpm", "cluster", "documents")]
)
def test_what_becomes_of_it_is_said_in_the_run_s_own_words(model, noun, unit):
    at = moment(model=model)
    said = [c.value for c in drawn(surgery._choose, changing(at)).caption]
    assert said[:3] == [
        f"All their {unit} go to the largest.",
        f"Its {unit} are divided into two subjects.",
        f"Its {unit} go to the others, where they fit.",
    ]
    assert said[3].startswith(
        f"The run goes on from the changed {noun}s and is free to move {unit}"
    )
    assert "It always has" not in said[3]
    lda = moment()
    found = changing(lda, run={"method": SimpleNamespace(model=MODELS["lda"](n_topics=12))})
    assert "It always has 12 topics: an emptied one may fill with other words," in surgery._law(
        found
    )


@pytest.mark.parametrize(
    ("kind", "topics", "said", "yes"),
    [
        ("merge", (4, 2), "Merge for good:** {4}; {2}. All their words go", "Yes, merge these 2"),
        ("split", (9,), "Split in two:** {9}. Its words are divided", "Yes, split it"),
        ("delete", (2,), "Delete for good:** {2}. Its words go to the others", "Yes, delete it"),
    ],
)
def test_what_is_about_to_be_done_is_named_once_more(monkeypatch, kind, topics, said, yes):
    at, begun = moment(), []
    monkeypatch.setattr(surgery, "_begin", lambda *what: begun.append(what[1:]))
    asking = {"surgery_confirm": ("run-a", kind, topics)}
    app = drawn(surgery._confirm, changing(at), **asking)
    for topic in (4, 9, 2):
        said = said.replace(f"{{{topic}}}", surgery.plain(surgery.with_words(at, topic)))
    assert texts(app.warning).startswith(f"**{said}")
    check(button(app, yes).click().run())
    assert begun == [(kind, topics)]
    app = drawn(surgery.edit_topics, changing(at), **asking)
    check(button(app, "Cancel").click().run())
    assert "surgery-confirm" not in app.session_state


@pytest.mark.parametrize("topics", [(4, 77), (77,)])
def test_what_ended_meanwhile_is_not_changed(topics):
    asking = {"surgery_confirm": ("run-a", "delete", topics)}
    app = drawn(surgery.edit_topics, changing(moment()), **asking)
    assert "surgery-confirm" not in app.session_state
    assert not app.warning
    assert app.multiselect, "one chooses anew"


def test_a_run_goes_on_for_as_many_passes_as_asked(monkeypatch):
    went = []
    monkeypatch.setattr(surgery.link, "go_on", lambda background, ask: ask())
    found = changing(moment(), run={"edits": DONE}, status="finished", run_on=went.append)
    app = drawn(surgery._undo_and_go_on, found)
    check(button(app, "Run on").click().run())
    check(app.number_input[0].set_value(4).run())
    check(button(app, "Run on").click().run())
    assert went == [10, 4]


def test_members_of_a_group_go_by_their_own_names():
    at = moment(Labels({2: "roses"}, groups={9: (2, 77)}))
    assert surgery._members(at, [4, 9]) == [4, 9, 2]
    alone = at.ungrouped
    assert surgery._names(at, [9, 2]) == [surgery.with_words(alone, 9), "roses"]


@pytest.mark.parametrize("owned", [True, False])
def test_only_the_owner_starts_a_change_and_a_refusal_is_said(owned):
    asked, settled = [], []
    found = changing(moment(), owned, settle=lambda: settled.append(1))

    def refuse():
        raise ValueError("Not now.")

    app = drawn(surgery._start, found, lambda: asked.append(1))
    assert (asked, settled) == (([1], [1]) if owned else ([], []))
    assert ("surgery-waiting" in app.session_state) == owned
    app = drawn(surgery._start, found, refuse)
    assert "surgery-waiting" not in app.session_state
    assert (surgery.link.REFUSED in app.session_state) == owned


@pytest.mark.parametrize(
    ("befores", "edits", "status", "refusal", "there"),
    [
        ((), (), "finished", "", set()),
        ((), DONE, "finished", "", {"Run on"}),
        ((), (), "finished", "Too early.", {"Run on"}),
        (("state",), DONE, "finished", "", {"Undo the last change", "Run on"}),
        (("state",), DONE, "paused", "", {"Undo the last change"}),
        ((), DONE, "paused", "", set()),
    ],
)
def test_what_was_done_is_undone_while_it_can_be_and_a_run_that_ended_goes_on(
    befores, edits, status, refusal, there
):
    run = {"befores": befores, "edits": edits}
    found = changing(moment(), run=run, status=status, refusal=refusal)
    assert {b.label for b in drawn(surgery._undo_and_go_on, found).button} == there


@pytest.mark.parametrize(
    ("owned", "edits", "head"),
    [
        (True, (), "Change topics for good"),
        (True, DONE, "Change topics for good · 2 changes by hand"),
        (False, DONE[:1], "Change topics for good · 1 change by hand"),
        (False, (), None),
    ],
)
def test_who_watches_sees_what_was_changed_by_hand(owned, edits, head):
    found = changing(moment(edits=edits), owned)
    app = drawn(surgery.edit_topics, found)
    assert [box.label for box in app.expander] == ([head] if head else [])
    assert [m.value for m in app.markdown] == [
        f"- {surgery.plain(edit.sentence)}" for edit in edits
    ]
    assert bool(app.multiselect) == owned


@pytest.mark.parametrize(("groups", "chosen"), [({}, 12), ({9: (12,)}, 9)])
def test_the_page_turns_to_what_became_of_the_topics(monkeypatch, groups, chosen):
    went, toasts = [], []
    monkeypatch.setattr(surgery, "choose_topic", lambda *where: went.append(where))
    monkeypatch.setattr(surgery.st, "toast", lambda words, icon: toasts.append(words))
    edits = (*DONE, Edit("split", (4,), children=(12, 13)))
    at, latest = moment(edits=DONE), moment(edits=edits).snapshot
    found = changing(at, latest=latest)
    found.shown.entry.labels = Labels(groups=groups)
    drawn(surgery._show_result, found)
    assert went == [("run-a", chosen)]
    assert toasts == [surgery.plain(edits[-1].sentence)]
    back = changing(moment(edits=edits), latest=at.snapshot)
    drawn(surgery._show_result, back)
    assert toasts[1:] == ["The last change is undone."]
    drawn(surgery._show_result, changing(at, latest=at.snapshot))
    assert toasts[2:] == ["The last change is undone."], "what another tab had done meanwhile"
    assert len(went) == 1
    refused = changing(at, latest=latest, refusal="No.")
    drawn(surgery._show_result, refused)
    assert len(went) == 1


@pytest.mark.parametrize(
    ("refusal", "done", "told"),
    [("No *room*.", True, True), ("No *room*.", False, False), ("", True, False)],
)
def test_a_refusal_is_told_once_and_only_after_a_change_that_was_asked_for(refusal, done, told):
    state = {f"{surgery.WAITING}-done": done} if done else {}
    app = drawn(surgery._choose, changing(moment(), refusal=refusal), **state)
    assert [e.value for e in app.error] == ([plain(refusal)] if told else [])
    assert not check(app.run()).error
