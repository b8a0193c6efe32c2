"""Test what `compare`, `methods`, `corpus` and `export` print, to the last word."""

import csv
import io
import json
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from bnpexplorer import METHODS, Plan, Run, load
from bnpexplorer.__main__ import main
from bnpexplorer.compare import side_by_side
from bnpexplorer.corpus.intake.api import load_with_report
from bnpexplorer.corpus.readers.source import shown
from tests.cli.learning import CSV, at_root_and_home, learned
from tests.tools.building import work_here


@pytest.fixture(autouse=True)
def at_home(monkeypatch, request, tmp_path):
    yield from at_root_and_home(monkeypatch, request, tmp_path)


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
    assert ground == "small.csv: 160 documents, 15 held out, Document completion, 4 starts"
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
    assert facts["protocol"] == "completion-4-starts"
    assert [run["run"] for run in facts["runs"]] == [best, worst]
    assert facts["equal_settings"]["n_topics"] == 5
    assert "batch_size" not in facts["equal_settings"]
    assert facts["left_out"] == [
        {"name": "other.run", "why": "another split: 16 documents held out, not 15"}
    ]


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
