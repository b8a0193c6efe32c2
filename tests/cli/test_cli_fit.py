"""`fit` of the command line: the same numbers as Python, what it says, runs that go on."""

import json
import re
import signal
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer import Run, load, make_method, split_heldout
from bnpexplorer.__main__ import main
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.samples import bar_topics
from bnpexplorer.state.moment import Moment

CSV = "sample_data/small.csv"


@pytest.fixture(autouse=True)
def in_repository(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)


def run_json(capsys, *arguments: str) -> dict:
    assert main(["fit", *arguments, "--json"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1, "one object on one line"
    return json.loads(out)


# ---- what is learned -----------------------------------------------------------------------------


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
        "spread",
        "protocol",
        "topics",
        "seconds",
        "processor_seconds",
        "documents_per_second",
        "threads",
        "ending",
        "verdict",
        "at_limits",
    ]
    corpus = load(CSV, min_df=3)
    protocol = "exact" if name == "dpm-tsvi" else "completion-4-starts"
    train, heldout = split_heldout(corpus, 3, n=15, protocol=protocol)
    method = make_method(name, "default", {"eta": 0.2})
    run = Run(method, train, seed=3, batch_size=50, passes=2, heldout=heldout)
    while not run.done:
        run.step()
    assert facts["heldout"] == run.snapshot().trace[-1].heldout
    assert facts["protocol"] == protocol
    assert facts["spread"] == run.snapshot().spread
    assert (facts["spread"] > 0.0) == (name != "dpm-tsvi")
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
    train, heldout = split_heldout(load(CSV, date="date"), 0, protocol="completion-4-starts")
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


def test_samples_by_name(capsys):
    facts = run_json(capsys, "sample:bars", "--method", "lda-svi", "--passes", "1")
    assert facts["protocol"] == "tokens-90-10-4-starts"


def test_summary_is_readable(capsys):
    assert main(["fit", CSV, "--method", "lda-svi", "--passes", "1"]) == 0
    out = capsys.readouterr()
    assert "held-out score" in out.out
    assert "(completion-4-starts)" in out.out
    assert "topics in use" in out.out
    assert out.err == "", "no progress bar where nobody watches"


def test_the_verdict_of_fit_counts_filler_too(capsys, monkeypatch):
    two = property(lambda moment: frozenset(moment.in_use[:2]))
    monkeypatch.setattr(Moment, "_found_filler", two)
    said = run_json(capsys, CSV, "--method", "lda-svi", "--passes", "1")["verdict"]
    assert "2 topics are filler; run it longer?" in said


# ---- texts ---------------------------------------------------------------------------------------


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
    for other in ("a.jpg", "more/b.xls"):
        (tmp_path / other).write_text("not a text")
    assert main(["fit", str(tmp_path), "--method", "lda-svi", "--passes", "1"]) == 0
    out = capsys.readouterr().out
    assert "2 files left out, no texts by their names (1 .jpg, 1 .xls)" in out
    assert "1 of 7 documents (1 had no text)\n" in out


# ---- runs that are saved and go on ---------------------------------------------------------------


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
    read_so = ["--delimiter", ",", "--header", "yes", "--min-df", "3", "--as-of", "2026-03-05"]
    assert main(["fit", CSV, "--passes", "1", "--keep", "mine", *read_so]) == 0
    library = Library()
    (saved,) = library.saved()
    report = library.origin(saved.run_id)[0]
    assert report.settings.min_df == 3
    assert report.reading.settings == report.settings
    assert report.reading.chosen == {"delimiter": ",", "header": "yes", "as_of": "2026-03-05"}
    assert report.reading.files == ("small.csv",)
    assert main(["fit", "sample:bars", "--passes", "1", "--keep", "bars", "--seed", "4"]) == 0
    run_id = next(row.run_id for row in library.saved() if row.name == "bars")
    np.testing.assert_array_equal(library.origin(run_id)[1], bar_topics())
    assert main(["fit", "sample:small-csv", "--passes", "1", "--keep", "csv"]) == 0
    run_id = next(row.run_id for row in library.saved() if row.name == "csv")
    assert library.origin(run_id)[0].n_read == 160


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
