"""`claims` of the command line: listed, tried, refused, stopped and begun again."""

import json
import re

import pytest

from bnpexplorer import load
from bnpexplorer.__main__ import main
from bnpexplorer.claims import CLAIMS, Study
from tests.cli.test_cli_fit import interrupt

CSV = "sample_data/small.csv"


@pytest.fixture(autouse=True)
def in_repository(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)


@pytest.mark.second
def test_claims_are_listed_tried_and_refused(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    assert main(["claims"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in CLAIMS)
    assert main(["claims", "toy", "theorem-2", "--path", CSV]) == 0
    out = capsys.readouterr().out
    assert out.count("holds here.") == 2
    assert out.splitlines()[0] == f"tried on small.csv: {load(CSV).n_docs} documents"
    for wrong, words in (
        (["claims", "no-such"], "no claim 'no-such'"),
        (["claims", "catvi", "--path", CSV, "--minutes", "0.1"], "too small"),
        (["claims", "toy", "--path", CSV, "--seeds", "0"], "--seeds"),
        (["claims", "catvi", "--path", CSV, "--minutes", "inf"], "number of seconds"),
        (["claims", "kappa-lda", "--path", CSV, "--passes", "-1"], "Passes must be 1 to 9,999"),
        (["claims", "toy", "--path", "nowhere.csv"], "nowhere.csv"),
    ):
        assert main(wrong) == 2
        assert words in capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["claims", "sumo-growth", "--path", CSV, "--minutes", "10"]) == 0
    captured = capsys.readouterr()
    assert "figure 3" in captured.out
    n_trials = len(CLAIMS["sumo-growth"].trials(3))
    assert f"  0 %  sumo-growth: 0 of {n_trials} trials" in captured.err
    assert f"100 %  sumo-growth: {n_trials} of {n_trials} trials" in captured.err
    assert len(list((tmp_path / "claims").glob("sumo-growth-*.json"))) == 1


@pytest.mark.second
def test_a_claim_by_passes_ends_with_its_time_and_goes_on(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    asked = ["claims", "kappa-lda", "--path", CSV, "--passes", "2", "--seeds", "2", "--minutes"]
    assert main([*asked, "0.001"]) == 0
    out = capsys.readouterr().out
    assert "It ended after its longest duration" in out
    assert "begin it again, and it goes on with the others" in out
    assert main([*asked, "10"]) == 0
    out = capsys.readouterr().out
    assert "longest duration" not in out
    assert re.search(r"here after 2 passes|undecided|too early", out)
    (found,) = (tmp_path / "claims").glob("*.json")
    assert found.stem.endswith("-2-p2")
    assert len(json.loads(found.read_text())) == len(CLAIMS["kappa-lda"].trials(2))


@pytest.mark.second
def test_stopped_claims_keep_what_was_found(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    interrupt(monkeypatch, after=5, kind=Study)
    assert main(["claims", "kappa-lda", "--path", CSV, "--minutes", "10"]) == 130
    assert "stopped; what was found is kept" in capsys.readouterr().err
