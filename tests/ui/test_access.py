"""Who watches gets figures and topics, never documents, unless their owner shares them.

Two strangers and the owner open every page, and everything that the page sent, the files that its
buttons make among it, is searched for what the documents say and are called.
"""

import ast
import base64
import gzip
import io
import struct
import zipfile
from dataclasses import replace
from datetime import date
from html import unescape
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.testing.v1 import element_tree

from bnpexplorer.chains import chains_of
from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.claims.claim import TrialOutcome
from bnpexplorer.compare.sequential import race_of
from bnpexplorer.compare.sweep import Axis, Sweep, sweeps_folder
from bnpexplorer.corpus import Corpus, DocTable
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.corpus.text import describe
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.saved import bundle
from bnpexplorer.samples import load_sample
from bnpexplorer.ui.app import PAGES
from bnpexplorer.ui.compare.page import VIEWS as COMPARED
from bnpexplorer.ui.frame import access, server
from bnpexplorer.ui.frame.session import JOBS, RunOnPage
from bnpexplorer.ui.parts import explore, share
from bnpexplorer.ui.runs.table import TICKED
from bnpexplorer.ui.topics.page import VIEWS as OF_TOPICS
from tests.tools.pages import ROOT, button, check, go, open_app, small_run, texts

N_DOCS = 24
MARKS = ("Quimby goes to Zanzibar", "id-7-quimby", "label-quimby", "quimby met a zanzibar")
"""How documents are called (title, id, label), and words in the order of a text."""
CONTROLS = {"Pause", "Resume", "Step", "Stop", "Remove", "Delete", "Go on"}
FOR_READERS = {"Leave it out", "Add a method", "Script and notebook", "MALLET's files"}
KINDS = ("run", *JOBS)


# ---- the owner's jobs ----------------------------------------------------------------------------


def own_texts():
    """A small corpus whose documents are called, and say, what others must not see."""
    counts = np.random.default_rng(0).poisson(1.0, (N_DOCS, 12)) + 1
    title, name, label, text = (strings([f"{m} {d}" for d in range(N_DOCS)]) for m in MARKS)
    dates = np.datetime64("2001-01-01", "D") + np.arange(N_DOCS)
    words = ["quimby", "met", "zanzibar", *(f"word{i}" for i in range(9))]
    corpus = Corpus.from_csr(counts, words, DocTable(name, title, dates, label, text), "own.csv")
    return server.LoadedCorpus(corpus, describe(corpus))


def started(registry, kind, loaded):
    """A job of a kind on these texts; runs have ended, studies have not begun."""
    corpus = loaded.corpus
    plan = Plan.of("hdp-tsvi", passes=1, batch_size=12, n_heldout=4)
    if kind == "study":
        return registry.add(Study(CLAIMS["kappa-lda"], corpus, 600.0, 2), loaded)
    if kind == "sweep":
        sweep = Sweep("lda-svi", Axis("batch_size", (8.0,)))
        return registry.add(Study(sweep, corpus, 600.0, 1, sweeps_folder()), loaded)
    if kind == "run":
        entry = registry.add(plan.split_and_start(corpus), loaded, server.keep)
    elif kind == "race":
        plans = [replace(plan, method=Plan.of(name).method) for name in ("hdp-tsvi", "hdp-svi")]
        entry = registry.add(race_of(plans, corpus), loaded, server.keep_all)
    else:
        chains = chains_of(replace(plan, chains=2), corpus)
        entry = registry.add(chains, loaded, server.keep_all, chains.group)
    entry.background.start()
    assert entry.background.wait(300)
    assert entry.background.status == "finished", entry.background.error
    return entry


@pytest.fixture
def start(registry, monkeypatch):
    """Starts a job of a kind on a shared server."""
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1")
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")
    loaded = own_texts()
    return lambda kind: started(registry, kind, loaded)


@pytest.fixture
def jobs(start):
    """One job of every kind."""
    return {kind: start(kind) for kind in KINDS}


def address_of(jobs, owned=False, **more):
    """The address that shows these jobs, to their owner or to who watches."""
    found = dict(more)
    for kind, entry in jobs.items():
        found[kind] = entry.run_id
        if owned:
            found["own" if kind == "run" else JOBS[kind]] = entry.secret
    return found


