"""Script and notebook: executed, they give the exported run's final numbers."""

import ast
import errno
import json
import os
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer import Run
from bnpexplorer.__main__ import main
from bnpexplorer.core import store
from bnpexplorer.core.store import StoreError
from bnpexplorer.corpus.intake.api import load_with_report
from bnpexplorer.corpus.text import TextSettings
from bnpexplorer.export import (
    load_texts,
    notebook,
    result_of,
    sample_behind,
    sample_of_run,
    script,
    texts_file,
)
from bnpexplorer.export.texts import SAMPLE_CORPORA
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.samples import SAMPLES, load_sample
from bnpexplorer.state.labels import Labels
from tests.tools.articles import articles, as_csv
from tests.tools.export import EVIL, learned, own_corpus, small_result
from tests.tools.scripts import execute, execute_alone, numbers, unpacked


@pytest.mark.second
def test_the_script_is_a_program_of_its_own(tmp_path, pytestconfig):
    """Also where it reads the file that lies beside it, for which it starts another process."""
    (tmp_path / "mine.csv").write_bytes(as_csv(articles("en", 120)))
    loaded = load_with_report(tmp_path / "mine.csv", settings={"min_tokens": 3})
    run = learned(loaded.corpus, "hdp-tsvi", seed=3)
    result = result_of(run, run.moment(), loaded.corpus, loaded.report)
    unpacked(result, tmp_path)
    (tmp_path / "texts.zip").unlink()
    found, _ = execute_alone(tmp_path, pytestconfig.rootpath)
    assert found == numbers(result)


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("hdp-tsvi", {"seed": 3}),
        ("dpm-sumo", {}),
        ("lda-svi", {"order": "stream", "held_out": False}),
        ("hdp-gibbs", {"steps": 5}),
    ],
)
def test_the_script_of_a_sample_gives_the_same_numbers(tmp_path, method, more):
    result = small_result(method, **more)
    assert sample_behind(result) == ("small-csv", 0)
    folder = unpacked(result, tmp_path)
    assert not (folder / "texts.zip").exists()
    found, printed = execute(folder)
    assert found == numbers(result)
    assert "The exported run had" not in printed
    assert EVIL in printed, "topics have their names"


def test_the_script_of_own_texts_carries_their_counts(tmp_path):
    corpus = own_corpus()
    run = learned(corpus, "hdp-svi", seed=2)
    result = result_of(run, run.moment(), corpus)
    assert sample_behind(result) is None
    folder = unpacked(result, tmp_path)
    found, _ = execute(folder)
    assert found == numbers(result)
    assert b"text of 7" not in texts_file(result), "the texts themselves stay where they are"


