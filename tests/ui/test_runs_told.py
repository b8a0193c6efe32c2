"""The Runs page by direct call: what its table and its lines say of each run, and when a button is
offered. Every run here is unlike the others."""

import contextlib
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
import streamlit as st

from bnpexplorer.core.store import StoreError
from bnpexplorer.runs import limits
from bnpexplorer.runs.saved.room import Room
from bnpexplorer.runs.saved.rows import USUAL, Saved
from bnpexplorer.ui.frame import access, holding, link, server, session
from bnpexplorer.ui.frame.words import plain
from bnpexplorer.ui.runs import around, table

MB = 1024 * 1024
EXPORT = table._export


def saved(run_id, status="paused", corpus="news", tags=(), chain=None, error="", **facts):
    said = {"status": status, "corpus": corpus, "method": f"method of {run_id}", "heldout": None}
    said |= {"error": error} if error else {}
    said |= {"chain": chain} if chain else {}
    return Saved(
        run_id,
        f"run *{run_id}*",
        f"{corpus}-key",
        facts.pop("created", 0.0),
        facts.pop("updated", 5.0),
        {**USUAL, **said, **facts},
        tags,
        n_bytes=facts.pop("n_bytes", 0),
    )


CHAIN = {"group": "g", "place": 1, "of": 4, "sentence": "They *agree*."}


@pytest.fixture
def page(monkeypatch):
    """What is drawn, and what the server knows: entries and races by a run's identity."""
    found = SimpleNamespace(
        buttons={}, captions=[], markdown=[], info=[], warning=[], error=[], popovers={}, pressed=()
    )
    found.entries, found.races, found.taken, found.unread = {}, {}, {}, set()

    def button(label, *_, key="", disabled=False, on_click=None, args=(), **__):
        found.buttons[label] = not disabled
        return label in found.pressed and not disabled

    def popover(label, *_, disabled=False, **__):
        found.popovers[label] = not disabled
        return contextlib.nullcontext()

    monkeypatch.setattr(st, "button", button)
    monkeypatch.setattr(st, "popover", popover)
    monkeypatch.setattr(st, "container", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(st, "expander", lambda label, **__: contextlib.nullcontext(label))
    for kind, words in (("caption", found.captions), ("markdown", found.markdown)):
        monkeypatch.setattr(st, kind, lambda said, *_, words=words, **__: words.append(said))
    for kind in ("info", "warning", "error"):
        words = getattr(found, kind)
        monkeypatch.setattr(st, kind, lambda said, *_, words=words, **__: words.append(said))
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(server, "registry", lambda: SimpleNamespace(get=found.entries.get))
    monkeypatch.setattr(server, "race_of", found.races.get)
    monkeypatch.setattr(holding, "why_not", lambda run_id: found.taken.get(run_id, ""))
    monkeypatch.setattr(access, "may_read", lambda run_id: run_id not in found.unread)
    monkeypatch.setattr(table, "_name_and_tags", lambda chosen: None)
    monkeypatch.setattr(table, "_export", lambda run: None)
    return found


def entry(status):
    return SimpleNamespace(background=SimpleNamespace(status=status))


# ---- the table -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("of", "here", "race", "words"),
    [
        ({"status": "paused"}, None, None, "paused"),
        ({"status": "running"}, None, None, "interrupted"),
        ({"status": "queued"}, None, None, "interrupted"),
        ({"status": "finished"}, None, None, "finished"),
        ({"status": "running"}, "paused", None, "paused"),
        ({"status": "stopped"}, "paused", None, "stopped"),
        ({"status": "stopped"}, "running", None, "learning"),
        ({"status": "paused"}, "queued", None, "waiting in line"),
        ({"status": "running"}, None, "running", "learning, in a race"),
        ({"status": "running"}, "paused", "running", "paused"),
        ({"status": "running", "chain": CHAIN}, None, "paused", "paused, chain 2 of 4"),
        ({"status": "paused", "chain": CHAIN}, None, None, "paused, chain 2 of 4"),
    ],
)
def test_where_a_run_stands(page, of, here, race, words):
    row = saved("a", **of)
    page.entries.update({"a": entry(here)} if here else {})
    page.races.update({"a": entry(race)} if race else {})
    assert table.status_of(row) == words


