"""What leans on Streamlit's inner life lies in the seam, in files of one form, and nowhere else."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "bnpexplorer"
SEAM = PACKAGE / "ui" / "seam"
HELPERS = {"__init__.py", "private.py", "sheets.py"}
PARTS = ("Symptom: ", "Seen in: Streamlit ", "No longer needed when: ")
INNER = {
    "a module of its own": r"(?:from|import) streamlit\.",
    "its elements": r"data-testid|\bst[A-Z][a-z]+[A-Z]?\w*\b(?<!StoreError)|baseweb|radiogroup",
    "an attribute behind an underscore": r"\bst\.(?:\w+\.)*_(?!_)\w+",
    "declaring pages": r"\bst\.navigation\(",
    "switching pages": r"\bst\.switch_page\(",
    "ticking": r"\brun_every\b",
    "stopping, after which old ticks go on": r"\bst\.stop\(",
    "its threads and garbage": r"fastReruns|\bgc\.",
    "passing over an import": r"suppress\(ImportError|except ImportError",
}
WORKAROUNDS = [
    path
    for path in sorted(SEAM.iterdir())
    if path.suffix in (".py", ".css") and path.name not in HELPERS
]
PAGES = [
    *(p for end in ("py", "css", "js") for p in sorted((PACKAGE / "ui").rglob(f"*.{end}"))),
    *sorted((ROOT / "pages").glob("*.py")),
    ROOT / "app.py",
]
SERVED = [path for end in ("css", "js") for path in sorted(PACKAGE.rglob(f"*.{end}"))]


@pytest.mark.parametrize("path", WORKAROUNDS, ids=lambda path: path.name)
def test_a_workaround_says_what_for_where_seen_and_until_when(path):
    text = path.read_text("utf-8")
    mark = '"""' if path.suffix == ".py" else "*/"
    head = text.removeprefix('"""').split(mark)[0]
    found = re.findall("|".join(f"(?<=\n){part}" for part in PARTS), head)
    assert found, f"{path.name} lacks {PARTS[0]!r} in its head"
    assert found == list(PARTS) * (len(found) // len(PARTS))


@pytest.mark.parametrize("what", INNER)
def test_nothing_outside_the_seam_leans_on(what):
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in PAGES
        if SEAM not in path.parents
        for match in re.finditer(INNER[what], path.read_text("utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("what", INNER)
def test_the_patterns_find_what_they_should(what):
    examples = {
        "a module of its own": "from streamlit.runtime import exists",
        "its elements": '[data-testid="x"] stHeader',
        "an attribute behind an underscore": "st.session_state._state",
        "declaring pages": "st.navigation([])",
        "switching pages": "st.switch_page(x)",
        "ticking": "@st.fragment(run_every=1)",
        "stopping, after which old ticks go on": "st.stop()",
        "its threads and garbage": "gc.freeze()",
        "passing over an import": "with contextlib.suppress(ImportError):",
    }
    assert re.search(INNER[what], examples[what])


def test_style_sheets_and_scripts_are_files():
    inside = re.compile(r"<style>\s*[^{\s]|\bfunction \w*\(|addEventListener|querySelector")
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for match in inside.finditer(path.read_text("utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", SERVED, ids=lambda path: path.name)
def test_every_style_sheet_and_script_is_served(path):
    beside = "".join(module.read_text("utf-8") for module in path.parent.glob("*.py"))
    assert f'"{path.name}"' in beside or f'"{path.stem}"' in beside or served_by_sheet(path)


def served_by_sheet(path):
    """Whether a page asks for a sheet of the seam by its name."""
    asks = f'sheet("{path.stem}")'
    return path.parent == SEAM and any(asks in page.read_text("utf-8") for page in PAGES)
