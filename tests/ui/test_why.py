"""Why was it born?, on Live, on Topics and in a race, without a browser.

What a page says of a birth is held against a replay of the run with the same seed, which counts
everything anew (`tests/twins/births.py`).
"""

import html as markup
import re
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from bnpexplorer.compare.sequential import race_of
from bnpexplorer.corpus.words.occurrences import Occurrence
from bnpexplorer.explore.why import WORDS_OF_KIND, WeighedChoices
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.methods.dpm_gibbs import DpmGibbs
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.models.hdp import HDP
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.parts import html as weighed
from bnpexplorer.ui.parts.event_texts import BEFORE, LETTERS, excerpt
from tests.tools.births import KINDS, replayed_births, run_of
from tests.tools.pages import (
    button,
    check,
    field,
    figures,
    go,
    html,
    launch,
    open_app,
    small,
    texts,
)
from tests.tools.runtime import Browser, Streamlit
from tests.tools.topics_page import page
from tests.tools.waiting import until
from tests.twins.births import ALPHA, CORPUS, ETA, GAMMA

pytestmark = pytest.mark.usefixtures("registry")
LIST = "A birth, a death, a merge or a split, the newest first"


def shown(app, label, place):
    """The page with one event chosen, as the field's own value has it."""
    at = field(app.selectbox, LIST)
    return check(at.set_value((label, place)).run())


def rows_of(app):
    """The table: of each choice its cells, as they are read."""
    body = next(h.proto.body for h in app.get("html") if "bnp-weighed" in h.proto.body)
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body.split("<tbody>")[1])
    return [
        [markup.unescape(re.sub("<[^>]*>", "", c)) for c in re.findall(r"<td.*?</td>", row)]
        for row in rows
    ]


@pytest.mark.second
@pytest.mark.parametrize("kind", KINDS)
def test_a_birth_on_live_has_the_numbers_of_a_replay(kind, registry):
    run = run_of(kind)
    entry = registry.add(run, server.LoadedCorpus(CORPUS))
    entry.background.start()
    assert entry.background.wait(300)
    expected = replayed_births(kind, entry.background.latest.events)
    assert len(expected) > 3
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    for place, birth in list(expected.items())[-2:]:
        shown(app, run.name, place)
        assert rows_of(app) == birth.rows
        assert f"document {birth.document + 1}" in texts(app.markdown)
        if len(birth.rows) > 2:
            among = f"these rows: the {len(birth.rows) - 1} likeliest "
            assert among in " ".join(caption.value for caption in app.caption)


@pytest.mark.second
def test_from_the_end_of_a_topic_its_birth_is_one_click_away(registry):
    run = run_of("mini-batches")
    entry = registry.add(run, server.LoadedCorpus(CORPUS))
    entry.background.start()
    assert entry.background.wait(300)
    events = entry.background.latest.events
    ended = max(place for place, event in enumerate(events) if event.kind == "prune")
    (topic,) = events[ended].parents
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    shown(app, run.name, ended)
    assert "came to its end" in texts(app.markdown)
    (to_birth,) = (b for b in app.button if b.label.startswith("How “"))
    check(to_birth.click().run())
    place = next(p for p, event in enumerate(events) if event.children == (topic,))
    assert rows_of(app) == replayed_births("mini-batches", events)[place].rows
    assert field(app.selectbox, LIST).value == (run.name, place)


@pytest.mark.second
def test_on_live_and_topics_a_document_is_shown_with_its_words_marked(registry):
    entry = launch(registry, batch_size=20)
    run, events = entry.background.run, entry.background.latest.events
    place = next(p for p, e in reversed(list(enumerate(events))) if e.details)
    told = events[place].details
    word = run.corpus.vocab[told.words[0]]
    for app in (
        go(open_app(run=entry.run_id, own=entry.secret), "live"),
        page("Through the run", run=entry.run_id, own=entry.secret),
    ):
        shown(app, run.name, place)
        said = texts(app.markdown)
        assert run.corpus.docs.title[told.document] in said
        assert f"**{word}**" in said
        assert "By mean field it would have been" in said
        marked = re.findall(r"<mark class=\"[^\"]*hit[^\"]*\"[^>]*>([^<]+)", html(app))
        assert word in {m.lower() for m in marked}
        assert len(rows_of(app)) == len(told.topics) + 1