def test_a_failure_is_told_until_the_run_goes_on(page):
    row = saved("a", "failed", error="no more numbers.", step=1200)
    words = "stopped with an error: no more numbers. Resume goes on from step 1,200."
    assert table.status_of(row) == words
    for status, said in (("failed", words), ("paused", words), ("running", "learning")):
        page.entries["a"] = entry(status)
        assert table.status_of(row) == said


def test_every_column_has_the_numbers_of_its_own_run(page):
    one = saved(
        "a",
        "paused",
        "news",
        ("x", "y"),
        docs_seen=30,
        planned_docs=120,
        heldout=-7.25,
        n_topics=9,
        seed=3,
        protocol="completion",
        updated=86_400.0,
        n_bytes=3 * MB,
    )
    other = saved("b", "finished", "poems", docs_seen=7, planned_docs=9, n_topics=4, seed=8)
    found = table.table([one, other])
    assert found["name"].tolist() == ["run *a*", "run *b*"]
    assert found["progress"].tolist() == [25.0, 100.0]
    assert found["method"].tolist() == ["method of a", "method of b"]
    assert found["texts"].tolist() == ["news", "poems"]
    assert found["held-out"].tolist() == [-7.25, pd.NA]
    assert found["topics"].tolist() == [9, 4]
    assert found["tags"].tolist() == [["x", "y"], []]
    assert found["seed"].tolist() == [3, 8]
    assert found["scored by"].tolist() == ["completion", ""]
    assert found["saved"].dt.strftime("%Y-%m-%d").tolist() == ["1970-01-02", "1970-01-01"]
    assert set(table.columns()) == set(found.columns)


def test_filters_keep_runs_with_all_tags_of_one_of_the_texts(page, monkeypatch):
    runs = [
        saved("a", corpus="news", tags=("x", "y")),
        saved("b", corpus="poems", tags=("x",)),
        saved("c", corpus="tweets", tags=("y", "x")),
        saved("d", corpus="news"),
    ]
    chosen, asked = {}, {}

    def multiselect(label, options, key):
        asked[key] = options
        return chosen.get(key, [])

    place = SimpleNamespace(multiselect=multiselect)
    monkeypatch.setattr(st, "columns", lambda n: (place, place))

    def kept(**wanted):
        chosen.clear()
        chosen.update({f"runs-{name}": value for name, value in wanted.items()})
        return "".join(run.run_id for run in table.filtered(runs))

    assert kept() == "abcd"
    assert asked == {"runs-tags": ["x", "y"], "runs-texts": ["news", "poems", "tweets"]}
    assert kept(tags=["x"]) == "abc"
    assert kept(tags=["x", "y"]) == "ac"
    assert kept(texts=["news"]) == "ad"
    assert kept(texts=["news", "poems"], tags=["x"]) == "ab"
    asked.clear()
    assert table.filtered(runs[3:]) == runs[3:]
    assert asked == {}, "there is no choice"


def test_where_no_run_passes_the_filters_it_is_said(page):
    assert table.chosen_from([]) == []
    assert page.info == ["No run has these tags and texts; take a filter away."]


@pytest.mark.parametrize(("n", "height"), [(2, "content"), (11, "content"), (12, 460)])
def test_the_newest_run_stands_first_and_ticks_go_by_the_run(page, monkeypatch, n, height):
    """By when it was begun; a run that a filter hides stays ticked."""
    runs = [saved(f"{i:02d}", created=float(i), updated=100.0 - i) for i in range(n)]
    drawn = {}
    monkeypatch.setattr(st, "dataframe", lambda frame, **more: drawn.update(more, frame=frame))
    st.session_state[table.TICKED] = ["00", "hidden"]
    chosen = table.chosen_from(runs)
    assert drawn["frame"]["name"].tolist() == [run.name for run in runs[::-1]]
    assert drawn["selection_default"] == {"selection": {"rows": [n - 1]}}
    assert chosen == runs[:1]
    assert drawn["height"] == height
    st.session_state[drawn["key"]] = {"selection": {"rows": [0]}}
    drawn["on_select"]()
    assert st.session_state[table.TICKED] == ["hidden", f"{n - 1:02d}"]


