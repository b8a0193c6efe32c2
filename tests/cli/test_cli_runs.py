"""Test what `runs` prints, and how commands find saved runs by name or id."""

import json
import time

import pytest

from bnpexplorer import Plan, Run, load
from bnpexplorer.__main__ import main
from bnpexplorer.cli import runs as runs_module
from bnpexplorer.runs.saved.library import Library
from tests.cli.learning import CSV, at_root_and_home, learned

AT = (2026, 5, 4, 14, 15, 0, 0, 0, -1)


@pytest.fixture(autouse=True)
def at_home(monkeypatch, request, tmp_path):
    yield from at_root_and_home(monkeypatch, request, tmp_path)


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
    library, _ = kept
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
    copied = next(row for row in library.saved() if row.name == "run one (2)")
    assert capsys.readouterr().out == f"{copied.run_id}: run one (2), pass 2 of 2 over 145 texts\n"
    assert library.corpus(copied.run_id).docs.text is not None
    library.forget(["one", copied.run_id])
    assert main(["runs", "import", str(plain)]) == 0
    back = next(row for row in library.saved() if row.name == "run one")
    assert library.corpus(back.run_id).docs.text is None
    assert library.load(back.run_id).n_steps == 4


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
