"""Test what `fit` learns where nobody names a method."""

import pytest

from bnpexplorer import Run, load, recommend
from bnpexplorer.__main__ import main

CSV = "sample_data/small.csv"


@pytest.mark.parametrize(
    ("asked", "passes"),
    [
        (["--minutes", "0.0001"], 500),
        (["--passes", "2"], 2),
        (["--preset", "from-nothing", "--minutes", "0.0001"], 500),
    ],
)
def test_the_recommended_passes_are_those_said_and_learned(
    asked, passes, capsys, monkeypatch, request, tmp_path
):
    monkeypatch.chdir(request.config.rootpath)
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    assert main(["fit", CSV, *asked, "--out", str(tmp_path / "a.run")]) == 0
    assert recommend(load(CSV)).passes == 500
    assert Run.load(tmp_path / "a.run").passes == passes
    assert f"are few enough to be read {passes} times in seconds" in capsys.readouterr().err
