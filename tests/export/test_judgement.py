"""What is exported of a run says how it ended and what was judged of its chains; its script ends
where it ended."""

import contextlib
import io
import json
import zipfile
from dataclasses import replace
from html import escape

import pytest

from bnpexplorer import Plan
from bnpexplorer.chains import chains_of
from bnpexplorer.export import recreation, report, result_of
from bnpexplorer.export.tables import readme
from bnpexplorer.samples import load_sample

PLAN = Plan.of("dpm-gibbs", values={"moves": 1, "n_start": 30}, passes=14, batch_size=200)


def exported(run, folder):
    """The result of a run, and the numbers that its script prints."""
    corpus = load_sample("small-csv").corpus
    result = result_of(run, run.moment(corpus=corpus), corpus)
    with zipfile.ZipFile(io.BytesIO(recreation(result))) as archive:
        archive.extractall(folder)
    code = (folder / "run.py").read_text(encoding="utf-8")
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "run.py", "exec"), {"__name__": "__main__"})
    (found,) = [line for line in printed.getvalue().splitlines() if line.startswith("{")]
    assert "The exported run had" not in printed.getvalue()
    return result, code, json.loads(found)


@pytest.fixture(scope="module")
def chains():
    corpus = load_sample("small-csv").corpus
    made = chains_of(replace(PLAN, until="settled", chains=2), corpus)
    while made.runs[0].n_steps < 13:
        made.step()
    for run in made.runs:
        run.end("met")
    made.note()
    return made


@pytest.mark.second
@pytest.mark.parametrize("place", [0, 1])
def test_a_chain_is_exported_with_the_sentence_of_all(chains, place, tmp_path):
    run = chains.runs[place]
    result, code, found = exported(run, tmp_path)
    assert found["heldout"] == result.score == run.history[-1].heldout
    said = f"One of 2 chains. {chains.verdict().sentence}"
    assert run.judgement == f"Ended after 13 passes: the chains have met. {said}"
    assert escape(run.judgement) in report(result)
    assert f"judgement     {run.judgement}\n" in readme(result)
    assert ("chains=2" in code) == ("until='settled'" in code) == (place == 0)


@pytest.mark.parametrize("chosen", [{"minutes": 1e-9}, {"until": "settled"}])
def test_a_run_that_ended_in_another_way_is_made_again(chosen, tmp_path):
    run = Plan.of("dpm-gibbs", passes=3, batch_size=200, **chosen).split_and_start(
        load_sample("small-csv").corpus
    )
    while not run.done:
        run.step()
    result, _, found = exported(run, tmp_path)
    assert found["heldout"] == result.score
    assert run.ending in report(result)
