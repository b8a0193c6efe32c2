"""Files of runs that name a corpus on the disk of a shared server: they open it for nobody who does
not control a run on it, and open without texts else."""

import io
import json
import zipfile

import numpy as np
import pytest

from bnpexplorer.core.store import StoreError
from bnpexplorer.corpus.documents.absent import AbsentCorpus
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.stored.reporting import described
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.feeding import TextsLost
from bnpexplorer.runs.packed_texts import FOLDERS, SHOWN, from_elsewhere, pack_corpus
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library
from tests.tools.stored import on_disk, with_names
from tests.tools.waiting import NEVER

METHODS = {
    "lda-svi": {"n_topics": 5},
    "lda-gibbs": {"n_topics": 5},
    "hdp-tsvi": {},
    "hdp-gibbs": {},
    "dpm-gibbs": {},
}


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """In the folder that a server reads corpora from."""
    monkeypatch.setenv(FOLDERS, str(tmp_path / "here"))
    return on_disk(with_names(400), tmp_path / "here" / "news")


def run_on(corpus, method="lda-svi", steps=2, **chosen):
    made = Plan.of(method, values=METHODS[method], batch_size=100, passes=2, **chosen)
    run = made.split_and_start(corpus)
    for _ in range(steps):
        run.step()
    return run


def exported(library, run, corpus, run_id="aaaaaaaaaa"):
    library.keep(run_id, run, corpus, "paused", report=described(corpus))
    file = io.BytesIO()
    bundle.export(library, run_id, file)
    return file.getvalue()


