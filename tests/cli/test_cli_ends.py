"""How `fit` ends: stopped, its cluster lost, or in the file that it goes on from; its summary."""

import argparse
import json
import signal
from collections.abc import Callable

import pytest

from bnpexplorer import METHODS, Plan, Run, load
from bnpexplorer.__main__ import main
from bnpexplorer.chains import Chains
from bnpexplorer.cli import fit, fit_summary
from bnpexplorer.cli.reading import CorpusRead
from bnpexplorer.inference.cores import cores
from bnpexplorer.inference.pool import PoolLost
from bnpexplorer.runs.learning import Learning
from bnpexplorer.runs.saved.library import Library
from tests.cli.test_cli_passed_on import CSV, LEARN, at_home, learned

assert at_home


def ends_with(kind: type, steps: int, end: Callable[[], object], monkeypatch) -> None:
    """Let the step after so many `steps` of a run, or of chains, do what `end` does instead."""
    done, step = [], kind.step

    def instead(self):
        done.append(self)
        if len(done) > steps:
            return end()
        return step(self)

    monkeypatch.setattr(kind, "step", instead)
    monkeypatch.setattr(fit, "warm", lambda method: None)  # which takes steps of its own


def pressed() -> None:
    signal.raise_signal(signal.SIGINT)


def lost() -> None:
    raise PoolLost("The cluster is gone.")


@pytest.mark.parametrize(("kind", "more"), [(Run, []), (Chains, ["--chains", "2"])])
def test_what_was_stopped_before_its_first_mini_batch_is_not_kept(capsys, monkeypatch, kind, more):
    ends_with(kind, 0, pressed, monkeypatch)
    assert main([*LEARN, *more, "--keep", "mine"]) == 130
    said = capsys.readouterr()
    assert said.err == "bnpexplorer: stopped after 0 documents.\n"
    assert said.out == ""
    assert Library().saved() == []


@pytest.mark.second
@pytest.mark.parametrize(
    ("end", "status", "names", "why"),
    [
        (pressed, 130, [], ""),
        (
            lost,
            3,
            ["lda-svi, cut short, chain 1", "lda-svi, cut short, chain 2"],
            "The cluster is gone. The chains are among the runs of the app.",
        ),
    ],
    ids=["stopped", "lost"],
)
def test_chains_that_were_cut_short_say_so_and_what_became_of_them(
    capsys, monkeypatch, end, status, names, why
):
    ends_with(Chains, 1, end, monkeypatch)
    assert main([*LEARN, "--passes", "2", "--chains", "2"]) == status
    said = capsys.readouterr()
    lines = said.err.splitlines()
    assert lines[-1] == "bnpexplorer: stopped after 50 documents."
    assert [line for line in lines if "gone" in line] == ([f"bnpexplorer: {why}"] if why else [])
    assert "method               lda-svi, seed 0, 2 passes, 50 documents per step\n" in said.out
    kept = Library().saved()
    assert sorted(saved.name for saved in kept) == names
    assert {saved.facts["status"] for saved in kept} <= {"paused"}


@pytest.mark.second
@pytest.mark.parametrize(
    ("out", "keep", "names"),
    [
        (False, [], ["lda-svi, cut short"]),
        (True, [], []),
        (False, ["--keep", "mine"], ["mine"]),
        (True, ["--keep", "mine"], ["mine"]),
    ],
)
def test_a_run_that_lost_its_cluster_is_kept_once(capsys, monkeypatch, tmp_path, out, keep, names):
    ends_with(Run, 2, lost, monkeypatch)
    file = tmp_path / "mine.run"
    assert main([*LEARN, *keep, *(["--out", str(file)] if out else [])]) == 3
    kept = Library().saved()
    assert [saved.name for saved in kept] == names
    lines = capsys.readouterr().err.splitlines()
    way_on = (
        f"The run is in {file}: go on with `bnpexplorer fit {file} --go-on --cluster None --out "
        f"{file} --force`."
        if out
        else f"The run is kept among those of the app as {kept[0].run_id}: go on with it there."
    )
    assert f"bnpexplorer: The cluster is gone. {way_on}" in lines
    assert lines[-1] == "bnpexplorer: stopped after 100 documents."
    assert file.exists() == out


@pytest.mark.second
def test_a_run_goes_on_in_its_own_file_if_asked(capsys, tmp_path):
    half = tmp_path / "half.run"
    learned(Plan.of("lda-svi", batch_size=50, passes=2), steps=3).save(half)
    assert main(["fit", str(half), "--go-on", "--out", str(half)]) == 2
    assert "--force to write over it" in capsys.readouterr().err
    assert Run.load(half).n_steps == 3
    assert main(["fit", str(half), "--go-on", "--out", str(half), "--force"]) == 0
    assert Run.load(half).done


@pytest.mark.parametrize("as_json", [False, True])
def test_the_pace_in_the_summary_is_of_documents_read(capsys, monkeypatch, as_json):
    monkeypatch.setattr(Learning, "seconds", 4.0)
    run = learned(Plan.of("lda-svi", batch_size=50, passes=2, n_heldout=15), steps=2)
    assert run.processor_seconds > 0.0
    run.processor_seconds = 8.0
    options = argparse.Namespace(keep=None, out=None, json=as_json)
    fit_summary.summary(run, CorpusRead(load(CSV), None), options)
    out = capsys.readouterr().out
    if as_json:
        assert json.loads(out)["documents_per_second"] == 25.0
        assert json.loads(out)["processor_seconds"] == 8.0
        return
    line = "seconds              4.00 (25 documents/s)"
    assert f"{line}; 8.00 of the processor (12 documents/s)\n" in out
    options.go_on = True
    fit_summary.summary(run, CorpusRead(load(CSV), None), options)
    assert f"{line}\n" in capsys.readouterr().out


def test_a_method_that_does_part_of_its_work_in_turn_says_so_beside_its_threads(capsys):
    said = {}
    for name in ("lda-gibbs", "lda-svi"):
        run = learned(Plan.of(name, batch_size=50, passes=1), steps=1)
        options = argparse.Namespace(keep=None, out=None)
        fit_summary.summary(run, CorpusRead(load(CSV), None), options)
        rows = capsys.readouterr().out.splitlines()
        said[name] = next(row for row in rows if row.startswith("threads "))
    why = METHODS["lda-gibbs"].in_turn.rstrip(".")
    assert why
    assert said == {
        "lda-gibbs": f"threads              1 ({why})",
        "lda-svi": f"threads              {cores().n}",
    }
