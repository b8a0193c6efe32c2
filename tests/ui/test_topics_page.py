"""The Topics page through `app.py`, without a browser."""

import re
import threading
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from scipy.spatial.distance import jensenshannon

from bnpexplorer.methods import make_method
from bnpexplorer.plots.style import topic_colour, word_ink
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import server, session
from bnpexplorer.ui.parts import explore, likeness
from tests.tools.pages import (
    check,
    choose,
    field,
    figures,
    go,
    html,
    launch,
    open_app,
    small,
    small_run,
    texts,
)
from tests.tools.topics_page import VIEWS, listed, page, turn_to

pytestmark = pytest.mark.usefixtures("registry")


def test_without_a_run_the_page_says_what_to_do():
    assert page().title[0].value == "No topics yet"


def test_a_run_without_a_step_is_waited_for(registry):
    entry = registry.add(*small_run())
    app = page(run=entry.run_id, own=entry.secret)
    assert "No topics yet: the run is ready" in texts(app.caption)
    entry.background.start()
    assert entry.background.wait(300)
    check(app.run())
    assert field(app.selectbox, "Topic")


@pytest.mark.second
def test_topics_of_a_run_at_rest_are_compared_before_the_page_is_opened(registry, monkeypatch):
    asked, done = [], threading.Event()
    monkeypatch.setattr(explore, "AHEAD", 0.0)
    monkeypatch.setattr(likeness, "likeness_at", lambda moment: asked.append(moment.at))
    monkeypatch.setattr(likeness, "coherence_at", lambda moment: done.set())
    ended, learning = launch(registry), launch(registry)
    learning.background.status = "running"
    for entry in (learning, ended):
        go(open_app(run=entry.run_id, own=entry.secret), "live")
    assert done.wait(300)
    assert asked == [(ended.run_id, ended.background.latest.step)]


def test_what_a_run_has_left_behind_is_not_compared(registry, monkeypatch):
    works = []
    monkeypatch.setattr(likeness, "ahead", lambda shown, work: works.append(work))
    asked, coherence = [], []
    monkeypatch.setattr(likeness, "coherence_at", lambda moment: coherence.append(moment.at[1]))
    monkeypatch.setattr(likeness, "likeness_at", lambda moment: asked.append(moment.at[1]))
    run, loaded = small_run(batch_size=20)
    run.step()
    shown = session.RunOnPage(registry.add(run, loaded), True)
    for _ in range(2):
        likeness.compare_ahead(shown)
        run.step()
        shown.entry.background.latest = run.snapshot()
    likeness.compare_ahead(shown)
    for work in works:
        work()
    assert asked == coherence == [run.n_steps], "only where it stands now"


def test_a_server_that_stops_is_told_nothing_of_what_was_begun_ahead(registry, monkeypatch):
    """A pool of threads refuses work in a process that ends; nobody had asked for it yet."""
    ended = threading.Event()
    thrown = []
    monkeypatch.setattr(threading, "excepthook", lambda what: thrown.append(what.exc_value))
    monkeypatch.setattr(explore, "AHEAD", 0.0)

    def refused():
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    monkeypatch.setattr(explore.LOG, "info", lambda *words: ended.set())
    explore.ahead(session.RunOnPage(launch(registry), True), refused)
    assert ended.wait(300)
    assert thrown == []


@pytest.mark.second
@pytest.mark.parametrize(
    ("method", "sample"),
    [("hdp-tsvi", "small-csv"), ("dpm-tsvi", "small-csv"), ("lda-svi", "bars")],
)
def test_every_view_of_finished_runs(registry, method, sample):
    entry = launch(registry, method, small(sample))
    app = page(run=entry.run_id, own=entry.secret)
    drawn = dict.fromkeys(VIEWS, 1) | {"Topics": 2, "Words": 0}
    dated = entry.source.corpus.docs.date is not None
    for view in VIEWS:
        turn_to(app, view)
        expected = 0 if view == "Over time" and not dated else drawn[view]
        assert len(figures(app)) == expected, f"{view}: say in `drawn` how many figures it has"
    assert dated or sample == "bars"


