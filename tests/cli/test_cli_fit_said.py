"""Test what `fit` prints, to the last word, and that it passes every choice on to its run."""

import argparse
import json
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from bnpexplorer import Plan, Run, load
from bnpexplorer.__main__ import main
from bnpexplorer.chains import chains_of, found_topics
from bnpexplorer.cli import fit_summary
from bnpexplorer.compare.models import ModelsCompared
from bnpexplorer.compare.verdict import verdict_of
from bnpexplorer.evaluate import between_starts, unigram_score
from bnpexplorer.runs.learning import Learning
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.state.snapshot import TracePoint
from tests.cli.learning import CSV, at_root_and_home, learned


@pytest.fixture(autouse=True)
def at_home(monkeypatch, request, tmp_path):
    yield from at_root_and_home(monkeypatch, request, tmp_path)


def test_the_summary_of_fit_is_that_of_its_run(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(Learning, "seconds", 4.0)
    out = tmp_path / "mine.run"
    asked = ["--method", "lda-svi", "--seed", "3", "--passes", "2", "--batch-size", "50"]
    more = ["--set", "n-topics=9", "--heldout", "15", "--threads", "1", "--out", str(out)]
    assert main(["fit", CSV, *asked, *more]) == 0
    rows = capsys.readouterr().out.splitlines()
    values = {"n_topics": 9}
    run = learned(
        Plan.of("lda-svi", "default", values, seed=3, batch_size=50, passes=2, n_heldout=15)
    )
    moment = run.moment()
    said = verdict_of(run, moment, unigram_score(run.corpus, run.heldout))
    facts = dict(re.findall(r"^(\S.{0,19}?)  +(\S.*)$", "\n".join(rows), flags=re.M))
    assert facts["corpus"] == f"small.csv: 145 documents to learn, {run.corpus.n_words} words"
    assert facts["method"] == "lda-svi, seed 3, 2 passes, 50 documents per step"
    assert facts["held-out score"] == (
        f"{run.history[-1].heldout:.4f} log likelihood per word (completion-4-starts)"
    )
    assert facts["topics in use"] == str(len(moment.in_use))
    paced = facts["seconds"].partition(";")[0]
    assert paced == "4.00 (72 documents/s)", "290 in 4 seconds"
    assert facts["threads"] == "1"
    assert facts["saved in"] == str(out)
    topics = [row for row in rows if row.startswith("topic ")]
    assert topics == [
        f"topic {topic:<14d} {' '.join(moment.top_words(topic, 8))}" for topic in moment.in_use[:8]
    ]
    assert len(moment.in_use) == 9
    told = rows.index(next(row for row in rows if row.startswith("verdict")))
    assert facts["verdict"].startswith(said.topics)
    assert rows[told + 1] == f"{'':<20} {said.meaning}"
    assert said.meaning.endswith(f" The score is {between_starts(run.history[-1].spread, 15)}.")
    assert run.history[-1].spread > 0.0


def test_a_score_that_is_not_there_yet_is_told_from_none(capsys):
    run = learned(Plan.of("lda-svi", batch_size=50, passes=1), steps=0)
    given = SimpleNamespace(said=dict)
    options = argparse.Namespace(seed=0, keep=None, out=None)
    fit_summary.summary(run, given, options)
    out = capsys.readouterr().out
    assert "held-out score       none yet (completion-4-starts)\n" in out


@pytest.mark.second
def test_fit_passes_every_choice_on_to_its_run(tmp_path):
    """Each differs from what it is where it is left out."""
    out = str(tmp_path / "mine.run")
    asked = ["--method", "hdp-svi", "--preset", "wang-2011", "--seed", "4", "--passes", "3"]
    asked += ["--minutes", "77", "--until", "settled", "--batch-size", "40", "--heldout", "11"]
    assert main(["fit", CSV, *asked, "--set", "gamma=2.5", "--set", "kappa=0.8", "--out", out]) == 0
    run = Run.load(out)
    preset = Plan.of("hdp-svi", "wang-2011").method
    assert (run.method.model.gamma, run.method.kappa) == (2.5, 0.8)
    assert (run.method.truncation, run.method.tau) == (preset.truncation, preset.tau)
    assert (run.seed, run.passes, run.batch_size) == (4, 3, 40)
    assert (run.minutes, run.until, run.order) == (77.0, "settled", "shuffled")
    assert run.heldout.whole.n_docs == 11


@pytest.mark.second
def test_a_plan_that_nobody_chose_says_why_and_has_the_other_choices(capsys, tmp_path):
    out = str(tmp_path / "mine.run")
    assert main(["fit", CSV, "--passes", "2", "--seed", "3", "--heldout", "9", "--out", out]) == 0
    run = Run.load(out)
    assert (run.method.name, run.passes, run.seed) == ("hdp-gibbs", 2, 3)
    assert run.heldout.whole.n_docs == 9
    assert capsys.readouterr().err.startswith(
        "bnpexplorer: recommended for these texts: hdp-gibbs: 160 texts with "
    )
    assert main(["fit", CSV, "--stream", "--date", "date", "--out", out, "--force"]) == 0
    assert (Run.load(out).method.name, Run.load(out).order) == ("hdp-tsvi", "stream")
    assert "hdp-tsvi: a stream is read once" in capsys.readouterr().err


def test_a_run_that_was_stopped_is_learned_to_its_end(capsys, tmp_path):
    plan = Plan.of("lda-svi", seed=7, batch_size=50, passes=3, n_heldout=9)
    half, out = str(tmp_path / "half.run"), str(tmp_path / "whole.run")
    learned(plan, steps=4).save(half)
    assert main(["fit", half, "--go-on", "--out", out, "--keep", "whole"]) == 0
    said, err = capsys.readouterr()
    assert "lda-svi, seed 7, 3 passes, 50 documents per step" in said
    whole, again = learned(plan), Run.load(out)
    assert again.history[-1].heldout == whole.history[-1].heldout
    (saved,) = Library().saved()
    assert err == f"kept as {saved.run_id}: whole\n"
    assert saved.facts["status"] == "finished"
    assert Run.load(half).n_steps == 4, "what is read stays"


@pytest.mark.second
def test_chains_tell_the_means_of_each_and_what_all_have_found(capsys):
    asked = ["--method", "dpm-gibbs", "--passes", "12", "--seed", "2", "--heldout", "9"]
    assert main(["fit", CSV, *asked, "--chains", "3"]) == 0
    out = capsys.readouterr().out
    chains = chains_of(Plan.of("dpm-gibbs", seed=2, passes=12, n_heldout=9, chains=3), load(CSV))
    while not chains.done:
        chains.step()
    verdict, draws = chains.verdict(), chains.kept_draws()
    assert f"\n\n{verdict.sentence}\n\nmeans over the latter half of each chain, 6 draws:\n" in out
    rows = [row.split() for row in out.splitlines()]
    for title, key in (("topics in use", "topics"), ("held-out score", "heldout")):
        means = [f"{mean:,.2f}" for mean in draws[key].mean(axis=1)]
        numbers = [f"{verdict.rhat[key]:.3f}", f"{verdict.ess[key]:.0f}", *means]
        assert [*title.split(), *numbers] in rows
        assert len(set(means)) > 1
    assert f"\nheld-out score       {chains.score():.4f} log likelihood per word, over all" in out
    found = found_topics([run.snapshot().topics for run in chains.runs])
    for n in (1, 2, 3):
        those = [one for one in found if len(one.chains) == n]
        if not those:
            assert f"found by {n} of" not in out
            continue
        head = f"\nfound by {n} of 3 chains: {len(those)} cluster{'s' if len(those) > 1 else ''}\n"
        assert head in out
        words = [chains.runs[one.chain].moment().words_line(one.topic, 8, " ") for one in those[:8]]
        lines = [f"{one.share:6.1%}  {said}" for one, said in zip(those, words, strict=False)]
        assert head + "\n".join(lines) + "\n" in out


def test_more_threads_than_help_are_said(capsys, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("bnpexplorer.cli.threads.too_many", lambda n: f"{n} are too many.")
        asked = ["fit", CSV, "--method", "lda-svi", "--passes", "1", "--threads", "3"]
        assert main(asked) == 0
    captured = capsys.readouterr()
    assert captured.err == "bnpexplorer: 3 are too many.\n"
    assert re.search(r"^threads +3$", captured.out, flags=re.M)
    for n in ("0", "-1"):
        assert main([*asked[:-1], n]) == 2
        assert capsys.readouterr().err == (
            f"bnpexplorer: --threads must be 1 or more; got {n}. Leave it out for all cores.\n"
        )


def test_clusters_are_proposed_with_the_command_that_starts_them(capsys, monkeypatch):
    run = learned(Plan.of("hdp-gibbs", batch_size=50, passes=1), steps=1)
    given = SimpleNamespace(said=dict)
    options = argparse.Namespace(keep=None, out=None, json=False)
    fit_summary.summary(run, given, options)
    assert "\nclusters " not in capsys.readouterr().out
    monkeypatch.setattr(fit_summary, "clusters_beside", lambda one: one is run or None)
    monkeypatch.setattr(fit_summary, "one_each", lambda one: "One topic each.")
    fit_summary.summary(run, given, options)
    said = "One topic each. Try both with `fit` and --try-clusters."
    assert f"clusters             {said}" in capsys.readouterr().out.splitlines()


def test_a_learned_value_at_its_limit_is_told_with_what_to_do(capsys, monkeypatch):
    run = learned(Plan.of("hdp-gibbs", batch_size=50, passes=1), steps=0)
    at, rows = [0.001, 0.5], []
    for value in at:
        row = TracePoint(1, 8, 0.1, 2, math.nan, -8.0, {"alpha": value})
        snapshot = replace(run.snapshot(), trace=(row, row))
        monkeypatch.setattr(run, "snapshot", lambda snapshot=snapshot: snapshot)
        for as_json in (False, True):
            options = argparse.Namespace(keep=None, out=None, json=as_json)
            fit_summary.summary(run, SimpleNamespace(said=dict), options)
            rows.append(capsys.readouterr().out)
    said = (
        "alpha has run to its lower limit, 0.001: each document has one topic. Learn clusters of "
        "these texts, or start again with alpha fixed."
    )
    assert f"at its limit         {said}" in rows[0].splitlines()
    assert json.loads(rows[1])["at_limits"] == [said]
    assert "limit" not in rows[2]
    assert json.loads(rows[3])["at_limits"] == []


TRY = ["fit", CSV, "--method", "hdp-gibbs", "--passes", "3", "--try-clusters"]


@pytest.mark.parametrize(("better", "n_lines"), [("clusters", 2), ("topics", 1), ("", 1)])
def test_a_trial_of_clusters_is_told_with_the_command_that_finds_them(
    capsys, monkeypatch, better, n_lines
):
    seen, scores = [], {"clusters": -4.0, "topics": -6.0, "": -5.0}
    trial = ModelsCompared(-5.0, scores[better], 0.1, 9, 5.0)

    def tried(*runs):
        seen.append(runs)
        return trial

    monkeypatch.setattr("bnpexplorer.cli.fit.trial_of", tried)
    assert main(TRY) == 0
    [(topics, clusters)] = seen
    assert (clusters.method.name, topics.done, clusters.done) == ("dpm-gibbs", True, True)
    assert clusters.method.start_size == 1, "the preset for short texts"
    assert clusters.heldout is topics.heldout
    lines = capsys.readouterr().out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("clusters "))
    assert lines[at] == f"clusters             {trial.sentence}"
    command = "Find them with `fit` and --method dpm-gibbs --preset short-texts."
    assert lines[at + 1 :] == [f"{'':21}{command}"] * (n_lines - 1)


def test_a_trial_of_clusters_as_json_tells_both_scores(capsys):
    assert main([*TRY, "--json", "--keep", "both"]) == 0
    captured = capsys.readouterr()
    told = json.loads(captured.out)
    trial = told["clusters"]
    assert trial["topics"] == pytest.approx(told["heldout"], abs=1e-9)
    assert set(trial) == {
        *("topics", "clusters", "margin", "n_heldout", "length", "better", "sentence")
    }
    assert ": both\n" in captured.err
    assert ": both, clusters\n" in captured.err
    kept = {row.name: row.facts for row in Library().saved()}
    assert kept["both, clusters"]["heldout"] == pytest.approx(trial["clusters"], abs=1e-9)
    assert kept["both, clusters"]["split"] == kept["both"]["split"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (
            ["--chains", "2"],
            "--try-clusters holds one run of topics against clusters; leave --chains out.",
        ),
        (
            ["--heldout", "0"],
            "--try-clusters needs documents of which words are held out, and this run has none; "
            "leave it out.",
        ),
        (
            ["--method", "dpm-gibbs"],
            "--try-clusters holds topics against clusters, and dpm-gibbs learns clusters; leave it "
            "out.",
        ),
    ],
)
def test_a_trial_that_cannot_be_made_is_refused(capsys, more, why):
    assert main([*TRY, *more]) == 2
    assert capsys.readouterr().err == f"bnpexplorer: {why}\n"
