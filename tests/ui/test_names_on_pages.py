"""Names that are Markdown or HTML, and where people see them: every page shows them as they are."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.export import recreation, report, script
from bnpexplorer.export.result import result_of
from bnpexplorer.export.script import cells
from bnpexplorer.plots.line_ends import End, label_ends
from bnpexplorer.plots.style import LONGEST, ROW, base_figure, end_name, written
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.frame.words import plain, status_words
from bnpexplorer.ui.parts.run_buttons import LETTERS
from tests.tools.pages import check, choose, field, figures, go, html, launch, open_app, small

IMAGE = "![](https://evil/x.png) my_run_2*"
LINK = '<a href="https://evil">x</a> $x$ :red[hi] :material/home:'
SIGNS = re.compile(
    r"!\[|https:/|my_run|_2\*|(?<!\\)<a |\$x\$|(?<!\\)<a_word_|:red|:material/home|x\.png\) my_"
)
"""What stands in these names and is not there once they are escaped."""
READ_AS_MARKDOWN = {"label", "help", "body", "text", "content", "captions", "title", "caption"}


def markdown_of(app):
    """(kind, text) of everything on the page that Streamlit reads as Markdown."""
    for node in app._tree:
        if getattr(node, "proto", None) is not None and node.type not in ("html", "code"):
            yield from ((node.type, text) for text in _texts(node.proto, node.type))


def _texts(message, kind):
    for about, value in message.ListFields():
        values = (
            value if isinstance(value, str) is False and hasattr(value, "__iter__") else [value]
        )
        for one in values:
            if hasattr(one, "ListFields"):
                if not about.name.startswith("data"):
                    yield from _texts(one, kind)
            elif isinstance(one, str) and (
                about.name in READ_AS_MARKDOWN or (about.name, kind) == ("options", "radio")
            ):
                yield one


def drawn(figure):
    """Every text of a figure that Plotly shows; `customdata` only where a hover shows it."""
    traces = [
        trace
        if "customdata" in trace.get("hovertemplate", "")
        else {k: v for k, v in trace.items() if k != "customdata"}
        for trace in figure["data"]
    ]
    return json.dumps([traces, figure["layout"]])


def all_plain(app):
    """Nothing on the page shows a name unescaped."""
    found = [(kind, text) for kind, text in markdown_of(app) if SIGNS.search(text)]
    assert not found, found
    assert not re.search("<a (?!href=.#)|<a_word", html(app)), html(app)
    for figure in figures(app):
        assert "<a" not in drawn(figure), drawn(figure)
        assert figure["layout"].get("margin", {}).get("r", 0) < 190
    return app


@pytest.fixture
def runs(registry, monkeypatch):
    """Two finished runs, saved, of which everything that can have a name has such a one."""
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")
    loaded = small()
    docs = loaded.corpus.docs
    n = loaded.corpus.n_docs
    titles = np.array([(IMAGE, LINK)[i % 2] for i in range(n)], dtype=object)
    vocab = tuple(f"<a_word_{word}*" for word in loaded.corpus.vocab)
    named = replace(
        loaded.corpus, name=LINK, vocab=vocab, docs=replace(docs, title=titles, label=titles)
    )
    loaded = replace(loaded, corpus=named)
    entries = []
    for name, method in ((IMAGE, "hdp-tsvi"), (LINK, "hdp-svi")):
        entry = launch(registry, method, loaded, keep=server.keep, name=name)
        ids = entry.background.latest.topics.topic_ids.tolist()
        entry.labels = Labels({i: (IMAGE, LINK)[i % 2] for i in ids})
        server.library().label(entry.run_id, entry.labels)
        server.library().tag(entry.run_id, (IMAGE, LINK))
        entry.background.not_kept = f"The disk of {IMAGE} is full."
        entries.append(entry)
    entries[1].background.status, entries[1].background.error = "failed", f"{LINK} went wrong."
    return entries


@pytest.fixture
def app(runs):
    return open_app(run=",".join(e.run_id for e in runs), own=",".join(e.secret for e in runs))


@pytest.mark.second
def test_the_live_page_and_its_address(app, runs):
    all_plain(go(app, "live"))
    assert "run" in app.query_params
    key = next(w.key for w in app.get("button_group") if w.key.startswith("view-run"))
    all_plain(choose(app, key, LINK))
    assert app.query_params[key] in (LINK, [LINK]), "a link holds the name itself"
    address = ",".join(entry.run_id for entry in runs)
    again = all_plain(go(open_app(run=address, **{key: LINK}), "live"))
    chosen = next(w for w in again.get("button_group") if w.key == key)
    assert chosen.value == LINK, "the link turns to it"
    for words, cut in (("{1}{0}", False), ("{0}{1}", True)):
        for i, entry in enumerate(runs):
            entry.background.run.name = words.format(i, "long " * 12)
        check(again.run())
        options = next(w for w in again.get("button_group") if w.key == key).options
        assert len(set(options)) == 2, "names that differ at their ends are not cut"
        assert (max(map(len, options)) <= LETTERS) == cut


@pytest.mark.second
@pytest.mark.parametrize(
    "view", ["Topics", "Words", "Compare groups", "Over time", "Through the run", "Together"]
)
def test_the_topics_page(app, view):
    go(app, "topics")
    all_plain(choose(app, "topics-view", view))
    if view == "Words":
        field(app.text_input, "Search the vocabulary").set_value("<a_word")
        all_plain(check(app.run()))
        field(app.text_input, "Search the vocabulary").set_value(IMAGE)
        all_plain(check(app.run()))


@pytest.mark.second
def test_the_documents_page(app):
    all_plain(go(app, "documents"))
    choose(app, "documents-way", "search")
    next(t for t in app.text_input if t.key == "documents-search").set_value("evil")
    all_plain(check(app.run()))


@pytest.mark.second
@pytest.mark.parametrize("view", ["Runs", "Topics aligned", "Race", "Sweep", "When it fails"])
def test_the_compare_page(app, view):
    go(app, "compare")
    all_plain(choose(app, "compare", view))


@pytest.mark.second
def test_the_runs_page(app, runs):
    go(app, "runs")
    app.session_state["runs-ticked"] = [e.run_id for e in runs]
    all_plain(check(app.run()))
    app.session_state["runs-ticked"] = [runs[1].run_id]
    app.session_state["runs-problem"] = f"{IMAGE} cannot be changed."
    app.session_state["runs-news"] = (runs[0].run_id, IMAGE, f"With {LINK}.")
    app.session_state["runs-deleted"] = [(runs[0].run_id, IMAGE)]
    all_plain(check(app.run()))
    server.library().delete(runs[0].run_id)
    all_plain(check(app.run()))


@pytest.mark.second
@pytest.mark.parametrize("page", ["corpus", "claims"])
def test_pages_of_the_texts(app, page):
    all_plain(go(app, page))


@pytest.mark.second
def test_share_and_what_is_exported(app, runs):
    app.session_state["share"] = True
    go(app, "live")
    entry = runs[0]
    moment = server.moment_of(entry, entry.background.latest)
    result = result_of(entry.background.run, moment, entry.source.corpus)
    (head, *_) = cells(result)
    assert not SIGNS.search(head.text)
    assert f"# hdp-tsvi on {LINK}\n" in script(result), "Python is no Markdown"
    page = report(result)
    assert "<a href" not in page
    assert "<a_word" not in page
    assert recreation(result)


@pytest.mark.parametrize(
    ("name", "written_so"),
    [
        ("hdp-tsvi batch size 20", "hdp-tsvi batch size 20"),
        ("a\n*b* [c](d)", r"a \*b\* \[c\](d)"),
        ("1. - x", "1\\. - x"),
        ("- x", "\\- x"),
        (":red[e] 17: 00", "\\:\u2060red\\[e\\] 17: 00"),
        ("a->b a@b www.b WWW.b", "a-\u2060\\>b a@\u2060b www\u2060.b WWW\u2060.b"),
        ("$x$ a# `c` &amp; |a| ~d~ <i> e\\f", r"\$x\$ a\# \`c\` \&amp; \|a\| \~d\~ \<i\> e\\f"),
    ],
)
def test_markdown_that_shows_a_name_as_it_is(name, written_so):
    assert plain(name) == written_so


def test_a_long_name_leaves_room_for_the_figure():
    for name in ("x" * 80, "many words " * 8):
        assert max(map(len, end_name(name).split("<br>"))) <= ROW
        assert len(written(name)) == LONGEST
        assert len(end_name(name).replace("<br>", "")) <= LONGEST
        figure = base_figure(False)
        label_ends(figure, [End(1.0, 1.0, end_name(name), "#000000")], (0.0, 2.0), 330, False)
        assert figure.layout.margin.r < 150
    assert written('<b> & "x"') == '&lt;b&gt; &amp; "x"'
    assert written("&" * LONGEST) == "&amp;" * LONGEST, "it has room"
    assert written("&" * (LONGEST + 1)) == "&amp;" * (LONGEST - 1) + "…"


def test_who_waits_is_told_the_place():
    words = [
        status_words(SimpleNamespace(status=s, place_in_queue=p, asked_for="", why_paused=""))
        for s, p in (("queued", 2), ("queued", 0), ("running", 0))
    ]
    assert words == ["waiting in line, number 2", "waiting in line", "learning"]
