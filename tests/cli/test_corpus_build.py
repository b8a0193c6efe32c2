"""`corpus build` and `corpus show`, and `fit` of what they made."""

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from bnpexplorer import load
from bnpexplorer.__main__ import main
from bnpexplorer.cli.reading import told_how_far
from bnpexplorer.corpus.documents.enough import too_little
from bnpexplorer.corpus.intake.api import load_with_report
from bnpexplorer.corpus.intake.following import follower_here
from bnpexplorer.corpus.intake.usage import Usage
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.plugins.building import command, crew
from tests.tools.building import rows_of, work_here, write_csv

ROOT = Path(__file__).parents[2]


def test_a_corpus_is_built_shown_and_learned(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(crew.Crew, "work_on", work_here)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(120)), str(tmp_path / "out")
    assert main(["corpus", "build", str(path), out, "--min-df", "3", "--threads", "1"]) == 0
    said = capsys.readouterr().out
    assert "text from 'text'" in said
    assert main(["corpus", "show", out]) == 0
    shown = capsys.readouterr().out
    assert "setting: min_df = 3" in shown
    assert "words (in fewer than 3 documents)" in shown
    as_built = ReadOptions(as_of=str(date.today()))
    wanted = load_with_report(path, options=as_built, settings={"min_df": 3})
    assert wanted.corpus.fingerprint in said
    assert wanted.corpus.fingerprint in shown
    assert wanted.report.left_out in shown
    opened = load_with_report(out)
    assert opened.corpus.fingerprint == load(out).fingerprint == wanted.corpus.fingerprint
    assert opened.report.reading == wanted.report.reading
    assert [a.tolist() for a in opened.report.zipf] == [a.tolist() for a in wanted.report.zipf]
    assert main(["fit", out, "--method", "lda-svi", "--passes", "1", "--heldout", "0"]) == 0


def test_counts_with_their_vocabulary_are_built_too(tmp_path, capsys):
    counts, words = ROOT / "sample_data/docword.tiny.txt", ROOT / "sample_data/vocab.tiny.txt"
    out = str(tmp_path / "out")
    assert main(["corpus", "build", str(counts), out, "--vocab", str(words)]) == 0
    assert load(out).fingerprint == load(counts, vocab=words).fingerprint
    again = ["corpus", "build", str(ROOT / "sample_data/docword.tiny.txt"), out]
    assert main([*again, "--vocab", str(words)]) == 2
    assert main([*again, "--vocab", str(words), "--force"]) == 0
    capsys.readouterr()
    assert main(["corpus", "build", str(counts), str(counts), out, "--vocab", str(words)]) == 2
    assert "--vocab goes with one file of counts; got 2." in capsys.readouterr().err
    assert main(["corpus", "build", str(counts), str(tmp_path / "other")]) == 2
    assert "give it alone, with its vocabulary" in capsys.readouterr().err


def test_counts_are_built_with_the_settings_asked_for_and_anew_where_it_is_forced(tmp_path, capsys):
    counts, words = ROOT / "sample_data/docword.tiny.txt", ROOT / "sample_data/vocab.tiny.txt"
    command = ["corpus", "build", str(counts), str(tmp_path / "out"), "--vocab", str(words)]
    assert main([*command, "--max-features", "20"]) == 0
    said = capsys.readouterr()
    assert "226 words that count" not in said.err
    assert said.out.rstrip().endswith(f" s; learn it with: fit {tmp_path / 'out'}")
    built = load(tmp_path / "out")
    assert built.fingerprint == load(counts, vocab=words, max_features=20).fingerprint
    assert built.n_words == 20
    assert main(command) == 2
    assert "holds a complete corpus" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0
    said = capsys.readouterr()
    assert "10 documents with 226 words that count are too little text" in said.err
    assert load(tmp_path / "out").fingerprint == load(counts, vocab=words).fingerprint
    assert main(["corpus", "build", str(counts), str(counts), *command[3:]]) == 2
    assert "--vocab goes with one file of counts; got 2." in capsys.readouterr().err


def test_a_terminal_is_told_how_far_a_file_is_read(capsys, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sys.stderr, "isatty", lambda: True)
        with told_how_far("texts/news.csv"):
            follower_here().tell("1,200 lines")
            follower_here().look(Usage(340 * 2**20, 12.0))
    said = capsys.readouterr().err
    assert "reading news.csv: 1,200 lines, 12 s of processor time, 340 MB of memory" in said


