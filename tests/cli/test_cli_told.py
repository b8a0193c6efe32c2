"""What commands tell a person, to the last word: every line against facts that Python has."""

import argparse
import csv
import io
import json
import re
import signal
import time
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from bnpexplorer import METHODS, Plan, Run, load
from bnpexplorer.__main__ import main
from bnpexplorer.chains import Chains, chains_of, found_topics
from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.cli import fit_summary
from bnpexplorer.cli import runs as runs_module
from bnpexplorer.cli.reading import parsed
from bnpexplorer.compare import side_by_side
from bnpexplorer.compare.verdict import verdict_of
from bnpexplorer.core.faults import NotNow
from bnpexplorer.corpus.intake.api import load_with_report
from bnpexplorer.corpus.readers.source import shown
from bnpexplorer.evaluate import unigram_score
from bnpexplorer.inference.cores import cores
from bnpexplorer.runs.learning import Learning
from bnpexplorer.runs.saved.library import Library
from tests.tools.building import work_here
from tests.tools.commands import commands

CSV = "sample_data/small.csv"


@pytest.fixture(autouse=True)
def at_home(monkeypatch, request, tmp_path):
    monkeypatch.chdir(request.config.rootpath)
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "home"))
    n = cores().n
    yield
    cores().use(n)  # as `--threads` leaves it for the process


def learned(plan: Plan, steps: int = 10**6) -> Run:
    run = plan.split_and_start(load(CSV))
    while not run.done and run.n_steps < steps:
        run.step()
    return run


# ---- fit -----------------------------------------------------------------------------------------


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
        f"{run.history[-1].heldout:.4f} log likelihood per word (completion)"
    )
    assert facts["topics in use"] == str(len(moment.in_use))
    assert facts["seconds"] == "4.00 (72 documents/s)", "290 in 4 seconds"
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


def test_a_score_that_is_not_there_yet_is_told_from_none(capsys):
    run = learned(Plan.of("lda-svi", batch_size=50, passes=1), steps=0)
    given = SimpleNamespace(said=dict)
    options = argparse.Namespace(seed=0, keep=None, out=None)
    fit_summary.summary(run, given, options)
    out = capsys.readouterr().out
    assert "held-out score       none yet (completion)\n" in out


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


@pytest.mark.parametrize(
    "chosen",
    [
        ["--method", "lda-svi"],
        ["--preset", "default"],
        ["--start-from", "a.run"],
        ["--passes", "2"],
        ["--minutes", "3"],
        ["--until", "passes"],
        ["--seed", "1"],
        ["--stream"],
        ["--batch-size", "9"],
        ["--set", "eta=1"],
        ["--chains", "2"],
        ["--heldout", "4"],
        *(["--heldout", "0"], ["--minutes", "0"], ["--seed", "0"]),  # 0 is a choice, too
    ],
)
def test_a_run_that_goes_on_takes_no_choice_of_one_that_begins(capsys, chosen):
    assert main(["fit", "some.run", "--go-on", *chosen]) == 2
    assert capsys.readouterr().err == (
        f"bnpexplorer: --go-on learns the rest of a run as it was begun; leave {chosen[0]} out.\n"
    )


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


# ---- runs ----------------------------------------------------------------------------------------

AT = (2026, 5, 4, 14, 15, 0, 0, 0, -1)


@pytest.fixture
def kept(monkeypatch, elsewhere):
    """Runs `one` (read in part), `two` (finished, tagged), `three` (failed), and a deleted one."""
    now = [time.mktime(AT)]
    monkeypatch.setattr("bnpexplorer.runs.saved.listing.time.time", lambda: now[0])
    library = Library()
    plan = Plan.of("lda-svi", batch_size=50, passes=2, n_heldout=15)
    runs = {}
    for run_id, steps, status in (
        ("one", 4, "paused"),
        ("two", 10**6, "finished"),
        ("three", 2, "running"),
        ("four", 1, "paused"),
    ):
        runs[run_id] = learned(plan, steps)
        library.keep(run_id, runs[run_id], load(CSV), status)
        library.rename(run_id, f"run {run_id}")
        now[0] += 60.0
    library.tag("two", ("sea", "hill"))
    library.fail("three", "ValueError: no more.")
    library.delete("four")
    return library, runs


