"""The command line: the same numbers as Python, clear errors, saved runs that go on."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer import METHODS, Run, load, make_method, split_heldout
from bnpexplorer.__main__ import main
from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.cli import fit_summary, methods
from bnpexplorer.core import installation
from bnpexplorer.kernels.cache import CACHE_FOLDER
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.samples import bar_topics
from tests.tools.waiting import NEVER, until

CSV = "sample_data/small.csv"


@pytest.fixture(autouse=True)
def in_repository(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)


def run_json(capsys, *arguments: str) -> dict:
    assert main(["fit", *arguments, "--json"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1, "one object on one line"
    return json.loads(out)


def test_the_verdict_of_fit_counts_filler_too(capsys, monkeypatch):
    monkeypatch.setattr(fit_summary, "filler", lambda moment: set(moment.in_use[:2]))
    said = run_json(capsys, CSV, "--method", "lda-svi", "--passes", "1")["verdict"]
    assert "2 topics are filler; run it longer?" in said


@pytest.mark.parametrize("name", ["lda-svi", "dpm-tsvi", "hdp-tsvi"])
def test_same_numbers_as_python(capsys, name):
    facts = run_json(
        capsys,
        CSV,
        "--method",
        name,
        "--seed",
        "3",
        "--passes",
        "2",
        "--batch-size",
        "50",
        "--set",
        "eta=0.2",
        "--min-df",
        "3",
        "--heldout",
        "15",
    )
    assert list(facts) == [
        "method",
        "seed",
        "heldout",
        "protocol",
        "topics",
        "seconds",
        "documents_per_second",
        "threads",
        "ending",
        "verdict",
    ]
    corpus = load(CSV, min_df=3)
    protocol = "exact" if name == "dpm-tsvi" else "completion"
    train, heldout = split_heldout(corpus, 3, n=15, protocol=protocol)
    method = make_method(name, "default", {"eta": 0.2})
    run = Run(method, train, seed=3, batch_size=50, passes=2, heldout=heldout)
    while not run.done:
        run.step()
    assert facts["heldout"] == run.snapshot().trace[-1].heldout
    assert facts["protocol"] == protocol
    assert facts["seed"] == 3
    assert facts["documents_per_second"] > 0


def test_nothing_held_out_learns_all_without_a_score(capsys):
    assert main(["fit", CSV, "--method", "lda-svi", "--passes", "1", "--heldout", "0"]) == 0
    out = capsys.readouterr().out
    corpus = load(CSV)
    assert f"{corpus.n_docs:,} documents to learn" in out
    assert "1 pass, " in out
    assert "held-out score       none: nothing was held out\n" in out


def test_stream_reads_once_by_date(capsys):
    facts = run_json(
        capsys, CSV, "--method", "lda-svi", "--stream", "--batch-size", "20", "--date", "date"
    )
    train, heldout = split_heldout(load(CSV, date="date"), 0)
    run = Run(make_method("lda-svi"), train, batch_size=20, order="stream", heldout=heldout)
    while not run.done:
        run.step()
    assert run.docs_seen == train.n_docs
    assert facts["heldout"] == run.snapshot().trace[-1].heldout
    shuffled = run_json(
        capsys, CSV, "--method", "lda-svi", "--passes", "1", "--batch-size", "20", "--date", "date"
    )
    assert shuffled["heldout"] != facts["heldout"]
    assert main(["fit", CSV, "--method", "lda-batch", "--stream"]) == 2
    assert "cannot learn a stream" in capsys.readouterr().err


def test_saved_run_opens(capsys, tmp_path):
    path = str(tmp_path / "my.run")
    assert main(["fit", CSV, "--method", "hdp-tsvi", "--passes", "1", "--out", path]) == 0
    assert path in capsys.readouterr().out
    loaded = Run.load(path)
    assert loaded.done
    assert len(loaded.snapshot().topics) > 0


@pytest.mark.second
def test_a_run_that_is_kept_keeps_how_its_words_were_counted(monkeypatch, tmp_path):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    read_so = ["--delimiter", ",", "--header", "yes", "--min-df", "3"]
    assert main(["fit", CSV, "--passes", "1", "--keep", "mine", *read_so]) == 0
    library = Library()
    (saved,) = library.saved()
    report = library.origin(saved.run_id)[0]
    assert report.settings.min_df == 3
    assert report.reading.settings == report.settings
    assert report.reading.chosen == {"delimiter": ",", "header": "yes"}
    assert report.reading.files == ("small.csv",)
    assert main(["fit", "sample:bars", "--passes", "1", "--keep", "bars", "--seed", "4"]) == 0
    run_id = next(row.run_id for row in library.saved() if row.name == "bars")
    np.testing.assert_array_equal(library.origin(run_id)[1], bar_topics())
    assert main(["fit", "sample:small-csv", "--passes", "1", "--keep", "csv"]) == 0
    run_id = next(row.run_id for row in library.saved() if row.name == "csv")
    assert library.origin(run_id)[0].n_read == 160


def test_texts_are_cleaned_up_and_stop_words_come_from_a_file(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "home"))
    text = Path(CSV).read_text(encoding="utf-8").replace("train", "train bit.ly/x")
    (tmp_path / "mine.csv").write_text(text, encoding="utf-8")
    (tmp_path / "stop.txt").write_text("train\nkitchen, garden\n")
    given = ["fit", str(tmp_path / "mine.csv"), "--passes", "1", "--keep", "mine"]
    given += ["--clean", "auto", "--stop-words", str(tmp_path / "stop.txt")]
    assert main(given) == 0
    assert "Links in " in capsys.readouterr().out
    library = Library()
    (saved,) = library.saved()
    settings = library.origin(saved.run_id)[0].settings
    assert settings.clean == "links contractions"
    assert (settings.stop_words, settings.extra_stop_words) == ("english", "train kitchen garden")
    assert {"train", "garden", "bit"}.isdisjoint(library.corpus(saved.run_id).vocab)


def test_summary_is_readable(capsys):
    assert main(["fit", CSV, "--method", "lda-svi", "--passes", "1"]) == 0
    out = capsys.readouterr()
    assert "held-out score" in out.out
    assert "(completion)" in out.out
    assert "topics in use" in out.out
    assert out.err == "", "no progress bar where nobody watches"


def test_samples_by_name(capsys):
    facts = run_json(capsys, "sample:bars", "--method", "lda-svi", "--passes", "1")
    assert facts["protocol"] == "tokens-90-10"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "no-such-file.csv"], "no-such-file.csv"),
        (["fit", "sample:nothing"], "no sample 'nothing'"),
        (["fit", CSV, "--text", "body"], "body"),
        (["fit", CSV, "--set", "eta"], "NAME=VALUE"),
        (["fit", CSV, "--set", "colour=1"], "no setting 'colour'"),
        (["fit", CSV, "--set", "eta=-1"], "eta must lie in the range"),
        (["fit", CSV, "--preset", "best"], "no preset 'best'"),
        (["fit", CSV, "--passes", "0"], "passes must be at least 1"),
        (["fit", CSV, "--batch-size", "0"], "batch_size must be at least 1"),
        (["fit", CSV, "--seed", "-1"], "--seed must be 0 or more"),
        (["fit", CSV, "--heldout", "100000"], "at most"),
        (["fit", CSV, "--heldout", "-5"], "--heldout must be 0 or more; got -5"),
        (["fit", CSV, "--stream", "--passes", "2"], "--passes 2 would read it again"),
        (["fit", CSV, "--keep", " "], "--keep needs a name"),
        (["fit", CSV, "--out", ""], "has no name"),
        (["fit", CSV, "--out", "tests"], "tests is a folder"),
        (["fit", CSV, "--out", "/dev/null", "--force"], "/dev/null is a device"),
        (["fit", CSV, "--method", "hdp-magic"], "'hdp-splitmerge'"),
        (["fit", CSV, "--colour", "red"], "fit does not know --colour; `fit --help`"),
        (["fit"], "required: path; `fit --help`"),
        (["runs", "lst"], "'restore'"),
        (["fot"], "'claims', 'compare'"),
        (["--fast"], "does not know --fast; `--help`"),
        (["fit", CSV, "--min-df", "1000"], "min_df"),
        (["fit", CSV, "--clean", "tweet"], "no clean-up 'tweet'; choose auto, none, a preset"),
        (
            ["fit", CSV, "--stop-words", "no-such.txt"],
            "--stop-words no-such.txt is no file and none of english, language, none",
        ),
        (["fit", CSV, "--out", "no/such/folder/x.run"], "no folder"),
    ],
)
def test_errors_are_one_sentence(capsys, arguments, words):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.startswith("bnpexplorer: ")
    assert captured.err.count("\n") == 1
    assert captured.out == ""


@pytest.mark.parametrize("command", ["", "app", "class", "fit", "doctor", "methods"])
def test_no_command_starts_with_a_variable_of_an_earlier_version(command, monkeypatch, capsys):
    monkeypatch.setenv("BNPEXPLORER_READ_MB", "500")
    assert main([command] if command else []) == 2
    said = "BNPEXPLORER_READ_MB is called BNPEXPLORER_MEMORY_MB now; set BNPEXPLORER_MEMORY_MB"
    assert capsys.readouterr().err == f"bnpexplorer: {said} instead.\n"


def test_what_was_left_out_is_said(capsys, tmp_path):
    rows = [f"the {word} water of the {word} river" for word in ("calm", "loud", "dark") * 30]
    path = tmp_path / "mine.txt"
    path.write_text("\n".join([*rows, "short"] + ["one two"] * 2))
    fit = ["fit", str(path), "--method", "lda-svi", "--passes", "1", "--min-df", "1"]
    few = ["--max-df", "1.0", "--min-tokens", "2"]
    assert main([*fit, *few]) == 0
    out = capsys.readouterr().out
    left_out = next(line for line in out.splitlines() if line.startswith("left out"))
    assert left_out.split(maxsplit=2)[2] == "3 of 93 documents (3 had fewer than 2 words left)"
    assert "87 documents have the text of an earlier one; --drop-repeated" in out
    assert main([*fit, *few, "--drop-repeated", "true", "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.out.count("\n") == 1
    assert "left out: 90 of 93 documents (3 had fewer than 2 words left; 87 had the text" in (
        captured.err
    )


def test_files_of_a_folder_that_are_not_read_are_said(capsys, tmp_path):
    (tmp_path / "more").mkdir()
    for i, word in enumerate(("calm", "loud", "dark") * 2):
        (tmp_path / f"{i}.txt").write_text(f"{word} water river number {i}")
    (tmp_path / "empty.txt").touch()
    for other in ("a.pdf", "more/b.docx"):
        (tmp_path / other).write_text("not a text")
    assert main(["fit", str(tmp_path), "--method", "lda-svi", "--passes", "1"]) == 0
    out = capsys.readouterr().out
    assert "2 files not ending in .txt left out." in out
    assert "1 of 7 documents (1 had no text)\n" in out


def app_starts(monkeypatch):
    """The commands that would have started the app."""
    called = []
    monkeypatch.setattr("bnpexplorer.cli.app.os.name", "another")
    monkeypatch.setattr("bnpexplorer.cli.app.wait_for", lambda command: called.append(command) or 0)
    return called


def test_options_of_streamlit_are_passed_on(capsys, monkeypatch):
    called = app_starts(monkeypatch)
    assert main(["app", "--", "--server.port", "8502"]) == 0
    assert called[0][-2:] == ["--server.port", "8502"]
    assert "-P" in called[0][: called[0].index("-m")], "no module of the folder is imported instead"
    with pytest.raises(SystemExit):
        main(["app", "--help"])
    assert "app -- --server.port 8502" in capsys.readouterr().out


def test_letters_that_the_output_does_not_know_end_no_command(monkeypatch):
    """As where it goes into a file on Windows."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="cp1252") for _ in range(2))
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", out)
        patched.setattr("sys.stderr", err)
        assert main(["fit", "λόγος.csv"]) == 2
    err.flush()
    assert rb"\u03bb\u03cc\u03b3\u03bf\u03c2.csv" in err.buffer.getvalue()