def changed(data, change):
    """The file with another manifest."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as parts, zipfile.ZipFile(out, "w") as written:
        manifest = json.loads(parts.read("manifest.json"))
        change(manifest)
        for name in parts.namelist():
            told = json.dumps(manifest) if name == "manifest.json" else parts.read(name)
            written.writestr(name, told)
    return out.getvalue()


def nothing(fingerprint):
    """What a tab has at hand that controls no run on the corpus."""


def read(data, at_hand=nothing):
    return bundle.read(io.BytesIO(data), "theirs.zip", at_hand)


@pytest.mark.second
@pytest.mark.parametrize("method", METHODS)
def test_a_run_opens_without_texts_where_its_corpus_is_not_at_hand(method, corpus, tmp_path):
    run = run_on(corpus, method)
    found = read(exported(Library(tmp_path / "home"), run, corpus))
    assert isinstance(found.run.corpus, AbsentCorpus)
    assert not isinstance(found.corpus, StoredCorpus)
    assert found.note.startswith(
        "It opens without its texts, which are not in the file: it shows what was learned, shows "
        "only its held-out documents, and cannot go on here."
    )
    ours, theirs = run.snapshot(), found.run.snapshot()
    np.testing.assert_array_equal(ours.topics.topic_word, theirs.topics.topic_word)
    assert theirs.topics.vocab == corpus.vocab
    assert theirs.docs_seen == ours.docs_seen
    assert found.run.planned_docs == run.planned_docs
    assert found.corpus.n_docs == run.heldout.whole.n_docs
    assert found.corpus.docs.text is None


def test_it_is_kept_so_and_goes_on_nowhere_here(corpus, tmp_path):
    home = Library(tmp_path / "home")
    data = exported(home, run_on(corpus, "hdp-gibbs"), corpus)
    run_id = bundle.add(home, read(data))
    again = home.load(run_id)
    assert isinstance(again.corpus, AbsentCorpus), "the name of its folder is not kept"
    assert not isinstance(home.corpus(run_id), StoredCorpus)
    before = again.snapshot()
    with pytest.raises(TextsLost, match="The texts of this run are not here"):
        again.step()
    with pytest.raises(ValueError, match="The texts of this run are not here"):
        again.edit("delete", before.topics.topic_ids[:1].tolist())
    np.testing.assert_array_equal(again.snapshot().topics.topic_word, before.topics.topic_word)
    background = BackgroundRun(again)
    background.resume()
    while not background.lost:
        assert not background.wait(0.01), background.error_details
    assert "The texts of this run are not here" in background.error
    background.stop()
    assert background.wait(NEVER)
    file = io.BytesIO()
    bundle.export(home, run_id, file)
    assert isinstance(read(file.getvalue()).run.corpus, AbsentCorpus)


@pytest.mark.parametrize("order", ["shuffled", "stream"])
def test_a_run_that_held_nothing_out_shows_no_documents(order, corpus, tmp_path):
    run = Plan.of("lda-svi", values={"n_topics": 5}, batch_size=100, order=order).start(corpus)
    run.step()
    found = read(exported(Library(tmp_path / "home"), run, corpus))
    assert "it shows what was learned, shows no documents" in found.note
    assert found.corpus is found.run.corpus
    assert found.corpus.n_tokens == 0


@pytest.mark.second
@pytest.mark.parametrize("part", ["corpus", "whole"])
def test_a_forged_file_opens_no_stored_corpus(part, corpus, tmp_path):
    """Of an honest run over texts of one's own, with one part that names the server's corpus."""
    library = Library(tmp_path / "home")
    named = {}
    changed(exported(library, run_on(corpus), corpus), named.update)
    own = with_names(400)
    small = exported(library, run_on(own), own, "bbbbbbbbbb")
    wish = {**named[part], "columns": ["text", "title", "id"]}

    def forge(manifest):
        manifest.update({part: wish, SHOWN: named[SHOWN]})

    for asked in (small, exported(library, run_on(corpus), corpus, "cccccccccc")):
        try:
            found = read(changed(asked, forge))
        except StoreError:  # two parts that do not fit each other
            continue
        for texts in (found.run.corpus, found.corpus):
            assert not isinstance(texts, StoredCorpus)


def test_who_controls_a_run_on_the_corpus_opens_it_with_the_columns_of_that_run(corpus, tmp_path):
    data = exported(Library(tmp_path / "home"), run_on(corpus), corpus)
    for mine in (corpus, corpus.without_text()):
        found = read(data, {corpus.fingerprint: mine}.get)
        assert found.corpus.folder == corpus.folder
        assert found.corpus.docs.names() == mine.docs.names()
        assert found.run.corpus.docs.text is None
        found.run.step()


def test_columns_never_come_from_a_file(corpus, tmp_path):
    def wish(manifest):
        for part in ("corpus", "whole"):
            manifest[part]["columns"] = ["text"]

    data = changed(exported(Library(tmp_path / "home"), run_on(corpus), corpus), wish)
    found = bundle.read(io.BytesIO(data))
    assert found.run.corpus.docs.names() == corpus.without_text().docs.names()
    assert found.corpus.docs.names() == corpus.docs.names()


def test_a_file_of_an_earlier_version_says_what_to_do(corpus, tmp_path):
    data = exported(Library(tmp_path / "home"), run_on(corpus), corpus)
    with pytest.raises(StoreError) as refused:
        read(changed(data, lambda manifest: manifest.pop(SHOWN)))
    assert str(refused.value) == (
        "theirs.zip has neither its texts nor topics to show without them, since an earlier "
        "version wrote it. Export the run again where its texts are."
    )


@pytest.mark.parametrize(
    ("part", "value"),
    [("vocab", ["one"]), ("vocab", []), ("name", 3), ("totals", None), ("topics", {"K": 1})],
)
def test_what_stands_in_place_of_the_texts_is_checked(part, value, corpus, tmp_path):
    def forge(manifest):
        manifest[SHOWN][part] = value

    data = changed(exported(Library(tmp_path / "home"), run_on(corpus), corpus), forge)
    with pytest.raises(StoreError, match=r"theirs\.zip is damaged"):
        read(data)


@pytest.mark.parametrize("n_docs", [0, -5, 10**15, "many"])
def test_no_file_claims_more_documents_than_a_run_may_have(n_docs, corpus, tmp_path):
    data = exported(Library(tmp_path / "home"), run_on(corpus), corpus)
    with pytest.raises(StoreError, match=r"theirs\.zip is damaged"):
        read(changed(data, lambda manifest: manifest["corpus"].update(n_docs=n_docs)))


def test_topics_of_a_file_stand_only_where_there_are_no_texts(corpus, tmp_path):
    """Else they would be shown in place of what the run has learned."""
    run = run_on(corpus)
    data = exported(Library(tmp_path / "home"), run, corpus)

    def forge(manifest):
        manifest["topics"] = manifest[SHOWN]["topics"]

    found = read(changed(data, forge), {corpus.fingerprint: corpus}.get).run
    before = found.snapshot()
    found.step()
    assert (found.snapshot().topics.topic_word != before.topics.topic_word).any()
    assert isinstance(found, Run)


@pytest.mark.parametrize("part", ["whole", "another"])
def test_no_other_part_of_a_file_opens_a_corpus_that_is_not_at_hand(part, corpus):
    """Beside counts of its own, a file names a folder and all its columns."""
    arrays: dict[str, np.ndarray] = {}
    named = pack_corpus(corpus, arrays, part)
    tree = {"corpus": pack_corpus(with_names(40), arrays, "corpus"), part: named}
    assert from_elsewhere(tree, nothing, "theirs.zip").keys() == {"corpus"}
    held = corpus.without_text()
    opened = from_elsewhere(tree, lambda fingerprint: held, "theirs.zip")[part]
    assert opened["folder"] == str(corpus.folder)
    assert set(opened["columns"]) == set(held.docs.names()) < set(named["columns"])
