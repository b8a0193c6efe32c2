"""Pages of many documents: nothing is computed for all of them as a page is drawn, or sent of them.

"Many" is made 400 here, so that 1,200 short texts are.
"""

import base64
import json
import threading
import zlib
from copy import copy
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from benchmarks.scale.short_texts import write
from bnpexplorer.corpus.readers.formats import read_files
from bnpexplorer.corpus.text import make_corpus
from bnpexplorer.explore import atlas
from bnpexplorer.explore.working import Doing
from bnpexplorer.ui.documents import choosing, filtering, learned, listing
from bnpexplorer.ui.frame import opening, server, session
from bnpexplorer.ui.parts import explore, in_background
from bnpexplorer.ui.parts import figure as tables
from bnpexplorer.ui.topics import about, changed, in_context, labels, mixed, over_documents, quoted
from bnpexplorer.ui.topics import atlas as atlas_page
from tests.tools.pages import button, check, choose, field, figures, go, launch, open_app, texts
from tests.tools.waiting import NEVER

pytestmark = pytest.mark.usefixtures("registry", "many")
N_DOCS, POINTS = 1200, 150
WORKS = {
    choosing: ("rank_by_share", "rank_by_words", "search"),
    learned: ("held_out_rows",),
    listing: ("nearest",),
    about: ("best_rows", "prevalence", "group_means"),
    over_documents: ("prevalence", "correlations"),
    labels: ("prevalence", "group_means"),
    changed: ("turns", "changes"),
    mixed: ("mixes",),
    quoted: ("changed_words",),
    in_context: ("word_rate", "word_trend", "companions", "concordance"),
    atlas_page: ("regions",),
}
"""What goes through all documents, by the part of a page that asks for it."""


@pytest.fixture(scope="module")
def many_texts(tmp_path_factory):
    path = tmp_path_factory.mktemp("many") / "texts.csv"
    write(path, N_DOCS, 6)
    return server.LoadedCorpus(*make_corpus(read_files([(path.name, path.read_bytes())])))


@pytest.fixture
def many(monkeypatch):
    """Few documents are many; a page waits until they are worked out, however busy the machine."""
    monkeypatch.setattr(in_background, "MANY", 400)
    monkeypatch.setattr(in_background, "PATIENCE", NEVER)
    monkeypatch.setattr(atlas, "ROUNDS", (12.0,))
    monkeypatch.setattr(atlas, "LANDMARKS", 100)
    monkeypatch.setattr(atlas_page, "SHORT", NEVER)
    monkeypatch.setattr(atlas_page, "MOST_POINTS", POINTS)


@pytest.fixture
def entry(registry, many_texts):
    """A run on a corpus that nothing was worked out of before."""
    fresh = replace(many_texts, corpus=copy(many_texts.corpus))
    return launch(registry, "lda-svi", fresh, passes=1, batch_size=300)


def opened(entry, page):
    return go(open_app(run=entry.run_id, own=entry.secret), page)


def spied(monkeypatch):
    """(name, whether the page itself asked for it) of all `WORKS`, as they are called."""
    drawing, called = set(), []
    restore = session.restore

    def restored():
        drawing.add(threading.current_thread())
        restore()

    def spy(room, name):
        work = getattr(room, name)

        def noted(*given, **more):
            called.append((name, threading.current_thread() in drawing))
            return work(*given, **more)

        monkeypatch.setattr(room, name, noted)

    monkeypatch.setattr(session, "restore", restored)
    for room, names in WORKS.items():
        for name in names:
            spy(room, name)
    return called


def visit_everything(app):
    """All tabs of Topics and all lists of Documents."""
    app = go(app, "topics")
    for view in ("Compare groups", "Over time", "Map", "Together", "Words"):
        app = choose(app, "topics-view", view)
    app = check(field(app.text_input, "Search the vocabulary").set_value("a").run())
    app = choose(app, "topics-view", "Compare groups")
    for way in ("found", "dates", "labels"):
        app = choose(app, "topics-changed", way)
    app = choose(app, "topics-view", "Topics")
    app = go(app, "documents")
    app = choose(app, "documents-rule", "words")
    app = choose(app, "documents-rule", "share")
    app = choose(app, "documents-way", "search")
    app = check(field(app.text_input, "Search").set_value("an").run())
    return choose(app, "documents-way", "topic")


