"""The recommended way through the pages, what comes first on Live, and the first screen."""

import math
from dataclasses import replace

import pytest

from bnpexplorer.compare.verdict import RunVerdict, verdict_of
from bnpexplorer.core.display import plain
from bnpexplorer.evaluate import unigram_score
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.recommend import recommend
from bnpexplorer.runs.recording import recording
from bnpexplorer.state.moment import Earlier, Moment
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.live import verdict as live_verdict
from bnpexplorer.ui.live.verdict import TO_COME_IN_EXPLORE
from bnpexplorer.ui.parts.forms import why_of
from tests.tools.pages import (
    button,
    check,
    choose,
    field,
    figures,
    go,
    html,
    launch,
    open_app,
    small,
    texts,
)

pytestmark = pytest.mark.usefixtures("registry")


@pytest.fixture
def not_started(monkeypatch):
    """Runs that stay as they are made."""
    monkeypatch.setattr(BackgroundRun, "start", lambda self: None)
    monkeypatch.setattr(BackgroundRun, "settle", lambda self: None)


def with_texts(page):
    app = open_app()
    app.session_state["loaded"] = small()
    return go(app, page)


def places(app):
    """What moves on Live, in order: the headings of its figures and of the table of topics."""
    heads = [text.value for text in app.markdown if text.value.startswith("## ")]
    return [head.removeprefix("## ") for head in heads]


@pytest.mark.parametrize(("page", "key"), [("corpus", "find-topics"), ("live", "live-find")])
def test_one_button_starts_what_is_recommended_and_topics_come_first(
    registry, not_started, page, key
):
    app = with_texts(page)
    assert "predicts unseen words best" in texts(app.markdown), "its reason is beside it"
    check(button(app, "Find the topics", key).click().run())
    (entry,) = registry.entries()
    run, plan = entry.background.run, recommend(small().corpus)
    expected = plan.split_and_start(small().corpus)
    assert run.method == expected.method == plan.method
    assert (run.passes, run.batch_size, run.seed) == (expected.passes, expected.batch_size, 0)
    assert app.session_state["lead"] == "Explore"
    assert "view=explore" not in texts(app.markdown)
    assert go(app, "live").query_params["view"] in ("explore", ["explore"])


def test_the_reason_is_said_of_the_texts_and_the_name_is_in_its_hint():
    corpus = small().corpus
    said = why_of(recommend(corpus))
    assert said.startswith(f"{corpus.n_docs} texts with {corpus.n_tokens:,} words that count")
    assert "gibbs" not in said
    assert "tsvi" not in why_of(recommend(corpus, order="stream"))
    app = with_texts("live")
    (line,) = [text for text in app.markdown if text.value == said]
    assert line.proto.help == plain("Counts by sampling, slowest and best: hdp-gibbs")


def test_too_few_texts_are_refused_in_a_sentence(registry):
    app = open_app()
    loaded = small()
    app.session_state["loaded"] = server.LoadedCorpus(loaded.corpus.take([0]), loaded.report)
    check(button(go(app, "corpus"), "Find the topics").click().run())
    assert "needs at least 2" in texts(app.error)
    assert registry.entries() == []
    assert app.session_state["lead"] == "Study"


def test_a_run_that_has_ended_is_judged_and_one_that_learns_has_the_place_for_it(
    registry, not_started
):
    app = with_texts("live")
    check(button(app, "Find the topics").click().run())
    assert plain(TO_COME_IN_EXPLORE) in texts(app.caption)
    registry.entries()[0].background.status = "stopped"  # before its first step
    assert plain(TO_COME_IN_EXPLORE) not in texts(check(app.run()).caption)


@pytest.mark.second
def test_the_verdict_is_that_of_the_run_and_of_no_other(registry):
    entry = launch(registry, "lda-svi", keep=server.keep)
    run = entry.background.run
    score, unigram = run.snapshot().heldout, unigram_score(run.corpus, run.heldout)
    said = verdict_of(run, run.moment(), unigram).sentence
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    assert plain(said) in texts(app.markdown)
    assert f"{math.exp(score - unigram):.1f} times as well as" in said
    other = launch(registry, "hdp-svi", keep=server.keep)
    theirs = other.background.run.snapshot().heldout
    words = texts(check(app.run()).markdown).replace("\\", "")
    assert "2 methods tried on these documents" in words
    won = score - theirs > 0.01
    assert ("the best of 2 methods tried on these documents, " in words) == won


