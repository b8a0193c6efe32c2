"""Which tests a change reaches: by imports, by names, and by the cases of a method."""

import pytest

from tests.reached.graph import ROOT, files, reaches
from tests.reached.selecting import Reach, changed_since, select, sentence

TESTS = sorted(p for p in files() if p.startswith("tests/") and "/test_" in p and p.endswith(".py"))


def reached_by(*changed: str) -> set[str]:
    reach = Reach(frozenset(changed))
    return {path for path in TESTS if reach.file(path)}


@pytest.mark.second
def test_a_kernel_of_one_method_reaches_its_own_tests_and_few_others():
    found = reached_by("bnpexplorer/kernels/catvi.py")
    assert "tests/methods/catvi/test_hdp_catvi_law.py" in found
    assert "tests/kernels/test_special.py" not in found
    assert not [path for path in found if path.startswith(("tests/browser/", "tests/lab/"))]
    assert len(found) <= 20, "250 of 345 before methods were a table of names"


@pytest.mark.second
@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ("bnpexplorer/explore/sentences.py", "tests/explore/test_change.py"),  # an import
        ("bnpexplorer/ui/frame/look.css", "tests/browser/test_every_page.py"),  # app.py, look.css
        ("bnpexplorer/ui/topics/page.py", "tests/ui/test_topics_page.py"),  # a page of app.py
        (
            "bnpexplorer/cli/export.py",
            "tests/cli/test_cli_writing.py",
        ),  # python -m bnpexplorer export
        ("bnpexplorer/methods/sumo/dpm_sumo.py", "tests/export/test_script.py"),  # by its name
        ("bnpexplorer/intake/child.py", "tests/intake/test_children.py"),  # code run elsewhere
        ("tests/tools/articles.py", "tests/browser/test_analyst.py"),  # what tests share
        ("tests/conftest.py", "tests/core/test_store.py"),  # fixtures
        ("docs/numbers.md", "tests/test_docs.py"),
        ("pyproject.toml", "tests/core/test_store.py"),  # everything
    ],
)
def test_a_file_reaches_what_imports_or_names_it(changed, path):
    assert path in reached_by(changed)
    assert path in TESTS


def test_a_method_reaches_its_cases_of_the_tests_of_all_methods():
    class Case:
        def __init__(self, path, **params):
            self.path, self.function = ROOT / path, None
            self.callspec = type("Spec", (), {"params": params})

    shared = "tests/kernels/test_special.py"  # a file that the change does not reach
    own, other = Case(shared, name="gdp-catvi"), Case(shared, name="lda-svi")
    pair = Case(shared, case=("raises", "hdp-catvi"))
    planted = Case(shared, mistake=type("Mistake", (), {"file": "bnpexplorer/kernels/catvi.py"}))
    reach = Reach(frozenset({"bnpexplorer/kernels/catvi.py"}))
    chosen, left = select([own, other, pair, planted], reach)
    assert chosen == [own, pair, planted]
    assert left == [other]
    assert sentence(chosen, left) == "reached: 3 tests of 1 files; left out: kernels 1"


def test_a_commit_that_is_none_is_refused():
    with pytest.raises(pytest.UsageError, match="nope"):
        changed_since("nope")


def test_every_file_of_tests_reaches_itself():
    assert all(path in reaches(path) for path in TESTS)
