"""`fit --chains`: the first is the run without it; JSON and table say whether all have met."""

import json
import math

import pytest

from bnpexplorer import Plan, Run
from bnpexplorer.__main__ import main
from bnpexplorer.chains import chains_of
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.samples import load_sample

FIT = ["fit", "sample:bars", "--method", "dpm-gibbs", "--passes", "8"]
FIT += ["--preset", "neal-2000", "--set", "n_start=60"]
OWN = {"seconds", "processor_seconds", "documents_per_second", "verdict"}
"""What differs: times, and a verdict by the draws that chains keep."""


@pytest.mark.second
def test_json_has_the_facts_of_the_first_chain_and_of_all(capsys):
    assert main([*FIT, "--json"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert main([*FIT, "--json", "--chains", "2"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1, "one object on one line"
    facts = json.loads(out, parse_constant=pytest.fail)
    assert {k: facts[k] for k in set(alone) - OWN} == {k: alone[k] for k in set(alone) - OWN}
    corpus = load_sample("bars", 0).corpus
    plan = Plan.of("dpm-gibbs", "neal-2000", {"n_start": 60}, passes=8, chains=2)
    chains = chains_of(plan, corpus)
    while not chains.done:
        chains.step()
    verdict = chains.verdict()
    assert facts["rhat"] == verdict.rhat
    assert facts["ess"] == verdict.ess
    assert facts["met"] is False
    assert facts["sentence"] == verdict.sentence
    assert facts["heldout_of_all"] == chains.score()
    assert [(c["seed"], c["start"]) for c in facts["chains"]] == [(0, "nothing"), (1, "many")]
    assert facts["chains"][0]["heldout"] == facts["heldout"]
    assert list(facts["topics_found_by"]) == ["2", "1"]
    assert sum(facts["topics_found_by"].values()) >= facts["topics"] // 2


def test_what_is_no_number_is_null(capsys):
    short = ["fit", "sample:bars", "--method", "lda-svi", "--passes", "1", "--batch-size", "600"]
    assert main([*short, "--json", "--chains", "2", "--heldout", "0"]) == 0
    facts = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert facts["rhat"] == {"topics": None, "entropy": None}
    assert facts["heldout_of_all"] is None
    assert facts["met"] is False
    assert not any(isinstance(v, float) and math.isnan(v) for v in facts["ess"].values())


def first_rows(out):
    """Without times, and without the verdict and what it means."""
    apart = ("seconds", "verdict", "  ")
    return [row for row in out.splitlines() if not row.startswith(apart)]


@pytest.mark.second
def test_the_summary_tells_the_sentence_the_table_and_the_topics(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    assert main(FIT) == 0
    alone = first_rows(capsys.readouterr().out)
    assert main([*FIT, "--chains", "2", "--keep", "mine"]) == 0
    out = capsys.readouterr().out
    assert first_rows(out)[: len(alone)] == alone
    rows = out.splitlines()
    assert "from nothing" in out
    (head,) = [row for row in rows if "R-hat" in row]
    assert head.split() == ["R-hat", "ESS", "1", "nothing", "2", "many"]
    for title in ("log joint", "held-out score", "topics in use", "entropy of sizes"):
        assert any(row.startswith(title) for row in rows)
    assert "found by 2 of 2 chains: " in out
    assert {row.name for row in Library().saved()} == {"mine, chain 1", "mine, chain 2"}


def test_a_run_ends_when_it_has_settled_or_its_minutes_are_over_and_says_so(capsys, tmp_path):
    one = ["fit", "sample:small-csv", "--method", "dpm-gibbs"]
    path = str(tmp_path / "mine.run")
    assert main([*one, "--until", "settled", "--passes", "4", "--out", path]) == 0
    assert "ended                Not settled after 4 passes: its latter" in capsys.readouterr().out
    run = Run.load(path)
    assert Plan.of_run(run).until == "settled"
    assert main([*one, "--minutes", "1e-9", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["ending"].startswith("Ended after 1 pass: its 1e-09 minutes")
    assert main([*one, "--until", "settled", "--passes", "3", "--chains", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["met"] is False
    assert main([*one, "--minutes", "0"]) == 2
    assert "minutes must be more than 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [(["--chains", "1"], "2 to 8"), (["--chains", "2", "--out", "x.run"], "--keep")],
)
def test_bad_choices_are_refused_in_one_sentence(capsys, more, said):
    assert main([*FIT, *more]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
