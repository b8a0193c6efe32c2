"""Figures of the package, to watch over its shape: `python -m tests.house` prints them as a table.

Sizes are in lines. Some figures may only fall: a test holds them to `LIMITS`.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from statistics import median

import grimp

from .reached.graph import ROOT, files, tree
from .reached.selecting import Reach, files_of_tests

PACKAGE = "bnpexplorer"
PHRASES = Path(__file__).with_name("phrases.txt")
"""Regular expressions, one a line, that find docstrings which may be hard to read."""
HARD = "docstrings that may be hard to read"
LIMITS = {
    "lines": 96_000,
    "modules": 611,
    "lines of the largest file": 422,
    "file names of three or more files": 13,
    "class names of two or more classes": 4,
    "arrows between rooms": 171,
    "modules that one other imports": 153,
    HARD: 699,
}
"""What these figures are at most. Lower a limit when its figure has fallen."""


def sources() -> list[str]:
    """Return the paths of the package's modules."""
    return sorted(p for p in files() if p.startswith(f"{PACKAGE}/") and p.endswith(".py"))


@cache
def lines(path: str) -> int:
    return len((ROOT / path).read_text(encoding="utf-8").splitlines())


def room(module: str) -> str:
    """Return the room of a module, given as a path or with dots."""
    parts = re.split(r"[./]", module.removesuffix(".py").removesuffix("/__init__"))
    return parts[1] if len(parts) > 1 else PACKAGE


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that stand there twice or more often."""
    return sorted(name for name, times in Counter(names).items() if times > 1)


def class_names() -> Iterator[str]:
    for path in sources():
        yield from (n.name for n in ast.walk(tree(path)) if isinstance(n, ast.ClassDef))


@cache
def imports() -> grimp.ImportGraph:
    return grimp.build_graph(PACKAGE, cache_dir=None)


def arrows() -> set[tuple[str, str]]:
    """Return the pairs of rooms of which the first imports from the second."""
    graph = imports()
    pairs = {
        (room(module), room(other))
        for module in graph.modules
        for other in graph.find_modules_directly_imported_by(module)
    }
    return {(one, other) for one, other in pairs if one != other}


def imported_once() -> list[str]:
    """Return the modules that just one other module imports."""
    graph = imports()
    return [m for m in graph.modules if len(graph.find_modules_that_directly_import(m)) == 1]


def reach_of_kernels() -> list[int]:
    """Return how many files of tests a change of each kernel reaches."""
    kernels = [p for p in sources() if room(p) == "kernels" and not p.endswith("__init__.py")]
    reaches = (Reach(frozenset({kernel})) for kernel in kernels)
    return [sum(map(reach.file, files_of_tests())) for reach in reaches]


def first_paragraphs() -> Iterator[str]:
    """Yield the first paragraph of every docstring, in one line."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for path in sources():
        for node in ast.walk(tree(path)):
            if isinstance(node, kinds) and (text := ast.get_docstring(node)):
                yield " ".join(text.partition("\n\n")[0].split())


def hard_to_read(texts: Iterable[str]) -> list[str]:
    """Return the texts that match a pattern of `phrases.txt`."""
    patterns = [re.compile(line) for line in PHRASES.read_text(encoding="utf-8").splitlines()]
    return [text for text in texts if any(pattern.search(text) for pattern in patterns)]


def figures() -> dict[str, int]:
    """Return every figure by what it counts."""
    paths = sources()
    by_room = Counter[str]()
    for path in paths:
        by_room[room(path)] += lines(path)
    reach = reach_of_kernels()
    names = Counter(name for p in paths if (name := p.rpartition("/")[2])[0] != "_")
    return {
        **{f"lines of {name}": n for name, n in by_room.most_common()},
        "lines": by_room.total(),
        "modules": len(paths),
        "lines of the median file": round(median(map(lines, paths))),
        "lines of the largest file": max(map(lines, paths)),
        "file names of two files": sum(n == 2 for n in names.values()),
        "file names of three or more files": sum(n > 2 for n in names.values()),
        "class names of two or more classes": len(repeated(class_names())),
        "arrows between rooms": len(arrows()),
        "modules that one other imports": len(imported_once()),
        "files of tests that a kernel reaches (median)": round(median(reach)),
        HARD: len(hard_to_read(first_paragraphs())),
    }


def table() -> str:
    """Return the figures as Markdown."""
    rows = [f"| {name} | {figure:,} |" for name, figure in figures().items()]
    return "\n".join(["| figure | value |", "|---|---|", *rows])


if __name__ == "__main__":
    print(table())