@pytest.mark.second
def test_runs_are_listed_with_all_that_is_known_of_each(kept, capsys):
    library, runs = kept
    assert main(["runs"]) == 0
    rows = capsys.readouterr().out.splitlines()
    heads = "id name method texts held-out topics done saved MB tags"
    assert " ".join(rows[0].split()) == heads
    by_id = {row.split()[0]: row for row in rows[1:] if row.strip()}
    saved = {row.run_id: row for row in library.saved()}
    for run_id, done, minutes, tags in (
        ("one", "67 %", 15, ""),
        ("two", "100 %", 16, "  hill sea"),
    ):
        run = runs[run_id]
        assert by_id[run_id] == (
            f"{run_id:<11} {'run ' + run_id:<20} {'lda-svi':<14} {'small.csv':<24} "
            f"{run.history[-1].heldout:>8.3f} {len(run.moment().in_use):>6} {done:>5} "
            f"2026-05-04 14:{minutes} {saved[run_id].n_bytes / 2**20:>6.1f}{tags}"
        )
    assert rows[rows.index(by_id["three"]) + 1] == (
        f"{'':<11} stopped with an error: ValueError: no more."
    )
    assert by_id["four"] == f"{'four':<11} deleted: run four; `runs restore four` brings it back"
    assert rows[-1] == f"{library.n_bytes / 2**20:,.1f} MB of 4,096 MB in {library.folder}"
    assert [row.split()[0] for row in rows[1:-3] if row[0] != " "] == ["three", "two", "one"]


