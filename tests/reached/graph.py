"""Which files of the repository lead to which: by imports, and by names.

A file leads to another by an import, also one inside a function or in code that it runs
elsewhere, and by a string that names it: a module (`bnpexplorer.cli.fit`), a file (`look.css`,
`app.py`), a command of `python -m bnpexplorer`, or what a plugin offers. Three tables hold what is
loaded by name, `METHODS`, `COMMANDS` and `PLUGINS`. `METHODS` leads nowhere here: a
method that a test names counts for this test alone (`naming.py`), and a test over all methods is
found by its cases (`selecting.py`).
"""

import ast
import fnmatch
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("bnpexplorer/", "tests/", "benchmarks/", "pages/", "docs/_ext/", "app.py")
METHODS, COMMANDS = "bnpexplorer/methods/__init__.py", "bnpexplorer/__main__.py"
PLUGINS = "bnpexplorer/core/plugins.py"
CODE = re.compile(r"(?:from|import) +(bnpexplorer[\w.]*)(?: +import +([\w, ]+))?")
"""An import in a piece of code that is run elsewhere."""
PATTERN = re.compile(r"[\w.*/-]*\*[\w.*/-]*\.\w+|(bnpexplorer|tests)\.[\w.]*\*[\w.*]*")
"""A pattern of file names, or of modules."""


@cache
def files() -> frozenset[str]:
    """Return the paths of all files that git tracks or would track, from the root."""
    asked = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    return frozenset(path for path in done.stdout.splitlines() if (ROOT / path).is_file())


@cache
def modules() -> dict[str, str]:
    """Return the path of every module's file."""
    paths = [p for p in files() if p.endswith(".py") and p.startswith(SOURCES)]
    return {p.removesuffix(".py").removesuffix("/__init__").replace("/", "."): p for p in paths}


@cache
def by_name() -> dict[str, tuple[str, ...]]:
    """Return the paths of files by their name, of all that are no module of the package."""
    found: dict[str, tuple[str, ...]] = {}
    for path in files():
        if not (path.startswith("bnpexplorer/") and path.endswith(".py")):
            name = path.rpartition("/")[2]
            found[name] = (*found.get(name, ()), path)
    return found


@cache
def folders() -> dict[str, set[str]]:
    """Return the paths of folders by their path and by their name."""
    found: dict[str, set[str]] = {}
    for folder in {str(above) for path in files() for above in Path(path).parents}:
        for name in (folder, folder.rpartition("/")[2]):
            found.setdefault(name, set()).add(folder)
    return found


@cache
def tree(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


@cache
def walk(part: ast.AST) -> tuple[ast.AST, ...]:
    """Return all nodes of a piece of code; finding them takes most of the time of a selection."""
    return tuple(ast.walk(part))


@cache
def table(path: str) -> dict[str, str]:
    """Return what the dictionaries of a module say: key -> path of the file it stands for."""
    package = "bnpexplorer" if path == PLUGINS else path.removesuffix("/__init__.py")
    package, found = package.replace("/", "."), {}
    for node in walk(tree(path)):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant):
                    found[str(key.value)] = _place(package, value)
    return {key: file for key, file in found.items() if file}


def _place(package: str, value: ast.expr) -> str | None:
    """The file of a value of a table: ".module:Class", or a command's ("file", "help")."""
    if isinstance(value, ast.Constant) and str(value.value).startswith("."):
        return modules().get(package + str(value.value).partition(":")[0])
    if isinstance(value, ast.Tuple) and value.elts and isinstance(value.elts[0], ast.Constant):
        return modules().get(f"bnpexplorer.cli.{value.elts[0].value}")
    return None


@cache
def leads_to(path: str) -> frozenset[str]:
    """Return the files that a file leads to in one step; methods that it names are none of them."""
    found = led_to(path, tree(path))
    if path.startswith("tests/"):
        found |= _fixtures(path)
    for known in (COMMANDS, PLUGINS):
        if known in found:
            found |= {table(known)[text] for text in strings(tree(path)) & table(known).keys()}
    return frozenset(found - {path})