def test_the_notebook_is_the_same_program(tmp_path):
    corpus = own_corpus()
    run = learned(corpus, "hdp-tsvi")
    result = result_of(run, run.moment(), corpus)
    folder = unpacked(result, tmp_path)
    tree = json.loads((folder / "run.ipynb").read_text())
    assert (tree["nbformat"], tree["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in tree["cells"]]
    assert len(set(ids)) == len(ids)
    code = "\n".join("".join(c["source"]) for c in tree["cells"] if c["cell_type"] == "code")
    found, _ = execute(folder, code)
    assert found == numbers(result)


def test_own_file_can_be_counted_anew(tmp_path, pytestconfig):
    path = tmp_path / "mine.csv"
    path.write_bytes((pytestconfig.rootpath / "sample_data/small.csv").read_bytes())
    settings = TextSettings(min_df=3, extra_stop_words="train kitchen", min_tokens=2)
    loaded = load_with_report(path, settings=vars(settings))
    run = learned(loaded.corpus, "hdp-tsvi")
    result = result_of(run, run.moment(), loaded.corpus, loaded.report)
    folder = unpacked(result, tmp_path)
    for file in ("", str(path)):
        text = (folder / "run.py").read_text()
        (folder / "run.py").write_text(text.replace('FILE = ""', f"FILE = {file!r}"))
        found, _ = execute(folder)
        assert found == numbers(result)


def test_texts_that_were_cleaned_and_their_phrases_are_counted_anew(tmp_path, pytestconfig):
    lines = (pytestconfig.rootpath / "sample_data/small.csv").read_text(encoding="utf-8")
    path = tmp_path / "mine.csv"
    path.write_text(re.sub("train", "night&nbsp;train bit.ly/x", lines), encoding="utf-8")
    words = {"min_df": 3, "min_tokens": 2, "clean": "auto", "phrases": True, "phrase_count": 5}
    loaded = load_with_report(path, settings=words)
    settings = loaded.report.settings
    assert {"links", "html"} <= {*settings.clean.split()}
    assert "night_train" in settings.joined.split()
    assert "night_train" in loaded.corpus.vocab
    assert {"nbsp", "bit"}.isdisjoint(loaded.corpus.vocab)
    run = learned(loaded.corpus, "hdp-tsvi")
    result = result_of(run, run.moment(), loaded.corpus, loaded.report)
    folder = unpacked(result, tmp_path)
    text = (folder / "run.py").read_text(encoding="utf-8")
    found, _ = execute(folder, text.replace('FILE = ""', f"FILE = {str(path)!r}"))
    assert found == numbers(result)


@pytest.mark.parametrize("kept", ["sample", "own-texts"])
def test_scripts_of_earlier_versions_go_on_working(tmp_path, pytestconfig, kept):
    root = pytestconfig.rootpath
    with zipfile.ZipFile(root / "tests" / "kept" / f"script-{kept}.zip") as archive:
        archive.extractall(tmp_path)
    text = (tmp_path / "run.py").read_text()
    assert "from bnpexplorer import METHODS, MODELS, Run, " in text
    expected = ast.literal_eval(re.search(r"^EXPECTED = (.*)$", text, re.MULTILINE)[1])
    files = ("", str(root / "sample_data/small.csv")) if kept == "own-texts" else ("",)
    for file in files:
        (tmp_path / "run.py").write_text(text.replace('FILE = ""', f"FILE = {file!r}"))
        found, _ = execute(tmp_path)
        assert found["heldout"] == pytest.approx(expected["heldout"], abs=1e-5)
        assert found["topics"] == expected["topics"]


def test_other_texts_are_refused(tmp_path):
    mine, other = own_corpus(), own_corpus(seed=6)
    results = []
    for corpus in (mine, other):
        run = learned(corpus, "lda-svi")
        results.append(result_of(run, run.moment(), corpus))
    folder = unpacked(results[0], tmp_path)
    (folder / "texts.zip").write_bytes(texts_file(results[1]))
    with pytest.raises(SystemExit, match="Not the texts of the run"):  # no traceback, status 1
        execute(folder)


def test_texts_come_back_as_they_were(tmp_path):
    corpus = own_corpus()
    run = learned(corpus, "hdp-tsvi")
    path = tmp_path / "texts.zip"
    path.write_bytes(texts_file(result_of(run, run.moment(), corpus)))
    train, heldout = load_texts(path)
    assert train.fingerprint == run.corpus.fingerprint
    assert heldout.hidden.fingerprint == run.heldout.hidden.fingerprint
    np.testing.assert_array_equal(train.docs.date, run.corpus.docs.date)
    path.write_bytes(b"nothing of ours")
    with pytest.raises(StoreError, match=r"texts\.zip"):
        load_texts(path)


@pytest.mark.parametrize("part", ["corpus", "heldout.hidden"])
def test_texts_that_kernels_could_not_walk_are_refused(tmp_path, part):
    run = learned(own_corpus(), "lda-svi")
    manifest, arrays = run.pack_texts()
    store.write(path := tmp_path / "texts.zip", manifest, arrays)
    load_texts(path)
    words = arrays[f"{part}.word_ids"]
    arrays[f"{part}.word_ids"] = np.where(words == words.max(), 10**6, words)
    store.write(path, manifest, arrays)
    with pytest.raises(StoreError, match=r"texts\.zip is damaged .*lacks"):
        load_texts(path)


def test_words_of_people_cannot_become_code():
    corpus = own_corpus()
    run = learned(corpus, "lda-svi")
    result = result_of(run, run.moment(), corpus)
    for line in script(result).splitlines():
        if "second line" in line:
            assert line.startswith("#")
    compile(script(result), "run.py", "exec")
    json.loads(notebook(result))


@pytest.mark.second
def test_every_sample_is_known_by_the_beginning_of_its_name():
    assert list(SAMPLE_CORPORA) == list(SAMPLES)
    for name in SAMPLES:
        for seed in (0, 1):
            if name != "sotu" or seed == 0:
                assert load_sample(name, seed).corpus.name.startswith(SAMPLE_CORPORA[name])


def test_a_file_with_the_name_of_a_sample_is_not_taken_for_it(tmp_path):
    corpus = replace(own_corpus(), name="small.csv")
    run = learned(corpus, "lda-svi")
    assert sample_behind(result_of(run, run.moment(), corpus)) is None
    assert sample_of_run(run) is None


@pytest.mark.second
@pytest.mark.parametrize("to", ["report", "csv", "script", "notebook", "pyldavis", "mallet"])
def test_the_command_line_writes_every_format(tmp_path, capsys, to):
    saved, out = tmp_path / "my.run", tmp_path / "out"
    assert main(["fit", "sample:small-csv", "--passes", "1", "--out", str(saved)]) == 0
    assert main(["export", str(saved), str(out), "--to", to]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith(f"wrote {out} (this is a"), "a sample needs no file of texts"
    suffix = {"report": ".html", "script": ".py", "notebook": ".ipynb", "pyldavis": ".npz"}.get(
        to, ".zip"
    )
    assert said.endswith(f"though the name does not end in {suffix})")
    assert zipfile.is_zipfile(out) == (suffix in (".zip", ".npz"))
    assert len(out.read_bytes()) > 1000
    named = out.with_suffix(suffix)
    assert main(["export", str(saved), str(named), "--to", to]) == 0
    assert capsys.readouterr().out == f"wrote {named}\n", "the name says what it is"


@pytest.mark.parametrize("to", ["csv", "script"])
def test_the_command_line_names_a_place_that_is_taken(tmp_path, capsys, to):
    learned(own_corpus(), "lda-svi").save(tmp_path / "mine.run")
    (tmp_path / "taken").mkdir()
    out = tmp_path / "taken"
    assert main(["export", str(tmp_path / "mine.run"), str(out), "--to", to]) == 2
    assert main(["export", str(tmp_path / "mine.run"), str(out), "--to", to, "--force"]) == 2
    assert capsys.readouterr().err.count(f"{out} is a folder, not a file") == 2
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("to", ["report", "csv", "notebook"])
def test_a_full_disk_leaves_what_was_there(tmp_path, capsys, monkeypatch, to):
    learned(own_corpus(), "lda-svi").save(tmp_path / "mine.run")
    out = tmp_path / "out"
    out.write_text("of yesterday")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    # The texts are made in another folder, before anything is written: on another disk.
    monkeypatch.setattr("bnpexplorer.cli.export.texts_file", lambda result: b"texts")
    monkeypatch.setattr(os, "fsync", full)
    assert main(["export", str(tmp_path / "mine.run"), str(out), "--to", to, "--force"]) == 2
    assert f"{out} cannot be used (No space left on device)." in capsys.readouterr().err
    assert out.read_text() == "of yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.run", "out"]


def test_the_command_line_puts_own_texts_beside_the_script(
    tmp_path, capsys, pytestconfig, monkeypatch
):
    own = tmp_path / "mine.csv"
    own.write_bytes((pytestconfig.rootpath / "sample_data/small.csv").read_bytes())
    saved, out = tmp_path / "my.run", tmp_path / "run.py"
    assert (
        main(["fit", str(own), "--method", "dpm-tsvi", "--passes", "2", "--out", str(saved)]) == 0
    )
    texts = tmp_path / "run-texts.zip"
    texts.write_text("of yesterday")
    assert main(["export", str(saved), str(out), "--to", "script"]) == 2
    assert "run-texts.zip exists" in capsys.readouterr().err
    assert not out.exists(), "both or neither"
    texts.unlink()
    assert main(["export", str(saved), str(out), "--to", "script"]) == 0
    assert "run.py and" in capsys.readouterr().out
    found, _ = execute(tmp_path)
    assert found["heldout"] == Run.load(saved).history[-1].heldout


@pytest.mark.second
def test_the_command_line_knows_the_library(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "home"))
    corpus = own_corpus()
    run = learned(corpus, "hdp-tsvi")
    Library().keep("run7", run, corpus, "finished")
    topic = int(run.snapshot().topics.topic_ids[0])
    Library().label("run7", Labels({topic: "Kitchen talk"}))
    Library().rename("run7", "my run")
    out = tmp_path / "report.html"
    for named in ("run7", "my run"):
        assert main(["export", named, str(out), "--to", "report", "--force"]) == 0
        assert "Kitchen talk" in out.read_text(encoding="utf-8")
        out.unlink()
    Library().keep("run9", run, corpus, "finished")
    Library().rename("run9", "my run")
    for command in (["export", "my run", str(out), "--to", "report"], ["compare", "my run"]):
        assert main(command) == 2
        error = capsys.readouterr().err
        assert "2 saved runs are called my run" in error
        assert "run7" in error
        assert "run9" in error
    Library().rename("run9", "run7")
    assert main(["export", "run7", str(out), "--to", "report"]) == 0
    assert "Kitchen talk" in out.read_text(encoding="utf-8"), "the id goes before a name"
    indexes = [p for p in Library().folder.rglob("*") if p.is_file()]
    before = [p.read_bytes() for p in indexes]
    for index in indexes:
        assert main(["export", "run7", str(index), "--to", "report", "--force"]) == 2
    assert before == [p.read_bytes() for p in indexes], "the library is what is read"
    capsys.readouterr()
    for wrong, words in (
        (["run8", str(tmp_path / "new.html")], "neither a file nor a saved run"),
        (["run7", str(tmp_path / "no/such/x.html")], "no folder"),
        ([str(out), str(tmp_path / "new.html")], "report.html"),
    ):
        assert main(["export", *wrong, "--to", "report"]) == 2
        error = capsys.readouterr().err
        assert words in error
        assert error.count("\n") == 1