def test_runs_are_listed_for_programs(kept, capsys):
    library, runs = kept
    assert main(["runs", "list", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    told = {one["id"]: one for one in facts["runs"]}
    assert list(told) == ["three", "two", "one"]
    one = next(row for row in library.saved() if row.run_id == "one")
    assert told["one"] == {
        "id": "one",
        "name": "run one",
        "method": "lda-svi",
        "corpus": "small.csv",
        "heldout": runs["one"].history[-1].heldout,
        "topics": len(runs["one"].moment().in_use),
        "progress": 195 / 290,
        "saved": time.mktime(AT),
        "bytes": one.n_bytes,
        "tags": [],
        "failure": None,
    }
    assert told["two"]["tags"] == ["hill", "sea"]
    assert told["three"]["failure"].startswith("stopped with an error: ValueError: no more. Resume")
    assert [one["id"] for one in facts["deleted"]] == ["four"]
    assert (facts["bytes"], facts["limit_bytes"]) == (library.n_bytes, 4 * 2**30)
    assert facts["folder"] == str(library.folder)


@pytest.mark.second
def test_what_was_done_to_a_run_is_said(kept, capsys, tmp_path):
    library, _ = kept
    (library.folder / "runs" / "one" / "row.json").write_text("{")
    for asked, said in (
        (["rename", "run two", " New "], "two is now called New"),
        (["tag", "New", "b", "a"], "two has the tags: a, b"),
        (["tag", "New"], "two has the tags: none"),
        (["delete", "New"], "deleted New; for a week `runs restore two` brings it back"),
        (["restore", "New"], "New is back"),
        (["delete", "one"], "deleted one, which was damaged, for good"),
    ):
        assert main(["runs", *asked]) == 0
        assert capsys.readouterr().out == f"{said}\n"
    assert not (library.folder / "runs" / "one").exists()


@pytest.mark.second
def test_a_run_goes_elsewhere_and_comes_back(kept, capsys, tmp_path, monkeypatch):
    library, runs = kept
    plain, texts = tmp_path / "plain.zip", tmp_path / "texts.run"
    monkeypatch.setattr(runs_module, "MB", 2**10)
    assert main(["runs", "export", "one", str(plain)]) == 0
    size = f"{plain.stat().st_size / 2**10:,.1f} MB"
    assert capsys.readouterr().out == f"{plain}: {size}, without the texts\n"
    assert main(["runs", "export", "one", str(texts), "--with-text"]) == 0
    size = f"{texts.stat().st_size / 2**10:,.1f} MB"
    assert capsys.readouterr().out == (
        f"{texts}: {size}, with the texts (this is a .zip that `runs import` reads, though the "
        "name does not end in .zip)\n"
    )
    assert texts.stat().st_size > plain.stat().st_size
    assert main(["runs", "export", "one", str(plain)]) == 2
    assert "--force to write over it" in capsys.readouterr().err
    assert main(["runs", "import", str(plain)]) == 2
    assert capsys.readouterr().err == (
        "bnpexplorer: This run is here already, as run one (one); --copy imports it again.\n"
    )
    assert main(["runs", "import", str(texts), "--copy"]) == 0
    seen = runs["one"].docs_seen
    copied = next(row for row in library.saved() if row.name == "run one (2)")
    assert capsys.readouterr().out == (f"{copied.run_id}: run one (2), {seen:,} of 290 documents\n")
    assert library.corpus(copied.run_id).docs.text is not None
    library.forget(["one", copied.run_id])
    assert main(["runs", "import", str(plain)]) == 0
    back = next(row for row in library.saved() if row.name == "run one")
    assert library.corpus(back.run_id).docs.text is None
    assert library.load(back.run_id).n_steps == 4


# ---- compare, claims, methods, corpus, export ----------------------------------------------------


def test_a_comparison_tells_its_ground_every_column_and_what_is_equal(capsys, tmp_path):
    plan = Plan.of("lda-svi", values={"n_topics": 5}, passes=2, n_heldout=15)
    files = []
    for place, size in enumerate((20, 70)):
        folder = tmp_path / str(place)
        folder.mkdir()
        files.append(str(folder / "same.run"))
        learned(replace(plan, batch_size=size), steps=10**6 if size == 70 else 3).save(files[-1])
    other = str(tmp_path / "other.run")
    apart = Plan.of("lda-svi", values={"n_topics": 6}, passes=2, n_heldout=16)
    learned(apart, steps=1).save(other)
    assert main(["compare", *files, other]) == 0
    captured = capsys.readouterr()
    assert captured.err == (
        "bnpexplorer: other.run is left out: another split: 16 documents held out, not 15.\n"
    )
    runs = {file: Run.load(file) for file in files}
    found = side_by_side(runs)
    ground, *table, equal = captured.out.splitlines()
    assert ground == "small.csv: 160 documents, 15 held out, Document completion"
    assert table[0].split() == " ".join(found.table()[0]).split()
    best, worst = sorted(files, key=lambda file: -runs[file].history[-1].heldout)
    for row, file in zip(table[1:], (best, worst), strict=True):
        run, cells = runs[file], row.split()
        assert cells[:2] == [file, "lda-svi"]
        assert cells[2] == f"{run.history[-1].heldout:.4g}"
        assert cells[3:5] == [f"{run.docs_seen:,}", f"{run.docs_seen / 145:.4g}"]
        assert cells[-2:] == ["finished" if run.done else "unfinished", str(run.batch_size)]
    assert equal.startswith("equal in all: seed 0, passes 2, order shuffled, topics 5"[:33])
    assert "n_topics 5" in equal
    assert "batch_size" not in equal
    assert main(["compare", *files, other, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["run"] for row in rows] == [best, worst]
    assert [row["≠ batch_size"] for row in rows] == [str(runs[f].batch_size) for f in (best, worst)]
    assert {row["n_topics"] for row in rows} == {"5"}
    assert main(["compare", *files, other, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["corpus"], facts["documents"], facts["heldout_documents"]) == (
        "small.csv",
        160,
        15,
    )
    assert facts["protocol"] == "completion"
    assert [run["run"] for run in facts["runs"]] == [best, worst]
    assert facts["equal_settings"]["n_topics"] == 5
    assert "batch_size" not in facts["equal_settings"]
    assert facts["left_out"] == [
        {"name": "other.run", "why": "another split: 16 documents held out, not 15"}
    ]


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


def test_every_method_is_listed_with_all_that_can_be_chosen(capsys):
    assert main(["methods"]) == 0
    out = capsys.readouterr().out
    assert main(["methods", "--json"]) == 0
    facts = {one["name"]: one for one in json.loads(capsys.readouterr().out)["methods"]}
    assert list(facts) == list(METHODS)
    for name, method in METHODS.items():
        made, one = method(), facts[name]
        names = [f.name for part in (made.model, made) for f in fields(part) if f.name != "model"]
        assert one["settings"] == names
        assert (one["title"], one["source"], one["kind"]) == (
            method.title,
            method.source,
            method.kind,
        )
        assert one["presets"] == list(method.presets)
        assert one["learnable"] == list(method.learnable())
        rows = (
            f"{name:<14} {method.title}",
            f"{'':<14} {method.source}",
            f"{'':<14} {method.kind}; can learn: {', '.join(one['learnable']) or 'nothing'}",
            f"{'':<14} presets: {', '.join(method.presets)}",
            f"{'':<14} settings: {', '.join(names)}",
            f"{'':<14} {one['threads']}",
        )
        assert "\n".join(rows) + "\n" in out


def test_a_corpus_on_the_disk_is_told_built_shown_and_checked(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("bnpexplorer.plugins.building.crew.Crew.work_on", work_here)
    out = tmp_path / "news corpus"
    assert main(["corpus", "build", CSV, str(out), "--min-df", "3", "--threads", "1"]) == 0
    built = capsys.readouterr().out.splitlines()
    corpus = load(out)
    tokens = int(corpus.n_tokens)
    size = sum(path.stat().st_size for path in out.glob("**/*") if path.suffix != ".json")
    about = f"small.csv: 160 documents, {corpus.n_words} words, {tokens:,} tokens in 1 shard"
    assert built[-3] == about.replace("small.csv", corpus.name)
    megabytes = f"{size / 1e6:,.1f} MB on the disk, fingerprint {corpus.fingerprint}"
    assert built[-2] == megabytes
    assert re.fullmatch(rf"built in \d+ s; learn it with: fit {re.escape(shown(out))}", built[-1])
    assert main(["corpus", "show", str(out)]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[:2] == built[-3:-1]
    assert rows[2] == f"of each document: {', '.join(corpus.docs.names())}"
    report = load_with_report(CSV, settings={"min_df": 3}).report
    left_out = [row for row in rows if row.startswith("left out: ")]
    assert left_out == [
        f"left out: {found.total:,} word{'' if found.total == 1 else 's'} ({why})"
        for why, found in report.removed.items()
    ] + ([f"left out: {report.left_out}"] if report.left_out else [])
    assert [row for row in rows if row.startswith("setting: ")] == ["setting: min_df = 3"]
    assert main(["corpus", "check", str(out)]) == 0
    assert capsys.readouterr().out == f"{rows[0]}: as built, fingerprint {corpus.fingerprint}.\n"


@pytest.mark.second
def test_an_export_names_every_file_that_it_wrote(capsys, tmp_path):
    run = str(tmp_path / "mine.run")
    Plan.of("lda-svi", passes=1).split_and_start(load(CSV, min_df=3)).save(run)
    for to, name, beside, said in (
        ("report", "a.html", [], ""),
        ("report", "a.txt", [], " (this is an HTML page, though the name does not end in .html)"),
        ("csv", "a.zip", [], ""),
        ("script", "b.py", ["b-texts.zip"], ""),
        ("notebook", "b.zip", [], ""),
    ):
        files = [str(tmp_path / one) for one in (name, *beside)]
        assert main(["export", run, files[0], "--to", to, "--force"]) == 0
        assert capsys.readouterr().out == f"wrote {' and '.join(files)}{said}\n"
        assert all(Path(file).stat().st_size > 100 for file in files)
    assert "b-texts.zip" in (tmp_path / "b.py").read_text()
    (tmp_path / "c-texts.zip").write_text("of yesterday")
    assert main(["export", run, str(tmp_path / "c.py"), "--to", "script"]) == 2
    assert f"{tmp_path / 'c-texts.zip'} exists" in capsys.readouterr().err
    assert not (tmp_path / "c.py").exists()


# ---- all -----------------------------------------------------------------------------------------


def test_what_an_option_says_it_is_where_it_is_left_out_is_so():
    """A number or name in brackets at the end of its help, such as [10]."""
    told = {}
    for path, parser in commands():
        for action in parser._actions:
            said = re.search(r"\[(sample:\w+|[\d.]+)\]$", action.help or "")
            if said and not action.dest.startswith("words_"):
                told[path, action.dest] = said[1]
                assert (
                    f"{action.default:g}" == said[1]
                    if said[1][0].isdigit()
                    else (action.default == said[1])
                )
    assert {dest for _, dest in told} == {"path", "minutes", "seeds"}


def test_a_file_of_words_is_offered_where_it_is_read_and_nowhere_else():
    (fit,) = [parser for path, parser in commands() if path == ("fit",)]
    offers = [one.dest for one in fit._actions if "A file instead" in (one.help or "")]
    assert offers == ["words_stop_words"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-3", -3),
        ("0.5", 0.5),
        ("1e-3", 0.001),
        (" Yes ", True),
        ("true", True),
        ("no", False),
        ("FALSE", False),
        ("many", "many"),
        ("", ""),
    ],
)
def test_what_is_written_after_an_equals_sign_is_a_number_or_a_word(text, value):
    found = parsed(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.second
def test_runs_of_one_name_are_chosen_by_id(kept, capsys):
    library, _ = kept
    for run_id in ("one", "two"):
        library.rename(run_id, "same")
    assert main(["runs", "tag", "same", "x"]) == 2
    assert capsys.readouterr().err == (
        "bnpexplorer: 2 saved runs are called same; choose by id: two, one.\n"
    )
    library.rename("three", "one")
    assert main(["runs", "tag", "one", "x"]) == 0
    assert {row.run_id: row.tags for row in library.saved()}["one"] == ("x",), "the id comes first"
    for run_id in ("one", "two"):
        library.delete(run_id)
    assert main(["runs", "restore", "same"]) == 2
    assert "2 deleted runs are called same" in capsys.readouterr().err
    assert main(["compare", "nobody"]) == 2
    assert capsys.readouterr().err == (
        "bnpexplorer: nobody is neither a file nor a saved run; `runs` lists those.\n"
    )


@pytest.mark.second
def test_a_run_begins_at_a_saved_run_by_its_name(kept, tmp_path):
    library, runs = kept
    out = str(tmp_path / "new.run")
    asked = ["--method", "lda-svi", "--passes", "1", "--out", out]
    assert main(["fit", CSV, *asked, "--start-from", "run two"]) == 0
    begun = Run.load(out)
    n_topics = len(runs["two"].moment().in_use)
    assert begun.given.said == f"the {n_topics} topics of run two"
    assert library.get("two").facts["status"] == "finished", "it is as it was"


@pytest.mark.second
def test_kept_runs_are_told_apart_from_those_of_other_methods(kept, capsys):
    """Only a run that is kept is compared with those that are; the verdict names the best."""
    library, _ = kept
    asked = ["fit", CSV, "--method", "hdp-svi", "--passes", "1", "--heldout", "15"]
    assert main(asked) == 0
    assert "methods tried" not in capsys.readouterr().out
    assert main([*asked, "--keep", "other"]) == 0
    assert "2 methods tried on these documents" in capsys.readouterr().out
    assert library.saved()[0].name == "other"


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


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--chains", "1"], "--chains must be 2 to 8; got 1."),
        (["--chains", "9"], "--chains must be 2 to 8; got 9."),
        (
            ["--stream", "--passes", "2"],
            "--stream reads the corpus once, --passes 2 would read it again; leave one of them "
            "out.",
        ),
        (["--set", "eta"], "--set needs NAME=VALUE; got 'eta'."),
        (["--shards", "s3://x"], "--shards says where a cluster's workers read; add --cluster "),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_is_read(capsys, more, said):
    assert main(["fit", "nowhere.csv", "--method", "lda-svi", *more]) == 2
    assert capsys.readouterr().err.startswith(f"bnpexplorer: {said}")


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
