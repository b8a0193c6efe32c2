"""Links, files and pictures that several pages draw, by direct call."""

import io
import re
import zipfile
from dataclasses import replace
from html import unescape
from types import SimpleNamespace
from urllib.parse import parse_qs, parse_qsl, urlsplit

import numpy as np
import pytest
import streamlit as st

from bnpexplorer.runs import limits
from bnpexplorer.runs.run import Run
from bnpexplorer.state.snapshot import Topics
from bnpexplorer.ui.frame import access, look, session
from bnpexplorer.ui.parts import known, qr_code, share
from tests.tools.moments import made
from tests.tools.pages import launch, small, small_run

pytestmark = pytest.mark.usefixtures("registry")


# ---- links and files -----------------------------------------------------------------------------


def test_links_of_several_runs_are_open_only_where_all_of_them_are(registry, tab, monkeypatch):
    monkeypatch.setenv(limits.SHARED, "1")
    sample, own = small(), small()
    own = replace(own, corpus=replace(own.corpus, docs=replace(own.corpus.docs, title=None)))
    runs = [
        session.RunOnPage(registry.add(small_run()[0], loaded), owned)
        for loaded, owned in ((sample, True), (own, False))
    ]
    first, second = (shown.entry for shown in runs)
    links = share.links_of(runs)
    assert links.watch == {"run": f"{first.run_id},{second.run_id}"}
    assert links.control == {"own": f"{first.secret},"}
    assert list(links.secrets) == [first.secret, ""]
    assert not links.is_open
    assert share.links_of(runs[:1]).is_open
    assert share.links_of(runs[1:]).control == {}


@pytest.mark.parametrize(
    ("shared", "secrets", "on", "keys"),
    [
        ("1", ["a", "", "b", "a"], True, ["a", "b"]),
        ("1", ["a"], False, []),
        ("1", ["", ""], None, []),
        ("", ["a"], None, []),
    ],
)
def test_keys_to_read_are_given_by_the_owner_on_a_shared_server(
    monkeypatch, shared, secrets, on, keys
):
    asked = []
    monkeypatch.setenv(limits.SHARED, shared)
    monkeypatch.setattr(st, "toggle", lambda *_, **__: asked.append(1) or on)
    assert share._keys_to_read(secrets) == [access.key_to_read(secret) for secret in keys]
    assert bool(asked) == (on is not None)


def test_each_key_of_the_address_opens_its_own_texts(tab, monkeypatch):
    del tab["reads"]
    monkeypatch.setattr(st, "query_params", {access.TEXTS: "b,,a"})
    access.begin()
    assert tab["reads"] == {"a", "b"}
    assert access.in_address() == {access.TEXTS: "a,b"}
    monkeypatch.setattr(st, "query_params", {access.TEXTS: "c"})
    access.begin()
    assert tab["reads"] == {"a", "b"}, "as the tab had them at first"


@pytest.mark.parametrize(
    ("shared", "sample", "secret", "may"),
    [
        ("0", False, "", True),
        ("1", True, "", True),
        ("1", False, "", False),
        ("1", False, "held", True),
        ("1", False, "given", True),
        ("1", False, "another", False),
    ],
)
def test_texts_are_read_by_whom_they_are_open_to(tab, monkeypatch, shared, sample, secret, may):
    """The key of no secret at all opens nothing."""
    monkeypatch.setenv(limits.SHARED, shared)
    entry = SimpleNamespace(run_id="a", secret=secret, source=small())
    monkeypatch.setattr(access.server.registry(), "get", {"a": entry}.get)
    monkeypatch.setattr(access, "is_sample", lambda corpus: sample)
    tab["held"] = {"held"}
    tab["reads"] = {access.key_to_read(known) for known in ("given", "")}
    assert access.is_open("a") == (shared == "0" or sample)
    assert access.may_read("a") == may
    assert access.texts_of(entry) is (entry.source if may else None)
    named = access.counts_of(entry).corpus.docs
    assert (named.title, named.text, named.label) == (None, None, None), "figures need no names"


def test_who_only_watches_is_given_no_link_to_control_and_one_page_to_embed(monkeypatch):
    codes = []
    monkeypatch.setattr(st, "code", lambda code, **_: codes.append(code))
    monkeypatch.setattr(type(st.context), "url", "http://class.example/live")
    monkeypatch.setattr(st, "query_params", {"view-axis": "passes", "run": "x", "large": "on"})
    monkeypatch.setenv(limits.SHARED, "")
    share.show_links(share.Links("a, b", {"run": "a,b"}, {}, [], True))
    watch, snippet = codes
    assert watch == "http://class.example/live?run=a,b&view-axis=passes"
    assert "embed=true" in snippet
    assert 'title="bnpexplorer: a, b"' in snippet
    assert parse_qs(urlsplit(watch).query) == {"run": ["a,b"], "view-axis": ["passes"]}


@pytest.mark.parametrize(
    ("keys", "is_open"), [(True, False), (False, False), (False, True), (True, True)]
)
def test_every_link_carries_what_it_is_for(monkeypatch, keys, is_open):
    """The keys to read go along to watch and into another page; without them, and without texts
    that everybody may read, no word of a document does."""
    codes = []
    monkeypatch.setattr(st, "code", lambda code, **_: codes.append(code))
    monkeypatch.setattr(st, "toggle", lambda *_, **__: keys)
    monkeypatch.setattr(share, "show_code", lambda *what: codes.append(what))
    monkeypatch.setattr(type(st.context), "url", "http://class.example/documents")
    view = {"only-label": "a,b", "only-since": "2001-02-03", "documents-search": "tax"}
    monkeypatch.setattr(st, "query_params", {**view, "run": "x", "own": "y"})
    monkeypatch.setenv(limits.SHARED, "1")
    control = {"own": "s,t"}
    share.show_links(share.Links("it", {"run": "a,b"}, control, ["s", "t"], is_open))
    watch, code, own, within = codes
    asked = dict(parse_qsl(urlsplit(watch).query))
    given = {access.TEXTS: ",".join(map(access.key_to_read, "st"))} if keys else {}
    seen = view if keys or is_open else {"only-since": "2001-02-03"}
    assert asked == {"run": "a,b", **given, **seen}
    assert code == (watch, share.CODE)
    assert dict(parse_qsl(urlsplit(own).query)) == {"run": "a,b", **control, **view}
    (address,) = re.findall(r'src="(.*?)"', unescape(within))
    assert dict(parse_qsl(urlsplit(address).query)) == {**asked, "embed": "true"}


