"""Every array that a kernel or shared mathematics takes or returns says its dtype and shape."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "bnpexplorer"
METHODS = PACKAGE / "methods"
FILES = [
    *sorted((PACKAGE / "kernels").glob("*.py")),
    *sorted((PACKAGE / "inference").glob("*.py")),
    METHODS / "memoized" / "fit.py",
    METHODS / "sumo" / "ordered_sticks.py",
]
ARRAYS = {"F64", "F32", "I64", "I32", "Bools", "NDArray"}
DTYPE = "(float64|float32|int64|int32|bool)"
SAID = rf"{DTYPE}( or {DTYPE})? \([^()]+\)"
"""As in "float64 (S, K)"."""


def holds_array(annotation: ast.expr | None) -> bool:
    if annotation is None:
        return False
    names = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(annotation)}
    return bool(names & ARRAYS)


def on_one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def silent_in_function(function: ast.FunctionDef) -> list[str]:
    """The array parameters, and the result, of which the docstring says no dtype and shape."""
    doc, silent = on_one_line(ast.get_docstring(function)), []
    for parameter in [*function.args.args, *function.args.kwonlyargs]:
        if holds_array(parameter.annotation):
            doc, n_found = re.subn(rf"`{parameter.arg}` {SAID}", "", doc, count=1)
            if not n_found:
                silent.append(parameter.arg)
    if holds_array(function.returns) and not re.search(SAID, doc):
        silent.append("result")
    return silent


def silent_in_class(owner: ast.ClassDef) -> list[str]:
    """The array fields whose own docstring says no dtype and shape."""
    silent = []
    for field, after in zip(owner.body, [*owner.body[1:], None], strict=True):
        if not isinstance(field, ast.AnnAssign) or not holds_array(field.annotation):
            continue
        said = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if not said or not re.match(SAID, on_one_line(str(after.value.value))):
            silent.append(ast.unparse(field.target))
    return silent


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_array_says_dtype_and_shape(path):
    silent = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            silent[node.name] = silent_in_function(node)
        elif isinstance(node, ast.ClassDef):
            silent[node.name] = silent_in_class(node)
    assert {name: arrays for name, arrays in silent.items() if arrays} == {}


def test_kernels_take_fewer_than_ten_arguments():
    """What belongs together comes in the named tuples of `kernels/tuples.py`."""
    many = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and len(node.args.args) >= 10:
                many[node.name] = len(node.args.args)
    assert many == {}