# ---- what a page sends ---------------------------------------------------------------------------


def unpacked(data):
    """A file's bytes, and those of everything that is packed into it."""
    data = data.encode() if isinstance(data, str) else data
    found = [data]
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found += [part for name in archive.namelist() for part in unpacked(archive.read(name))]
    elif data[:2] == b"\x1f\x8b":
        found += unpacked(gzip.decompress(data))
    return found


@pytest.fixture
def sent(monkeypatch):
    """Every message to a browser, and every file behind a button, since the list was emptied."""
    found = []
    enqueue, add, deferred = ForwardMsgQueue.enqueue, MediaFileManager.add, "add_deferred"
    promise = getattr(MediaFileManager, deferred)

    def to_browser(self, message):
        found.append(message.SerializeToString())
        enqueue(self, message)

    def as_file(self, data, *rest, **more):
        found.extend(unpacked(data))
        return add(self, data, *rest, **more)

    def on_demand(self, make, *rest, **more):
        found.extend(unpacked(make()))
        return promise(self, make, *rest, **more)

    monkeypatch.setattr(ForwardMsgQueue, "enqueue", to_browser)
    monkeypatch.setattr(MediaFileManager, "add", as_file)
    monkeypatch.setattr(MediaFileManager, deferred, on_demand)
    return found


def told(sent):
    """Which of the marks were sent since this was asked last, in the usual forms of letters."""
    everything = b"".join(sent)
    sent.clear()
    forms = ("utf-8", "utf-16-le", "utf-32-le")
    return {mark for mark in MARKS if any(mark.encode(form) in everything for form in forms)}


ALL = tuple(page.name for page in PAGES)


def visited(app, pages=ALL):
    """These pages and all their views, one after the other: its name."""
    for name in pages:
        views = [("", "")]
        if name == "compare":
            views = [("compare", view) for view in COMPARED]
        elif name == "topics":
            views = [("topics-view", view) for view in OF_TOPICS]
        elif name == "documents":
            views = [("documents-way", way) for way in ("topic", "search", "own")]
        for key, view in views:
            if key:
                app.session_state[key] = view
            app.session_state["share"] = name in ("live", "topics", "documents")
            app.session_state["popover-documents"] = True
            app.session_state["documents-search"] = "quimby"
            app.session_state["explored-word"] = "quimby"
            app.session_state[TICKED] = [saved.run_id for saved in server.library().saved()][:1]
            go(app, name)
            yield f"{name} {view}".strip()


# ---- who sees what -------------------------------------------------------------------------------


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
    assert set.union(*found.values()) == set(MARKS)
    assert ("own" in app.query_params) == owned


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


OF_STUDIES = pytest.mark.parametrize(("page", "kind"), [("claims", "study"), ("compare", "sweep")])


@OF_STUDIES
def test_a_stranger_is_told_what_others_try_and_not_on_which_texts(start, sent, page, kind):
    entry = start(kind)
    entry.background.status = "paused"  # and no tab shows it: alone at a machine it could be had
    app = go(open_app(compare="Sweep"), page)
    assert f"{entry.background.run.experiment.title}** · paused" in texts(app.markdown)
    assert "Watch" not in {b.label for b in app.button}
    everything = b"".join(sent)
    assert b"own.csv" not in everything
    assert entry.run_id.encode() not in everything, "who knows it may watch"


@OF_STUDIES
def test_who_watches_a_study_of_the_list_does_not_get_its_texts(start, page, kind):
    entry = start(kind)
    entry.background.status = "paused"
    app = go(open_app(compare="Sweep", **address_of({kind: entry})), page)
    check(button(app, "All claims" if kind == "study" else "Another sweep").click().run())
    watch = button(app, key=f"watch-{entry.run_id}")
    named = dict(app.session_state["studies"])
    app.session_state["studies"] = {}
    check(watch.click().run())
    assert app.session_state[kind] == ("", ""), "without its address nobody watches"
    app.session_state["studies"] = named
    check(button(check(app.run()), key=f"watch-{entry.run_id}").click().run())
    assert app.session_state[kind] == (entry.run_id, "")
    assert "loaded" not in app.session_state
    assert "Resume" not in {b.label for b in app.button}
    assert entry.background.status == "paused"