def test_too_little_memory_is_said_before_the_app_starts(capsys, monkeypatch):
    called = app_starts(monkeypatch)
    assert main([]) == 0
    assert not capsys.readouterr().err
    monkeypatch.setattr("bnpexplorer.cli.app.usable_memory", lambda: 600 * 2**20)
    assert main([]) == 0
    assert "bnpexplorer: There are 600 MB of memory here" in capsys.readouterr().err
    assert len(called) == 2


@pytest.mark.second
@pytest.mark.skipif(os.name != "posix", reason="Windows sends no such signal to a process alone")
def test_where_the_app_is_a_process_of_its_own_ctrl_c_lets_it_end_in_good_order(tmp_path):
    """Both hear of it, as in a terminal; it takes longer than `subprocess.call` would wait."""
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import signal, sys, time\n"
        "def end(*_): time.sleep(1.0); open('saved', 'w').close(); sys.exit(7)\n"
        "signal.signal(signal.SIGINT, end)\n"
        "open('begun', 'w').close()\n"
        "time.sleep(60)\n"
    )
    waits = "from bnpexplorer.cli.app import wait_for; import sys; sys.exit(wait_for(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", waits, sys.executable, str(slow)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installation.TOP)},
        start_new_session=True,
    )
    until(lambda: (tmp_path / "begun").exists())
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(NEVER) == 7
    assert (tmp_path / "saved").exists()