# ---- what can be done ----------------------------------------------------------------------------

ONE, TWO, OTHER = saved("a", docs_seen=1, planned_docs=9), saved("b"), saved("c", corpus="poems")
DONE = saved("d", "finished")
ALL = {"Open", "Resume", "Delete", "Name and tags", "Export"}


def offered(page, chosen):
    page.buttons.clear()
    page.popovers.clear()
    page.captions.clear()
    table.actions(chosen)
    return {words for words, on in {**page.buttons, **page.popovers}.items() if on}


@pytest.mark.parametrize(
    ("chosen", "there", "said"),
    [
        ([], set(), "Tick a row to act on it; several to compare them."),
        ([ONE], ALL, "Ticked: run \\*a\\*"),
        ([DONE], ALL - {"Resume"}, "Ticked: run \\*d\\*"),
        (
            [TWO, ONE],
            (ALL - {"Open", "Export"}) | {"Open 2 together"},
            "Ticked: run \\*b\\*, run \\*a\\*",
        ),
        (
            [ONE, OTHER],
            {"Delete", "Name and tags"},
            "Runs of different texts do not compare: tick runs of the same texts to open.",
        ),
    ],
)
def test_what_is_offered_for_the_rows_that_are_ticked(page, chosen, there, said):
    assert offered(page, chosen) == there
    assert page.captions == [said]


def test_what_somebody_else_has_is_opened_and_nothing_more(page):
    page.taken["b"] = "is somebody else's run: to watch only"
    assert offered(page, [ONE, TWO]) == {"Open 2 together"}
    assert page.captions == ["run \\*b\\* is somebody else's run: to watch only."]
    page.unread.add("b")
    assert offered(page, [TWO]) == {"Open"}
    page.taken.clear()
    assert offered(page, [TWO]) == ALL - {"Export"}, "its texts are not this tab's"


def test_a_run_of_a_race_that_goes_on_is_not_opened(page):
    page.races["b"] = entry("running")
    assert "Open 2 together" not in offered(page, [ONE, TWO])


def test_chains_are_reached_from_each_of_them_and_only_from_one_set(page):
    chain, another = saved("e", chain=CHAIN), saved("f", chain={**CHAIN, "group": "h"})
    assert "See all chains" in offered(page, [chain])
    assert page.captions == ["Ticked: run \\*e\\*, one of 4 chains. They \\*agree\\*."]
    assert "See all chains" in offered(page, [chain, ONE])
    assert "See all chains" not in offered(page, [chain, another])
    assert "See all chains" not in offered(page, [ONE])


def test_a_failed_run_that_is_ticked_says_why(page):
    failed = saved("g", "failed", error="no more *numbers*")
    offered(page, [failed])
    assert page.captions == [
        "Ticked: run \\*g\\* stopped with an error: no more \\*numbers\\*. Resume goes on from "
        "where it was saved last."
    ]


def test_the_names_of_many_are_cut(page):
    many = [saved(f"a-long-name-{i}") for i in range(9)]
    offered(page, many)
    (said,) = page.captions
    names = ", ".join(run.name for run in many)
    assert said.replace("\\", "").replace("\u2060", "") == f"Ticked: {names[:70]}"


def test_the_button_opens_or_goes_on(page, monkeypatch):
    opened = []
    monkeypatch.setattr(
        table, "open_runs", lambda chosen, resume=False: opened.append((chosen, resume))
    )
    for words, resume in (("Open", False), ("Resume", True)):
        page.pressed = (words,)
        table.actions([ONE])
        assert opened.pop() == ([ONE], resume)