def test_a_vocabulary_that_is_too_long_is_said(tmp_path, capsys):
    counts, words = tmp_path / "a.ldac", tmp_path / "v.csv"
    counts.write_text("3 0:4 1:2 2:1\n2 1:3 3:9\n" * 8)
    words.write_text("sea\nhill\ncaptain\ncargo\nwave\n")
    said = "bnpexplorer: No document has the last word of v.csv, 'wave'. If its line 1, 'sea', is"
    assert main(["corpus", "build", str(counts), str(tmp_path / "out"), "--vocab", str(words)]) == 0
    err = capsys.readouterr().err
    assert said in err
    assert too_little(load(tmp_path / "out")) in err
    report = StoredCorpus(tmp_path / "out").manifest.report
    [warning] = report["warnings"]
    assert warning.startswith(said.removeprefix("bnpexplorer: "))
    assert len(report["notes"]) > 1
    learn = ["--method", "lda-svi", "--passes", "1", "--heldout", "0", "--min-df", "1"]
    assert main(["fit", str(counts), "--vocab", str(words), *learn]) == 0
    out, err = capsys.readouterr()
    assert said in err
    assert "No document has" not in out


@pytest.mark.parametrize(("asked", "told"), [("2", False), ("3", True)])
def test_more_processes_than_cores_are_told(tmp_path, capsys, monkeypatch, asked, told):
    monkeypatch.setattr(crew.Crew, "work_on", work_here)
    monkeypatch.setattr(command, "usable_cores", lambda: 2)
    path = write_csv(tmp_path / "texts.csv", rows_of(20))
    assert main(["corpus", "build", str(path), str(tmp_path / "out"), "--threads", asked]) == 0
    said = "bnpexplorer: 3 processes would count no faster than 2, one for each core: so many are"
    assert (said in capsys.readouterr().err) is told


def test_refusals_are_one_sentence(tmp_path, capsys, monkeypatch):
    path = write_csv(tmp_path / "texts.csv", rows_of(20))
    for more in (["--threads", "0"], ["--join", "nobody"], ["--phrase-npmi", "7"], ["--stem", "x"]):
        assert main(["corpus", "build", str(path), str(tmp_path / "out"), *more]) == 2
        error = capsys.readouterr().err
        assert error.startswith("bnpexplorer: ")
        assert error.count("\n") == 1
    monkeypatch.setenv("BNPEXPLORER_THREADS", "0")
    assert main(["corpus", "build", str(path), str(tmp_path / "out")]) == 2
    assert "BNPEXPLORER_THREADS must be 1 or more" in capsys.readouterr().err
    assert [child.name for child in tmp_path.iterdir()] == ["texts.csv"]


@pytest.mark.second
def test_texts_are_joined_and_phrases_found(tmp_path, capsys):
    """In processes of its own, as a person asks for it; also from the corpus that was built."""
    path, out = write_csv(tmp_path / "texts.csv", rows_of(120)), str(tmp_path / "out")
    asked = ["--join", "label", "--phrases", "true", "--phrase-count", "3", "--min-df", "1"]
    asked += ["--phrase-npmi", "0.1", "--min-tokens", "1", "--max-df", "1.0"]
    assert main(["corpus", "build", str(path), out, *asked, "--threads", "1000"]) == 0
    said = capsys.readouterr()
    assert "joined into 3 documents" in said.out
    assert "1,000 processes" in said.err
    assert main(["corpus", "show", out]) == 0
    assert "setting: joined = " in capsys.readouterr().out
    words = {"phrases": True, "phrase_count": 3, "min_df": 1, "phrase_npmi": 0.1}
    words |= {"min_tokens": 1, "max_df": 1.0}
    wanted = load_with_report(path, options=ReadOptions(join="label"), settings=words)
    assert load(out).fingerprint == wanted.corpus.fingerprint
    again = str(tmp_path / "again")
    assert main(["corpus", "build", out, again, "--min-df", "1", "--max-df", "1.0"]) == 0
    assert "The texts of a corpus on the disk: 3 documents." in capsys.readouterr().out


@pytest.mark.second
def test_two_builds_of_one_folder_do_not_meet(tmp_path):
    path, out = write_csv(tmp_path / "texts.csv", rows_of(20)), tmp_path / "out"
    holding = (
        "import sys; from pathlib import Path\n"
        "from bnpexplorer.plugins.building.alone import alone\n"
        "from bnpexplorer.plugins.building.plan import work_folder\n"
        f"with alone(work_folder(Path({str(out)!r}))): print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", holding],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    command = [sys.executable, "-m", "bnpexplorer", "corpus", "build", str(path), str(out)]
    second = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    holder.communicate()
    assert second.returncode == 2
    assert "is being built by another process" in second.stderr