def test_no_command_opens_the_app(capsys, monkeypatch):
    called = app_starts(monkeypatch)
    assert main([]) == 0
    assert main(["app"]) == 0
    assert called[0] == called[1]
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert "fit" in out
    assert "Without a command it opens the app" in out


def interrupt(monkeypatch, after, kind=Run):
    """Press Ctrl-C in the middle of the step that comes after so many."""
    steps, step = [], kind.step

    def pressed(self):
        steps.append(self)
        if len(steps) == after + 1:
            signal.raise_signal(signal.SIGINT)
        step(self)

    monkeypatch.setattr(kind, "step", pressed)


def test_stopped_in_the_middle_of_a_sweep_it_goes_on_as_if_never_stopped(
    capsys, tmp_path, monkeypatch
):
    fit = ["fit", CSV, "--method", "hdp-gibbs", "--batch-size", "50", "--passes", "3"]
    whole, part = tmp_path / "whole.run", tmp_path / "part.run"
    assert main([*fit, "--out", str(whole)]) == 0
    with monkeypatch.context() as patched:
        interrupt(patched, after=3)  # three blocks a sweep: the first block of the second
        assert main([*fit, "--out", str(part)]) == 130
    captured = capsys.readouterr()
    assert "stopped after 194 documents" in captured.err
    assert f"saved in             {part}" in captured.out
    run, expected = Run.load(part), Run.load(whole)
    assert not run.done
    while not run.done:
        run.step()
    ours, theirs = run.snapshot().topics, expected.snapshot().topics
    assert np.array_equal(ours.topic_word, theirs.topic_word)
    assert np.array_equal(ours.topic_ids, theirs.topic_ids)


