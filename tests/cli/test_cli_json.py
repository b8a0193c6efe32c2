"""Every command that prints results prints them for programs too; what is wrong is one sentence."""

import json

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.checks import CHECKS
from bnpexplorer.cli import check as checking
from bnpexplorer.cli.printing import plain
from bnpexplorer.runs.saved.library import Library
from tests.tools.building import rows_of, work_here, write_csv
from tests.tools.commands import commands

SERVERS = {("app",), ("class",)}
"""They print no result."""
LEARN = ("--method", "lda-svi", "--passes", "1")


@pytest.fixture(scope="module")
def place(tmp_path_factory, request):
    """Two kept runs of one split, a file of each of two seeds, and a corpus on the disk."""
    folder = tmp_path_factory.mktemp("json")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(request.config.rootpath)
        patch.setenv("BNPEXPLORER_HOME", str(folder / "home"))
        patch.setattr("bnpexplorer.plugins.building.crew.Crew.work_on", work_here)
        texts = write_csv(folder / "texts.csv", rows_of(60))
        for name, more in (("first", ()), ("second", ("--batch-size", "16"))):
            assert main(["fit", str(texts), *LEARN, *more, "--keep", name]) == 0
        for seed in ("0", "1"):
            out = ("--out", str(folder / f"seed-{seed}.run"))
            assert main(["fit", str(texts), *LEARN, "--seed", seed, *out]) == 0
        building = ["corpus", "build", str(texts), str(folder / "corpus"), "--threads", "1"]
        assert main(building) == 0
    return folder


@pytest.fixture(autouse=True)
def at_home(place, monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)
    monkeypatch.setenv("BNPEXPLORER_HOME", str(place / "home"))
    monkeypatch.setattr("bnpexplorer.plugins.building.crew.Crew.work_on", work_here)


def asked(place):
    """Command -> arguments, in an order in which they can follow each other."""
    folder = str(place)
    texts, corpus = f"{folder}/texts.csv", f"{folder}/corpus"
    return {
        ("fit",): (texts, *LEARN),
        ("apply",): ("first", texts),
        ("corpus", "build"): (texts, f"{folder}/built", "--threads", "1"),
        ("corpus", "show"): (corpus,),
        ("corpus", "check"): (corpus,),
        ("export",): ("first", f"{folder}/page.html", "--to", "report"),
        ("runs",): (),
        ("runs", "list"): (),
        ("runs", "tag"): ("first", "sea"),
        ("runs", "export"): ("first", f"{folder}/first.zip"),
        ("runs", "rename"): ("second", "two"),
        ("runs", "import"): (f"{folder}/first.zip", "--copy"),
        ("runs", "delete"): ("two",),
        ("runs", "restore"): ("two",),
        ("methods",): (),
        ("check",): ("lda-svi",),
        ("claims",): ("toy", "--path", texts),
        ("compare",): ("first", "two"),
        ("warm",): ("lda-svi",),
        ("doctor",): (),
    }


@pytest.mark.second
def test_all_that_print_results_are_asked_here(place):
    there = dict(commands())
    assert set(there) - SERVERS == set(asked(place))
    for path, parser in there.items():
        has = any("--json" in action.option_strings for action in parser._actions)
        assert has == (path not in SERVERS), path


@pytest.mark.second
def test_every_result_is_one_object_on_standard_output(place, capsys, monkeypatch):
    first = next(iter(checking.checks_of("lda-svi")))
    monkeypatch.setattr(checking, "checks_of", lambda name: [first])
    found = {}
    for path, arguments in asked(place).items():
        capsys.readouterr()
        assert main([*path, *arguments, "--json"]) == 0, path
        out = capsys.readouterr().out
        assert out.count("\n") == 1, path
        found[path] = json.loads(out, parse_constant=pytest.fail)
        assert isinstance(found[path], dict)
    assert found["runs",]["runs"][0]["name"] in ("first", "second")
    assert found["runs",] == found["runs", "list"]
    assert found["runs", "rename"]["name"] == "two"
    assert found["runs", "tag"]["tags"] == ["sea"]
    assert found["runs", "delete"]["restorable"]
    assert found["runs", "restore"]["name"] == "two"
    assert found["corpus", "check"]["sound"]
    built, shown = found["corpus", "build"], found["corpus", "show"]
    assert built["fingerprint"] == shown["fingerprint"]
    assert {row["run"] for row in found["compare",]["runs"]} == {"first", "two"}
    assert found["check",]["checks"][0]["sentence"] == CHECKS[first].sentence
    assert found["claims",]["claims"][0]["name"] == "toy"


