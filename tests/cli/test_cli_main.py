"""What every command has in common: exit statuses, refusals, letters, details, forms of results."""

import argparse
import io
import json
import logging
import time
from datetime import date
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer import Plan, Run, load
from bnpexplorer.__main__ import main
from bnpexplorer.cli import app
from bnpexplorer.cli.printing import Out, in_columns, kind_said
from bnpexplorer.cli.runs import _line
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.bundle import versions
from bnpexplorer.runs.saved.library import Library

CSV = "sample_data/small.csv"


@pytest.fixture(autouse=True)
def at_home(monkeypatch, request, tmp_path):
    monkeypatch.chdir(request.config.rootpath)
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "home"))


@pytest.fixture
def does(monkeypatch):
    """Lets the command `doctor` do something else."""

    def let(work):
        monkeypatch.setattr("bnpexplorer.cli.doctor.doctor", lambda options: work())

    return let


def learned(plan: Plan, steps: int = 10**6) -> Run:
    run = plan.split_and_start(load(CSV))
    while not run.done and run.n_steps < steps:
        run.step()
    return run


# ---- of every command ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "status", "said"),
    [
        (ValueError("It is too long."), 2, "It is too long."),
        (OSError(28, "Disk full", "a.run"), 2, "a.run cannot be used (Disk full)."),
        (OSError(28, "Disk full"), 2, "Disk full."),
        (OSError("no word of why"), 2, "no word of why."),
        (KeyboardInterrupt(), 130, "stopped."),
    ],
)
def test_what_ends_a_command_is_one_sentence_and_a_status(does, capsys, problem, status, said):
    def fails():
        raise problem

    does(fails)
    assert main(["doctor"]) == status
    assert capsys.readouterr() == ("", f"bnpexplorer: {said}\n")


def test_details_of_our_own_errors_are_printed_and_those_of_bad_input_are_not(does, capsys):
    def work():
        log = logging.getLogger("bnpexplorer.corpus.readers")
        log.error("The file is damaged.")
        log.critical("A name is missing in %s.", "line 7")
        return 5

    does(work)
    assert main(["doctor"]) == 5
    assert capsys.readouterr() == ("", "A name is missing in line 7.\n")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_letters_that_an_output_does_not_know_are_written_as_numbers(does, monkeypatch, stream):
    file = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(f"sys.{stream}", file)
    does(lambda: print("λ é", file=file) or 0)
    assert main(["doctor"]) == 0
    file.flush()
    assert file.buffer.getvalue().splitlines() == [rb"\u03bb " + b"\xe9"]


def test_the_first_word_that_a_command_does_not_know_is_named(capsys):
    assert main(["fit", CSV, "--colour", "--size"]) == 2
    assert capsys.readouterr().err == (
        "bnpexplorer: fit does not know --colour; `fit --help` says what there is.\n"
    )


def test_ctrl_c_leaves_the_app_the_time_to_end_in_good_order(monkeypatch):
    """However often it is pressed: the exit status is that of the app."""
    begun, ends = [], iter([KeyboardInterrupt(), KeyboardInterrupt(), 7])

    def wait():
        found = next(ends)
        if isinstance(found, KeyboardInterrupt):
            raise found
        return found

    process = SimpleNamespace(wait=wait)
    monkeypatch.setattr(app.subprocess, "Popen", lambda command: begun.append(command) or process)
    assert app.wait_for(["python", "slow.py"]) == 7
    assert begun == [["python", "slow.py"]]


def test_a_program_gets_the_letters_themselves(capsys):
    Out(argparse.Namespace(json=True)).give({"λόγος": "日本 é"})
    assert capsys.readouterr().out == '{"λόγος": "日本 é"}\n'


def test_columns_are_as_wide_as_their_longest_entry():
    rows = [["a", "bcd", "e"], ["fgh", "i", "jk"]]
    assert in_columns(rows, [True, False, True]) == ["  a  bcd   e", "fgh  i    jk"]
    assert in_columns(rows, [False, True, False]) == ["a    bcd  e", "fgh    i  jk"]


@pytest.mark.parametrize("name", ["page.html", "PAGE.HTML", "a.b.Html"])
def test_a_name_that_tells_the_kind_needs_no_word(name, tmp_path):
    assert kind_said(tmp_path / name, ".html", "an HTML page") == ""
    assert kind_said(tmp_path / name, ".zip", "a .zip with tables") == (
        " (this is a .zip with tables, though the name does not end in .zip)"
    )


# ---- saved runs ----------------------------------------------------------------------------------