@pytest.mark.parametrize("status", ["paused", "running"])
def test_a_file_is_made_by_one_click_and_fetched_by_the_next(page, monkeypatch, status):
    """Of a run that learns as it was saved last, which is said."""
    files = []
    monkeypatch.setattr(st, "checkbox", lambda *_, **__: True)
    monkeypatch.setattr(table, "_exported", lambda *asked: repr(asked).encode() + b"x" * 3 * MB)
    monkeypatch.setattr(
        st, "download_button", lambda words, data, name, *_, **__: files.append((words, name))
    )
    page.entries["a"] = entry(status)
    EXPORT(ONE)
    assert files == []
    page.pressed = ("Make the .zip",)
    EXPORT(ONE)
    assert files == [("Download 3.0 MB", "run--a-a.zip")]
    assert st.session_state["runs-zip"][1].startswith(b"('a', True)")
    learns = "It is learning: the file holds it as it was saved last. Pause it first to have all"
    assert [said.startswith(learns) for said in page.captions] == [True] * 2 * (status == "running")


def test_a_file_that_was_made_is_not_offered_for_another_wish(page, monkeypatch):
    """Neither with the texts when it was made without, nor of another run or an older moment."""
    files, with_text = [], [False]
    monkeypatch.setattr(st, "checkbox", lambda *_, **__: with_text[0])
    monkeypatch.setattr(table, "_exported", lambda *asked: b"x")
    monkeypatch.setattr(st, "download_button", lambda *_, **__: files.append(1))
    page.entries["a"] = entry("paused")
    page.pressed = ("Make the .zip",)
    EXPORT(ONE)
    page.pressed = ()
    for run, texts, offered in (
        (ONE, True, 0),
        (ONE, False, 1),
        (replace(ONE, updated=ONE.updated + 1.0), False, 0),
        (replace(ONE, run_id="b"), False, 0),
    ):
        with_text[0] = texts
        files.clear()
        EXPORT(run)
        assert len(files) == offered


# ---- around the table ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("taken", "limit", "caption", "warning"),
    [
        (0, 100, "0.0 MB of 100 MB.", ""),
        (79, 100, "79.0 MB of 100 MB.", ""),
        (80, 100, "", "80.0 MB of 100 MB. Soon no new run can be saved."),
        (2500, 3000, "", "2,500.0 MB of 3,000 MB. Soon no new run can be saved."),
        (100, 100, "", "100.0 MB of 100 MB. No new run can be saved."),
    ],
)
def test_the_disk_is_said_and_a_warning_when_it_is_nearly_full(
    page, monkeypatch, taken, limit, caption, warning
):
    library = SimpleNamespace(
        room=lambda is_lecturers: Room(taken * MB, limit * MB), writable=True, folder="/home/me"
    )
    monkeypatch.setattr(server, "library", lambda: library)
    monkeypatch.setenv(limits.SHARED, "")
    around.disk_use()
    begins = "Saved runs and their texts in /home/me take "
    assert page.captions == ([begins + caption] if caption else [])
    after = (
        " Delete runs and empty the deleted ones, or start the server with a larger "
        "BNPEXPLORER_DISK_MB."
    )
    assert page.warning == ([begins + warning + after] if warning else [])


