"""Test commands whose work fails, whose files exist twice, or whose runs have names."""

import csv
import io
import json
import signal
import zipfile
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from bnpexplorer import Plan, Run, load
from bnpexplorer.__main__ import main
from bnpexplorer.chains import chains_of, found_topics
from bnpexplorer.cli import claims, fit
from bnpexplorer.cli.compare import _lines
from bnpexplorer.cli.reading import CorpusRead, asked_to_stop
from bnpexplorer.corpus.intake.api import load_with_report
from bnpexplorer.inference.cores import cores, usual_pool
from bnpexplorer.inference.pool import Threads
from bnpexplorer.runs.learning import Learning
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.state.labels import Labels
from tests.tools.building import work_here

CSV = "sample_data/small.csv"


@pytest.fixture(autouse=True)
def at_home(monkeypatch, request, tmp_path):
    monkeypatch.chdir(request.config.rootpath)
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "home"))


# ---- fit -----------------------------------------------------------------------------------------


@pytest.mark.second
def test_a_chain_that_fails_is_told_by_its_number_and_left_out(capsys, monkeypatch):
    step = Run.step

    def fails(run):
        if run.seed == 3 and run.n_steps == 2:
            raise FloatingPointError("no more numbers")
        step(run)

    monkeypatch.setattr(Run, "step", fails)
    asked = ["--method", "dpm-gibbs", "--passes", "6", "--seed", "2", "--chains", "3"]
    assert main(["fit", CSV, *asked, "--heldout", "9", "--keep", "mine"]) == 0
    out, err = capsys.readouterr()
    assert "chain 2 failed: FloatingPointError: no more numbers\n" in err
    assert {saved.name for saved in Library().saved()} == {"mine, chain 1", "mine, chain 3"}
    plan = Plan.of("dpm-gibbs", seed=2, passes=6, n_heldout=9, chains=3)
    chains = chains_of(plan, load(CSV))
    while not chains.done:
        chains.step()
    (heads,) = [row for row in out.splitlines() if "R-hat" in row]
    starts = [f"{i + 1} {chains.starts[i]}" for i in (0, 2)]
    assert heads.split() == ["R-hat", "ESS", *" ".join(starts).split()]
    found = found_topics([chains.runs[i].snapshot().topics for i in (0, 2)])
    counts = {n: sum(len(one.chains) == n for one in found) for n in (2, 1)}
    for n, count in counts.items():
        assert (f"found by {n} of 2 chains: {count} cluster" in out) == (count > 0)
    assert main(["fit", CSV, *asked, "--heldout", "9", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["topics_found_by"] == {str(n): count for n, count in counts.items()}


def test_what_is_kept_has_its_report_its_topics_and_its_status(capsys):
    loaded = load_with_report(CSV, settings={"min_df": 3})
    given = CorpusRead(loaded.corpus, loaded.report)
    run = Plan.of("lda-svi", passes=2).split_and_start(loaded.corpus)
    run.step()
    half = fit._keep(run, given, "half")
    library = Library()
    report, topics = library.origin(half)
    assert report.left_out == loaded.report.left_out
    assert topics is None
    assert library.get(half).facts["status"] == "paused"
    while not run.done:
        run.step()
    assert library.get(fit._keep(run, given, "whole")).facts["status"] == "finished"


def test_the_bar_of_learning_tells_the_share_and_the_pace_of_documents_read(monkeypatch):
    """29, 58, ... of 145 documents, each time after two seconds."""
    told = []
    bar = SimpleNamespace(draw=lambda *said: told.append(said), end=lambda: told.append("end"))
    monkeypatch.setattr(Learning, "seconds", 2.0)
    monkeypatch.setattr(fit, "Bar", lambda: bar)
    run = Plan.of("lda-svi", batch_size=29, passes=1, n_heldout=15).split_and_start(load(CSV))
    with asked_to_stop() as asked:
        assert fit._drive(run, asked) is None
    paces = ("14", "29", "44", "58", "72")
    assert told == [
        *(((n + 1) / 5, f"{pace} documents/s", n == 4) for n, pace in enumerate(paces)),
        "end",
    ]


@pytest.fixture
def interruptible():
    """A shell may start what runs in the background deaf to Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_the_second_ctrl_c_ends_and_the_first_only_asks():
    heard = []

    def pressed_twice():
        with asked_to_stop() as asked:
            signal.raise_signal(signal.SIGINT)
            heard.append(asked.is_set())
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        pressed_twice()
    assert heard == [True]
    assert signal.getsignal(signal.SIGINT) is before
    with asked_to_stop():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


# ---- claims and compare --------------------------------------------------------------------------


def test_a_cluster_computes_for_the_claims_and_for_nothing_after_them(capsys, monkeypatch):
    pool, seen = Threads(1), []

    @contextmanager
    def reached(_):
        yield pool

    monkeypatch.setattr(claims, "pool_for", reached)
    monkeypatch.setattr(claims, "_try", lambda *_: seen.append(usual_pool()) or 0)
    assert main(["claims", "toy", "--path", CSV]) == 0
    assert seen == [pool]
    assert usual_pool() is cores()


def test_numbers_stand_at_the_right_and_words_at_the_left():
    table = [{"run": "a", "topics": 7, "score": -1.5}, {"run": "b c", "topics": 1042, "score": -10}]
    assert _lines(table) == ["run  topics  score", "a         7   -1.5", "b c   1,042    -10"]


# ---- corpus and export ---------------------------------------------------------------------------


@pytest.mark.second
def test_a_program_is_told_what_was_left_out_and_what_is_damaged(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("bnpexplorer.plugins.building.crew.Crew.work_on", work_here)
    texts, out = tmp_path / "texts.csv", tmp_path / "corpus"
    rows = [f"sea hill cargo wave {'captain' if i % 2 else 'harbour'} n{i}" for i in range(30)]
    texts.write_text("text\n" + "\n".join([*rows, rows[3], rows[3], "on"]) + "\n")
    assert main(["corpus", "build", str(texts), str(out), "--max-df", "1.0", "--threads", "1"]) == 0
    capsys.readouterr()
    assert main(["corpus", "show", str(out), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    report = load_with_report(texts, settings={"max_df": 1.0}).report
    assert report.dropped == {"no word left": 1}
    assert report.repeated
    assert facts["repeated"] == report.repeated != report.left_out
    assert facts["documents_left_out"] == report.dropped
    assert facts["settings"] == {"max_df": 1.0, "min_df": 1, "min_tokens": 1}, "for so few texts"
    assert facts["words_left_out"] == {why: found.total for why, found in report.removed.items()}
    assert main(["corpus", "check", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sound"] is True
    arrays = [path for path in out.glob("**/*") if path.is_file() and path.suffix != ".json"]
    largest = max(arrays, key=lambda path: path.stat().st_size)
    data = bytearray(largest.read_bytes())
    data[-1] ^= 255
    largest.write_bytes(data)
    assert main(["corpus", "check", str(out), "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert facts["sound"] is False
    assert len(facts["faults"]) == 1


@pytest.fixture
def named():
    """A saved run, one topic of which has a name."""
    loaded = load_with_report(CSV, settings={"min_df": 3})
    run = Plan.of("lda-svi", values={"n_topics": 4}, passes=1).split_and_start(loaded.corpus)
    while not run.done:
        run.step()
    library = Library()
    library.keep("mine", run, loaded.corpus, "finished", report=loaded.report)
    library.label("mine", Labels({2: "Weather"}))
    return library


def test_an_export_of_a_saved_run_has_the_names_and_the_mark_for_excel(named, tmp_path):
    for more, begins in (([], b""), (["--bom"], b"\xef\xbb\xbf")):
        out = tmp_path / f"tables{len(more)}.zip"
        assert main(["export", "mine", str(out), "--to", "csv", *more]) == 0
        with zipfile.ZipFile(out) as archive:
            tables = {name: archive.read(name) for name in archive.namelist()}
        topics = next(tables[name] for name in tables if name.startswith("topics"))
        assert topics.startswith(begins + topics.removeprefix(b"\xef\xbb\xbf")[:1])
        assert "Weather" in [
            cell for row in csv.reader(io.StringIO(topics.decode("utf-8-sig"))) for cell in row
        ]


def test_nothing_is_exported_over_a_saved_run(named, capsys):
    row = named.folder / "runs" / "mine" / "row.json"
    before = row.read_bytes()
    onto = ["mine", str(row), "--force"]
    for asked in (["export", *onto, "--to", "report"], ["runs", "export", *onto]):
        assert main(asked) == 2
        assert f"{row} is what this command reads" in capsys.readouterr().err
    assert row.read_bytes() == before


def test_a_script_of_a_saved_run_counts_words_as_they_were_counted(named, tmp_path):
    out = tmp_path / "again.py"
    assert main(["export", "mine", str(out), "--to", "script"]) == 0
    assert "'min_df': 3," in out.read_text()
