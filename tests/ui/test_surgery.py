"""Topics changed for good on the Topics page, through `app.py`, without a browser."""

import pytest

from bnpexplorer.methods import make_method
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.topics import surgery
from bnpexplorer.ui.topics.surgery import WAITING
from tests.tools.pages import button, check, field, go, launch, open_app, small_run, texts
from tests.tools.waiting import until

pytestmark = pytest.mark.usefixtures("registry")


def page(entry, secret=True):
    return go(open_app(run=entry.run_id, **({"own": entry.secret} if secret else {})), "topics")


def gibbs():
    return make_method("lda-gibbs", "default", {"n_topics": 6, "burn_in": 1, "thin": 1})


def change(app, entry, words, topics):
    """Choose topics, press the button, say yes, and wait for the run's thread."""
    check(field(app.multiselect, "Topics to change").set_value(topics).run())
    check(button(app, words).click().run())
    assert all(f"{i} · " in texts(app.warning) for i in topics)
    check(button(app, key="surgery-yes").click().run())
    until(lambda: not entry.background.changing)
    while WAITING in app.session_state:  # AppTest knows no ticks
        check(app.run())
    return app


def in_order(entry):
    topics = entry.background.latest.topics
    return topics.topic_ids[topics.by_size][topics.in_use[topics.by_size]].tolist()


@pytest.mark.second
def test_topics_of_a_finished_run_are_merged_undone_and_run_on(registry):
    entry = launch(registry, gibbs(), passes=3)
    one, two = in_order(entry)[:2]
    app = page(entry)
    app = change(app, entry, "Merge for good", [two, one])
    assert two not in in_order(entry)
    assert "merged into one after" in texts(app.markdown)
    assert field(app.selectbox, "Topic").value == one, "turns to the topic that it made"
    assert two not in app.session_state[f"surgery-topics-{entry.run_id}"]
    check(button(app, "Undo the last change").click().run())
    until(lambda: not entry.background.changing)
    check(app.run())
    assert set(in_order(entry)) >= {one, two}
    assert "merged into one" not in texts(app.markdown)
    app = change(app, entry, "Delete for good", [two])
    field(app.number_input, "More passes").set_value(2)
    check(button(app, "Run on").click().run())
    until(lambda: entry.background.status == "finished" and entry.background.run.passes == 5)


@pytest.mark.second
def test_a_run_is_changed_while_it_learns(registry):
    registry._step_seconds = 0.02
    entry = registry.add(*small_run(gibbs(), passes=4000))
    entry.background.start()
    until(lambda: entry.background.latest is not None and entry.background.latest.docs_seen > 300)
    app = page(entry)
    app = change(app, entry, "Merge for good", in_order(entry)[:2])
    assert "merged into one after" in texts(app.markdown), "shown without a refresh"
    assert entry.background.status in ("running", "queued")
    entry.background.stop()


@pytest.mark.second
def test_cancel_changes_nothing_and_a_refusal_is_said(registry):
    entry = launch(registry, gibbs(), passes=3)
    one, two = in_order(entry)[:2]
    app = page(entry)
    check(field(app.multiselect, "Topics to change").set_value([one, two]).run())
    assert button(app, "Split in two").disabled
    check(button(app, "Merge for good").click().run())
    check(button(app, "Cancel").click().run())
    assert not entry.background.latest.edits
    app = change(app, entry, "Split in two", [one])
    if not entry.background.latest.edits:  # none was empty
        assert "All 6 topics of lda-gibbs hold words" in texts(app.error)


@pytest.mark.second
def test_a_run_that_ended_too_early_to_be_changed_can_go_on(registry):
    entry = launch(registry, "hdp-gibbs", passes=2)
    app = change(page(entry), entry, "Delete for good", in_order(entry)[:1])
    assert "is through, topics are those of the start; change them after it" in texts(app.error)
    field(app.number_input, "More passes").set_value(1)
    check(button(app, "Run on").click().run())
    until(lambda: entry.background.status == "finished" and entry.background.run.passes == 3)


def test_of_many_changes_the_last_are_named(registry, monkeypatch):
    monkeypatch.setattr(surgery, "LISTED", 1)
    entry = launch(registry, gibbs(), passes=3)
    for topic in in_order(entry)[:3]:
        entry.background.change(lambda run, topic=topic: run.edit("delete", [topic]))
        until(lambda: not entry.background.changing)
    edits = entry.background.latest.edits
    said = texts(page(entry).markdown)
    assert "2 before these" in said
    assert [edit.sentence in said for edit in edits] == [False, False, True]


