"""Compare: which view stands there, saved runs beside those of the page, and the table of all."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from bnpexplorer.compare import Compared, ScoreGround
from bnpexplorer.core.store import StoreError
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.compare import choice, page, side_by_side
from tests.tools.alone import asked, drawn, moment
from tests.tools.pages import texts

GROUND = ScoreGround("the six", 6, 2, "texts", "aaaa1111", "completion", -9.0)


def row(name, settings):
    return Compared(moment(), name, "hdp-tsvi", "finished", GROUND, settings, 0.1)


def test_a_saved_run_has_its_name_and_its_topics_names_of_now(monkeypatch):
    labels, read = Labels({4: "seas"}), []
    saved = SimpleNamespace(name="renamed", labels=labels, updated=7.0, created=1.0, deleted=None)
    monkeypatch.setattr(choice.server, "library", lambda: SimpleNamespace(get=lambda _: saved))
    monkeypatch.setattr(
        choice, "_read_saved", lambda *what: read.append(what) or row("of the file", {})
    )
    _, (found,) = asked(choice._saved, "a")
    assert (found.name, found.moment.labels) == ("renamed", labels)
    assert read == [("a", 7.0)], "as it was saved last"
    saved.deleted = 5.0
    app, (found,) = asked(choice._saved, "a")
    assert found is None
    assert texts(app.warning).startswith("renamed was deleted and is left out;")


@pytest.mark.parametrize(("done", "status"), [(True, "finished"), (False, "saved, unfinished")])
def test_a_run_from_the_disk_is_compared_as_it_was_saved(monkeypatch, done, status):
    at, loaded, compared = moment(), [], []

    def load(run_id, to_go_on):
        loaded.append((run_id, to_go_on))
        return run

    def noted(run, at, *what):
        compared.append((run, *what))
        return replace(row(what[0], {"seed": 3}), moment=at, status=what[1], coherence=what[2])

    run = SimpleNamespace(
        name="of the file", done=done, corpus=at.corpus,
        moment=lambda run_id: replace(at, run_id=run_id),
    )  # fmt: skip
    monkeypatch.setattr(choice.server, "library", lambda: SimpleNamespace(load=load))
    monkeypatch.setattr(choice, "compared", noted)
    monkeypatch.setattr(choice, "coherence_of", lambda *what: -0.75)
    choice._read_saved.clear()
    found = choice._read_saved("from the disk", 7.0)
    assert loaded == [("from the disk", False)]
    assert compared == [(run, "of the file", status, -0.75)]
    assert (found.moment.run_id, found.moment.snapshot) == ("from the disk", at.snapshot)
    assert found.moment.corpus.n_docs == 0, "its texts are not kept"
    assert choice._read_saved("from the disk", 7.0) is found
    assert choice._read_saved("from the disk", 8.0) is not found, "it was saved anew"


@pytest.mark.parametrize(
    ("status", "resting"),
    [("running", False), ("queued", False), ("paused", True), ("finished", True), ("failed", True)],
)
def test_the_coherence_of_a_run_on_the_page_is_taken_when_it_rests(monkeypatch, status, resting):
    at = moment()
    run = SimpleNamespace(
        name="on the page", method=SimpleNamespace(name="hdp-svi"), corpus=at.corpus
    )
    background = SimpleNamespace(run=run, status=status, latest=at.snapshot)
    monkeypatch.setattr(choice.server, "moment_of", lambda entry, snapshot: at)
    monkeypatch.setattr(choice, "coherence_of", lambda *what: -0.75 if what == (run, at) else 0.0)
    monkeypatch.setattr(choice, "ground_of", lambda of: GROUND)
    monkeypatch.setattr(choice, "settings_of", lambda of: {"seed": 3})
    found = choice._live(SimpleNamespace(run_id="it", background=background))
    assert (found.moment, found.name, found.method) == (at, "on the page", "hdp-svi")
    assert (found.status, found.ground, found.settings) == (status, GROUND, {"seed": 3})
    assert found.coherence == pytest.approx(-0.75 if resting else float("nan"), nan_ok=True)
    background.latest = None
    assert choice._live(SimpleNamespace(run_id="it", background=background)) is None


def test_of_runs_that_are_compared_each_that_failed_says_whether_it_has_numbers(monkeypatch):
    rows = {"a": row("same", {"seed": 1}), "b": None, "c": row("same", {"seed": 2})}

    def background(name):
        run = SimpleNamespace(name=f"*{name}*")
        return SimpleNamespace(status="failed" if name != "c" else "paused", run=run, error="No.")

    entries = {name: SimpleNamespace(run_id=name, background=background(name)) for name in rows}
    monkeypatch.setattr(
        choice.server, "registry", lambda: SimpleNamespace(get=lambda name: entries.get(name))
    )

    def damaged(run_id):
        raise StoreError("It is *damaged*.")

    monkeypatch.setattr(choice, "_live", lambda entry: rows[entry.run_id])
    monkeypatch.setattr(choice, "_saved", damaged)
    app, (found,) = asked(choice.read_runs, ["a", "b", "saved", "c"])
    assert [e.value for e in app.error] == [
        "\\*a\\* stopped with an error: No; its numbers until then are shown.",
        "\\*b\\* stopped with an error: No; it has no numbers.",
        "It is \\*damaged\\*. The other runs are shown.",
    ]
    assert [one.name for one in found] == ["same seed 1", "same seed 2"]


@pytest.mark.parametrize("whole", [False, True])
def test_the_file_has_every_setting_and_the_table_says_which_are_equal(monkeypatch, whole):
    files = []
    monkeypatch.setattr(
        side_by_side.st, "download_button", lambda label, data, *_, **__: files.append(data)
    )
    monkeypatch.setattr(side_by_side, "csv_bytes", lambda frame: list(frame.columns))
    monkeypatch.setattr(
        side_by_side, "table_of",
        lambda rows, all_settings=False: {"run": ["a", "b"], "≠ seed": [1, 2]}
        | ({"batch": [8, 8]} if all_settings else {}),
    )  # fmt: skip
    some = [row("a", {"seed": 1, "batch": 8}), row("b", {"seed": 2, "batch": 8})]
    app = drawn(side_by_side._table, some, compare_all_settings=whole)
    shown = ["run", "≠ seed", *["batch"] * whole]
    assert list(app.dataframe[0].value.columns) == shown
    assert files[-1]() == ["run", "≠ seed", "batch"]
    said = texts(app.caption)
    assert said.startswith("Shaded and marked ≠: settings in which these runs differ. Equal in all")
    assert "Equal in all: batch 8. " in said
    alone = texts(drawn(side_by_side._table, some[:1]).caption)
    assert alone.startswith("Equal in all: seed 1, batch 8. ")


@pytest.mark.parametrize(
    ("embedded", "named", "presents", "went"),
    [
        (True, True, False, ["race"]),
        (True, False, False, ["missing", "Runs"]),
        (False, True, False, ["missing", "Runs"]),
        (False, True, True, []),
    ],
)
def test_a_frame_of_a_race_has_the_race_alone(monkeypatch, embedded, named, presents, went):
    noted = []
    monkeypatch.setattr(page, "presented", lambda: presents)
    monkeypatch.setattr(page.look, "is_embedded", lambda: embedded)
    monkeypatch.setattr(page, "race_view", lambda: noted.append("race"))
    monkeypatch.setattr(page, "say_missing", lambda: noted.append("missing"))
    monkeypatch.setattr(page, "VIEWS", {"Runs": lambda: noted.append("Runs")})

    def at_its_address():
        if named:
            page.st.query_params["race"] = "a"
        page.page()

    app = drawn(at_its_address)
    assert noted == went
    assert bool(app.title) == ("missing" in went)
