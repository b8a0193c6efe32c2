"""Which methods a test names: in its own body, or in what it uses of its file and of others.

A part is a definition at the top of a file of tests or benchmarks: a function, a class, a constant
or an import. A part uses the parts whose names stand in it, in other files too, and fixtures. A
method that a module of the package names counts for the tests that use this module directly.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .graph import (
    COMMANDS,
    METHODS,
    arguments,
    files,
    imported,
    leads_to,
    led_to,
    names,
    one_of,
    patterns,
    strings,
    table,
    tree,
    walk,
)

WORD = re.compile(r"[a-z]+(?:-[a-z]+)+")
"""The form of a method's name, which may stand in a longer string, such as a command."""
FOLLOWED = re.compile(r"(tests|benchmarks)/.*\.py")
CASES = ("pytest.mark.parametrize", "pytest.fixture")
"""Decorators whose values become the parameters of single cases."""
WHOLE, UNNAMED = "*", ""
"""A part that stands for the whole file, and one for the statements that define no name."""


@dataclass(frozen=True)
class Part:
    """A definition at the top of a file, by its name, or `WHOLE` or `UNNAMED`."""

    file: str
    name: str
    cases: bool = False
    """Whether the values of its decorator `parametrize` belong to it."""


@dataclass(frozen=True)
class Content:
    """What stands in a part."""

    texts: frozenset[str]
    files: frozenset[str]
    """Files of the package to which the part leads."""
    uses: frozenset[Part]
    all_methods: bool
    """Whether it goes through the table of all methods."""
    sources: bool
    """Whether it looks for files of Python, as a test of all sources does."""


def words(text: str) -> set[str]:
    """Return the methods that a string names."""
    return set(WORD.findall(text)) & table(METHODS).keys()


@cache
def named_by(part: Part) -> frozenset[str]:
    """Return the names of the methods that a part names, itself or in what it uses."""
    read = _read(part)
    if any(content.all_methods for content in read):
        return frozenset(table(METHODS))
    texts = {text for content in read for text in content.texts}
    led = {file for content in read for file in content.files}
    if COMMANDS in led:
        led |= {table(COMMANDS)[text] for text in texts & table(COMMANDS).keys()}
    return frozenset().union(*map(words, texts), *map(names, led))


def reads_sources(part: Part) -> bool:
    """Return whether a part, or what it uses, looks for the sources of the package."""
    return any(content.sources for content in _read(part))


@cache
def _read(part: Part) -> tuple[Content, ...]:
    """The contents of a part and of all that it uses.

    A part that the file does not define stands for the whole file.
    """
    part = part if part.name in _definitions(part.file) else Part(part.file, WHOLE)
    due, read = [part], dict[Part, Content]()
    while due:
        one = due.pop()
        if one not in read:
            read[one] = _content(one)
            due += read[one].uses
    return tuple(read.values())


@cache
def _content(part: Part) -> Content:
    code = list(_code(part))
    texts = frozenset(text for node in code for text in strings(node))
    led = {found for node in code for found in _led(part.file, node)}
    uses = {Part(file, name) for file, name in led if FOLLOWED.fullmatch(file)}
    used = texts.union(*map(arguments, code))
    fixtures = {Part(file, name) for file in _around(part.file) for name in _asked(file, used)}
    beside = used | {n.id for node in code for n in walk(node) if isinstance(n, ast.Name)}
    own = {Part(part.file, name) for name in _asked(part.file, beside)}
    outside = frozenset(file for file, _ in led if not FOLLOWED.fullmatch(file))
    for_all = _has_table(part.file) and any(map(_asks_for_all, code))
    sources = any("*.py" in patterns(node) for node in code)
    return Content(texts, outside, frozenset(uses | fixtures | own), for_all, sources)


def _led(file: str, node: ast.AST) -> Iterator[tuple[str, str]]:
    """The files to which a node leads, each with the part of it that is imported."""
    for path in led_to(file, node, imports=False):
        yield path, WHOLE
    for inner in walk(node):
        for alias in inner.names if isinstance(inner, ast.ImportFrom) else []:
            for path in imported(file, one_of(inner, alias.name)):
                known = FOLLOWED.fullmatch(path) and alias.name in _definitions(path)
                yield path, alias.name if known else WHOLE


def _around(file: str) -> list[str]:
    """The files of fixtures for a file of tests."""
    beside = [str(folder / "conftest.py") for folder in Path(file).parents]
    return [path for path in beside if path in files() and path != file]


def _asked(file: str, used: frozenset[str] | set[str]) -> set[str]:
    """The parts of a file that are used, and those that every test uses."""
    return _definitions(file).keys() & used | _always(file)


@cache
def _always(file: str) -> frozenset[str]:
    """The parts of a file that all its tests use: marks, statements, fixtures that ask for it."""
    functions = [n for n in tree(file).body if isinstance(n, ast.FunctionDef)]
    for_all = {
        f.name for f in functions if "autouse" in "".join(map(ast.unparse, f.decorator_list))
    }
    return frozenset(_definitions(file).keys() & ({UNNAMED, "pytestmark"} | for_all))


@cache
def _definitions(file: str) -> dict[str, list[ast.stmt]]:
    """The statements at the top of a file, by the names that they define."""
    found: dict[str, list[ast.stmt]] = {}
    for statement in tree(file).body:
        if isinstance(statement, ast.If) and "__main__" in strings(statement.test):
            continue  # what the file does as a program
        for name in _defined(statement) or [UNNAMED]:
            found.setdefault(name, []).append(statement)
    return found


def _defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [_local(alias) for alias in statement.names]
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        inside = [n for target in targets for n in walk(target)]
        return [n.id for n in inside if isinstance(n, ast.Name)]
    return []


def _local(alias: ast.alias) -> str:
    """The name that an import defines."""
    return alias.asname or alias.name.partition(".")[0]


def _code(part: Part) -> Iterator[ast.AST]:
    """The code of a part, without docstrings."""
    for name, statements in _definitions(part.file).items():
        if part.name in (name, WHOLE):
            for statement in statements:
                yield from _inside(statement, name, part.cases)


def _inside(statement: ast.stmt, name: str, cases: bool) -> Iterator[ast.AST]:
    if isinstance(statement, ast.FunctionDef):
        yield statement.args
        yield from (n for n in statement.body if not _is_text(n))
        marks = statement.decorator_list
        yield from (m for m in marks if cases or not ast.unparse(m).startswith(CASES))
    elif isinstance(statement, ast.ImportFrom):
        yield from (one_of(statement, a.name) for a in statement.names if _local(a) == name)
    elif not _is_text(statement):
        yield statement


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


@cache
def _has_table(file: str) -> bool:
    """Whether `METHODS` is the table of methods in a file, and no name of its own."""
    defined = _definitions(file).get("METHODS", [])
    return METHODS in leads_to(file) and all(isinstance(s, ast.ImportFrom) for s in defined)


def _asks_for_all(node: ast.AST) -> bool:
    """Whether a piece of code asks the table for more than one method by its name."""
    inside = walk(node)
    single = {id(n.value) for n in inside if isinstance(n, ast.Subscript)}
    return any(
        isinstance(n, ast.Name) and n.id == "METHODS" and id(n) not in single for n in inside
    )
