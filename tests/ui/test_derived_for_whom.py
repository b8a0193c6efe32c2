"""The owner looks first, then who watches: no derived value gives away what only readers may see.

Every kind of derived value of the pages is listed here, and a test finds kinds that are not.
"""

import ast
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.core.derived import Derived
from bnpexplorer.corpus import Corpus
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import access, server
from bnpexplorer.ui.parts import explore, in_background, likeness
from bnpexplorer.ui.parts.explore import folding_of
from bnpexplorer.ui.topics import atlas
from tests.tools.pages import check, go, open_app
from tests.tools.waiting import NEVER
from tests.ui.watching import KINDS, MARKS, address_of, own_texts, started, visited

PACKAGE = Path(access.__file__).parents[2]
FOR_ALL = {
    "aligned",
    "changes",
    "coherence",
    "filler",
    "folding",
    "found again",
    "grid",
    "ground",
    "hover texts",
    "index",
    "largest topics",
    "layout",
    "lengths",
    "likeness",
    "mean coherence",
    "mean shares",
    "moment",
    "overall",
    "prevalence",
    "proportions",
    "regions",
    "sample",
    "score of chains",
    "sheet",
    "time line",
    "together",
    "topics of chains",
    "tree",
    "turns",
    "under way",
    "unigram",
    "unnamed",
    "words of",
}
"""Kinds of value that who watches may ask for, too; what is shown of texts in them goes by who
looks."""
OF_TOPICS = {"about", "fewer topics", "stability", "trial"}
"""Kinds that hold topics or scores alone; `test_fewer_topics.py` asks for those of topics."""
FOR_READERS = {
    "best",
    "by share",
    "by words",
    "changed words",
    "companions",
    "filter",
    "histogram of lengths",
    "labels",
    "learned rows",
    "mixes",
    "nearest",
    "parts",
    "passages",
    "places",
    "rate",
    "search",
    "share by label",
    "shares by label",
    "shares by label and period",
    "swing",
    "trend",
}
"""Kinds that only readers may ask for: they tell single documents, their labels or their words."""
ASKING = {"derived", "worked_out", "at_hand", "forget"}


# ---- the list is whole ---------------------------------------------------------------------------


def kinds_of(node, given):
    """The kinds that a key may begin with; none where the key comes from elsewhere."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.Tuple):
        return kinds_of(node.elts[0], given)
    if isinstance(node, ast.Starred):
        return kinds_of(node.value, given)
    names = given.get(node.id, []) if isinstance(node, ast.Name) else []
    return {kind for value in names for kind in kinds_of(value, given)}


def kinds_in(source):
    """The kinds of all derived values that a module asks for by a key of its own."""
    tree, given = ast.parse(source), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            given.setdefault(node.targets[0].id, []).append(node.value)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else None
            called = node.func.id if isinstance(node.func, ast.Name) else called
            if called in ASKING:
                found |= {kind for one in node.args[:2] for kind in kinds_of(one, given)}
    return found


@pytest.mark.second
def test_every_kind_of_value_that_pages_ask_for_is_listed():
    asked = set()
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text("utf-8")
        if any(f"{word}(" in source for word in ASKING):
            asked |= kinds_in(source)
    assert asked == FOR_ALL | FOR_READERS | OF_TOPICS
    assert not FOR_ALL & FOR_READERS


# ---- who gets what -------------------------------------------------------------------------------


def texts_in(value):
    """All strings of a value, however deep they lie."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in (*value.keys(), *value.values()):
            yield from texts_in(part)
    elif isinstance(value, Sequence | Set) and not isinstance(value, bytes):
        for part in value:
            yield from texts_in(part)
    elif isinstance(value, Corpus):
        yield from texts_in(value.docs.columns())
    elif isinstance(value, np.ndarray) and value.dtype.hasobject:
        yield from texts_in(value.tolist())
    elif hasattr(value, "__dict__") and not isinstance(value, Derived):
        yield from texts_in(vars(value))