@pytest.mark.parametrize(("n", "drawn"), [(qr_code.MOST, True), (qr_code.MOST + 1, False)])
def test_an_address_of_so_many_letters_still_has_a_code(monkeypatch, n, drawn):
    said = []
    for kind in ("caption", "html"):
        monkeypatch.setattr(st, kind, said.append)
    address = "http://a.example/"
    qr_code.show_code(address + "x" * (n - len(address)), 260)
    assert len(said) == 1
    assert ("bnp-code" in said[0]) == drawn != (said[0] == qr_code.TOO_LONG)


def test_files_with_the_counts_of_documents_are_for_readers_alone():
    found = {one.label for one in share.downloads() if one.texts}
    assert found == {"Script and notebook", "MALLET's files"}


def test_only_tables_for_excel_have_its_mark(registry):
    entry = launch(registry)
    result = share.result_of(session.RunOnPage(entry, False), entry.source)
    marked = {}
    for download in share.downloads():
        if download.to.startswith("csv"):
            with zipfile.ZipFile(io.BytesIO(download.make(result))) as files:
                tables = [files.read(name) for name in files.namelist() if name.endswith(".csv")]
            assert len(tables) > 2
            marked[download.label] = {table.startswith(b"\xef\xbb\xbf") for table in tables}
    assert marked == {"Tables": {False}, "Tables for Excel": {True}}


# ---- topics that made the texts ------------------------------------------------------------------


@pytest.fixture
def pixels(monkeypatch):
    """A moment over four pixels, and two topics that made its texts; whether it is dark."""
    moment = made({3: 5.0, 8: 40.0, 5: 30.0, 9: 60.0})
    words = ("r1c1", "r1c2", "r2c1", "r2c2")
    rows = np.array([[9, 1, 1, 1], [1, 9, 1, 1], [1, 1, 9, 1], [1, 1, 1, 9]], np.float32) / 12
    topics = moment.snapshot.topics
    topics = Topics(rows, *(getattr(topics, name) for name in REST))
    corpus = type(moment.corpus).from_csr(np.eye(4, dtype=int), words)
    moment = replace(moment, snapshot=replace(moment.snapshot, topics=topics), corpus=corpus)
    dark = [False]
    monkeypatch.setattr(known, "is_dark", lambda: dark[0])
    return moment, rows[[2, 0]].astype(float), dark


REST = ("total", "size", "weight", "unseen", "topic_ids", "concentration", "gamma", "eta")


def test_true_topics_stand_beside_their_partners_and_the_others_below(pixels, monkeypatch):
    moment, true, dark = pixels
    drawn = known.sheet(moment, true)
    assert [part.split("<")[0] for part in drawn.split("<b>")[1:]] == ["topic 5", "topic 3"]
    assert drawn.count("found again, 0.00") == 2
    assert re.findall(r'alt="(true \d+)"', drawn) == ["true 1", "true 2"]
    assert "2 topics in use without a true one." in drawn
    assert "The largest" not in drawn
    alone = known.sheet(moment, true, others=False)
    assert "without a true one" not in alone
    assert alone.count('class="pair again"') == 2
    dark[0] = True
    assert known.sheet(moment, true) != drawn, "in the colours of the theme"
    monkeypatch.setattr(known, "MOST_OTHERS", 1)
    fresh = replace(moment, snapshot=replace(moment.snapshot, step=9))
    said = known.sheet(fresh, true)
    assert "2 topics in use without a true one. The largest 1 of them:" in said
    assert said.count('alt="topic 9"') == 1
    assert 'alt="topic 8"' not in said


def test_one_topic_has_its_true_one_on_the_left(pixels):
    moment, true, _ = pixels
    said = known.picture_of(moment, 3, true)
    assert "left the true topic that it is matched to, 0.00 away: found again" in said
    assert said.index('alt="true 2"') < said.index('alt="topic 3"')
    assert "it is matched to none of the true topics" in known.picture_of(moment, 8, true)
    assert "matched" not in known.picture_of(moment, 8, None)


def test_topics_over_other_words_are_no_true_ones(pixels):
    moment, true, _ = pixels
    assert known.fits(moment, true)
    for other in (None, true[:0], true[:, :3]):
        assert not known.fits(moment, other)
        assert known.sheet(moment, other) == ""
    assert known.sheet(made({4: 9.0}), np.ones((2, 3))) == "", "its words are no pixels"


# ---- letters -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("large", "view", "size"), [(False, 0, 14), (True, 0, 19), (False, 2, 19), (True, 2, 19)]
)
def test_letters_are_large_where_asked_for_and_in_a_presentation(tab, large, view, size):
    tab |= {"large_type": large, "presenting": view}
    assert look.text_size() == size
    assert look.in_address() == {"large": "on" if large else ""}


def test_a_run_that_is_not_there_has_no_result(registry):
    entry = registry.add(*small_run())
    assert isinstance(entry.background.run, Run)
    assert share.result_of(session.RunOnPage(entry, True), entry.source) is None
