"""Which tests a change reaches: by imports, by names, and by the cases of a method."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from tests.planted.mistakes import mistakes
from tests.reached.graph import METHODS, ROOT, files, reaches, table
from tests.reached.selecting import Reach, changed_since, files_of_tests, select, sentence

TESTS = files_of_tests()


class Case:
    """A test as pytest collects it, of a file, with parameters."""

    def __init__(self, path, test="test_nothing", /, **params):
        self.path, self.originalname = ROOT / path, test
        self.callspec = type("Spec", (), {"params": params})


def reached_by(*changed: str) -> set[str]:
    reach = Reach(frozenset(changed))
    return {path for path in TESTS if reach.file(path)}


@pytest.mark.second
def test_a_kernel_of_one_method_reaches_its_own_tests_and_few_others():
    found = reached_by("bnpexplorer/kernels/catvi.py")
    assert "tests/methods/catvi/test_hdp_catvi_law.py" in found
    assert "tests/kernels/test_special.py" not in found
    assert not [path for path in found if path.startswith(("tests/browser/", "tests/lab/"))]


@pytest.mark.second
def test_a_kernel_of_one_method_reaches_at_most_15_files():
    """Beside single tests of others that name the method."""
    kernels = [path for path in files() if path.startswith("bnpexplorer/kernels/")]
    of_one = [path for path in kernels if len(Reach(frozenset({path})).methods) == 1]
    assert len(of_one) >= 5
    assert {path: n for path in of_one if (n := len(reached_by(path))) > 15} == {}


@pytest.mark.second
def test_every_planted_mistake_reaches_the_test_that_catches_it():
    missed = []
    for mistake in mistakes():
        path, _, test = mistake.test.partition("::")
        name, _, case = test.removesuffix("]").partition("[")
        said = [case, *(method for method in table(METHODS) if f"-{method}-" in f"-{case}-")]
        chosen, _ = select([Case(path, name, case=said)], Reach(frozenset({mistake.file})))
        missed += [] if chosen else [(mistake.file, mistake.test)]
    assert missed == []


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
        (
            "bnpexplorer/corpus/intake/child.py",
            "tests/corpus/intake/test_children.py",
        ),  # code run elsewhere
        ("tests/tools/articles.py", "tests/browser/test_analyst.py"),  # what tests share
        ("tests/conftest.py", "tests/core/test_store.py"),  # fixtures
        ("docs/numbers.md", "tests/test_docs.py"),  # rglob
        ("bnpexplorer/lessons/tour.md", "tests/lessons/test_lessons.py"),  # glob, in its folder
        ("tests/planted/births.toml", "tests/test_planted.py"),  # glob, in a module it imports
        ("bnpexplorer/ui/seam/focus_ring.css", "tests/ui/seam/test_room.py"),  # "{name}.css"
        ("tests/faults/kills.py", "tests/faults/test_faults.py"),  # "tests.faults.{name}"
        (".github/CONTRIBUTING.md", "tests/test_docs.py"),  # glob from the root
        ("pyproject.toml", "tests/core/test_store.py"),  # everything
    ],
)
def test_a_file_reaches_what_imports_or_names_it(changed, path):
    assert path in reached_by(changed)
    assert path in TESTS


@pytest.mark.second
def test_a_method_reaches_its_cases_of_the_tests_of_all_methods():
    shared = "tests/kernels/test_special.py"  # a file that the change does not reach
    own, other = Case(shared, name="gdp-catvi"), Case(shared, name="lda-svi")
    pair = Case(shared, case=("raises", "hdp-catvi"))
    planted = Case(shared, mistake=type("Mistake", (), {"file": "bnpexplorer/kernels/catvi.py"}))
    reach = Reach(frozenset({"bnpexplorer/kernels/catvi.py"}))
    chosen, left = select([own, other, pair, planted], reach)
    assert chosen == [own, pair, planted]
    assert left == [other]
    assert sentence(chosen, left) == "reached: 3 tests of 1 files; left out: kernels 1"


TEST = """
from bnpexplorer.methods import METHODS
from tests.helping import helper
KNOBS = {"method": "hdp-tsvi"}
@pytest.fixture
def run():
    return METHODS["dpm-sumo"]()
def test_literal():
    "Not as lda-svi does."
    fit("python -m bnpexplorer fit lda-gibbs --seed 1")