@pytest.mark.second
def test_the_owner_names_pins_and_hides_and_the_library_keeps_it(registry):
    entry = launch(registry, keep=server.keep)
    app = page(run=entry.run_id, own=entry.secret)
    first, second = field(app.selectbox, "Topic").options[:2]
    topic = field(app.selectbox, "Topic").value
    other = int(second.split(" · ")[0])
    assert first.startswith(f"{topic} · ")
    check(field(app.text_input, "Name").input("<b>War</b> & peace").run())
    assert entry.labels.names == {topic: "<b>War</b> & peace"}
    check(field(app.selectbox, "Topic").set_value(other).run())
    check(field(app.checkbox, "Pin").check().run())
    assert field(app.selectbox, "Topic").options[0].startswith(f"{other} · ")
    check(field(app.selectbox, "Topic").set_value(topic).run())
    check(field(app.checkbox, "Hide").check().run())
    assert field(app.toggle, "Show hidden (1)")
    assert f"■ {topic} · <b>War</b> & peace" not in listed(app), (
        "it has left the list, but not its details"
    )
    assert field(app.selectbox, "Topic").value == topic
    check(field(app.checkbox, "Hide").uncheck().run())
    assert f"■ {topic} · <b>War</b> & peace" in listed(app), "the same click takes it back"
    check(field(app.checkbox, "Hide").check().run())
    check(field(app.selectbox, "Topic").set_value(other).run())
    assert not any("War" in option for option in field(app.selectbox, "Topic").options)
    expected = Labels({topic: "<b>War</b> & peace"}, frozenset({topic}), frozenset({other}))
    assert entry.labels == expected
    assert Library().get(entry.run_id).labels == expected
    go(app, "live")
    assert "1 hidden on the Topics page" in texts(app.caption)
    entry.labels = entry.labels.hide(topic, False)
    check(app.run())
    assert "<b>&lt;b&gt;War&lt;/b&gt; &amp; peace</b>" in html(app), "escaped, and on Live as well"


@pytest.mark.second
def test_topics_of_one_name_are_told_apart(registry):
    entry = launch(registry)
    ids = [int(i) for i in entry.background.latest.topics.topic_ids]
    entry.labels = Labels(dict.fromkeys(ids[:2], "war") | {ids[2]: "documents"})
    app = page(run=entry.run_id, own=entry.secret)
    options = field(app.selectbox, "Topic").options
    moment = server.moment_of(entry, entry.background.latest)
    styles = next(d for d in app.dataframe if "remarks" in d.value).proto.arrow_data.styler.styles
    for topic in ids[:2]:
        row = next(r for r, o in enumerate(options) if o.startswith(f"{topic} · "))
        (rule,) = [rule for rule in styles.split("}") if re.search(rf"_row{row}_col", rule)]
        assert f"color: {word_ink(topic_colour(moment.look(topic), False), False)}" in rule
    heads = {f"{ids[0]} · war", f"{ids[1]} · war"}
    assert heads <= {option.rsplit(" (", 1)[0] for option in options}
    turn_to(app, "Through the run")
    assert heads <= set(field(app.selectbox, "Topic").options)
    turn_to(app, "Over time")
    choose(app, "topics-counted", "documents")
    lines = field(app.multiselect, "Topics")
    assert heads <= {option.rsplit(" (", 1)[0] for option in lines.options}
    check(lines.set_value(ids[:2]).run())
    assert field(app.multiselect, "Topics").value == ids[:2]
    drawn = {trace.get("name") for figure in figures(app) for trace in figure["data"]}
    assert "war" in drawn
    shares = explore.folding_of(server.moment_of(entry, entry.background.latest)).wait()
    table = next(d.value for d in app.dataframe if "from" in d.value)
    assert table["documents"].sum() == len(shares)
    for k, topic in enumerate(ids[:2]):
        of_all = (table[f"{topic} · war"] * table["documents"]).sum()
        assert of_all == pytest.approx(shares[:, k].sum(), rel=1e-5)


@pytest.mark.second
def test_the_ticked_row_is_the_chosen_topic_when_the_order_changes(registry):
    entry = launch(registry)
    app = page(run=entry.run_id, own=entry.secret)
    tables = set()

    def ticked():
        ids = [int(option.split(" · ")[0]) for option in options()]
        count = app.session_state["topics-list"]  # a topic was chosen
        key = f"topics-list-{entry.run_id}-{count}-{hash(tuple(ids))}"
        tables.add(key)
        (row,) = app.session_state[key]["selection"]["rows"]
        return next(d.value for d in app.dataframe if "remarks" in d.value)["topic"].iloc[row]

    def options():
        return field(app.selectbox, "Topic").options

    for option in options()[2:0:-1]:
        topic = int(option.split(" · ")[0])
        check(field(app.selectbox, "Topic").set_value(topic).run())
        before = len(tables)
        assert ticked().startswith(f"■ {topic} · ")
        check(field(app.checkbox, "Pin").check().run())
        assert field(app.selectbox, "Topic").value == topic
        assert ticked().startswith(f"■ {topic} · ")
        assert len(tables) == before + 2, "the browser keeps ticks by row: another list, new ticks"


@pytest.mark.second
def test_topics_that_made_the_texts_are_counted_when_found_again(registry):
    """Against distances word by word and another algorithm of the best pairing."""
    few = make_method("hdp-gibbs", "from-nothing")  # from many it finds all ten
    entry = launch(registry, few, small("bars"), passes=40)
    known, found = entry.source.true_topics, entry.background.latest.topics
    used = found.topic_word[found.size >= 1.0]
    between = np.array([[jensenshannon(p, q, 2) for q in used] for p in known])
    pairs = min_weight_full_bipartite_matching(csr_array(between + 1.0))  # 0 would be no edge
    distances = between[pairs]
    count = int((distances < 0.5).sum())
    assert 0 < count < 10
    app = page(run=entry.run_id, own=entry.secret)
    words = f"**Found again: {count} of the 10 topics that made these texts**"
    assert words in [m.value for m in app.markdown]
    table = next(d.value for d in app.dataframe if "made the texts" in d.value)
    assert list(table["found again"]) == ["yes"] * count + ["no"] * (10 - count)
    np.testing.assert_allclose(table["distance"], sorted(distances), atol=1e-6)


