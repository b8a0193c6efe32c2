"""The command line: clear errors, and what it tells of methods and of the installation."""

import io
import re
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer import METHODS
from bnpexplorer.__main__ import main
from bnpexplorer.cli import methods
from bnpexplorer.kernels.cache import CACHE_FOLDER

CSV = "sample_data/small.csv"


@pytest.fixture(autouse=True)
def in_repository(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "no-such-file.csv"], "no-such-file.csv"),
        (["fit", "sample:nothing"], "no sample 'nothing'"),
        (["fit", CSV, "--text", "body"], "body"),
        (["fit", CSV, "--set", "eta"], "NAME=VALUE"),
        (["fit", CSV, "--set", "colour=1"], "no setting 'colour'"),
        (["fit", CSV, "--set", "eta=-1"], "eta must lie in the range"),
        (["fit", CSV, "--preset", "best"], "no preset 'best'"),
        (["fit", CSV, "--passes", "0"], "passes must be at least 1"),
        (["fit", CSV, "--batch-size", "0"], "batch_size must be at least 1"),
        (["fit", CSV, "--seed", "-1"], "--seed must be 0 or more"),
        (["fit", CSV, "--heldout", "100000"], "at most"),
        (["fit", CSV, "--heldout", "-5"], "--heldout must be 0 or more; got -5"),
        (["fit", CSV, "--stream", "--passes", "2"], "--passes 2 would read it again"),
        (["fit", CSV, "--keep", " "], "--keep needs a name"),
        (["fit", CSV, "--out", ""], "has no name"),
        (["fit", CSV, "--out", "tests"], "tests is a folder"),
        (["fit", CSV, "--out", "/dev/null", "--force"], "/dev/null is a device"),
        (["fit", CSV, "--method", "hdp-magic"], "'hdp-splitmerge'"),
        (["fit", CSV, "--colour", "red"], "fit does not know --colour; `fit --help`"),
        (["fit"], "required: path; `fit --help`"),
        (["runs", "lst"], "'restore'"),
        (["fot"], "'claims', 'compare'"),
        (["--fast"], "does not know --fast; `--help`"),
        (["fit", CSV, "--min-df", "1000"], "min_df"),
        (["fit", CSV, "--clean", "tweet"], "no clean-up 'tweet'; choose auto, none, a preset"),
        (
            ["fit", CSV, "--stop-words", "no-such.txt"],
            "--stop-words no-such.txt is no file and none of english, language, none",
        ),
        (["fit", CSV, "--out", "no/such/folder/x.run"], "no folder"),
    ],
)
def test_errors_are_one_sentence(capsys, arguments, words):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.startswith("bnpexplorer: ")
    assert captured.err.count("\n") == 1
    assert captured.out == ""


@pytest.mark.parametrize("command", ["", "app", "class", "fit", "doctor", "methods"])
def test_no_command_starts_with_a_variable_of_an_earlier_version(command, monkeypatch, capsys):
    monkeypatch.setenv("BNPEXPLORER_READ_MB", "500")
    assert main([command] if command else []) == 2
    said = "BNPEXPLORER_READ_MB is called BNPEXPLORER_MEMORY_MB now; set BNPEXPLORER_MEMORY_MB"
    assert capsys.readouterr().err == f"bnpexplorer: {said} instead.\n"


def test_letters_that_the_output_does_not_know_end_no_command(monkeypatch):
    """As where it goes into a file on Windows."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="cp1252") for _ in range(2))
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", out)
        patched.setattr("sys.stderr", err)
        assert main(["fit", "λόγος.csv"]) == 2
    err.flush()
    assert rb"\u03bb\u03cc\u03b3\u03bf\u03c2.csv" in err.buffer.getvalue()


def test_methods_lists_every_method(capsys):
    assert main(["methods"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in METHODS)
    of_svi = out.split("lda-svi ")[1].split("lda-gibbs ")[0]
    assert "settings: n_topics, alpha, eta, tau, kappa, start, " in of_svi
    assert main(["methods", "--markdown"]) == 0
    table = capsys.readouterr().out.strip().splitlines()
    assert len(table) == 2 + len(METHODS)


def test_doctor_tells_versions_and_cache(capsys):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert np.__version__ in out
    assert str(CACHE_FOLDER) in out
    assert "Nothing is missing." in out


@pytest.mark.second
def test_warm_names_every_method(capsys):
    assert main(["warm"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in METHODS)


def test_warm_tells_the_seconds_of_each_method(capsys, monkeypatch):
    clock = iter([10.0, 13.0, 20.0, 24.5])
    monkeypatch.setattr(methods, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    monkeypatch.setattr(methods, "warm", lambda method, to_the_end: None)
    assert main(["warm", "lda-svi", "hdp-svi"]) == 0
    out = capsys.readouterr().out
    assert re.findall(r"^(\S+) +ready after (\S+) s$", out, re.M) == [
        ("lda-svi", "3.0"),
        ("hdp-svi", "4.5"),
    ]