def test_a_sweep_that_was_kept_is_listed_for_who_has_its_texts(start, monkeypatch):
    study = start("sweep").background.run
    study.experiment.write(study.corpus)
    study.findings[study.trials[0]] = TrialOutcome((1,), (1.0,), (-1.0,), (1,))
    study._write()
    server.registry.clear()
    before = "Found before on"
    assert before not in texts(go(open_app(compare="Sweep"), "compare").markdown)
    monkeypatch.delenv("BNPEXPLORER_SHARED")
    assert f"{before} other texts" in texts(go(open_app(compare="Sweep"), "compare").markdown)


def test_alone_at_a_machine_whoever_opens_the_app_reads(start, monkeypatch, sent):
    entry = start("run")
    monkeypatch.delenv("BNPEXPLORER_SHARED")
    app = open_app(run=entry.run_id)
    assert app.session_state["loaded"] is entry.source
    assert not go(app, "documents").info
    assert told(sent) == set(MARKS)


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
    for view in ("Find a word", "What changed"):
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
        assert len(found["Find a word"]) >= N_DOCS
        assert found["What changed"], "the search would find them"
    else:
        assert found == {"Find a word": [], "What changed": []}


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
    app.session_state["topics-view"], app.session_state["topics-changed"] = "What changed", "labels"
    heads = [m.value for m in check(app.run()).markdown if m.value.startswith("### ")]
    assert len(heads) == 2
    assert not [head for head in heads if "![" in head or ":red" in head or " $a$" in head]


# ---- how an owner shares -------------------------------------------------------------------------


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


# ---- what a browser asks for that the page does not offer ----------------------------------------


def test_what_the_runs_page_does_is_refused_to_who_watches(start, monkeypatch):
    entry = start("run")
    app = open_app(run=entry.run_id)
    app.session_state[TICKED] = [entry.run_id]
    go(app, "runs")
    assert not [b for b in app.button if b.key in ("runs-make", "FormSubmitter")]
    # Another program than a browser may press what it was told is disabled.
    monkeypatch.setattr(element_tree.Widget, "_assert_can_interact", lambda self: None)
    check(button(app, "Resume").click().run())
    check(button(app, "Delete").click().run())
    assert server.library().get(entry.run_id).deleted is None
    assert app.session_state["own"] == {entry.run_id: ""}


def test_a_run_that_is_no_longer_one_s_own_when_the_click_comes_is_not_deleted(start):
    entry = start("run")
    app = open_app(run=entry.run_id, own=entry.secret)
    app.session_state[TICKED] = [entry.run_id]
    delete = button(go(app, "runs"), "Delete")
    app.session_state["own"], app.session_state["held"] = {entry.run_id: ""}, set()
    check(delete.click().run())
    assert server.library().get(entry.run_id).deleted is None


@pytest.mark.second
def test_an_imported_run_that_names_a_group_does_not_open_it(start, tmp_path):
    group, library = start("chains").run_id, server.library()
    one = library.chains(group)[0]
    with (tmp_path / "forged.zip").open("wb") as file:
        bundle.export(library, one.run_id, file)
    mine = bundle.add(library, bundle.read(tmp_path / "forged.zip"))
    app = open_app(run=mine, own=library.secret(mine))
    app.session_state[TICKED] = [mine]
    check(button(go(app, "runs"), "See all chains").click().run())
    assert app.session_state["chains"] == (group, "")
    assert "watching only" in texts(go(app, "compare").caption)


def test_who_watches_chains_does_not_put_aside_what_their_owner_has_open(start):
    entry = start("chains")
    group, alone = entry.run_id, server.library().chains(entry.run_id)[0].run_id
    server.registry.clear()  # the server starts again
    owner = open_app(run=alone, own=entry.secret)
    single = server.registry().get(alone)
    open_app(chains=group, chains_key="guess")
    assert server.registry().get(alone) is single
    assert not check(owner.run()).session_state["troubles"]
    open_app(chains=group, chains_key=entry.secret)
    assert server.registry().get(group) is not None
    assert server.registry().get(alone) is None


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