@pytest.mark.second
def test_no_page_goes_through_all_documents_as_it_is_drawn(entry, monkeypatch):
    called = spied(monkeypatch)
    app = visit_everything(opened(entry, "topics"))
    wanted = {name for names in WORKS.values() for name in names}
    assert {name for name, _ in called} == wanted, "every kind of work was asked for"
    assert [name for name, by_page in called if by_page] == []
    before = len(called)
    visit_everything(app)
    assert called[before:] == [], "what was worked out is kept"


@pytest.mark.second
def test_a_page_says_what_is_under_way_and_draws_it_when_it_has_come(entry, monkeypatch):
    monkeypatch.setattr(in_background, "PATIENCE", 0.0)
    go_on, work = threading.Event(), over_documents.correlations

    def slow(shares):
        assert go_on.wait(NEVER)
        return work(shares)

    monkeypatch.setattr(over_documents, "correlations", slow)
    app = choose(opened(entry, "topics"), "topics-view", "Together")
    said = "Working out which topics go together of 1,200 documents"
    assert said in texts(app.caption)
    assert not figures(app)
    go_on.set()
    moment = server.moment_of(entry, entry.background.latest)
    moment.derived_values.at_hand(("under way", ("together",))).wait(NEVER)
    app = check(app.run())
    assert said not in texts(app.caption)
    assert len(figures(app)) == 1


@pytest.mark.second
def test_what_fails_is_said_and_tried_again(entry, monkeypatch):
    def fail(shares):
        raise ValueError("No room.")

    with monkeypatch.context() as patch:
        patch.setattr(over_documents, "correlations", fail)
        app = choose(opened(entry, "topics"), "topics-view", "Together")
        assert "failed: No room." in texts(app.error)
    app = check(app.run())
    assert not app.error
    assert len(figures(app)) == 1


@pytest.mark.second
def test_a_list_names_the_documents_that_it_shows(entry, monkeypatch):
    asked = []
    title_of = listing.title_of

    def noted(corpus, row, *more):
        asked.append(row)
        return title_of(corpus, row, *more)

    monkeypatch.setattr(listing, "title_of", noted)
    monkeypatch.setattr(tables, "SHOWN_ROWS", 40)
    app = opened(entry, "documents")
    assert 8 < len(set(asked)) <= 8 + 1 + listing.NEIGHBOURS
    asked.clear()
    app.session_state["popover-documents"] = True
    app = check(app.run())
    (table,) = (frame.value for frame in app.dataframe if "says" in frame.value)
    assert len(table) == 40
    assert len(set(asked)) <= 40 + 8 + 1 + listing.NEIGHBOURS
    assert "The first 40 of 1,200 rows; the file has all." in texts(app.caption)


@pytest.mark.second
def test_lists_filters_and_labels_are_worked_out_once(entry, monkeypatch):
    asked = []
    for room, name in ((filtering, "chosen"), (explore, "labelled")):
        work = getattr(room, name)

        def noted(*given, work=work, name=name, **more):
            asked.append(name)
            return work(*given, **more)

        monkeypatch.setattr(room, name, noted)
    app = opened(entry, "documents")
    app = check(field(app.multiselect, "Label").set_value(["Courier"]).run())
    app = check(button(app, "Next").click().run())
    app = check(button(app, "Previous").click().run())
    assert sorted(asked) == ["chosen", "labelled"]


@pytest.mark.second
def test_a_map_draws_some_points_and_counts_all(entry):
    app = choose(opened(entry, "topics"), "topics-view", "Map")
    (figure,) = figures(app)
    rows = [row for trace in figure["data"] for row in numbers(trace["customdata"])]
    assert len(set(rows)) == len(rows) == POINTS
    assert f"Drawn are {POINTS} of the 1,200 texts, taken evenly" in texts(app.caption)
    lines = hover_lines(app)
    assert {row for row, line in enumerate(lines) if line} == set(rows)
    assert len(lines) == N_DOCS
    outline = {"x": [-1e3, 1e3, 1e3, -1e3], "y": [-1e3, -1e3, 1e3, 1e3]}
    at = (entry.run_id, entry.background.latest.step)
    app.session_state["atlas-outline"] = (at, outline)
    app = check(app.run())
    assert "1,200 texts in the outline" in texts(app.markdown)


def numbers(values):
    if isinstance(values, list):
        return values
    data = base64.b64decode(values["bdata"])
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def hover_lines(app):
    (data,) = (
        json.loads(component.proto.json)
        for component in app.get("bidi_component")
        if component.proto.component_name == "bnpexplorer_hover_texts"
    )
    return zlib.decompress(base64.b64decode(data["packed"])).decode().split("\n")