@cache
def names(path: str) -> frozenset[str]:
    """Return the methods that a file names."""
    if path == METHODS or not path.endswith(".py"):
        return frozenset()
    return frozenset(strings(tree(path)) & table(METHODS).keys())


def strings(part: ast.AST) -> set[str]:
    """Return the strings in a piece of code."""
    constants = (n.value for n in walk(part) if isinstance(n, ast.Constant))
    return {value for value in constants if isinstance(value, str)}


def led_to(path: str, part: ast.AST, imports: bool = True) -> set[str]:
    """Return the files to which a piece of a file leads, without those that it imports names from
    unless `imports`."""
    found: set[str] = set()
    for node in walk(part):
        if isinstance(node, ast.Import):
            found.update(modules()[a.name] for a in node.names if a.name in modules())
        elif isinstance(node, ast.ImportFrom) and imports:
            found.update(imported(path, node))
        elif isinstance(node, ast.List | ast.Tuple | ast.Call):
            found.update(_run(node))
    found.update(*(_matching(path, pattern) for pattern in patterns(part)))
    return found.union(*map(_named, strings(part)))


def _run(node: ast.List | ast.Tuple | ast.Call) -> Iterator[str]:
    """The module of `..., "-m", "bnpexplorer..."`."""
    parts = node.args if isinstance(node, ast.Call) else node.elts
    words = [p.value if isinstance(p, ast.Constant) else None for p in parts]
    for one, other in pairwise(words):
        if one == "-m" and isinstance(other, str):
            yield from {modules().get(f"{other}.__main__"), modules().get(other)} - {None}


def patterns(part: ast.AST) -> set[str]:
    """Return the patterns of file names in a piece of code: those it looks for, `*.toml`, and names
    that it puts together, `{name}.css`, or `tests.faults.{name}` for a module."""
    found: set[str] = set()
    for node in walk(part):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("glob", "rglob") and node.args:
                found.update(strings(node.args[0]))
        elif isinstance(node, ast.JoinedStr):
            parts = (v.value if isinstance(v, ast.Constant) else "*" for v in node.values)
            found.add("".join(map(str, parts)))
    return {pattern for pattern in found if PATTERN.fullmatch(pattern)}


def _matching(path: str, pattern: str) -> set[str]:
    """The files that a pattern in a file may mean: modules by their full names; others beside the
    file, or in a folder that it names or imports from."""
    if pattern.startswith(("bnpexplorer.", "tests.")):
        return {modules()[name] for name in fnmatch.filter(modules(), pattern)}
    fitting = fnmatch.filter(_looked_for(), f"*/{pattern}")
    near = [""] if "/" in pattern else [f"/{folder}" for folder in _near(path)]
    return {file[1:] for file in fitting if any(file.startswith(f"{n}/") for n in near)}


@cache
def _looked_for() -> tuple[str, ...]:
    """The files that code may look for by a pattern, each after a slash; sources are imported."""
    code = ("bnpexplorer/", "tests/", "benchmarks/")
    return tuple(f"/{f}" for f in files() if not (f.endswith(".py") and f.startswith(code)))


@cache
def _near(path: str) -> frozenset[str]:
    """The folders of a file and of what it imports, and those that it names."""
    nodes = [node for node in walk(tree(path)) if isinstance(node, ast.ImportFrom)]
    beside = {path, *(file for node in nodes for file in imported(path, node))}
    named = {folder for text in strings(tree(path)) for folder in folders().get(text, ())}
    return frozenset({file.rpartition("/")[0] for file in beside} | named)


def imported(path: str, node: ast.ImportFrom) -> Iterator[str]:
    """Yield the files that define the names of `from module import names`."""
    module = node.module or ""
    if node.level:
        here = path.removesuffix("/__init__.py").removesuffix(".py").split("/")
        up = node.level - path.endswith("__init__.py")
        module = ".".join([*here[: len(here) - up], *filter(None, [module])])
    for alias in node.names:
        yield from _defining(module, alias.name)