@pytest.mark.second
def test_stopped_claims_keep_what_was_found(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    interrupt(monkeypatch, after=5, kind=Study)
    assert main(["claims", "kappa-lda", "--path", CSV, "--minutes", "10"]) == 130
    assert "stopped; what was found is kept" in capsys.readouterr().err


def test_methods_lists_every_method(capsys):
    assert main(["methods"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in METHODS)
    of_svi = out.split("lda-svi ")[1].split("lda-gibbs ")[0]
    assert "settings: n_topics, alpha, eta, tau, kappa, start, " in of_svi
    assert main(["methods", "--markdown"]) == 0
    table = capsys.readouterr().out.strip().splitlines()
    assert len(table) == 2 + len(METHODS)


@pytest.mark.second
def test_a_claim_by_passes_ends_with_its_time_and_goes_on(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    asked = ["claims", "kappa-lda", "--path", CSV, "--passes", "2", "--seeds", "2", "--minutes"]
    assert main([*asked, "0.001"]) == 0
    out = capsys.readouterr().out
    assert "It ended after its longest duration" in out
    assert "begin it again, and it goes on with the others" in out
    assert main([*asked, "10"]) == 0
    out = capsys.readouterr().out
    assert "longest duration" not in out
    assert re.search(r"here after 2 passes|undecided|too early", out)
    (found,) = (tmp_path / "claims").glob("*.json")
    assert found.stem.endswith("-2-p2")
    assert len(json.loads(found.read_text())) == len(CLAIMS["kappa-lda"].trials(2))


@pytest.mark.second
def test_claims_are_listed_tried_and_refused(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    assert main(["claims"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in CLAIMS)
    assert main(["claims", "toy", "theorem-2", "--path", CSV]) == 0
    out = capsys.readouterr().out
    assert out.count("holds here.") == 2
    assert out.splitlines()[0] == f"tried on small.csv: {load(CSV).n_docs} documents"
    for wrong, words in (
        (["claims", "no-such"], "no claim 'no-such'"),
        (["claims", "catvi", "--path", CSV, "--minutes", "0.1"], "too small"),
        (["claims", "toy", "--path", CSV, "--seeds", "0"], "--seeds"),
        (["claims", "catvi", "--path", CSV, "--minutes", "inf"], "number of seconds"),
        (["claims", "kappa-lda", "--path", CSV, "--passes", "-1"], "Passes must be 1 to 9,999"),
        (["claims", "toy", "--path", "nowhere.csv"], "nowhere.csv"),
    ):
        assert main(wrong) == 2
        assert words in capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["claims", "sumo-growth", "--path", CSV, "--minutes", "10"]) == 0
    captured = capsys.readouterr()
    assert "figure 3" in captured.out
    n_trials = len(CLAIMS["sumo-growth"].trials(3))
    assert f"  0 %  sumo-growth: 0 of {n_trials} trials" in captured.err
    assert f"100 %  sumo-growth: {n_trials} of {n_trials} trials" in captured.err
    assert len(list((tmp_path / "claims").glob("sumo-growth-*.json"))) == 1


def test_doctor_tells_versions_and_cache(capsys):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert np.__version__ in out
    assert str(CACHE_FOLDER) in out
    assert "Nothing is missing." in out


@pytest.mark.second
def test_warm_names_every_method(capsys):
    assert main(["warm"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in METHODS)


def test_warm_tells_the_seconds_of_each_method(capsys, monkeypatch):
    clock = iter([10.0, 13.0, 20.0, 24.5])
    monkeypatch.setattr(methods, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    monkeypatch.setattr(methods, "warm", lambda method: None)
    assert main(["warm", "lda-svi", "hdp-svi"]) == 0
    out = capsys.readouterr().out
    assert re.findall(r"^(\S+) +ready after (\S+) s$", out, re.M) == [
        ("lda-svi", "3.0"),
        ("hdp-svi", "4.5"),
    ]


def test_fit_begins_at_a_saved_run(tmp_path, capsys):
    """By its file, with the same numbers each time; a file of anything else is refused."""
    first, csv = str(tmp_path / "first.zip"), "sample:small-csv"
    assert main(["fit", csv, "--method", "hdp-tsvi", "--passes", "1", "--out", first]) == 0
    capsys.readouterr()
    again = ["fit", csv, "--method", "lda-gibbs", "--passes", "2", "--start-from", first]
    assert main(again) == 0
    assert re.search(r"began from +the \d+ topics of first\.zip", capsys.readouterr().out)
    facts = []
    for _ in range(2):
        assert main([*again, "--json"]) == 0
        facts.append(json.loads(capsys.readouterr().out))
    assert facts[0]["start_from"].endswith("topics of first.zip")
    assert facts[0]["heldout"] == facts[1]["heldout"]
    (tmp_path / "no.zip").write_text("nothing")
    assert main(["fit", csv, "--start-from", str(tmp_path / "no.zip")]) != 0
    assert "no.zip" in capsys.readouterr().err
