"""The Compare page through `app.py`, without a browser; and `compare` on the command line."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.compare import FAILURES, Race, Side, align
from bnpexplorer.compare.rows import ground_of
from bnpexplorer.core import store
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved.library import TakenElsewhere
from bnpexplorer.ui.compare import aligned
from bnpexplorer.ui.compare import choice as compare_choice
from bnpexplorer.ui.frame import server
from tests.tools.pages import button, check, choose, field, figures, go, open_app, small_run, texts


@pytest.fixture(autouse=True)
def nothing_read_before(registry, monkeypatch):
    compare_choice._read_saved.clear()
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")


def open_page(view="Runs", **address):
    return turn_to(go(open_app(**address), "compare"), view)


def turn_to(app, view):
    return choose(app, "compare", view)


def run_of(method="hdp-tsvi", split=0, size=50):
    return small_run(method, split=split, batch_size=size)


def finished(registry, *runs):
    """Runs in the registry that have ended, and the address that owns them."""
    entries = [registry.add(*run) for run in runs]
    for entry in entries:
        entry.background.start()
        assert entry.background.wait(300)
    return {"run": ",".join(e.run_id for e in entries), "own": ",".join(e.secret for e in entries)}


def test_every_view_opens_with_nothing_and_says_what_to_do():
    app = open_page()
    assert "Nothing to compare yet" in texts(app.info)
    assert "No topics to align yet" in texts(turn_to(app, "Topics aligned").info)
    assert button(turn_to(app, "Race"), "Start the race")
    assert button(turn_to(app, "Sweep"), "Start the sweep")
    turn_to(app, "When it fails")
    assert len([b for b in app.button if b.label == "Show it"]) == len(FAILURES) == 5


@pytest.mark.second
def test_runs_are_laid_side_by_side_and_what_differs_is_marked(registry):
    address = finished(registry, run_of(), run_of(size=20))
    app = open_page(**address)
    assert len(figures(app)) == 2
    frame = app.dataframe[-1].value
    assert set(frame["run"]) == {"hdp-tsvi batch size 20", "hdp-tsvi batch size 50"}
    assert list(frame["held-out"]) == sorted(frame["held-out"], reverse=True)
    assert [c for c in frame.columns if c.startswith("≠")] == ["≠ batch_size"]
    assert set(frame["≠ batch_size"]) == {20, 50}
    assert frame["memory, MB"].min() > 0
    assert frame["coherence"].notna().all()
    assert not app.info
    check(field(app.toggle, "All settings").set_value(True).run())
    assert {"gamma", "seed", "burn_in"} <= set(app.dataframe[-1].value.columns)


@pytest.mark.second
def test_other_programs_are_laid_behind_the_runs_where_time_is_the_axis(registry):
    one = run_of()
    ground = ground_of(one[0])
    line = {"program": "theirs", "seed": 0, "split": ground.split, "protocol": ground.protocol}
    lines = [json.dumps({**line, "seconds": s, "score": v}) for s, v in ((0.1, -3.5), (9.0, -3.0))]
    app = open_page(**finished(registry, one), **{"compare-axis": "seconds"})
    assert [drawn["name"] for drawn in figures(app)[0]["data"]] == ["hdp-tsvi"]

    def put(text):
        file = ("quality.jsonl", text.encode(), "application/json")
        check(app.file_uploader[0].upload(*file).run())
        return [drawn["name"] for drawn in figures(app)[0]["data"]]

    assert put("\n".join(lines)) == ["theirs", "hdp-tsvi"]
    assert put("\n".join([*lines, "{"])) == ["hdp-tsvi"]
    assert "Line 3 is not JSON" in texts(app.error)
    assert put(lines[0].replace(ground.split, "other")) == ["hdp-tsvi"]
    assert "no curve of these texts" in texts(app.warning)


@pytest.mark.second
def test_runs_on_another_split_are_left_out_with_the_reason(registry):
    address = finished(registry, run_of(), run_of("hdp-svi"), run_of(split=1))
    app = open_page(**address)
    assert "hdp-tsvi \\#2" in texts(app.info)
    assert "other documents are held out" in texts(app.info)
    assert set(app.dataframe[-1].value["run"]) == {"hdp-tsvi #1", "hdp-svi"}
    ground = field(app.selectbox, "Compare on")
    check(ground.set_value(1).run())
    assert list(app.dataframe[-1].value["run"]) == ["hdp-tsvi #2"]


def test_saved_runs_are_compared_with_those_here(registry):
    run, loaded = run_of("lda-svi")
    while not run.done:
        run.step()
    server.library().keep("saved1", run, loaded.corpus, "finished")
    app = open_page()
    assert list(app.dataframe[-1].value["run"]) == ["lda-svi"]
    assert app.dataframe[-1].value["held-out"][0] == run.history[-1].heldout
    assert not registry.entries(), "only read, not opened"


def kept(name, run_id):
    run, loaded = run_of(name)
    while not run.done:
        run.step()
    server.library().keep(run_id, run, loaded.corpus, "finished")


@pytest.mark.second
def test_a_run_that_is_deleted_while_compared_is_named_and_left_out(registry):
    kept("lda-svi", "one")
    kept("hdp-svi", "two")
    app = open_page()
    assert set(app.dataframe[-1].value["run"]) == {"lda-svi", "hdp-svi"}
    server.library().delete("two")
    check(app.run())
    assert list(app.dataframe[-1].value["run"]) == ["lda-svi"]
    assert "hdp-svi was deleted and is left out" in texts(app.warning)
    server.library().delete("one")
    check(app.run())
    assert "Nothing to compare yet" in texts(app.info)


@pytest.mark.second
def test_what_cannot_be_read_is_named_and_a_single_point_is_drawn(registry):
    kept("lda-svi", "one")
    run, loaded = run_of("hdp-svi")
    run.step()
    server.library().keep("two", run, loaded.corpus, "stopped")
    app = open_page()
    frame = app.dataframe[-1].value.set_index("run")
    assert frame.loc["hdp-svi", "status"] == "saved, unfinished"
    assert len(figures(app)) == 2
    standing = server.library().folder / "runs" / "one" / "standing.zip"
    manifest, arrays = store.read(standing)
    del manifest["history"]  # as a version wrote it that had none
    store.write(standing, manifest, arrays)
    compare_choice._read_saved.clear()
    check(app.run())
    assert "one is damaged" in texts(app.error)
    assert "The other runs are shown" in texts(app.error)
    assert list(app.dataframe[-1].value["run"]) == ["hdp-svi"]


@pytest.mark.second
def test_a_failed_run_is_named_with_or_without_numbers(registry, monkeypatch):
    def fails(*_):
        raise FloatingPointError("no *more* numbers")

    address = finished(registry, run_of())
    run, loaded = run_of("hdp-svi")
    monkeypatch.setattr(type(run.method), "step", fails)
    entry = registry.add(run, loaded)
    entry.background.start()
    assert entry.background.wait(300)
    app = open_page(run=f"{address['run']},{entry.run_id}", own=f"{address['own']},{entry.secret}")
    assert "no \\*more\\* numbers; it has no numbers" in texts(app.error)
    assert list(app.dataframe[-1].value["run"]) == ["hdp-tsvi"]
    app = open_page(run=entry.run_id, own=entry.secret)
    assert "it has no numbers" in texts(app.error)
    assert "first mini-batch" not in texts(app.caption), "it would not come"


@pytest.mark.second
def test_topics_of_two_runs_and_of_two_moments_are_aligned(registry):
    app = open_page("Topics aligned", **finished(registry, run_of(), run_of("hdp-svi")))
    frame = app.dataframe[0].value
    assert set(frame["relation"]) <= {
        "matched",
        "split",
        "merged",
        "only in the first",
        "only in the second",
    }
    assert "matched**" in texts(app.markdown)
    assert len(figures(app)) == 1
    app.session_state["popover-alignment"] = True
    check(app.run())
    distances = app.dataframe[1].value
    matched = frame[frame["relation"] == "matched"].iloc[0]
    first, second = matched.iloc[1], matched.iloc[2]
    row = distances.set_index(distances.columns[0]).loc[first]
    assert row[second] == pytest.approx(matched["distance"], abs=1e-4)
    choose(app, "align-way", "Two moments of one run")
    assert "documents" in app.dataframe[0].value.columns[1]


def test_topics_of_one_name_have_columns_of_their_own():
    rows = np.eye(3, dtype=np.float32)
    side = Side(np.array([4, 7, 9]), rows, np.ones(3))
    first = aligned.Named(side, "one", ("a", "b", "c"))
    second = aligned.Named(side, "other", ("tax", "tax", "war"))
    found = aligned.distance_table(align(side, side), first, second)
    assert list(found.columns) == ["one by other", "tax (4)", "tax (7)", "war"]
    np.testing.assert_allclose(found.iloc[:, 1:], 1.0 - rows)


@pytest.mark.second
def test_a_race_is_run_kept_and_opened_on_live(registry):
    app = open_page("Race")
    check(field(app.number_input, "Passes").set_value(2).run())
    check(button(app, "Start the race").click().run())
    (entry,) = registry.entries()
    assert entry.background.wait(300)
    check(app.run())
    assert "all have read pass 2 of 2 over 144 texts" in app.get("progress")[0].proto.text
    assert len(figures(app)) == 4
    assert not {"Pause", "Step", "Stop"} & {b.label for b in app.button}, "nor a gap for them"
    saved = server.library().saved()
    assert {s.run_id for s in saved} == set(entry.background.run.run_ids)
    check(button(app, "Open its runs on Live").click().run())
    go(app, "live")
    assert [b.disabled for b in app.button if b.label == "Remove"] == [False, False]


@pytest.mark.second
def test_of_an_ended_race_what_was_not_deleted_opens(registry):
    entry = registry.add(FAILURES["truncation-too-low"].race(run_of()[1].corpus), run_of()[1])
    entry.background.run.step()
    server.keep_all(entry, entry.background.run, "stopped")
    entry.background.stop()
    assert entry.background.wait(300)
    address = {"race": entry.run_id, "race-key": entry.secret}
    first, *others = entry.background.run.run_ids
    server.library().delete(first)
    app = open_page("Race", **address)
    check(button(app, "Open its runs on Live").click().run())
    assert list(app.session_state["own"]) == others
    for run_id in others:
        registry.renew(run_id)
        server.library().delete(run_id)
    app = open_page("Race", **address)
    for run_id in others:
        registry._entries.pop(run_id)
    check(button(app, "Open its runs on Live").click().run())
    assert "None of its runs is there" in texts(app.error)


def test_the_others_go_on_where_a_method_fails_in_a_race(registry, monkeypatch):
    train = run_of()[0]
    runs = [
        Run(make_method(name), train.corpus, 0, 50, 2, heldout=train.heldout)
        for name in ("hdp-tsvi", "hdp-svi")
    ]
    step, seen = runs[0].step, []

    def fails():
        seen.append(1)
        if len(seen) > 2:
            raise FloatingPointError("no more numbers")
        step()

    monkeypatch.setattr(runs[0], "step", fails)
    entry = registry.add(Race(runs), run_of()[1])
    entry.background.start()
    assert entry.background.wait(300)
    app = open_page("Race", **{"race": entry.run_id, "race-key": entry.secret})
    assert "all others have read pass 2 of 2 over 144 texts" in app.get("progress")[0].proto.text
    assert "hdp-tsvi stopped with an error: FloatingPointError" in texts(app.error)
    assert len(figures(app)) == 4


def test_a_race_whose_first_run_cannot_be_written_keeps_the_others(registry, monkeypatch):
    loaded = run_of()[1]
    race = FAILURES["truncation-too-low"].race(loaded.corpus)
    entry = registry.add(race, loaded)
    race.step()
    library = server.library()
    whole = library.keep

    def keep(run_id, *what):
        if run_id == race.run_ids[0]:
            raise TakenElsewhere("deleted for good")
        whole(run_id, *what)

    monkeypatch.setattr(library, "keep", keep)
    with pytest.raises(TakenElsewhere):
        server.keep_all(entry, race, "paused")
    assert library.get(race.run_ids[0]) is None
    assert library.get(race.run_ids[1]).facts["docs_seen"] == race.runs[1].docs_seen


@pytest.mark.second
def test_a_run_that_was_renamed_has_its_new_name_here(registry):
    run, loaded = run_of()
    entry = registry.add(run, loaded, server.keep)
    entry.background.start()
    assert entry.background.wait(300)
    app = open_page(run=entry.run_id, own=entry.secret)
    assert set(app.dataframe[-1].value["run"]) == {"hdp-tsvi"}
    run.name = "mine"
    assert set(check(app.run()).dataframe[-1].value["run"]) == {"mine"}


def test_a_race_writes_no_state_that_may_be_half_changed(registry):
    loaded = run_of()[1]
    race = FAILURES["truncation-too-low"].race(loaded.corpus)
    entry, library = registry.add(race, loaded), server.library()

    def seen():
        return [library.get(run_id).facts["docs_seen"] for run_id in race.run_ids]

    race.step()
    server.keep_all(entry, race, "paused")
    before = seen()
    while any(run.docs_seen == n for run, n in zip(race.runs, before, strict=True)):
        race.step()
    server.keep_all(entry, race, "failed")
    assert seen() == before, "the race went wrong in the middle of a step"
    race.failed[1] = "it broke"
    server.keep_all(entry, race, "paused")
    assert seen() == [race.runs[0].docs_seen, *before[1:]]
    assert library.get(race.run_ids[1]).facts["error"] == "it broke"


def test_a_guest_only_watches_a_race(registry):
    failure = FAILURES["truncation-too-low"]
    _, loaded = run_of()
    entry = registry.add(failure.race(loaded.corpus), loaded)
    app = open_page("Race", race=entry.run_id)
    assert failure.title in texts(app.markdown)
    assert "watching only" in texts(app.caption)
    assert not {"Pause", "Stop", "Step"} & {b.label for b in app.button}
    check(button(app, "Another race").click().run())
    assert entry.background.status == "ready"
    app.session_state["race"] = ("gone", "")
    assert "The race gone is no longer on this server" in texts(check(app.run()).info)


def test_a_failure_starts_with_one_click(registry, monkeypatch):
    failure = FAILURES["truncation-too-low"]
    monkeypatch.setattr("bnpexplorer.compare.failures.DOCUMENTS", 300)
    app = open_page("When it fails")
    check(button(app, key=f"failure-{failure.name}").click().run())
    (entry,) = registry.entries()
    assert entry.background.run.title == failure.title
    assert entry.background.wait(300)
    check(app.run())
    assert failure.sentences in texts(app.markdown)


def test_what_does_not_fit_is_refused_and_nothing_starts(registry, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "0")
    app = open_page("When it fails")
    check(button(app, key="failure-truncation-too-low").click().run())
    assert "would need about" in texts(app.error)
    check(button(turn_to(app, "Race"), "Start the race").click().run())
    assert "would need about" in texts(app.error)
    assert not registry.entries()


# ---- the command line ----------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    paths = []
    for i, (name, split, size) in enumerate(
        [("hdp-tsvi", 0, 50), ("hdp-svi", 0, 20), ("hdp-tsvi", 1, 50)]
    ):
        run, _ = run_of(name, split, size)
        while not run.done:
            run.step()
        paths.append(tmp_path / f"run{i}.bnp")
        run.save(paths[-1])
    return [str(path) for path in paths]


@pytest.mark.second
def test_compare_prints_a_table_and_names_what_is_left_out(files, capsys):
    assert main(["compare", *files]) == 0
    out, err = capsys.readouterr()
    assert "run2.bnp is left out: another split" in err
    head, *lines = out.splitlines()[1:]
    assert head.split()[:2] == ["run", "method"]
    assert "≠ batch_size" in head
    assert {line.split()[0] for line in lines[:2]} == {"run0.bnp", "run1.bnp"}
    assert "equal in all: seed 0" in out


@pytest.mark.second
def test_compare_as_csv_has_the_runs_numbers(files, capsys):
    assert main(["compare", "--csv", *files[:2]]) == 0
    rows = {row["run"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    run = Run.load(files[0])
    assert float(rows["run0.bnp"]["held-out"]) == run.history[-1].heldout
    assert rows["run0.bnp"]["≠ batch_size"] == "50"
    assert rows["run1.bnp"]["gamma"] == "5.0"
    assert float(rows["run0.bnp"]["memory, MB"]) == run.memory / 2**20


@pytest.mark.second
def test_compare_takes_saved_runs_by_id_or_name(files, tmp_path, capsys):
    kept("lda-svi", "aaaa")
    kept("hdp-svi", "bbbb")
    server.library().rename("bbbb", "the second")
    assert main(["compare", "aaaa", "the second", files[0]]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split("  ")[0] for line in lines[2:5]} == {"lda-svi", "the second", "run0.bnp"}
    server.library().rename("bbbb", "lda-svi")
    assert main(["compare", "lda-svi"]) == 2
    assert "2 saved runs are called lda-svi; choose by id: " in capsys.readouterr().err
    assert main(["compare", "no such run"]) == 2
    assert "no such run is neither a file nor a saved run" in capsys.readouterr().err


@pytest.mark.second
def test_compare_tells_files_of_one_name_apart(files, tmp_path, capsys):
    (tmp_path / "more").mkdir()
    copy = tmp_path / "more" / "run0.bnp"
    copy.write_bytes(Path(files[1]).read_bytes())
    assert main(["compare", files[0], str(copy)]) == 0
    out = capsys.readouterr().out
    assert files[0] in out
    assert str(copy) in out


@pytest.mark.second
def test_compare_refuses_what_is_no_run(files, tmp_path, capsys):
    bad = tmp_path / "bad.bnp"
    bad.write_text("no run")
    assert main(["compare", files[0], str(bad)]) == 2
    assert "bad.bnp" in capsys.readouterr().err
    assert main(["compare", str(tmp_path / "missing.bnp")]) == 2
    assert "missing.bnp" in capsys.readouterr().err
