"""Test who sees documents: their owner, the readers whom the owner lets read, and nobody else."""

import ast
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from bnpexplorer.runs.plan import Plan
from bnpexplorer.samples import load_sample
from bnpexplorer.ui.frame import access, server, session
from bnpexplorer.ui.parts import share
from tests.tools.pages import ROOT, check, go, open_app, small_run, texts
from tests.ui.watching import (
    COLUMN,
    KINDS,
    MARKS,
    address_of,
    own_texts,
    started,
    told,
    unpacked,
    visited,
)

CONTROLS = {"Pause", "Resume", "Step", "Stop", "Remove", "Delete", "Go on"}
FOR_READERS = {"Leave it out", "Add a method", "Script and notebook", "MALLET's files"}
FOR_READERS |= {"Your file, with topics", "Your file, with all shares"}


@pytest.mark.second
@pytest.mark.parametrize("who", ["with the address", "with a job of their own"])
def test_a_stranger_sees_no_document_on_any_page(jobs, sent, registry, who):
    address, mine = address_of(jobs, own="guess"), None
    if who == "with a job of their own":
        run, loaded = small_run()
        mine = registry.add(run, loaded, server.keep)
        address |= {"run": f"{jobs['run'].run_id},{mine.run_id}", "own": f",{mine.secret}"}
    app = open_app(**address)
    for place in visited(app):
        assert not told(sent), place
        if place.startswith("documents"):
            assert access.FOR_ITS_OWNER in texts(app.info)
            assert not [b for b in app.button if (b.key or "").startswith("list-")]
        if mine is None:
            found = {b.label for b in app.button if not b.disabled}
            found |= {download.proto.label for download in app.get("download_button")}
            assert not found & (CONTROLS | FOR_READERS), place
            assert not [label for label in found if "from other places" in label], place
            assert "loaded" not in app.session_state, place
            assert not any(entry.secret in str(app.query_params) for entry in jobs.values())
        else:
            assert app.session_state["loaded"] is mine.source, place


@pytest.mark.second
@pytest.mark.parametrize("owned", [True, False], ids=["the owner", "whom the owner lets read"])
def test_documents_are_seen_by(jobs, sent, owned):
    more = {} if owned else {"texts": ",".join(access.key_to_read(e.secret) for e in jobs.values())}
    app = open_app(**address_of(jobs, owned, **more))
    assert app.session_state["loaded"] is jobs["run"].source
    found = {place: told(sent) for place in visited(app, ("live", "documents"))}
    assert {place.split()[0] for place, marks in found.items() if marks} >= {"documents", "live"}
    assert set.union(*found.values()) == {*MARKS, COLUMN}
    assert ("own" in app.query_params) == owned
    go(app, "live")
    app.session_state["share"] = True
    offered = {download.proto.label for download in check(app.run()).get("download_button")}
    assert "Your file, with topics" in offered


def test_who_watches_has_no_row_of_the_file(start):
    """Neither the columns nor the numbers of rows, in what every page and file is made of."""
    entry = start("run")
    corpus = access.counts_of(entry).corpus
    assert (corpus.file_rows, corpus.docs.row, corpus.row_numbers) == (None, None, None)
    moment = server.moment_of(entry, entry.background.latest)
    assert moment.corpus.file_rows is None
    assert entry.source.corpus.file_rows.cells is not None
    assert share.your_file(None) == ()
    shown = session.RunOnPage(entry, False)
    for data in (d.make(share.result_of(shown, None)) for d in share.downloads() if not d.texts):
        for part in unpacked(data):
            assert COLUMN.encode() not in part
            assert b"file_row" not in part


@pytest.mark.second
@pytest.mark.parametrize("kind", KINDS)
def test_the_texts_of_a_job_are_at_hand_for_its_owner_and_its_readers(start, kind):
    entry = start(kind)
    watcher = open_app(**address_of({kind: entry}))
    assert "loaded" not in watcher.session_state
    wrong = ",".join((access.key_to_read("guess"), entry.secret, access.key_to_read("")))
    assert "loaded" not in open_app(**address_of({kind: entry}, texts=wrong)).session_state
    reader = open_app(**address_of({kind: entry}, texts=access.key_to_read(entry.secret)))
    assert reader.session_state["loaded"] is entry.source
    assert open_app(**address_of({kind: entry}, owned=True)).session_state["loaded"] is entry.source


