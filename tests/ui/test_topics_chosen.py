"""The Topics page, without a browser: at a moment, by a link, and with topics in groups."""

import re
from dataclasses import replace
from html import escape

import pytest

from bnpexplorer.explore.documents import rank_by_share
from bnpexplorer.explore.through import Past
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.moment import Moment
from bnpexplorer.ui.frame import server, session
from bnpexplorer.ui.parts import explore
from bnpexplorer.ui.parts.explore import Explored
from bnpexplorer.ui.topics import grouping, through
from bnpexplorer.ui.topics.through import N_ROWS
from tests.tools.pages import button, check, field, go, html, launch, small_run, texts
from tests.tools.topics_page import VIEWS, page, turn_to

pytestmark = pytest.mark.usefixtures("registry")


@pytest.mark.second
def test_the_slider_goes_back_to_the_first_moment(registry):
    entry = launch(registry)
    app = page("Through the run", run=entry.run_id)
    frames = entry.background.latest.frames
    assert f"After {frames[-1].docs_seen:,} documents" in texts(app.markdown)
    check(field(app.select_slider, "Documents seen").set_value(0).run())
    assert f"After {frames[0].docs_seen:,} documents" in texts(app.markdown)
    biggest = int(frames[0].topic_ids[frames[0].weight.argmax()])
    assert f'<td class="id">{biggest}</td>' in html(app)
    n = int((frames[0].weight > 0).sum())
    assert f"The {min(n, N_ROWS)} largest of {n}. " in html(app)
    entry.labels = Labels(hidden=frozenset({biggest}))
    assert f"The {min(n - 1, N_ROWS)} largest of {n}, 1 hidden. " in html(check(app.run()))


def test_words_are_new_against_the_moment_before(registry):
    entry = launch(registry)
    moment = server.moment_of(entry, entry.background.latest)
    columns = [(0, 1), (0, 2), (0, 2), (1, 2)]
    past = [Past(10 * i, 0.5, words, (0.2, 0.1)) for i, words in enumerate(columns)]
    marked = re.findall(r"<em>(.*?)</em>", through.moments_table(moment, past))
    last, second = escape(moment.vocab[1]), escape(moment.vocab[2])
    assert marked == [last, second], "row by row: the last column's first word, the second's second"

    def news(before):
        table = through.moment_table(moment, frame, before, False)
        return re.findall(r"<em>(.*?)</em>", table), table.count('"bnp-tag">')

    frame = moment.frames[-1]
    assert news(frame) == news(None) == ([], 0)
    largest = int(frame.weight.argmax())
    weight, words = frame.weight.copy(), frame.word_ids.copy()
    weight[largest], words[largest, 0] = 0.0, words[largest, -1]
    assert news(replace(frame, weight=weight)) == ([], 1)
    first = escape(moment.vocab[frame.word_ids[largest, 0]])
    assert news(replace(frame, word_ids=words)) == ([first], 0)


@pytest.mark.second
def test_a_link_opens_the_topic_the_view_and_the_moment(registry):
    entry = launch(registry)
    snapshot = entry.background.latest
    topic = int(snapshot.topics.topic_ids[-1])
    seen = f"{snapshot.frames[0].docs_seen:,}"
    moment = {f"topics-moment-{entry.run_id}-{snapshot.step}": seen}
    app = page(
        run=entry.run_id,
        topic=str(topic),
        **moment,
        **{"topics-view": "Through the run", "topics-relevance": "0.2"},
    )
    assert f"After {seen} documents" in texts(app.markdown)
    turn_to(app, "Topics")
    assert field(app.selectbox, "Topic").value == topic
    assert field(app.slider, "Relevance (λ)").value == 0.2
    other = next(int(i) for i in snapshot.topics.topic_ids if i != topic)
    check(field(app.selectbox, "Topic").set_value(other).run())
    assert app.query_params["topic"] == str(other)
    go(app, "documents")
    assert field(app.selectbox, "Topic").value == other, "the same topic on both pages"


@pytest.mark.second
@pytest.mark.parametrize("topic", ["999", "-1", "\u00b2", "<b>", "9" * 30, ""])
def test_an_address_of_what_is_not_there_is_ignored(registry, topic):
    entry = launch(registry)
    wrong = {"topics-view": "Elsewhere", "topics-relevance": "7"}
    app = page(run=entry.run_id, topic=topic, **wrong)
    largest = int(
        entry.background.latest.topics.topic_ids[entry.background.latest.topics.size.argmax()]
    )
    assert field(app.selectbox, "Topic").value == largest
    assert 0.0 <= field(app.slider, "Relevance (λ)").value <= 1.0
    assert "topic" not in app.query_params or not topic


@pytest.mark.second
def test_the_moment_stays_until_it_is_refreshed(registry):
    entry = registry.add(*small_run(batch_size=16))
    run = entry.background.run
    run.step()
    entry.background.latest = run.snapshot()
    app = page(run=entry.run_id)
    assert "at 16 of 144 texts in pass 1" in texts(app.markdown)
    run.step()
    entry.background.latest = run.snapshot()
    check(app.run())
    assert "at 16 of 144 texts in pass 1" in texts(app.markdown)
    check(button(app, "Refresh: now at 32").click().run())
    assert "at 32 of 144 texts in pass 1" in texts(app.markdown)
    assert button(app, "Refresh").disabled
    run.step()
    entry.background.latest = run.snapshot()
    go(app, "live")
    go(app, "topics")
    assert "at 48 of 144 texts in pass 1" in texts(app.markdown), (
        "a page that is opened shows where the run is"
    )


