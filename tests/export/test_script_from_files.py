"""An exported script reads a person's file as the run read it, and then gives its numbers."""

import subprocess
import sys
from dataclasses import replace

import pytest

from bnpexplorer.corpus.intake.api import leave_out, load_with_report
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.export import result_of, script
from bnpexplorer.runs.plan import Plan
from bnpexplorer.ui.frame.server import LoadedCorpus
from bnpexplorer.ui.parts.to_topics import without
from tests.tools.articles import articles, as_csv
from tests.tools.export import learned
from tests.tools.scripts import execute, numbers, unpacked
from tests.tools.spreadsheets import excel
from tests.tools.waiting import NEVER

FEW = {"min_df": 2, "min_tokens": 2}


def news(folder, name="news.csv"):
    path = folder / name
    path.write_bytes(as_csv(articles("en", 120)))
    return path


def long_texts(folder):
    """Eight documents, one a paragraph, of a hundred and more words."""
    texts = [row["text"].replace(" and ", ". And ") for row in articles("en", 80)]
    paragraphs = [" ".join(texts[i : i + 10]) for i in range(0, 80, 10)]
    path = folder / "long.txt"
    path.write_text("\n\n".join(paragraphs), encoding="utf-8")
    return path


def second_sheet(folder):
    sheets = {}
    for name, seed in (("old", 1), ("news", 0)):
        rows = articles("en", 80, seed)
        sheets[name] = [list(rows[0]), *(list(row.values()) for row in rows)]
    path = folder / "book.xlsx"
    path.write_bytes(excel(sheets))
    return path


def two_columns(folder):
    """A table whose column `summary` is not the one that would be guessed."""
    rows = zip(articles("en", 80), articles("en", 80, seed=1), strict=True)
    lines = [f"{one['text']},{other['text']}" for one, other in rows]
    path = folder / "both.csv"
    path.write_text("\n".join(["text,summary", *lines]), encoding="utf-8")
    return path


def with_bars(folder):
    """A table without a head whose delimiter cannot be guessed."""
    path = folder / "bars.csv"
    lines = [f"{row['outlet']}|{row['text']}, {i}" for i, row in enumerate(articles("en", 80))]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


WAYS = {
    "divided": (long_texts, ReadOptions(split="paragraphs", passages="40"), FEW),
    "joined": (news, ReadOptions(join="outlet", period="week"), FEW),
    "sheet": (second_sheet, ReadOptions(sheet="news"), FEW),
    "columns": (two_columns, ReadOptions(text="summary"), FEW),
    "delimiter": (with_bars, ReadOptions(delimiter="|", header="no"), FEW),
    "cleaned": (news, ReadOptions(), FEW | {"clean": "auto", "phrases": True, "phrase_count": 3}),
}


def result_from(path, options, words, method="lda-svi"):
    loaded = load_with_report(path, options=options, settings=words)
    run = learned(loaded.corpus, method)
    return result_of(run, run.moment(), loaded.corpus, loaded.report)


@pytest.mark.parametrize("way", WAYS)
def test_a_file_beside_the_script_is_read_as_the_run_read_it(tmp_path, way):
    make, options, words = WAYS[way]
    result = result_from(make(tmp_path), options, words)
    folder = unpacked(result, tmp_path)
    (folder / "texts.zip").unlink()
    found, printed = execute(folder)
    assert found == numbers(result)
    assert "The exported run had" not in printed


def test_without_what_was_chosen_the_texts_are_others(tmp_path):
    """The options are what makes the test above pass."""
    for way in ("divided", "joined", "sheet", "columns", "delimiter"):
        make, options, words = WAYS[way]
        chosen, usual = (
            load_with_report(make(tmp_path), options=how, settings=words).corpus.fingerprint
            for how in (options, ReadOptions())
        )
        assert chosen != usual, way


def test_a_python_without_the_package_is_told_what_to_install(tmp_path):
    folder = unpacked(result_from(news(tmp_path), ReadOptions(), FEW), tmp_path)
    command = [sys.executable, "-I", "-S", "run.py"]  # nothing but Python's own modules
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=NEVER)
    assert done.returncode == 1
    assert not done.stdout
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("This script needs bnpexplorer ")
    assert "No module named 'bnpexplorer'" in done.stderr
    assert "`python -m pip install PATH`" in done.stderr


def test_with_neither_file_nor_counts_it_says_what_to_put_there(tmp_path):
    path = news(tmp_path)
    folder = unpacked(result_from(path, ReadOptions(), FEW), tmp_path)
    for gone in (folder / "texts.zip", path):
        gone.unlink()
    with pytest.raises(SystemExit, match=r"Neither texts\.zip nor news\.csv lies beside this"):
        execute(folder)


def test_words_left_out_by_hand_are_left_out_again(tmp_path):
    """Twice, with a document that the first time leaves empty; the file itself has all words."""
    loaded = load_with_report(news(tmp_path), settings=FEW)
    first = LoadedCorpus(loaded.corpus, loaded.report)
    for words in (["ebola", "outbreak"], ["tax"]):
        first = without(first, words)
    assert first.report.reading.left_out == (("ebola", "outbreak"), ("tax",))
    run = learned(first.corpus, "lda-svi")
    result = result_of(run, run.moment(), first.corpus, first.report)
    folder = unpacked(result, tmp_path)
    (folder / "texts.zip").unlink()
    found, _ = execute(folder)
    assert found == numbers(result)
    assert {"ebola", "tax"}.isdisjoint(run.corpus.vocab)


