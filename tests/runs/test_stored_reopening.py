"""Saved runs whose texts lie in a folder: found again, or named with what to do."""

import io
import json
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.core.store import StoreError
from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.export.result import held_out_rows
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.feeding import Feed
from bnpexplorer.runs.packed_texts import FOLDERS, unpack_texts
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library, key_of
from tests.tools.stored import on_disk, same, with_names

PLAN = Plan.of("lda-svi", values={"n_topics": 5}, batch_size=100, passes=2)


@pytest.fixture
def corpus(tmp_path):
    return on_disk(with_names(400), tmp_path / "here" / "news")


@pytest.fixture
def saved(corpus, tmp_path):
    run = PLAN.split_and_start(corpus)
    run.step()
    run.save(tmp_path / "one.run")
    return tmp_path / "one.run"


def test_a_folder_that_was_moved_is_named_and_found_where_it_is_said(
    corpus, saved, tmp_path, monkeypatch
):
    (tmp_path / "there").mkdir()
    corpus.folder.rename(tmp_path / "there" / "news")
    with pytest.raises(StoreError, match=r"not in it but in .*here/news\. There is no stored"):
        Run.load(saved)
    on_disk(with_names(400, seed=1), tmp_path / "other" / "news")
    monkeypatch.setenv("BNPEXPLORER_CORPORA", str(tmp_path / "other"))
    with pytest.raises(StoreError) as refused:
        Run.load(saved)
    words = str(refused.value)
    assert words.startswith(
        f"The texts of this run are not in it but in {corpus.folder}. There is no stored corpus"
    ), "the place where they were is told, not the one that was tried besides"
    assert words.endswith(
        "The run stays as it is: bring the corpus back there, or name the folder that holds news "
        "in BNPEXPLORER_CORPORA."
    )
    monkeypatch.setenv("BNPEXPLORER_CORPORA", str(tmp_path / "there"))
    assert Run.load(saved).corpus.folder == tmp_path / "there" / "news"


def test_a_corpus_that_changed_since_is_another_one(corpus, saved, tmp_path):
    corpus.folder.rename(tmp_path / "old")
    on_disk(with_names(400, seed=1), corpus.folder)
    with pytest.raises(StoreError, match=r"has changed since the run learned it.* stays as it is"):
        Run.load(saved)


def test_two_folders_of_one_corpus_have_keys_of_their_own(corpus, tmp_path):
    other = on_disk(with_names(400), tmp_path / "there" / "news")
    assert other.fingerprint == corpus.fingerprint
    assert len({key_of(other), key_of(corpus)}) == 2
    assert key_of(StoredCorpus(corpus.folder)) == key_of(corpus)


def test_a_shard_that_is_gone_is_named_at_opening(corpus, saved):
    (corpus.folder / "fields" / "00002.parquet").unlink()
    with pytest.raises(StoreError, match=r"00002\.parquet is missing"):
        Run.load(saved)


def test_a_corpus_of_a_newer_version_is_told(corpus, saved):
    path = corpus.folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 9}))
    with pytest.raises(StoreError, match="built by a newer version of bnpexplorer"):
        Run.load(saved)


@pytest.mark.parametrize("left_out", [[3, 3], [5, 2], [-1], [400]])
def test_a_view_that_cannot_be_is_damage(corpus, left_out):
    manifest, arrays = PLAN.split_and_start(corpus).pack_texts()
    standing, more = PLAN.split_and_start(corpus).pack_standing()
    arrays["corpus.left_out"] = np.array(left_out, np.int64)
    said = r"is damaged \(its documents are not those of its corpus\)\.$"
    with pytest.raises(StoreError, match=said):
        Run.unpack(manifest | standing, arrays | more, "the file")


