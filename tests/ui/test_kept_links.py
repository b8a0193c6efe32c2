"""What a reader chose stands in the address by a name that links sent to others already have."""

import ast
from importlib import import_module

import pytest

from tests.tools.pages import ROOT

UI = ROOT / "bnpexplorer" / "ui"
RUN = "{moment.run_id}"
STEP = "{moment.run_id}-{moment.snapshot.step}"
NAMES = {
    "compare/aligned.py": {
        "align-a-{key}",
        "align-b-{key}",
        "align-moments-{one.run_id}-{len(frames)}",
        "align-near",
        "align-run-{key}",
        "align-way",
    },
    "compare/page.py": {"compare"},
    "compare/side_by_side.py": {
        "compare-all-settings",
        "compare-axis",
        "compare-log",
        "compare-ground-' + '-'.join((f'{g.split[-8:]}{g.protocol}' for g in grounds))",
    },
    "documents/choosing.py": {"documents-part", "documents-rule", "documents-search"},
    "documents/page.py": {"documents-way"},
    "live/charts.py": {"view-axis", "view-log", "view-protocol", "view-series"},
    "live/panel.py": {"view-topics"},
    "topics/atlas.py": {"atlas-colours"},
    "topics/changed.py": {"topics-changed", f"topics-changed-period-{RUN}"},
    "topics/grouping.py": {"topics-counted"},
    "topics/in_context.py": {"topics-places-order", f"topics-word-period-{RUN}"},
    "topics/labels.py": {f"topics-label-lines-{RUN}", f"topics-label-period-{RUN}"},
    "topics/map.py": {"topics-show-tree", f"topics-cut-{STEP}"},
    "topics/over_documents.py": {f"topics-lines-{STEP}", f"topics-period-{RUN}"},
    "topics/page.py": {"topics-view"},
    "topics/through.py": {f"topics-moment-{STEP}", f"topics-past-{RUN}-{{start}}"},
    "topics/two_sides.py": {"topics-{key}-{run_id}", "topics-{name}-{run_id}"},
    "topics/words.py": {"topics-relevance", "topics-search"},
}


def _said(key: ast.expr) -> str:
    return ast.unparse(key).removeprefix("f").strip("'\"")


def names_in(path) -> set:
    """By the source: the keys of all widgets of a file that are bound to the address."""
    tree = ast.parse((UI / path).read_text("utf-8"))
    known = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = set()
    for node in ast.walk(tree):
        words = {w.arg: w.value for w in getattr(node, "keywords", ())}
        if isinstance(node, ast.Call) and "bind" in words:
            assert ast.literal_eval(words["bind"]) == "query-params"
            key = words["key"]
            if not isinstance(key, ast.Name):
                found.add(_said(key))
            elif key.id in known:
                found.add(_said(known[key.id]))
            else:
                module = "bnpexplorer.ui." + path.removesuffix(".py").replace("/", ".")
                found.add(getattr(import_module(module), key.id))
    return found


@pytest.mark.parametrize("path", NAMES)
def test_links_of_today_open_the_same_tomorrow(path):
    assert names_in(path) == NAMES[path]


def test_no_file_of_these_pages_is_left_out():
    pages = [UI / room for room in ("topics", "documents", "live", "compare", "claims")]
    files = {f.relative_to(UI).as_posix() for page in pages for f in page.rglob("*.py")}
    assert {file for file in files if names_in(file)} == NAMES.keys()