def test_no_key_opens_what_was_saved_without_a_secret_or_is_not_known(start, monkeypatch):
    """Everybody can make the key of the empty secret."""
    loaded, library = own_texts(), server.library()
    for run_id, secret in (("with", "its-own"), ("without", "")):
        run = Plan.of("hdp-tsvi", passes=1, n_heldout=4).split_and_start(loaded.corpus)
        library.keep(run_id, run, loaded.corpus, "paused", secret)
    named = ("with", "without", "unknown")
    for secret, opened in (("its-own", "with"), ("", "")):
        state = {"held": set(), "reads": {access.key_to_read(secret)}}
        monkeypatch.setattr(access.st, "session_state", state)
        assert "".join(run_id for run_id in named if access.may_read(run_id)) == opened
        access.hold(secret)
        assert "".join(run_id for run_id in named if access.holds(run_id)) == opened


def test_alone_at_a_machine_whoever_opens_the_app_reads(start, monkeypatch, sent):
    entry = start("run")
    monkeypatch.delenv("BNPEXPLORER_SHARED")
    app = open_app(run=entry.run_id)
    assert app.session_state["loaded"] is entry.source
    assert not go(app, "documents").info
    assert told(sent) == set(MARKS)


@pytest.mark.second
def test_the_documents_of_a_sample_are_for_everybody_and_none_that_only_look_like_it(start):
    """A class looks at the lecturer's run of a sample; texts of one's own may be called like it."""
    sample = load_sample("small-csv")
    loaded = server.LoadedCorpus(sample.corpus, sample.report)
    ours = started(server.registry(), "run", loaded)
    labels = np.roll(sample.corpus.docs.label, 1)
    other = replace(sample.corpus, docs=replace(sample.corpus.docs, label=labels))
    theirs = started(server.registry(), "run", server.LoadedCorpus(other, sample.report))
    page = open_app(**address_of({"run": ours}))
    assert page.session_state["loaded"].corpus is sample.corpus
    page = open_app(**address_of({"run": theirs}))
    assert "loaded" not in page.session_state


@pytest.mark.second
def test_texts_are_had_in_one_place():
    """No page takes the corpus of a run by itself."""
    folder, allowed = ROOT / "bnpexplorer" / "ui", {"access.py", "server.py"}
    found = [
        f"{path.name}:{node.lineno}"
        for path in sorted(folder.rglob("*.py"))
        if path.name not in allowed
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr == "source"
        and ast.unparse(node.value).endswith("entry")
    ]
    assert not found


@pytest.mark.second
def test_the_owner_shares_the_texts_by_one_switch(start, registry, sent):
    entry = start("run")
    app = go(open_app(run=entry.run_id, own=entry.secret), "live")
    app.session_state["share"] = True
    assert "texts=" not in check(app.run()).code[0].value
    app.toggle(key="share-texts").set_value(True)
    address = parse_qs(urlsplit(check(app.run()).code[0].value).query)
    assert address == {"run": [entry.run_id], "texts": [access.key_to_read(entry.secret)]}
    for one in (server.registry, server.library, server._sources):  # the server starts again
        one.clear()
    reader = open_app(run=entry.run_id, texts=address["texts"][0])
    told(sent)
    go(reader, "documents")
    assert told(sent) == set(MARKS)
    assert reader.query_params["texts"] == address["texts"][0], "a reload has it"
    go(reader, "live").session_state["share"] = True
    assert "share-texts" not in {toggle.key for toggle in check(reader.run()).toggle}
    assert "texts=" not in reader.code[0].value


def queried(code):
    """What the address says that is to be copied, or that stands in HTML which is to be copied."""
    address = unescape(code.value.split('"')[1]) if "<" in code.value else code.value
    return parse_qs(urlsplit(address).query)


def test_a_link_to_watch_tells_no_label_and_no_word_of_the_view(start):
    """What an owner looks for in the documents is taken from them."""
    entry = start("run")
    view = {"only_label": "label-quimby 3", "only_word": "quimby", "documents_search": "zanzibar"}
    view |= {"only_but": "label-quimby 4"}
    of_labels = ("one-label", "other-label", "label-lines")
    view |= {f"topics-{field}-{entry.run_id}": "label-quimby 5" for field in of_labels}
    app = open_app(run=entry.run_id, own=entry.secret, only_since="2001-01-02", **view)
    app.session_state["documents-way"] = "search"
    app.session_state["share"] = True
    go(app, "documents")
    names = {name.replace("_", "-") for name in view}
    watch, control, embedded = map(queried, app.code[:3])
    assert not names & (watch.keys() | embedded.keys())
    assert watch["only-since"] == embedded["only-since"] == ["2001-01-02"]
    assert embedded["embed"] == ["true"]
    assert names <= control.keys()
    app.toggle(key="share-texts").set_value(True)
    watch, _, embedded = map(queried, check(app.run()).code[:3])
    assert names <= watch.keys()
    assert names <= embedded.keys()