def test_a_click_on_a_mark_chooses_its_event(registry):
    """What a mark tells the page is an event of its place, and what the page makes of it."""
    entry = launch(registry, batch_size=20)
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    events = entry.background.latest.events
    born = next(
        trace for f in figures(app) for trace in f["data"] if trace.get("name", "").endswith("born")
    )
    assert sum(n for n, _, _ in born["customdata"]) == sum(e.kind == "birth" for e in events)
    for _, label, place in born["customdata"]:
        assert events[place].kind == "birth"
        assert label == entry.background.run.name


ALONE = """
from bnpexplorer.ui.frame import session
from bnpexplorer.ui.live.page import _why

session.restore()
_why(session.shown_runs())
"""


@pytest.fixture
def streamlit(tmp_path):
    (tmp_path / "why.py").write_text(ALONE)
    made = Streamlit(tmp_path / "why.py")
    yield made
    made.close()


@pytest.mark.second
def test_a_choice_stays_whatever_its_line_says_by_now(registry, streamlit):
    """A browser tells the line that was chosen, and goes on telling it; AppTest tells what the line
    would be now."""
    entry = launch(registry, batch_size=20)
    browser, state = Browser(), WidgetState()
    tab = streamlit.call(lambda: streamlit.runtime.connect_session(browser, {}))

    def drawn():
        """The list, and what is said of the event, with what the browser holds."""
        browser.messages.clear()
        message = BackMsg()
        message.rerun_script.query_string = f"run={entry.run_id}&own={entry.secret}"
        if state.id:
            message.rerun_script.widget_states.widgets.append(state)
        streamlit.send(tab, message)
        until(lambda: browser.finished)
        elements = [m.delta.new_element for m in browser.messages if m.HasField("delta")]
        (found,) = (e.selectbox for e in elements if e.HasField("selectbox"))
        state.id = found.id
        if found.set_value:
            state.string_value = found.raw_value
        return found, [e.markdown.body for e in elements if e.HasField("markdown")]

    events = entry.background.latest.events
    place = next(p for p, e in enumerate(events) if e.kind == "birth")
    (topic,) = events[place].children
    lines = list(drawn()[0].options)
    entry.labels = entry.labels.rename(topic, "second")
    drawn()
    state.string_value = lines[len(events) - 1 - place]  # as a list that came late still has it
    for name in ("third", "fourth", "fifth"):
        entry.labels = entry.labels.rename(topic, name)
        said = drawn()[1]
        assert any(f"“{name}” was born" in words for words in said), (name, said)
        assert name in state.string_value


def test_while_a_run_goes_on_its_list_is_drawn_anew_by_a_button(registry):
    run = Run(HdpGibbs(HDP(GAMMA, ALPHA, ETA), start="nothing"), CORPUS, seed=4, batch_size=7)
    entry = registry.add(run, server.LoadedCorpus(CORPUS))
    entry.background.step_once()
    until(lambda: entry.background.status == "paused" and entry.background.latest is not None)
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    before = field(app.selectbox, LIST).options
    entry.background.step_once()
    until(lambda: entry.background.latest.step == 2 and entry.background.status == "paused")
    check(button(app, "Newer events").click().run())
    assert len(field(app.selectbox, LIST).options) > len(before)
    entry.background.stop()
    assert entry.background.wait(300)
    check(app.run())
    assert "Newer events" not in [b.label for b in app.button]


def points(packed):
    """Numbers as plotly sends them."""
    return np.frombuffer(b64decode(packed["bdata"]), packed["dtype"]).tolist()