def test_other_methods_say_what_can_be_done_instead(registry):
    app = page(launch(registry))
    said = texts(app.caption)
    assert "Hide or group them for show instead" in said
    assert all(name in said for name in ("lda-gibbs", "dpm-gibbs", "hdp-gibbs"))
    assert not [b for b in app.button if b.label == "Merge for good"]


def test_who_watches_sees_what_was_changed_and_changes_nothing(registry):
    entry = launch(registry, gibbs(), passes=3)
    assert "Change topics for good" not in texts(page(entry, secret=False).expander)
    entry.background.change(lambda run: run.edit("merge", in_order(entry)[:2]))
    until(lambda: not entry.background.changing)
    app = page(entry, secret=False)
    assert "merged into one after" in texts(app.markdown)
    assert not [b for b in app.button if b.label == "Merge for good"]


@pytest.mark.second
def test_names_go_along_and_are_kept_beside_the_saved_run(registry):
    entry = launch(registry, gibbs(), passes=3)
    library, run = server.library(), entry.background.run
    library.keep(entry.run_id, run, entry.source.corpus, "finished", entry.secret)
    one, two = in_order(entry)[:2]
    entry.labels = entry.labels.rename(two, "ships")
    change(page(entry), entry, "Merge for good", [one, two])
    assert entry.labels.names == {one: "ships"}, "the largest had none"
    assert library.get(entry.run_id).labels == entry.labels
    assert run.edits[0].names[1] == "ships"


def without(registry, kind="delete", n=1):
    """A finished run whose largest topics but `n` were deleted, and who was: dead, alive."""
    entry = launch(registry, gibbs(), passes=3)
    dead, alive = in_order(entry)[:n], in_order(entry)[n:]
    entry.background.change(lambda run: run.edit(kind, dead))
    until(lambda: not entry.background.changing)
    return entry, dead, alive


def remarks(app):
    tables = [table.value for table in app.dataframe if "remarks" in table.value]
    return tables[0]["remarks"].tolist()


@pytest.mark.second
def test_a_hidden_topic_can_be_deleted_for_good(registry):
    entry = launch(registry, gibbs(), passes=3)
    hidden = in_order(entry)[1]
    entry.labels = Labels(hidden=frozenset({hidden}))
    change(page(entry), entry, "Delete for good", [hidden])
    assert hidden not in in_order(entry)


@pytest.mark.second
def test_a_group_counts_its_living_members(registry):
    entry, (dead,), (one, *_) = without(registry)
    entry.labels = Labels({one: "ships"}, groups={dead: (one,)})
    app = page(entry)
    check(field(app.selectbox, "Topic").set_value(dead).run())
    assert not [remark for remark in remarks(app) if "as one" in remark]
    check(field(app.multiselect, "Topics to change").set_value([dead]).run())
    assert button(app, "Merge for good").disabled, "one alone"
    change(app, entry, "Split in two", [dead])
    edit = entry.background.latest.edits[-1]
    assert (edit.kind, edit.topics, edit.names) == ("split", (one,), ("ships",))
    assert field(app.selectbox, "Topic").value == dead, "turns to the group of what it made"


@pytest.mark.second
def test_a_group_with_a_member_that_died_is_merged_and_cannot_come_back(registry):
    entry, (dead,), (one, two, three, *_) = without(registry)
    entry.labels = Labels({one: "Politics", two: "Elections"}, groups={one: tuple({two, dead})})
    app = page(entry)
    assert "2 topics as one" in remarks(app)
    check(field(app.selectbox, "Topic").set_value(one).run())
    assert f"One with {two} · Elections." in texts(app.caption)
    done = list(entry.background.latest.edits)
    step = Labels(groups={three: (two,)}), entry.labels, done
    app.session_state["topics-undo"] = {entry.run_id: [step]}
    assert button(check(app.run()), key="topics-undo-button")
    change(app, entry, "Merge for good", [one])
    assert set(entry.background.latest.edits[-1].names) == {"Politics", "Elections"}
    assert entry.labels.names[one] == "Politics"
    assert not [b for b in app.button if b.key == "topics-undo-button"]