@pytest.mark.second
def test_study_is_as_before_and_explore_has_the_topics_first(registry):
    entry = launch(registry)
    study = go(open_app(run=entry.run_id, own=entry.secret), "live")
    table, curves = "Topics, largest first", "Held-out log likelihood per word"
    assert places(study).index(table) > places(study).index(curves)
    assert study.query_params["view"] == "study"
    explore = go(open_app(run=entry.run_id, own=entry.secret, view="explore"), "live")
    assert table in places(explore)
    assert curves not in places(explore)
    choose(explore, "lead-switch", "Study")
    assert places(explore) == places(study)
    assert go(explore, "topics").query_params["view"] in ("study", ["study"])
    strange = go(open_app(run=entry.run_id, view="upside-down"), "live")
    assert places(strange) == places(study)


def test_the_switch_stands_on_every_page(registry):
    app = open_app(view="explore")
    for page in ("start", "live", "runs"):
        assert "lead-switch" in {w.key for w in go(app, page).get("button_group")}
    assert app.session_state["lead"] == "Explore", "kept from page to page"


def test_the_first_screen_plays_a_recording_and_computes_nothing(registry):
    app = open_app()
    assert registry.entries() == []
    assert "A recording: hdp-gibbs" in texts(app.caption).replace("\\", "")
    pictures, curve = figures(app)
    names = [trace["name"] for trace in curve["data"]]
    assert names == ["hdp-gibbs", "hdp-gibbs, born"]
    axis, (end,) = curve["layout"]["xaxis"], curve["layout"]["annotations"]
    assert axis["type"] == "log"
    assert 10 ** end["x"] == pytest.approx(recording().planned_docs), "the name is at the end"
    first, last = (10**end for end in axis["range"])
    assert first == pytest.approx(recording().trace[0][1])
    assert recording().planned_docs <= last <= 1.1 * recording().planned_docs
    shown = {str(topic) for topic in recording().topics}
    assert {note["text"] for note in pictures["layout"]["annotations"]} == shown
    assert {b.label for b in app.button} >= {"Load my texts", "Watch it learn"}


@pytest.mark.second
def test_draws_from_a_prior_are_offered_in_the_lab_alone():
    app = open_app()
    offered = next(r for r in app.radio if r.key == "start-sample").options
    assert not [title for title in offered if "Drawn" in title]
    app.session_state["lab_show"] = "corpora"
    lab = go(app, "lab")
    (drawn,) = [r for r in lab.radio if r.key == "lab-drawn"]
    assert [title for title in drawn.options if "Drawn" in title] == drawn.options
    check(button(lab, "Learn from these").click().run())
    assert lab.session_state["loaded"].corpus.name.startswith("drawn from an HDP")
    assert "bnp-topics" not in html(lab)


@pytest.mark.second
def test_a_run_that_should_go_on_does_at_a_click_of_its_owner(registry, monkeypatch):
    said = RunVerdict("5 topics", "", "", "yes: its score still rises")
    monkeypatch.setattr(live_verdict, "verdict_of", lambda *_: said)
    entry = launch(registry, passes=3)
    before = entry.background.latest.docs_seen
    watching = go(open_app(run=entry.run_id), "live")
    assert said.sentence in texts(watching.markdown)
    assert not any("more pass" in b.label for b in watching.button)
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    check(button(app, "Run it for 2 more passes").click().run())
    assert entry.background.wait(300)
    assert entry.background.latest.docs_seen * 3 == before * 5


@pytest.mark.second
def test_filler_is_told_with_the_verdict(registry, monkeypatch):
    entry = launch(registry)
    ids = entry.background.latest.topics.topic_ids[:2].tolist()
    for found, words in ((ids, "2 topics are filler"), (ids[:1], "1 topic is filler"), ([], "")):
        monkeypatch.setattr(Moment, "_found_filler", frozenset(found))
        app = go(open_app(run=entry.run_id, own=entry.secret), "live")
        assert (words or "filler") in texts(app.markdown) or not words
        assert ("filler" in texts(app.markdown)) == bool(words)


def test_a_name_that_a_tab_kept_while_it_watched_is_gone_when_the_run_has_ended(registry):
    entry = launch(registry, keep=server.keep)
    fresh = server.moment_of(entry, entry.background.latest)
    topic = fresh.in_use[0]
    kept = Earlier({topic: tuple(fresh.heaviest(topic, 2)[::-1].tolist())}, {})
    entry.moment = replace(fresh, before=kept)  # as it was made just before the end
    assert entry.moment.name(topic) != fresh.name(topic)
    app = open_app(run=entry.run_id, own=entry.secret)
    app.session_state["explored"] = {entry.run_id: entry.moment}
    app.session_state["explore-refresh"] = False  # the page was open before
    assert fresh.head(topic) in str(field(go(app, "topics").selectbox, "Topic").options)
    assert server.moment_of(entry, entry.background.latest).name(topic) == fresh.name(topic)