@pytest.mark.second
@pytest.mark.parametrize("logarithmic", [False, True])
def test_a_line_of_topics_starts_at_zero_where_the_method_and_the_axis_do(registry, logarithmic):
    lines = {}
    for method in ("hdp-tsvi", "hdp-svi"):
        entry = launch(registry, method, batch_size=20)
        asked = {"run": entry.run_id, "own": entry.secret, "view-log": str(logarithmic).lower()}
        app = go(open_app(**asked), "live")
        line = next(f["data"] for f in figures(app) if "topics in use" in str(f["layout"]["yaxis"]))
        first = entry.background.latest.trace[0]
        lines[method] = list(zip(points(line[0]["x"]), points(line[0]["y"]), strict=True))
        lines[method, "first"] = (first.docs_seen, first.n_topics)
    zero = [] if logarithmic else [(0, 0)]
    grown = lines["hdp-tsvi"]
    assert grown[: len(zero) + 1] == [*zero, lines["hdp-tsvi", "first"]]
    assert lines["hdp-svi"][0] == lines["hdp-svi", "first"]


@pytest.mark.second
@pytest.mark.parametrize(("method", "kind"), [("hdp-svi", "death"), ("dpm-sumo", "birth")])
def test_what_has_no_such_moment_says_why(method, kind, registry):
    entry = launch(registry, method, small("bars"), batch_size=20, passes=1 + (kind == "death"))
    events, run = entry.background.latest.events, entry.background.run
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    place = max(p for p, event in enumerate(events) if event.kind == kind)
    shown(app, run.name, place)
    assert WORDS_OF_KIND[kind] in field(app.selectbox, LIST).options[len(events) - 1 - place]
    why = run.method.untold if kind == "birth" else run.method.untold_ends
    assert why in texts(app.markdown)


@pytest.mark.second
def test_splits_and_merges_tell_their_parts_and_what_decided(registry):
    method = DpmGibbs(DPMixture(1.0, 0.2), moves=20)
    entry = launch(registry, method, batch_size=20, passes=4)
    events = entry.background.latest.events
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    lines = field(app.selectbox, LIST).options
    assert len(set(lines)) == len(lines)
    moves = [place for place, event in enumerate(events) if event.kind in ("split", "merge")]
    assert moves
    shown(app, entry.background.run.name, moves[-1])
    said, told = texts(app.markdown), events[moves[-1]].details
    for size in told.sizes:
        assert f" {size:,}" in said
    assert f"{told.log_ratio:+,.2f}".replace("-", "−") in said
    assert {"split": "to divide “", "merge": "to make one of “"}[told.trial] in said
    old = replace(entry.background.latest.events[moves[-1]].details, trial="")
    events = [replace(e, details=old) if i == moves[-1] else e for i, e in enumerate(events)]
    entry.background.latest = replace(entry.background.latest, events=tuple(events))
    check(app.run())
    assert f"{told.log_ratio:+,.2f}".replace("-", "−") in texts(app.markdown)


@pytest.mark.second
def test_an_end_tells_who_left_last_and_for_which(registry):
    for name, values in (("dpm-gibbs", {}), ("hdp-gibbs", {"start": "nothing"})):
        entry = launch(registry, Plan.of(name, values=values).method, batch_size=20, passes=6)
        run, events = entry.background.run, entry.background.latest.events
        place = max(p for p, event in enumerate(events) if event.kind == "prune")
        told = events[place].details
        app = go(open_app(run=entry.run_id, own=entry.secret), "live")
        shown(app, run.name, place)
        said = texts(app.markdown)
        assert run.corpus.docs.title[told.document] in said
        assert f"“{entry.background.run.moment().name(told.topics[0])}”" in said
        if told.words:
            assert f"with its last word, **{run.corpus.vocab[told.words[0]]}**" in said
        else:
            assert "with its last document, **" in said