@pytest.mark.second
def test_a_file_made_by_a_page_has_no_more_than_it_says(entry, monkeypatch):
    made = []
    chosen_table = filtering.chosen_table

    def noted(corpus, rows, *more):
        made.append(len(rows))
        return chosen_table(corpus, rows, *more)

    handed = {}
    download = filtering.st.download_button

    def button_of(label, data, **more):
        handed[more["key"]] = (label, data)
        return download(label, data, **more)

    n_topics = len(entry.background.latest.topics)
    monkeypatch.setattr(filtering, "MOST_CELLS", 90 * (n_topics + 7))
    monkeypatch.setattr(filtering, "chosen_table", noted)
    monkeypatch.setattr(filtering.st, "download_button", button_of)
    app = opened(entry, "documents")
    label, data = handed["documents-export"]
    assert label == "Download the first 90 of these 1,200 documents"
    assert f"export {entry.run_id} tables.zip --to csv" in texts(app.caption)
    assert data().count(b"\n") == 91
    assert made == [90]


# ---- opening -------------------------------------------------------------------------------------


def kept(registry, many_texts):
    """A saved run that this server does not know."""
    entry = launch(registry, "lda-svi", many_texts, passes=1, batch_size=300, keep=server.keep)
    registry.stop_all(60)
    server.registry.clear()
    return entry


@pytest.mark.second
def test_a_large_run_is_opened_while_the_page_says_so(registry, many_texts, monkeypatch):
    monkeypatch.setattr(opening, "LARGE", 1)
    monkeypatch.setattr(opening, "PATIENCE", 0.0)
    entry = kept(registry, many_texts)
    go_on, open_saved, by = threading.Event(), server.open_saved, []

    def slow(run_id):
        by.append(threading.current_thread().name)
        assert go_on.wait(NEVER)
        return open_saved(run_id)

    with monkeypatch.context() as patch:
        patch.setattr(server, "open_saved", slow)
        app = go(open_app(run=entry.run_id, own=entry.secret), "documents")
        assert "Opening **lda-svi**: reading" in texts(app.markdown)
        assert app.query_params["run"] == entry.run_id, "the address still names it"
        go_on.set()
        opening.OPENINGS.at_hand(entry.run_id).wait(NEVER)
        app = check(app.run())
    assert by[0] == "opening"
    assert "Opening" not in texts(app.markdown)
    assert any(b.key == "documents-Next" for b in app.button)


def test_a_large_run_that_cannot_be_opened_says_why(registry, many_texts, monkeypatch):
    monkeypatch.setattr(opening, "LARGE", 1)
    monkeypatch.setattr(opening, "PATIENCE", NEVER)
    entry = kept(registry, many_texts)
    (server.library().folder / "runs" / entry.run_id / "standing.zip").write_bytes(b"no zip")
    app = go(open_app(run=entry.run_id, own=entry.secret), "documents")
    assert "cannot be opened" in texts(app.info)
    assert "standing.zip is damaged" in texts(app.info)


@pytest.mark.second
def test_a_small_run_is_opened_at_once(registry, many_texts, monkeypatch):
    entry = kept(registry, many_texts)
    monkeypatch.setattr(opening, "_open", lambda *given: pytest.fail("by a thread"))
    app = go(open_app(run=entry.run_id, own=entry.secret), "documents")
    assert any(b.key == "documents-Next" for b in app.button)


def test_a_page_waits_once_however_much_is_under_way(many_texts, monkeypatch):
    waits, go_on, wait = [], threading.Event(), Doing.wait
    monkeypatch.setattr(in_background, "PATIENCE", 0.2)

    def waited(self, seconds=None):
        waits.append(seconds)
        return wait(self, seconds)

    def page(worked_out, corpus, opening, go_on, never):
        opening.begin()
        for name in ("a list", "which were learned", "the nearest"):
            worked_out(corpus, (name,), lambda: go_on.wait(never), name)

    given = {"worked_out": in_background.worked_out, "opening": opening, "go_on": go_on}
    given |= {"corpus": many_texts.corpus, "never": NEVER}
    monkeypatch.setattr(Doing, "wait", waited)
    app = AppTest.from_function(page, kwargs=given, default_timeout=NEVER)
    try:
        for _ in range(2):  # every look at the page has its own patience
            check(app.run())
            assert len([c for c in app.caption if "Working out" in c.value]) == 3
            assert waits == [0.2, 0.0, 0.0]
            waits.clear()
    finally:
        go_on.set()
