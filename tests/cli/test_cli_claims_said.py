"""Test what `claims` prints, and that Ctrl-C reaches the step of a long command."""

import json
import signal

import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.chains import Chains
from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.core.faults import NotNow
from tests.cli.learning import CSV, at_root_and_home


@pytest.fixture(autouse=True)
def at_home(monkeypatch, request, tmp_path):
    yield from at_root_and_home(monkeypatch, request, tmp_path)


def test_claims_are_listed_with_their_papers(capsys):
    assert main(["claims"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows == [
        line
        for name, claim in CLAIMS.items()
        for line in (f"{name:<20} {claim.title}", f"{'':<20} {claim.source}")
    ]
    assert main(["claims", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["claims"] == [
        {"name": name, "title": claim.title, "source": claim.source}
        for name, claim in CLAIMS.items()
    ]


def test_a_claim_says_how_long_it_takes_and_what_was_found(capsys, monkeypatch):
    monkeypatch.setattr(Study, "seconds_left", 301.0)
    monkeypatch.setattr(Study, "step", lambda study: vars(study).update(ended))
    ended = {"seconds": 1e9, "not_written": "a.json cannot be written (disk full)."}
    asked = ["claims", "kappa-lda", "toy", "--path", CSV, "--minutes", "7", "--seeds", "1"]
    assert main([*asked, "--passes", "2"]) == 0
    said, err = capsys.readouterr()
    assert err.splitlines() == [
        "about 10 min for 2 claim(s)",
        "bnpexplorer: one seed decides nothing; a verdict needs two.",
        "bnpexplorer: a.json cannot be written (disk full).",
    ]
    claim, toy = CLAIMS["kappa-lda"], CLAIMS["toy"]
    n_trials = len(claim.trials(1))
    over = (
        f"It ended after its longest duration, 7.0 minutes: {n_trials} of {n_trials} trials had "
        "not ended."
    )
    assert f"{claim.source}: {claim.title}\n  undecided. Too few trials have ended. {over}" in said
    verdict = toy.verdict({})
    assert said.endswith(
        f"{toy.source}: {toy.title}\n  {toy.said(verdict, {})}. {verdict.sentence}\n"
    )
    assert main([*asked, "--passes", "2", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["corpus"], facts["documents"]) == ("small.csv", 160)
    first, second = facts["claims"]
    assert (first["said"], first["verdict"]) == ("undecided", "Too few trials have ended.")
    assert first["why_over"].startswith(over)
    assert (second["name"], second["why_over"]) == ("toy", None)
    assert second["said"] == toy.said(verdict, {})


def test_a_claim_whose_texts_are_lost_says_what_to_do_and_ends_as_one_that_is(capsys, monkeypatch):
    def lost(study):
        raise NotNow("The disk is gone.")

    monkeypatch.setattr(Study, "step", lost)
    assert main(["claims", "kappa-lda", "--path", CSV, "--passes", "2", "--json"]) == 3
    said, err = capsys.readouterr()
    assert said == ""
    assert err.splitlines()[-1] == (
        "bnpexplorer: The disk is gone. What was found is kept, and the same command goes on from "
        "it."
    )


def test_what_is_computed_at_once_needs_neither_time_nor_a_second_seed(capsys):
    assert main(["claims", "toy", "--path", CSV, "--seeds", "1"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        (["claims", "kappa-lda", "--path", CSV, "--passes", "2"], Study),
        (["fit", CSV, "--method", "lda-svi", "--chains", "2", "--passes", "2"], Chains),
    ],
)
def test_the_step_at_hand_hears_of_ctrl_c(monkeypatch, asked, kind):
    heard = []

    def step(self):
        heard.append(self.hurried())
        signal.raise_signal(signal.SIGINT)
        heard.append(self.hurried())

    monkeypatch.setattr(kind, "step", step)
    assert main(asked) == 130
    assert heard == [False, True]