@pytest.mark.second
def test_a_run_that_left_the_page_is_no_longer_held(registry):
    gone, stays = launch(registry), launch(registry)
    app = page(run=gone.run_id, own=gone.secret)
    assert set(app.session_state["explored"]) == {gone.run_id}
    app.session_state["own"] = {stays.run_id: stays.secret}
    check(app.run())
    assert set(app.session_state["explored"]) == {stays.run_id}


@pytest.mark.second
def test_a_topic_that_nobody_chose_keeps_its_details_when_it_is_hidden(registry):
    entry = launch(registry)
    app = page(run=entry.run_id, own=entry.secret)
    topic = field(app.selectbox, "Topic").value
    check(field(app.checkbox, "Hide").check().run())
    assert entry.labels.hidden == {topic}
    assert field(app.selectbox, "Topic").value == topic


@pytest.mark.second
def test_topics_are_grouped_by_ticking_rows_and_come_apart(registry):
    entry = launch(registry, keep=server.keep)
    app = page(run=entry.run_id, own=entry.secret)
    moment = server.moment_of(entry, entry.background.latest)
    first, second, third = moment.in_use[:3]
    check(field(app.toggle, "Tick several").set_value(True).run())
    assert button(app, "Group them").disabled
    fake = Explored(session.RunOnPage(entry, True), moment, entry.source, True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping.st, "session_state", {})
        grouping.group(fake, [[third, first]])
    assert entry.labels.groups == {first: (third,)}, "it goes by the larger one"
    assert Library().get(entry.run_id).labels.groups == {first: (third,)}
    check(app.run())
    table = next(d.value for d in app.dataframe if "remarks" in d.value)
    assert "2 topics as one" in set(table["remarks"])
    assert len(table) == len(moment.in_use) - 1
    assert table["share"].max() >= 100 * (moment.share(first) + moment.share(third)) - 1e-6
    grouped = server.moment_of(entry, entry.background.latest)
    assert f"One with {third}" in texts(app.caption)
    for view in VIEWS:
        turn_to(app, view)
    turn_to(app, "Topics")
    check(button(app, "Take apart").click().run())
    assert entry.labels.groups == {}
    check(button(app, "Undo").click().run())
    assert entry.labels.groups == {first: (third,)}
    assert second in grouped.row
    folded = explore.folding_of(grouped).wait()
    shares = grouped.gathered(folded)
    assert shares.shape[1] == folded.shape[1] - 1
    assert shares.sum() == pytest.approx(folded.sum(), rel=1e-5)


@pytest.mark.second
def test_the_tree_proposes_groups_and_makes_them(registry):
    entry = launch(registry)
    app = page(run=entry.run_id, own=entry.secret, topics_show_tree="true")
    moment = server.moment_of(entry, entry.background.latest)
    slider = next(s for s in app.slider if s.label == "Group what is nearer than")
    check(slider.set_value(0.0).run())
    assert button(app, "Group these").disabled
    slider = next(s for s in app.slider if s.label == "Group what is nearer than")
    check(slider.set_value(slider.max).run())
    rows = next(d.value for d in app.dataframe if "group" in d.value)
    parts = rows["group"][rows["group"] != ""].value_counts()
    n = int(parts.sum())
    check(button(app, f"Group these {n} topics as {len(parts)}").click().run())
    made = entry.labels.groups
    assert sorted(len(members) + 1 for members in made.values()) == sorted(parts)
    assert {*made, *(i for members in made.values() for i in members)} <= set(moment.in_use)
    check(button(app, "Undo").click().run())
    assert entry.labels == Labels()


@pytest.mark.second
def test_filler_is_folded_away_until_somebody_asks(registry, monkeypatch):
    entry = launch(registry)
    at = server.moment_of(entry, entry.background.latest)
    monkeypatch.setattr(Moment, "_found_filler", frozenset({at.in_use[0]}))
    app = page(run=entry.run_id, own=entry.secret)
    table = next(d.value for d in app.dataframe if "remarks" in d.value)
    assert "filler" not in [*table["remarks"]]
    check(field(app.toggle, f"Show {at.filler_ones}").set_value(True).run())
    more = next(d.value for d in app.dataframe if "remarks" in d.value)
    assert len(more) == len(table) + 1
    assert "filler" in more["remarks"].iloc[-1], "it stands last"


@pytest.mark.second
def test_a_topic_leads_to_its_documents_and_takes_a_title_for_its_name(registry):
    entry = launch(registry)
    moment = server.moment_of(entry, entry.background.latest)
    share = explore.folding_of(moment).wait()
    app = page(run=entry.run_id, own=entry.secret)
    topic = field(app.selectbox, "Topic").value
    k = moment.row[topic]
    best = rank_by_share(moment.topics, moment.corpus, share, k, 1)[0]
    assert share[best, k] > 0.5
    titles = entry.source.corpus.docs.title
    assert any(str(t)[:40] in texts(app.markdown) for t in titles)
    guest = page(run=entry.run_id)
    assert not any(b.label == "Read its documents" for b in guest.button) or guest.dataframe