def test_json_before_an_action_means_the_same(capsys):
    assert main(["runs", "--json", "list"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"]


def test_runs_are_called_by_name_as_the_list_shows_them(capsys):
    assert main(["runs", "rename", "first", "once"]) == 0
    assert main(["runs", "tag", "once", "hill"]) == 0
    assert main(["runs", "delete", "once"]) == 0
    assert main(["runs", "rename", "once", "again"]) == 2
    assert capsys.readouterr().err.endswith(
        "bnpexplorer: There is no saved run once; `runs` lists them.\n"
    )
    assert main(["runs", "restore", "once"]) == 0
    assert main(["runs", "rename", "once", "first"]) == 0
    assert next(run.tags for run in Library().saved() if run.name == "first") == ("hill",)


def test_a_program_is_told_every_setting_of_every_run_that_is_compared(place, capsys):
    """Those in which they differ, marked, and those in which they do not."""
    library = Library()
    copied = "first (2)"  # by `runs import --copy`, if that was tried before
    kept = {saved.name: saved.run_id for saved in library.saved() if saved.name != copied}
    assert len(kept) == 2
    assert main(["compare", *kept.values(), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["runs"]
    assert {row["run"] for row in rows} == kept.keys()
    for row in rows:
        run = library.load(kept[row["run"]], to_go_on=False)
        settings = {**vars(run.method.model), **vars(run.method)}
        del settings["model"]
        marked = {name for name in row if name.startswith("≠ ")}
        assert marked == {"≠ batch_size"}
        assert row["≠ batch_size"] == run.batch_size
        assert settings.items() <= row.items()


def test_two_seeds_that_cannot_be_compared_are_refused(place, capsys):
    seeds = [str(place / f"seed-{seed}.run") for seed in (0, 1)]
    assert main(["compare", *seeds]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("bnpexplorer: Nothing is compared. seed-0.run and seed-1.run do")
    assert "other documents are held out" in captured.err
    assert "--seed" in captured.err
    assert captured.err.count("\n") == 1
    assert main(["compare", seeds[0], seeds[0]]) == 2
    assert "all of these are one run" in capsys.readouterr().err
    assert main(["compare", seeds[0]]) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["app", "nope"], "app does not know nope; `app --help` says what there is. Options of"),
        (["class", "nope"], "class does not know nope; `class --help` says what there is."),
        (["corpus", "check", "sample_data/small.csv"], "small.csv is a file, and no corpus on the"),
        (["corpus", "show", "sample_data/small.csv"], "give the folder that `corpus build` wrote"),
        (["runs", "rename", "nobody", "x"], "There is no saved run nobody; `runs` lists them."),
        (["runs", "restore", "first"], "There is no deleted run first; `runs` lists them."),
        (["compare", "first", "second", "--csv", "--json"], "not allowed with argument --csv"),
        (["methods", "--markdown", "--json"], "not allowed with argument --markdown"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_starts_nothing(capsys, monkeypatch, arguments, words):
    monkeypatch.setattr("bnpexplorer.cli.app.os.name", "another")
    monkeypatch.setattr("bnpexplorer.cli.app.wait_for", lambda command: pytest.fail("it started"))
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Errno" not in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_values_become_what_json_knows(tmp_path):
    given = {"a": np.float64("nan"), "b": np.arange(2), "c": tmp_path, 3: (True, None, "x")}
    assert plain(given) == {"a": None, "b": [0, 1], "c": str(tmp_path), "3": [True, None, "x"]}
    assert plain([np.inf, -np.inf, np.float32(0.5)]) == [None, None, 0.5]
    with pytest.raises(TypeError, match="object has no form"):
        plain(object())