def test_constant():
    return KNOBS
def test_fixture(run, shared):
    assert run
@pytest.mark.parametrize("name", ["lda-svi", "dpm-svi"])
def test_cases(name):
    assert name
@given(sampled_from(["lda-svi"]))
def test_property(name):
    assert name
def test_of_all():
    assert all(METHODS[name] for name in METHODS)
def test_imported():
    helper()
if __name__ == "__main__":
    test_of_all()
"""
REPOSITORY = {
    "bnpexplorer/__init__.py": "",
    "bnpexplorer/methods/__init__.py": (ROOT / METHODS).read_text(encoding="utf-8"),
    "bnpexplorer/__main__.py": "",
    "tests/conftest.py": "@fixture\ndef shared(): use('hdp-gibbs')\ndef others(): use('lda-batch')",
    "tests/helping.py": "def other(): use('hdp-svi')\ndef helper(): use('gdp-catvi')",
    "tests/test_made.py": TEST,
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Which methods each test of a small repository names."""
    root = tmp_path_factory.mktemp("repository")
    shutil.copytree(ROOT / "tests/reached", root / "tests/reached")
    for path, text in {**dict.fromkeys(table(METHODS).values(), ""), **REPOSITORY}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    program = """
import json, sys
from tests.reached.naming import Part, named_by
found = {test: named_by(Part("tests/test_made.py", test)) for test in sys.argv[1:]}
found["cases"] = named_by(Part("tests/test_made.py", "test_cases", cases=True))
print(json.dumps({test: sorted(names) for test, names in found.items()}))
"""
    names = re.findall(r"def (test_\w+)", TEST)
    asked = [sys.executable, "-c", program, *names]
    done = subprocess.run(asked, cwd=root, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("test", "methods"),
    [
        ("test_literal", ["lda-gibbs"]),  # also in a longer string, but no docstring
        ("test_constant", ["hdp-tsvi"]),
        ("test_fixture", ["dpm-sumo", "hdp-gibbs"]),  # of its file and of conftest.py
        ("test_cases", []),  # each by its own parameters
        ("cases", ["dpm-svi", "lda-svi"]),  # unless these do not tell
        ("test_property", ["lda-svi"]),
        ("test_of_all", sorted(table(METHODS))),
        ("test_imported", ["gdp-catvi"]),
    ],
)
def test_a_name_reaches_the_tests_that_use_it_alone(made, test, methods):
    assert made[test] == methods


def test_a_test_of_all_sources_is_reached_by_each():
    reach = Reach(frozenset({"bnpexplorer/kernels/osbp.py"}))
    path = "tests/test_imports.py"
    of_all = "test_runs_and_pages_take_no_method_and_no_model_by_name"
    assert reach.case(Case(path, of_all))
    assert not reach.case(Case(path, "names_taken"))
    assert not Reach(frozenset({"docs/numbers.md"})).case(Case(path, of_all))


@pytest.mark.second
def test_a_case_of_a_module_or_file_is_reached_by_it():
    reach = Reach(frozenset({"bnpexplorer/explore/why.py"}))

    def reached(value):
        return reach.case(Case("tests/test_examples.py", "test_examples_run", name=value))

    assert reached("bnpexplorer.explore.why")
    assert reached("bnpexplorer.ui.parts.why"), "which imports it"
    assert not reached("bnpexplorer.core.progress")
    assert reached(ROOT / "bnpexplorer/explore/why.py")
    assert not reached(ROOT / "app.py")


def test_parameters_that_may_hide_a_name_count_by_what_is_written():
    class Hiding:
        inside = "lda-svi"

    path, name = (
        "tests/methods/test_any_pool.py",
        "test_equal_bits_for_any_number_of_threads_and_elsewhere",
    )
    reach = Reach(frozenset({"bnpexplorer/methods/lda_svi.py"}))
    assert reach.case(Case(path, name, hidden=Hiding()))
    assert not reach.case(Case(path, name, hidden=(3, None, "dpm-svi")))


def test_a_commit_that_is_none_is_refused():
    with pytest.raises(pytest.UsageError, match="nope"):
        changed_since("nope")


@pytest.mark.second
def test_every_file_of_tests_reaches_itself():
    assert all(path in reaches(path) for path in TESTS)