def test_deleted_runs_say_how_large_they_are_and_how_long_they_stay(page, monkeypatch):
    days = {"a": 6.6, "b": 0.2}
    monkeypatch.setattr(server, "library", lambda: SimpleNamespace(days_left=days.get))
    monkeypatch.setenv(limits.SHARED, "1")
    around.deleted_runs(
        [saved("a", corpus="my *news*", n_bytes=3 * MB), saved("b", n_bytes=MB // 2)]
    )
    assert page.markdown == [
        "run \\*a\\* · my \\*news\\* · 3.0 MB · 7 days left",
        "run \\*b\\* · news · 0.5 MB · 0 days left",
    ]


def test_what_cannot_be_shown_says_why_and_how_much_it_takes(page, monkeypatch):
    one = SimpleNamespace(run_id="a", why="its row is *gone*", n_bytes=5 * MB // 2)
    monkeypatch.setattr(holding, "damaged_runs", lambda: [one])
    monkeypatch.setattr(server, "library", lambda: SimpleNamespace(discard=str))
    around.damaged_runs()
    assert page.markdown == ["The run a cannot be shown: its row is \\*gone\\*. It takes 2.5 MB."]


@pytest.mark.parametrize(
    ("deleted", "said"),
    [
        ([("a", "my *run*")], "Deleted: my \\*run\\*"),
        ([("a", "one"), ("b", "two")], "Deleted: 2 runs"),
    ],
)
def test_what_was_deleted_last_is_named_with_a_way_back(page, deleted, said):
    st.session_state["runs-deleted"] = deleted
    st.session_state["runs-problem"] = "The *disk* is full."
    for _ in range(2):
        around.undo_bar()
    assert page.markdown == [said] * 2
    assert page.error == ["The \\*disk\\* is full."], "it is said once"
    assert page.buttons == {"Undo": True}


def test_nothing_deleted_leaves_nothing_to_undo(page):
    around.undo_bar()
    assert page.markdown == []
    assert page.buttons == {}


@pytest.fixture
def on_the_page(page, monkeypatch):
    """Runs that an opening puts on the page, and which of them were let go on."""
    found = SimpleNamespace(put=[], gone_on=[], taken_up=[], to=[])
    backgrounds = {
        name: SimpleNamespace(status=status)
        for name, status in (("rests", "paused"), ("ended", "finished"), ("theirs", "paused"))
    }
    shown = [
        SimpleNamespace(owned=name != "theirs", entry=SimpleNamespace(background=background))
        for name, background in backgrounds.items()
    ]
    monkeypatch.setattr(session, "shown_runs", lambda: shown)
    monkeypatch.setattr(holding, "put_on_page", found.put.append)
    monkeypatch.setattr(holding, "take_up_again", lambda run: found.taken_up.append(run.run_id))
    monkeypatch.setattr(around.pages, "go_to", found.to.append)
    names = {id(background): name for name, background in backgrounds.items()}
    monkeypatch.setattr(link, "go_on", lambda run: found.gone_on.append(names[id(run)]))
    return found


def test_runs_that_are_opened_rest_and_those_that_are_resumed_go_on(on_the_page):
    around.open_runs([ONE, TWO])
    assert (on_the_page.taken_up, on_the_page.gone_on) == ([], [])
    around.open_runs([TWO, ONE], resume=True)
    assert on_the_page.put == [["a", "b"], ["b", "a"]]
    assert on_the_page.taken_up == ["b", "a"]
    assert on_the_page.gone_on == ["rests"], "neither what has ended nor somebody else's"
    assert on_the_page.to == ["live", "live"]


def test_what_cannot_be_opened_is_said_and_nothing_goes_on(on_the_page, page, monkeypatch):
    def refuse(run_ids):
        raise StoreError("The *run* is damaged.")

    monkeypatch.setattr(holding, "put_on_page", refuse)
    around.open_runs([ONE], resume=True)
    assert page.error == ["The \\*run\\* is damaged."]
    assert (on_the_page.gone_on, on_the_page.to) == ([], [])


@pytest.mark.parametrize("there", [True, False])
def test_chains_that_are_not_there_any_more_are_said(page, monkeypatch, there):
    asked = []
    monkeypatch.setattr(session, "open_chains", lambda *what: asked.append(what) or there)
    around.open_chains("g", owned=False)
    assert asked == [("g", False)]
    said = "The other chains are not here; those deleted within a week can come back."
    assert page.error == ([] if there else [said])


@pytest.mark.parametrize(
    ("problem", "stays"), [(StoreError("It is *damaged*."), True), (ValueError("No room."), False)]
)
def test_a_file_that_is_no_run_stays_refused_and_one_without_room_is_tried_again(
    page, monkeypatch, problem, stays
):
    def refuse(*_):
        raise problem

    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "file_uploader", lambda *_, **__: SimpleNamespace(name="a", file_id=7))
    monkeypatch.setattr(st, "spinner", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(around, "_import", refuse)
    around.importing()
    assert page.error == [plain(problem)]
    said = {"runs-file-said": around.Said(7, "It is *damaged*.")} if stays else {}
    assert st.session_state == said
