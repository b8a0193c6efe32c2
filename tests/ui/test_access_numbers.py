"""Test that who watches gets no number, word or event that tells of a single document."""

import base64
import struct
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus, DocTable
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.corpus.text import describe
from bnpexplorer.runs.plan import Plan
from bnpexplorer.ui.frame import access, server
from bnpexplorer.ui.frame.session import RunOnPage
from bnpexplorer.ui.parts import explore, share
from tests.tools.pages import check, go, open_app, texts
from tests.ui.watching import MARKS, N_DOCS, address_of, own_texts, started, told, unpacked


def test_no_file_for_watchers_names_documents_whatever_order_they_stand_in(start):
    entry = start("run")
    loaded = entry.source
    entry.source = replace(loaded, corpus=loaded.corpus.take(range(N_DOCS)[::-1]))
    result = share.result_of(RunOnPage(entry, False), None)
    assert not result.by_rule, "the files are made of the run's own documents"
    for download in share.downloads():
        if not download.texts:
            made = b"".join(unpacked(download.make(result)))
            assert not [mark for mark in MARKS if mark.encode() in made], download.label


def test_no_file_for_watchers_tells_what_opened_a_topic(start):
    """Every file is the same where events have no details."""
    result = share.result_of(RunOnPage(start("run"), False), None)
    assert any(event.details for event in result.snapshot.events)
    events = tuple(replace(event, details=None) for event in result.snapshot.events)
    bare = replace(result.moment, snapshot=replace(result.snapshot, events=events))
    for download in share.downloads():
        if not download.texts:
            files = [download.make(r) for r in (result, replace(result, moment=bare))]
            told, untold = (unpacked(file) for file in files)
            inside = len(told) > 1  # a zip itself has the time
            assert told[inside:] == untold[inside:], download.label


@pytest.mark.second
@pytest.mark.parametrize("owned", [False, True], ids=["who watches", "the owner"])
def test_the_moment_of_a_birth_is_for_readers(start, sent, owned):
    """Numbers of a single word or document tell which it is."""
    for kind, page, part in (
        ("run", "live", "live"),
        ("run", "topics", "topics"),
        ("race", "compare", "race"),
    ):
        entry = start(kind)
        run = entry.background.run if kind == "run" else entry.background.run.runs[0]
        events = run.snapshot().events
        place = max(i for i, event in enumerate(events) if event.details)
        app = open_app(**address_of({kind: entry}, owned, compare="Race"))
        app.session_state["topics-view"] = "Through the run"
        app.session_state[f"why-{part}"] = (run.name, place)
        sent.clear()
        go(app, page)
        assert (access.MOMENT_FOR_ITS_OWNER in texts(app.markdown)) != owned
        everything = b"".join(sent)
        assert b"was born at step" in everything
        assert (b"bnp-weighed" in everything) == owned
        assert bool(told(sent)) == owned


@pytest.mark.parametrize("owned", [False, True], ids=["who watches", "the owner"])
def test_who_left_a_topic_last_is_for_readers(registry, sent, monkeypatch, owned):
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1")
    loaded = own_texts()
    plan = Plan.of("hdp-gibbs", values={"start": "nothing"}, passes=4, batch_size=12)
    entry = registry.add(plan.split_and_start(loaded.corpus), loaded, server.keep)
    entry.background.start()
    assert entry.background.wait(300)
    run = entry.background.run
    place = max(i for i, event in enumerate(run.snapshot().events) if event.kind == "prune")
    app = open_app(**address_of({"run": entry}, owned))
    app.session_state["why-live"] = (run.name, place)
    sent.clear()
    go(app, "live")
    assert (access.MOMENT_FOR_ITS_OWNER in texts(app.markdown)) != owned
    everything = b"".join(sent)
    assert "came to its end at step" in everything.decode("utf-8", "replace")
    assert (b"It ended with its last" in everything) == owned
    assert bool(told(sent)) == owned