@pytest.mark.second
@pytest.mark.parametrize("known", [None, np.full((2, 3), 1 / 3), np.zeros((0, 25)), np.ones(25)])
def test_texts_whose_topics_are_not_known_say_nothing_of_them(registry, known):
    entry = launch(registry, "lda-svi", replace(small("bars"), true_topics=known))
    app = page(run=entry.run_id, own=entry.secret)
    assert "Found again" not in texts(app.markdown)


def test_a_guest_sees_names_and_cannot_change_them(registry):
    entry = launch(registry)
    topic = int(entry.background.latest.topics.topic_ids[0])
    entry.labels = Labels({topic: "Tax"})
    app = page(run=entry.run_id)
    assert any(
        option.startswith(f"{topic} · Tax (") for option in field(app.selectbox, "Topic").options
    )
    assert not [x for x in app.text_input if x.label == "Name"]
    assert not app.checkbox


@pytest.mark.second
def test_a_word_is_found_elsewhere_and_left_out_and_learned_again(registry):
    entry = launch(registry)
    app = page(run=entry.run_id, own=entry.secret)
    word = field(app.selectbox, "Word").options[0]
    check(field(app.selectbox, "Word").set_value(word).run())
    check(field(app.button, "Find it elsewhere").click().run())
    assert f"Which topics use it: {word}" in texts(app.markdown)
    corpus = entry.source.corpus
    place = corpus.vocab.index(word)
    n = int(corpus.counts[corpus.word_ids == place].sum())
    assert f"{n:,} times" in texts(app.caption)
    check(field(app.button, "Leave it out").click().run())
    assert field(app.multiselect, "Words to leave out").value == [word]
    check(field(app.button, "Learn again without this word").click().run())
    (again, _) = registry.entries()
    assert again.background.run.method == entry.background.run.method
    assert again.background.run.seed == entry.background.run.seed
    assert again.background.run.passes == entry.background.run.passes
    fresh = again.source.corpus
    assert word not in fresh.vocab
    assert fresh.name == f"{corpus.name} without {word}"
    assert again.source.report.settings.extra_stop_words == word
    assert app.session_state["loaded"] is again.source
    assert list(app.session_state["own"]) == [again.run_id]
    assert again.background.wait(300)


def test_a_word_that_does_not_count_is_explained(registry):
    entry = launch(registry)
    app = page("Words", run=entry.run_id)
    assert "words count in these texts" in texts(app.caption)
    check(field(app.text_input, "Search the vocabulary").input("zzzz").run())
    assert "No word that counts holds “zzzz”" in texts(app.info)


@pytest.mark.second
def test_a_run_that_has_ended_is_shown_at_its_end_though_the_page_was_opened_before(registry):
    run, loaded = small_run(batch_size=20)
    run.step()
    entry = registry.add(run, loaded)
    app = page(run=entry.run_id, own=entry.secret)
    assert f"at {run.passes_said(run.docs_seen)}" in texts(app.markdown)
    entry.background.start()
    assert entry.background.wait(300)
    assert entry.background.latest.docs_seen > 20
    check(app.run())
    assert f"at {run.passes_said(entry.background.latest.docs_seen)}" in texts(app.markdown)


def test_the_head_counts_the_topics_that_the_list_has_and_those_that_are_hidden(registry):
    entry = launch(registry)
    used = entry.background.latest.topics
    first = int(used.topic_ids[used.in_use][0])
    entry.labels = Labels(hidden=frozenset({first}))
    app = page(run=entry.run_id, own=entry.secret)
    listed = next(d.value for d in app.dataframe if "remarks" in d.value)
    n_used = int(used.in_use.sum())
    assert f"{n_used:,} in use, 1 of them hidden" in texts(app.markdown)
    assert len(listed) == n_used - 1


@pytest.mark.second
def test_another_run_is_shown_where_it_stands_when_the_page_turns_to_it(registry):
    first = launch(registry)
    run, loaded = small_run("hdp-svi", batch_size=20)
    run.step()
    second = registry.add(run, loaded)
    ids, own = (",".join(getattr(e, x) for e in (first, second)) for x in ("run_id", "secret"))
    app = page(run=ids, own=own)
    choose(app, "explore-run-2", "hdp-svi")
    choose(app, "explore-run-2", "hdp-tsvi")
    run.step()
    second.background.latest = run.snapshot()
    choose(app, "explore-run-2", "hdp-svi")
    assert f"at {run.passes_said(run.docs_seen)}" in texts(app.markdown)