def test_the_library_keeps_its_folder_and_no_copy(corpus, tmp_path, monkeypatch):
    library, run = Library(tmp_path / "home"), PLAN.split_and_start(corpus)
    run.step()
    library.keep("aaaaaaaaaa", run, corpus, "paused")
    again = library.load("aaaaaaaaaa")
    assert isinstance(again.corpus, StoredCorpus)
    np.testing.assert_array_equal(again.corpus.left_out, run.corpus.left_out)
    same(library.corpus("aaaaaaaaaa"), with_names(400))
    assert (tmp_path / "home" / "corpora").exists()
    n_bytes = sum(path.stat().st_size for path in (tmp_path / "home" / "corpora").iterdir())
    assert n_bytes < 1000
    held_out = held_out_rows(again, library.corpus("aaaaaaaaaa"))
    np.testing.assert_array_equal(np.flatnonzero(held_out), run.corpus.left_out)
    file = io.BytesIO()
    bundle.export(library, "aaaaaaaaaa", file)
    with zipfile.ZipFile(file) as parts:
        assert str(tmp_path).encode() not in parts.read("manifest.json")
        assert "bring along the folder news" in parts.read("README.txt").decode()
    with pytest.raises(StoreError, match=f"name the folder that holds news in {FOLDERS}"):
        bundle.read(io.BytesIO(file.getvalue()), "a bundle")
    monkeypatch.setenv(FOLDERS, str(corpus.folder.parent))
    opened = bundle.read(io.BytesIO(file.getvalue()), "a bundle")
    assert isinstance(opened.run.corpus, StoredCorpus)
    assert opened.corpus.fingerprint == corpus.fingerprint


@pytest.mark.parametrize("part", ["corpus", "whole"])
def test_a_file_from_elsewhere_chooses_no_folder_of_this_machine(corpus, part):
    run = PLAN.split_and_start(corpus)
    manifest, arrays = run.pack_texts()
    standing, more = run.pack_standing()
    secret = manifest["corpus"]
    wanted = manifest | standing | {"about": {"corpus": {"fingerprint": corpus.fingerprint}}}
    assert Path(secret["folder"]).is_absolute()
    if part == "whole":
        small = PLAN.split_and_start(with_names(400))
        texts, own = small.pack_texts()
        standing, more = small.pack_standing()
        wanted |= texts | standing | {"whole": secret}
        arrays |= own
    with pytest.raises(StoreError, match="are not in it but in news") as refused:
        bundle.checked(wanted, arrays | more, "a bundle")
    assert str(corpus.folder) not in str(refused.value)


def test_another_corpus_at_the_place_is_not_told_about(corpus):
    manifest, arrays = PLAN.split_and_start(corpus).pack_texts()
    manifest["corpus"]["fingerprint"] = "0" * 16
    with pytest.raises(StoreError, match="has changed") as refused:
        unpack_texts(manifest, arrays)
    assert corpus.manifest.fingerprint not in str(refused.value)


def test_a_run_of_the_app_is_paused_while_its_texts_cannot_be_read(corpus, monkeypatch):
    feed, lost = Feed._batch, threading.Event()

    def fails(self, order, first, last):
        if lost.is_set() and isinstance(self._corpus, StoredCorpus):
            raise CorpusError("Shard 1 of the corpus is missing.")
        return feed(self, order, first, last)

    monkeypatch.setattr(Feed, "_batch", fails)
    run = PLAN.split_and_start(corpus)
    run.step()
    lost.set()
    background = BackgroundRun(run)
    background.start()
    while not (background.error and background.status == "paused"):
        assert not background.wait(0.01), background.error_details or background.error
    assert background.error == "Shard 1 of the corpus is missing."
    assert run.n_steps == 1
    lost.clear()
    background.start()
    assert background.wait(300)
    assert background.status == "finished"


def test_the_command_line_learns_from_the_folder(corpus, tmp_path, capsys):
    out = tmp_path / "fitted.run"
    options = ["--method", "lda-svi", "--set", "n_topics=5", "--passes", "1", "--batch-size", "100"]
    assert main(["fit", str(corpus.folder), *options, "--out", str(out)]) == 0
    assert "Opened on the disk" in capsys.readouterr().out
    run = Run.load(out)
    assert run.done
    memory = Plan.of("lda-svi", values={"n_topics": 5}, batch_size=100, passes=1).split_and_start(
        with_names(400)
    )
    while not memory.done:
        memory.step()
    np.testing.assert_array_equal(
        run.snapshot().topics.topic_word, memory.snapshot().topics.topic_word
    )


def test_damage_while_fitting_is_told_and_what_was_learned_is_saved(
    corpus, tmp_path, capsys, monkeypatch
):
    out, feed = tmp_path / "half.run", Feed._batch

    def damaged(self, order, first, last):
        if first >= 200:
            raise CorpusError("Shard 1 of the corpus is damaged.")
        return feed(self, order, first, last)

    options = ["--method", "lda-svi", "--set", "n_topics=5", "--passes", "1", "--batch-size", "100"]
    with monkeypatch.context() as patch:
        patch.setattr(Feed, "_batch", damaged)
        assert main(["fit", str(corpus.folder), *options, "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "stopped after 200 documents" in said
    assert "Shard 1 of the corpus is damaged" in said
    assert Run.load(out).docs_seen == 200
