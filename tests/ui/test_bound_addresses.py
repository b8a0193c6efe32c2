"""Whatever stands in an address for a widget that is bound to it, the page can be used."""

import ast
import shutil
import traceback
from pathlib import Path

import pytest
from streamlit.runtime.state.query_params import QueryParams

from bnpexplorer.core import store
from bnpexplorer.evaluate import split_heldout
from bnpexplorer.lab import DEMONSTRATIONS
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.ui.compare.page import VIEWS as COMPARED
from bnpexplorer.ui.topics.changed import WAYS
from bnpexplorer.ui.topics.page import VIEWS as OF_TOPICS
from tests.tools.pages import ROOT, AppTest, check, go, small
from tests.tools.waiting import NEVER

pytestmark = pytest.mark.second

UI = ROOT / "bnpexplorer" / "ui"
KEPT = ROOT / "tests" / "kept" / "home"
RUNS = "000000000c,000000000b"
RUN = "000000000c"
VISITED = [
    *(("topics", {"run": RUN, "topics-view": view}) for view in OF_TOPICS),
    ("topics", {"run": RUN, "topics-show-tree": "true"}),
    ("topics", {"run": RUN, "topics-view": "Words", "topics-search": "violin"}),
    *(
        ("topics", {"run": RUN, "topics-view": "Compare groups", "topics-changed": way})
        for way in WAYS.values()
    ),
    ("documents", {"run": RUN, "documents-way": "Search"}),
    ("documents", {"run": RUN, "documents-way": "A text of your own"}),
    ("documents", {"run": RUN}),
    ("live", {"run": RUNS}),
    (
        "compare",
        {"compared": RUNS, "compare": "Topics aligned", "align-way": "Two moments of one run"},
    ),
    ("live", {"run": "by-parts,by-words"}),
    ("compare", {"run": "by-parts,by-words", "compared": "by-parts,by-words"}),
    *(("compare", {"run": RUNS, "compared": RUNS, "compare": view}) for view in COMPARED),
    *(("lab", {"lab_show": show}) for show in DEMONSTRATIONS),
    *((page, {}) for page in ("start", "corpus", "runs", "claims", "lessons")),
]
"""Pages, each with what its address says of what is looked at."""


@pytest.fixture
def bound(registry, monkeypatch):
    """Keys that were bound since it was emptied last: key -> the line of the page that did it."""
    shutil.copytree(KEPT, store.home(), dirs_exist_ok=True)
    for run_id, protocol in (("by-parts", "completion"), ("by-words", "importance")):
        loaded = small()
        train, heldout = split_heldout(loaded.corpus, 0, protocol=protocol)
        run = Run(make_method("lda-svi"), train, heldout=heldout, passes=1)
        run.step()
        registry.add(run, loaded, run_id=run_id)
    found, bind = {}, QueryParams.bind_widget

    def noted(self, param_key, *rest, **more):
        frames = [f for f in traceback.extract_stack() if Path(f.filename).is_relative_to(UI)]
        found[param_key] = (frames[-1].filename, frames[-1].lineno)
        return bind(self, param_key, *rest, **more)

    monkeypatch.setattr(QueryParams, "bind_widget", noted)
    return found


def bindings():
    """Every call of the pages that binds a widget: (file, its first line, its last)."""
    return [
        (str(path), node.lineno, node.end_lineno)
        for path in UI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and any(word.arg == "bind" for word in node.keywords)
    ]


def visit(page, address, bound):
    """The page at this address, and the keys that it binds."""
    bound.clear()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=NEVER)
    app.query_params |= address
    check(app.run())
    if page != "start":
        bound.clear()
        app = go(app, page)
    return app, dict(bound)


def test_every_bound_widget_is_visited_with_nothing_with_rubbish_and_with_10_000_letters(bound):
    lines = set()
    for page, address in VISITED:
        _, keys = visit(page, address, bound)
        lines |= set(keys.values())
        for rubbish in ("", "rubbish ]}\x00\u2028%", "x" * 10_000):
            app, again = visit(page, address | dict.fromkeys(keys.keys() - address, rubbish), bound)
            assert again.keys() >= keys.keys(), (page, address, rubbish[:20])
            check(app.run())
        for name in address.keys() & keys.keys():  # what else is drawn hangs on it
            for rubbish in ("", "rubbish", "x" * 10_000):
                app, again = visit(page, address | {name: rubbish}, bound)
                assert name in again
    missed = [
        (file, first)
        for file, first, last in bindings()
        if not any(file == where and first <= line <= last for where, line in lines)
    ]
    assert missed == [], "\n".join(map(str, missed))