@pytest.mark.second
def test_what_was_tried_for_some_passes_is_told(registry):
    method = Plan.of("hdp-splitmerge", values={"n_start": 12, "start": "random"}).method
    entry = launch(registry, method, batch_size=160, passes=30)
    events = entry.background.latest.events
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    found = {event.details.trial: place for place, event in enumerate(events)}
    assert {"delete", "merge"} <= set(found)
    for trial, words in (
        ("delete", "to give the words of “"),
        ("merge", "to make one of “"),
        ("split", "to divide “"),
        ("splits", "all or none"),
    ):
        if trial in found:
            shown(app, entry.background.run.name, found[trial])
            said = texts(app.markdown)
            assert words in said
            assert f"by {events[found[trial]].details.log_ratio:+,.2f}." in said


@pytest.mark.second
def test_a_split_in_three_names_all_parts(registry):
    method = Plan.of("hdp-splitmerge", values={"n_start": 1}).method
    entry = launch(registry, method, batch_size=160, passes=12)
    moment = entry.background.latest
    place = next(p for p, e in enumerate(moment.events) if len(e.children) == 3)
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    shown(app, entry.background.run.name, place)
    assert any(" + 1 more split at " in line for line in field(app.selectbox, LIST).options)
    said = re.search(r"was divided into (“.+?”), (“.+?”) and (“.+?”) at step", texts(app.markdown))
    assert said
    assert len(set(said.groups())) == 3


@pytest.mark.second
def test_in_a_race_the_births_of_each_run_can_be_asked_for(registry, monkeypatch):
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")
    loaded = small()
    plans = [Plan.of(name, batch_size=20, passes=2) for name in ("hdp-tsvi", "hdp-svi")]
    race = race_of(plans, loaded.corpus)
    entry = registry.add(race, loaded)
    entry.background.start()
    assert entry.background.wait(300)
    app = open_app(compare="Race", race=entry.run_id, **{"own-race": entry.secret})
    app = go(app, "compare")
    events = race.runs[0].snapshot().events
    place = next(p for p, e in reversed(list(enumerate(events))) if e.details)
    assert any(o.startswith("hdp-tsvi: ") for o in field(app.selectbox, LIST).options)
    shown(app, "hdp-tsvi", place)
    assert "### hdp-tsvi: “" in texts(app.markdown)
    assert len(rows_of(app)) == len(events[place].details.topics) + 1
    marks = [t for f in figures(app) for t in f["data"] if t.get("name", "").endswith("born")]
    assert sorted({label for t in marks for _, label, _ in t["customdata"]}) == ["hdp-tsvi"]


def test_an_excerpt_begins_where_the_word_stands_and_marks_what_went_along():
    text = "plain " * 100 + "tariff and duty " + "plain " * 200
    at = [Occurrence(600, 606, 7), Occurrence(611, 615, 8), Occurrence(5, 9, 8)]
    shown_text, marks = excerpt(text, sorted(at, key=lambda o: o.start), (7,), 3)
    assert [shown_text[m.start : m.stop] for m in marks] == ["tariff", "duty"]
    assert [m.hit for m in marks] == [True, False]
    assert {m.topic for m in marks} == {3}
    assert shown_text.startswith("… plain")
    assert shown_text.endswith(" …")
    assert len(shown_text) <= LETTERS + 4
    assert marks[0].start <= BEFORE + 2
    assert excerpt("short text", [], (), 3) == ("short text", [])


def test_the_table_escapes_what_people_have_named():
    found = WeighedChoices((1, -2), np.log([0.5, 0.5]), np.array([-1.0, -2.0]), np.zeros(0))
    choices = [
        weighed.RowChoice("<b>me</b>", "<i>", "red"),
        weighed.RowChoice("new", "", "grey", True),
    ]
    drawn = weighed.table(choices, found)
    assert "<b>me</b>" not in drawn
    assert "mean field" not in drawn, "an earlier version told none"
    assert drawn.count("<td") == 6