def test_columns_that_were_left_out_of_terms_are_left_out_again(tmp_path):
    """A term of two words loses its column, and no text is counted again."""
    loaded = load_with_report(news(tmp_path), settings=FEW | {"ngram_max": 2})
    term = next(word for word in loaded.corpus.vocab if " " in word)
    corpus, _ = leave_out(loaded.corpus, [term], loaded.report.settings)
    made = without(LoadedCorpus(loaded.corpus, loaded.report), [term])
    assert made.corpus.fingerprint == corpus.fingerprint
    run = learned(made.corpus, "lda-svi")
    result = result_of(run, run.moment(), made.corpus, made.report)
    folder = unpacked(result, tmp_path)
    (folder / "texts.zip").unlink()
    assert execute(folder)[0] == numbers(result)


@pytest.mark.second
def test_changes_by_hand_are_made_again_from_the_file(tmp_path):
    """Topics merged, split and deleted on the way, on texts that were joined."""
    make, options, words = WAYS["joined"]
    loaded = load_with_report(make(tmp_path), options=options, settings=words)
    values = {"n_topics": 6, "burn_in": 1, "thin": 1}
    plan = Plan.of("lda-gibbs", values=values, seed=2, batch_size=50, passes=5, n_heldout=20)
    run = plan.split_and_start(loaded.corpus)
    for kind, n, passes in (("merge", 2, 2), ("split", 1, 0), ("delete", 1, 1)):
        for _ in range(run.n_batches * passes):
            run.step()
        topics = run.snapshot().topics
        run.edit(kind, topics.topic_ids[topics.by_size][:n].tolist())
    while not run.done:
        run.step()
    result = result_of(run, run.moment(corpus=loaded.corpus), loaded.corpus, loaded.report)
    assert [edit.kind for edit in result.snapshot.edits] == ["merge", "split", "delete"]
    folder = unpacked(result, tmp_path)
    assert execute(folder)[0] == numbers(result), "from the counts"
    (folder / "texts.zip").unlink()
    assert execute(folder)[0] == numbers(result), "from the file"


def test_texts_in_one_folder_are_read_from_there(tmp_path):
    folder = tmp_path / "letters"
    folder.mkdir()
    for i, row in enumerate(articles("en", 40)):
        (folder / f"{i}.txt").write_text(row["text"], encoding="utf-8")
    loaded = load_with_report(folder, settings=FEW)
    names = tuple(sorted(path.name for path in folder.iterdir()))
    reading = replace(loaded.report.reading, files=names)  # as the page has them: one by one
    run = learned(loaded.corpus, "lda-svi")
    report = replace(loaded.report, reading=reading)
    result = result_of(run, run.moment(), loaded.corpus, report)
    text = script(result)
    assert "a folder with the 40 files" in text
    unpacked(result, tmp_path)
    (tmp_path / "texts.zip").unlink()
    assert execute(tmp_path, text.replace('FILE = ""', "FILE = 'letters'"))[0] == numbers(result)


def test_what_cannot_be_read_by_one_name_says_so(tmp_path, pytestconfig):
    samples = pytestconfig.rootpath / "sample_data"
    loaded = load_with_report(samples / "docword.tiny.txt", samples / "vocab.tiny.txt")
    assert loaded.report.reading.files == ("docword.tiny.txt", "vocab.tiny.txt")
    run = learned(loaded.corpus, "lda-svi", held_out=False)
    result = result_of(run, run.moment(), loaded.corpus, loaded.report)
    assert "# Read from docword.tiny.txt and vocab.tiny.txt together" in script(result)
    assert execute(unpacked(result, tmp_path))[0] == numbers(result)


def test_a_run_of_before_says_what_it_does_not_know(tmp_path):
    path = news(tmp_path)
    loaded = load_with_report(path, settings=FEW)
    report = replace(loaded.report, reading=None)
    run = learned(loaded.corpus, "lda-svi")
    result = result_of(run, run.moment(), loaded.corpus, report)
    text = script(result)
    assert "# This run does not know how its file was read" in text
    folder = unpacked(result, tmp_path)
    assert execute(folder, text.replace('FILE = ""', f"FILE = {str(path)!r}"))[0] == numbers(result)


def test_names_of_people_cannot_become_code(tmp_path):
    loaded = load_with_report(news(tmp_path), settings=FEW)
    name = "news.csv\nraise SystemExit('mine')\n'''\"\"\""
    reading = replace(loaded.report.reading, files=(name,), options=ReadOptions(join=name))
    run = learned(loaded.corpus, "lda-svi")
    report = replace(loaded.report, reading=reading)
    result = result_of(run, run.moment(), loaded.corpus, report)
    assert execute(unpacked(result, tmp_path))[0] == numbers(result)
    reading = replace(reading, files=("/etc/passwd",))
    text = script(result_of(run, run.moment(), loaded.corpus, replace(report, reading=reading)))
    assert "FILE = folder / 'passwd'" in text
