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


@pytest.mark.parametrize(
    ("asked", "states", "size"),
    [
        ([], (30, 2), 400),
        (["--set", "n_kept=4", "--batch-size", "300"], (4, 2), 300),
        (["--preset", "from-nothing"], (10, 5), 400),
    ],
)
def test_the_recommended_states_and_blocks_are_those_learned(asked, states, size, tmp_path):
    texts = tmp_path / "texts.csv"
    words = ("cloud", "tree", "lake", "hill")
    rows = (f"{words[i % 4]} " * 4 + f"{words[i // 100]} " * 3 for i in range(400))
    texts.write_text("\n".join(["text", *rows]), encoding="utf-8")
    out = tmp_path / "a.run"
    options = ["--heldout", "0", "--passes", "1", *asked, "--out", str(out)]
    assert main(["fit", str(texts), *options]) == 0
    run = Run.load(out)
    assert (run.method.n_kept, run.method.thin) == states
    assert run.batch_size == size