@pytest.mark.second
def test_what_differs_where_a_run_was_made_is_said_when_it_is_imported(
    capsys, tmp_path, monkeypatch
):
    library, file = Library(), tmp_path / "mine.zip"
    run = learned(Plan.of("lda-svi", batch_size=50, passes=2, n_heldout=15), steps=2)
    library.keep("mine", run, load(CSV), "paused")
    library.rename("mine", "half")
    with monkeypatch.context() as there:
        there.setattr(bundle, "versions", lambda: {**versions(), "numpy": "0.9"})
        assert main(["runs", "export", "mine", str(file)]) == 0
    library.forget(["mine"])
    capsys.readouterr()
    assert main(["runs", "import", str(file)]) == 0
    (saved,) = library.saved()
    note = bundle.read(file).note
    assert f"numpy 0.9 (here {np.__version__})" in note
    assert (
        capsys.readouterr().out
        == f"{saved.run_id}: half, 100 of 145 texts in pass 1 of 2\n{note}\n"
    )


@pytest.mark.second
def test_a_program_is_told_whether_a_deleted_run_can_be_restored(capsys):
    library = Library()
    run = learned(Plan.of("lda-svi"), steps=1)
    for run_id in ("sound", "broken"):
        library.keep(run_id, run, load(CSV), "paused")
        library.rename(run_id, f"my {run_id}")
    (library.folder / "runs" / "broken" / "row.json").write_text("{")
    told = []
    for run_id in ("sound", "broken"):
        assert main(["runs", "delete", run_id, "--json"]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told == [
        {"id": "sound", "name": "my sound", "restorable": True},
        {"id": "broken", "restorable": False},
    ]
    assert [run.run_id for run in library.saved(deleted=True)] == ["sound"]
    assert library.damaged() == []


def test_the_disk_that_is_used_counts_deleted_runs_and_its_limit_is_told(capsys, monkeypatch):
    monkeypatch.setattr(Library, "n_bytes", 1234 * 2**20)
    monkeypatch.setattr("bnpexplorer.cli.runs.disk_limit", lambda: 5678 * 2**20)
    assert main(["runs"]) == 0
    folder = Library().folder
    assert capsys.readouterr().out.endswith(f"\n\n1,234.0 MB of 5,678 MB in {folder}\n")
    assert main(["runs", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["bytes"], facts["limit_bytes"]) == (1234 * 2**20, 5678 * 2**20)


@pytest.mark.second
def test_a_comparison_says_whether_each_run_has_ended_not_how_much_it_has_read(capsys, tmp_path):
    """One ended with its minutes, one with its passes, one stands in the middle."""
    plan = Plan.of("lda-svi", batch_size=50, passes=3, n_heldout=15)
    runs = {
        "minutes": learned(Plan.of("lda-svi", batch_size=50, passes=3, n_heldout=15, minutes=1e-9)),
        "passes": learned(plan),
        "middle": learned(plan, steps=5),
    }
    assert runs["minutes"].done
    assert runs["minutes"].docs_seen < runs["minutes"].planned_docs
    files = []
    for name, run in runs.items():
        files.append(str(tmp_path / f"{name}.run"))
        run.save(files[-1])
    assert main(["compare", *files, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["runs"]
    assert {row["run"]: row["status"] for row in rows} == {
        "minutes.run": "finished",
        "passes.run": "finished",
        "middle.run": "unfinished",
    }


def test_long_names_of_a_run_and_of_its_texts_leave_the_columns_where_they_are():
    letters = "abcdefghijklmnopqrstuvwxyz"
    facts = {"method": "hdp-svi", "corpus": letters.upper(), "heldout": None, "n_topics": 17}
    when = time.mktime((2031, 2, 3, 4, 5, 0, 0, 0, -1))
    run = SimpleNamespace(
        run_id="3f",
        name=letters,
        facts=facts,
        updated=when,
        progress=0.375,
        n_bytes=9.5 * 2**20,
        tags=("sea", "hill"),
    )
    assert _line(run) == (
        "3f          abcdefghijklmnopqrst hdp-svi        ABCDEFGHIJKLMNOPQRSTUVWX          "
        "    17  38 % 2031-02-03 04:05    9.5  sea hill"
    )


@pytest.mark.second
def test_a_report_of_the_command_line_says_on_which_day_it_was_made(monkeypatch, tmp_path):
    file, out = tmp_path / "mine.run", tmp_path / "mine.html"
    learned(Plan.of("lda-svi", values={"n_topics": 4}, passes=1)).save(file)
    monkeypatch.setattr(
        "bnpexplorer.cli.export.date", SimpleNamespace(today=lambda: date(2031, 2, 3))
    )
    assert main(["export", str(file), str(out), "--to", "report"]) == 0
    assert "Made on 2031-02-03." in out.read_text(encoding="utf-8")
