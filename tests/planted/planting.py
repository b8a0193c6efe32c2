"""Put a mistake into a source: find a statement in its function and replace it.

A mistake names the function or class around it (`where`, such as `Run.step`; empty for the top of
the module), the statements that it replaces (`old`) and the wrong ones (`new`). Of a compound
statement the first line is enough: `if x > 0:` stands for its condition alone, and what is below it
stays. Sources are compared as syntax trees, so comments, line breaks and the place in the file do
not matter.
"""

import ast
import textwrap
from collections.abc import Iterator

Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
BELOW = ("body", "orelse", "finalbody", "handlers")
"""Fields of a compound statement that hold what stands below its first line."""


def plant(source: str, where: str, old: str, new: str) -> str:
    """Return the source with `new` in place of `old`, as Python writes it.

    Raises ValueError if there is no such function, or if it does not hold the statements just once.
    """
    tree = ast.parse(source)
    scope = _named(tree, where)
    wanted, header = _statements(old)
    wrong, _ = _statements(new)
    places = [
        (body, i)
        for body in _bodies(scope)
        for i in range(len(body) - len(wanted) + 1)
        if all(_same(a, b, header) for a, b in zip(body[i:], wanted, strict=False))
    ]
    if len(places) != 1:
        raise ValueError(f"{old}\nstands {len(places)} times in {where or 'the module'}, not once")
    (body, i) = places[0]
    if header:
        for name in BELOW:
            if hasattr(wrong[0], name):
                setattr(wrong[0], name, getattr(body[i], name))
    body[i : i + len(wanted)] = wrong or [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(tree))


def _statements(text: str) -> tuple[list[ast.stmt], bool]:
    """What a text says, and whether it is the first line of a compound statement alone."""
    text = textwrap.dedent(text).strip()
    if text.endswith(":"):
        return ast.parse(f"{text}\n    ...").body, True
    return ast.parse(text).body, False


def _same(one: ast.stmt, other: ast.stmt, header: bool) -> bool:
    if type(one) is not type(other):
        return False
    fields = [name for name in one._fields if not (header and name in BELOW)]
    return all(_dumped(getattr(one, f)) == _dumped(getattr(other, f)) for f in fields)


def _dumped(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(map(_dumped, value))
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)


def _bodies(scope: ast.AST) -> Iterator[list[ast.stmt]]:
    """All lists of statements below a place."""
    for node in ast.walk(scope):
        for name in BELOW[:3]:
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield body


def _named(tree: ast.Module, where: str) -> ast.AST:
    """The function or class that `where` names, by its parts between dots."""
    scope: ast.AST = tree
    for name in filter(None, where.split(".")):
        inside = [n for n in ast.walk(scope) if isinstance(n, Named) and n.name == name]
        if len(inside) != 1:
            raise ValueError(f"{where} stands {len(inside)} times in the source, not once")
        scope = inside[0]
    return scope
