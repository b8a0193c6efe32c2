"""What commands tell a person, to the last word: every line against facts that Python has."""

import argparse
import json
import re
import time
from types import SimpleNamespace

import pytest

from bnpexplorer import Plan, Run, load
from bnpexplorer.__main__ import main
from bnpexplorer.chains import chains_of, found_topics
from bnpexplorer.cli import fit_summary
from bnpexplorer.cli import runs as runs_module
from bnpexplorer.compare.verdict import verdict_of
from bnpexplorer.evaluate import unigram_score
from bnpexplorer.runs.learning import Learning
from bnpexplorer.saved.library import Library
from tests.tools.commands import commands

CSV = "sample_data/small.csv"


@pytest.fixture(autouse=True)
def at_home(monkeypatch, request, tmp_path):
    monkeypatch.chdir(request.config.rootpath)
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "home"))


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
    run = learned(Plan.of("lda-svi", "default", values, seed=3, batch_size=50, passes=2, n_heldout=15))
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
        words = [
            chains.runs[one.chain].moment().words_line(one.topic, 8, " ") for one in those[:8]
        ]
        lines = [f"{one.share:6.1%}  {said}" for one, said in zip(those, words, strict=False)]
        assert head + "\n".join(lines) + "\n" in out


# ---- runs ----------------------------------------------------------------------------------------

AT = (2026, 5, 4, 14, 15, 0, 0, 0, -1)


@pytest.fixture
def kept(monkeypatch, elsewhere):
    """Runs `one` (read in part), `two` (finished, tagged), `three` (failed), and a deleted one."""
    now = [time.mktime(AT)]
    monkeypatch.setattr("bnpexplorer.saved.listing.time.time", lambda: now[0])
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


def test_runs_are_listed_with_all_that_is_known_of_each(kept, capsys):
    library, runs = kept
    assert main(["runs"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].split() == (
        "id name method texts held-out topics done saved MB tags".split()
    )
    by_id = {row.split()[0]: row for row in rows[1:] if row.strip()}
    saved = {row.run_id: row for row in library.saved()}
    for run_id, done, minutes, tags in (("one", "67 %", 15, ""), ("two", "100 %", 16, "  hill sea")):
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
        f"{texts}: {size}, with the texts (this is a .zip that `runs import` reads, though the name "
        "does not end in .zip)\n"
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
    assert capsys.readouterr().out == (
        f"{copied.run_id}: run one (2), {seen:,} of 290 documents\n"
    )
    assert library.corpus(copied.run_id).docs.text is not None
    library.forget(["one", copied.run_id])
    assert main(["runs", "import", str(plain)]) == 0
    back = next(row for row in library.saved() if row.name == "run one")
    assert library.corpus(back.run_id).docs.text is None
    assert library.load(back.run_id).n_steps == 4


# ---- all -----------------------------------------------------------------------------------------


def test_what_an_option_says_it_is_where_it_is_left_out_is_so():
    """A number or name in brackets at the end of its help, such as [10]."""
    told = {}
    for path, parser in commands():
        for action in parser._actions:
            said = re.search(r"\[(sample:\w+|[\d.]+)\]$", action.help or "")
            if said and not action.dest.startswith("words_"):
                told[path, action.dest] = said[1]
                assert f"{action.default:g}" == said[1] if said[1][0].isdigit() else (
                    action.default == said[1]
                )
    assert {dest for _, dest in told} == {"path", "minutes", "seeds"}
