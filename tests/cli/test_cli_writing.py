"""The command line writes over nothing unasked, and never over what it reads."""

import pytest

from bnpexplorer import Run
from bnpexplorer.__main__ import main


def no_learning(monkeypatch):
    def step(_):
        raise AssertionError("nothing may be learned")

    monkeypatch.setattr(Run, "step", step)


def test_a_file_is_written_over_only_if_asked(capsys, tmp_path, monkeypatch, pytestconfig):
    csv = str(pytestconfig.rootpath / "sample_data/small.csv")
    path = tmp_path / "notes.txt"
    path.write_text("of yesterday")
    dangling = tmp_path / "link"
    dangling.symlink_to(tmp_path / "gone")
    fit = ["fit", csv, "--method", "lda-svi", "--passes", "1", "--out"]
    with monkeypatch.context() as patched:
        no_learning(patched)
        for taken in (path, dangling):
            assert main([*fit, str(taken)]) == 2
            captured = capsys.readouterr()
            assert captured.err.count("--force to write over it") == 1
            assert captured.out == ""
    assert path.read_text() == "of yesterday"
    assert main([*fit, str(path), "--force"]) == 0
    assert Run.load(path).done


@pytest.mark.parametrize("link", [None, "symlink_to", "hardlink_to"])
def test_what_is_read_is_never_written_over(capsys, tmp_path, monkeypatch, link):
    no_learning(monkeypatch)
    table, counts, vocab = tmp_path / "mine.csv", tmp_path / "mine.ldac", tmp_path / "vocab.txt"
    folder = tmp_path / "texts"
    (folder / "deep").mkdir(parents=True)
    text = folder / "deep" / "one.txt"
    for path in (table, counts, vocab, text):
        path.write_text("as it was")
    for given, read in (([table], table), ([counts, "--vocab", vocab], vocab), ([folder], text)):
        out = read if link is None else tmp_path / f"to-{read.name}"
        if link:
            getattr(out, link)(read)
        for forced in ([], ["--force"]):
            assert main(["fit", *map(str, given), "--out", str(out), *forced]) == 2
            assert f"{out} is what this command reads" in capsys.readouterr().err
        assert read.read_text() == "as it was"


def test_a_saved_file_is_not_written_over_by_its_export(capsys, tmp_path):
    path = tmp_path / "my.run"
    assert main(["fit", "sample:bars", "--passes", "1", "--out", str(path)]) == 0
    before = path.read_bytes()
    for to in ("report", "csv"):
        assert main(["export", str(path), str(path), "--to", to, "--force"]) == 2
        assert "is what this command reads" in capsys.readouterr().err
    assert path.read_bytes() == before