def _defining(module: str, name: str) -> Iterator[str]:
    """The file that defines `module.name`, through what packages pass on."""
    path = modules().get(f"{module}.{name}")
    if path is not None:
        yield path
    elif module in modules():
        path = modules()[module]
        if path.endswith("__init__.py") and path != METHODS:
            passed = list(_passed_on(path, name))
            yield from passed or [path]
        else:
            yield path


def _passed_on(path: str, name: str) -> Iterator[str]:
    """The file from which an `__init__` has a name; nothing if it defines the name itself."""
    if name in table(path):
        yield table(path)[name]
        return
    for node in tree(path).body:
        if isinstance(node, ast.ImportFrom):
            real = [a.name for a in node.names if (a.asname or a.name) == name]
            if real:
                yield from imported(path, one_of(node, real[0]))


def one_of(node: ast.ImportFrom, name: str) -> ast.ImportFrom:
    """Return the import of one name alone."""
    return ast.ImportFrom(node.module, [ast.alias(name)], node.level)


@cache
def _named(text: str) -> frozenset[str]:
    """The files that a string names."""
    found: set[str] = set()
    if "import" in text:
        for module, imported in CODE.findall(text):
            for name in imported.split(",") if imported else [""]:
                found.update(_defining(module, name.strip()))
    elif text.startswith("bnpexplorer.") and len(text) < 200:
        parts = text.partition(":")[0].split(".")  # `module:function`, too
        while ".".join(parts) not in modules():
            parts.pop()
        found.update({modules()[".".join(parts)]} if len(parts) > 1 else ())
    elif "\n" not in text and (name := text.rpartition("/")[2]) in by_name():
        found.update(p for p in by_name()[name] if f"/{p}".endswith(f"/{text.lstrip('./')}"))
    return frozenset(found)


# ---- tests ---------------------------------------------------------------------------------------


def _fixtures(path: str) -> set[str]:
    """What the fixtures lead to that a file of tests asks for, of every conftest.py around it."""
    found: set[str] = set()
    for folder in Path(path).parents:
        beside = str(folder / "conftest.py")
        if beside in files() and beside != path:
            asked = arguments(tree(path)) | strings(tree(path))  # by `usefixtures`
            found |= {beside} | _of_conftest(beside, asked)
    return found


def arguments(part: ast.AST) -> set[str]:
    """Return the names of the arguments of all functions in a piece of code."""
    return {node.arg for node in walk(part) if isinstance(node, ast.arg)}


def _of_conftest(path: str, asked: set[str]) -> set[str]:
    """What its fixtures lead to that are `asked` for, used by others of them, or by every test."""
    imports = [node for node in tree(path).body if isinstance(node, ast.ImportFrom)]
    known = {a.asname or a.name: one_of(node, a.name) for node in imports for a in node.names}
    functions = {n.name: n for n in tree(path).body if isinstance(n, ast.FunctionDef)}
    always = {
        name
        for name, f in functions.items()
        if any("autouse" in ast.unparse(d) for d in f.decorator_list)
    }
    due, done, found = asked & functions.keys() | always, set[str](), set[str]()
    while due:
        function = functions[due.pop()]
        done.add(function.name)
        used = {n.id for n in walk(function) if isinstance(n, ast.Name)} | arguments(function)
        found |= led_to(path, function)
        found.update(file for name in used & known.keys() for file in imported(path, known[name]))
        due |= (used & functions.keys()) - done
    return found


def _followed(path: str) -> bool:
    """Whether what a file leads to counts for those that lead to it."""
    return path.endswith(".py") and path != METHODS and "conftest" not in path


@cache
def reaches(path: str) -> frozenset[str]:
    """Return all files that a file leads to in any number of steps, and itself."""
    found, due = {path}, [path]
    while due:
        fresh = leads_to(one) - found if _followed(one := due.pop()) else set[str]()
        found |= fresh
        due += fresh
    return frozenset(found)