@pytest.fixture
def given(monkeypatch):
    """(kind, value) of all derived values that were asked for, and the kinds that were computed."""
    values, computed = [], []
    get, at_hand = Derived.get, Derived.at_hand

    def noted_get(self, key, make):
        def noted_make():
            computed.append(kind)
            return make()

        kind = key if isinstance(key, str) else key[0]
        found = get(self, key, noted_make)
        values.append((kind, found))
        return found

    def noted_at_hand(self, key):
        found = at_hand(self, key)
        if found is not None:
            values.append((key if isinstance(key, str) else key[0], found))
        return found

    monkeypatch.setattr(Derived, "get", noted_get)
    monkeypatch.setattr(Derived, "at_hand", noted_at_hand)
    return values, computed


def pixels():
    """A run whose words are pixels and whose true topics are known."""
    loaded = own_texts()
    words = tuple(f"r{1 + i // 4}c{1 + i % 4}" for i in range(12))
    true_topics = np.random.default_rng(1).dirichlet(np.ones(12), 3)
    corpus = replace(loaded.corpus, vocab=words)
    return replace(loaded, corpus=corpus, true_topics=true_topics)


def turned_to(app, page, **state):
    go(app, page)
    for name, value in state.items():
        app.session_state[name.replace("_", "-")] = value
    check(app.run())


def look_at_everything(jobs, owned):
    """Turn a tab to all pages, views, lists and comparisons."""
    run = jobs["run"].background.run
    moment = server.moment_of(jobs["run"], jobs["run"].background.latest)
    shown = {kind: jobs[kind] for kind in KINDS}
    app = open_app(**address_of(shown, owned, only_label="label-quimby 3,label-quimby 5"))
    born = max(i for i, event in enumerate(moment.snapshot.events) if event.details)
    app.session_state["why-live"] = (run.name, born)
    for _ in visited(app):
        pass
    view = {"topics_view": "Words", "topics_search": "quimby"}
    turned_to(app, "topics", **view)
    for way in ("dates", "labels", "found"):
        turned_to(app, "topics", topics_view="Compare groups", topics_changed=way)
    around = {"x": [-1e3, 1e3, 1e3, -1e3], "y": [-1e3, -1e3, 1e3, 1e3]}
    outline = (moment.at, around)
    turned_to(app, "topics", topics_view="Map", atlas_outline=outline, atlas_colours="label")
    for rule in ("words", "share"):
        turned_to(app, "documents", documents_way="topic", documents_rule=rule)
    pictures = open_app(**address_of({"run": jobs["pictures"]}, owned))
    for name in ("live", "topics"):
        go(pictures, name)


@pytest.mark.second
def test_who_watches_after_the_owner_gets_nothing_that_only_readers_may_see(
    registry, given, monkeypatch
):
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1")
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")
    monkeypatch.setattr(in_background, "MANY", 5)
    monkeypatch.setattr(in_background, "PATIENCE", NEVER)
    monkeypatch.setattr(atlas, "SHORT", NEVER)
    for room in (likeness, explore):  # each value is computed by the tab that asks for it
        monkeypatch.setattr(room, "ahead", lambda shown, work: None)
    loaded = own_texts()
    jobs = {kind: started(registry, kind, loaded) for kind in KINDS}
    jobs["pictures"] = started(registry, "run", pixels())
    jobs["pictures"].background.run.known = jobs["pictures"].source.true_topics
    grouped = server.moment_of(jobs["run"], jobs["run"].background.latest).in_use[:2]
    jobs["run"].labels = Labels().group(grouped)
    for name in ("run", "pictures"):
        folding_of(server.moment_of(jobs[name], jobs[name].background.latest)).wait()
    values, computed = given
    look_at_everything(jobs, owned=True)
    assert {kind for kind, _ in values} >= FOR_ALL | FOR_READERS, "every kind was asked for"
    said = " ".join(text for _, value in values for text in texts_in(value))
    title, _, label, text = MARKS
    assert all(mark in said for mark in (title, label, text)), "the search would find them"
    computed.clear()
    look_at_everything(jobs, owned=True)
    assert computed == [], "what was worked out is kept for another tab"
    values.clear()
    look_at_everything(jobs, owned=False)
    assert {kind for kind, _ in values} & FOR_READERS == set()
    for kind, value in values:
        assert not [m for m in MARKS if any(m in text for text in texts_in(value))], kind