def forms_of(number):
    """How a number may stand in what is sent: in words, in a table, in a figure's base64."""
    if isinstance(number, int):
        return [f"{number:,}".encode(), struct.pack("<q", number)]
    packed = struct.pack("<d", number)
    # It begins at any of the three bytes of a group; groups shared with other numbers are left out.
    shifted = [base64.b64encode(bytes(shift) + packed) for shift in range(3)]
    return [repr(number).encode(), packed, shifted[0][:8], shifted[1][4:], shifted[2][4:12]]


def counted_texts():
    """One document a day; how often each uses the word quimby is a number like no other."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(1.0, (N_DOCS, 12)) + 1
    counts[:, 0] = rng.integers(1009, 3001, N_DOCS)
    words = ["quimby", "met", "zanzibar", *(f"word{i}" for i in range(9))]
    dates = np.datetime64("2001-01-01", "D") + np.arange(N_DOCS)
    corpus = Corpus.from_csr(counts, words, DocTable(date=dates), "own.csv")
    return counts, server.LoadedCorpus(corpus, describe(corpus))


@pytest.mark.second
@pytest.mark.parametrize("owned", [False, True], ids=["who watches", "the owner"])
def test_the_words_of_a_single_document_are_for_readers(registry, sent, monkeypatch, owned):
    """Not by a period, or one side of a comparison, that holds one document; nor by both sides."""
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1")
    counts, loaded = counted_texts()
    entry = started(registry, "run", loaded)
    explore.folding_of(server.moment_of(entry, entry.background.latest)).wait()
    sides = [counts[:-1].sum(axis=0), counts[-1]]
    told = [*(counts[:, 0] / counts.sum(axis=1)).tolist(), *counts[:, 0].tolist()]
    told += [int(side[0]) for side in sides]
    told += [float(np.round(10_000 * side[0] / side.sum(), 2)) for side in sides]
    app = open_app(**address_of({"run": entry}, owned, topics_search="quimby"))
    found = {}
    for view in ("Words", "Compare groups"):
        app.session_state["topics-view"] = view
        app.session_state["topics-changed"] = "dates"
        app.session_state["topics-word-counted"] = "words"
        app.session_state[f"topics-word-period-{entry.run_id}"] = "day"
        app.session_state[f"topics-before-to-{entry.run_id}"] = date(2001, 1, 23)
        app.session_state[f"topics-after-from-{entry.run_id}"] = date(2001, 1, 24)
        sent.clear()
        go(app, "topics")
        assert (access.WORDS_FOR_ITS_OWNER in texts(app.info)) != owned
        everything = b"".join(sent)
        found[view] = [n for n in told if any(form in everything for form in forms_of(n))]
    if owned:
        assert len(found["Words"]) >= N_DOCS
        assert found["Compare groups"], "the search would find them"
    else:
        assert found == {"Words": [], "Compare groups": []}


@pytest.mark.second
def test_names_from_files_are_no_markdown(registry):
    """A label in a heading, a title in a button that names a topic."""
    evil = "![i](http://evil.example/i.png) :red[x] $a$"
    corpus = own_texts().corpus
    titles = strings([f"{evil} {d}" for d in range(N_DOCS)])
    labels = strings([f"{evil} {d % 2}" for d in range(N_DOCS)])
    docs = replace(corpus.docs, title=titles, label=labels)
    corpus = replace(corpus, docs=docs)
    entry = started(registry, "run", server.LoadedCorpus(corpus, describe(corpus)))
    explore.folding_of(server.moment_of(entry, entry.background.latest)).wait()
    app = go(open_app(**address_of({"run": entry}, owned=True)), "topics")
    named = next(g for g in app.get("button_group") if str(g.key).startswith("topics-title-"))
    assert [option.content for option in named.proto.options]
    assert not [o.content for o in named.proto.options if "![" in o.content or ":red" in o.content]
    app.session_state["topics-view"], app.session_state["topics-changed"] = (
        "Compare groups",
        "labels",
    )
    heads = [m.value for m in check(app.run()).markdown if m.value.startswith("### ")]
    assert len(heads) == 2
    assert not [head for head in heads if "![" in head or ":red" in head or " $a$" in head]
