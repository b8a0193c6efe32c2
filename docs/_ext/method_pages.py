"""What the page of a method says that its class knows, and the code that an equation stands beside.

```{method-facts} hdp-tsvi        a table of what it is
```{method-settings} hdp-tsvi     its settings and its presets
```{code-of} methods/hdp_tsvi.py HdpTsvi.step        that function, as it is today
"""

import ast
import textwrap
import tomllib
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bnpexplorer.core.knob import Knob, knobs_of, label_of
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.base import said_of_threads

PACKAGE = Path(__file__).resolve().parents[2] / "bnpexplorer"


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("method-facts", MethodFacts)
    app.add_directive("method-settings", MethodSettings)
    app.add_directive("code-of", CodeOf)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class MethodFacts(SphinxDirective):
    """A table of facts."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in METHODS:
            raise self.error(f"there is no method {name}")
        return self.parse_text_to_nodes(self.told(name))

    def told(self, name: str) -> str:
        return facts(name)


class MethodSettings(MethodFacts):
    """A table of settings, and the presets that differ from them."""

    def told(self, name: str) -> str:
        return settings(name)


class CodeOf(SphinxDirective):
    """Functions of one file, each as it stands there."""

    required_arguments = 2
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        path = PACKAGE / self.arguments[0]
        self.env.note_dependency(str(path))
        out: list[nodes.Node] = []
        for name in self.arguments[1].split():
            try:
                code, line = source_of(path, name)
            except LookupError as error:
                raise self.error(str(error)) from None
            block = nodes.literal_block(code, code, language="python", classes=["method-code"])
            about = f"bnpexplorer/{self.arguments[0]}, line {line}"
            caption = nodes.caption("", "", nodes.literal("", about))
            out.append(
                nodes.container("", caption, block, literal_block=True,
                                classes=["literal-block-wrapper"])
            )  # fmt: skip
        return out


def source_of(path: Path, name: str) -> tuple[str, int]:
    """A function `f` or method `Class.f` of a file, its indent taken away, and its first line.

    Raises LookupError where there is none.
    """
    text = path.read_text(encoding="utf-8")
    body = ast.parse(text).body
    for part in name.split("."):
        found = [node for node in body if getattr(node, "name", "") == part]
        if not found:
            raise LookupError(f"{path.name} has no {name}")
        (node,) = found
        body = getattr(node, "body", [])
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    lines = text.splitlines()[first - 1 : node.end_lineno]
    return textwrap.dedent("\n".join(lines)), first


def facts(name: str) -> str:
    """What the class `name` of the registry says of itself, as Markdown."""
    kind = METHODS[name]
    learns = ", ".join(f"`{n}`" for n in kind.learnable()) or "none"
    rows = [
        ("Model", kind().model.title),
        ("Inference", kind.title),
        ("In words", kind.in_words or "-"),
        ("Source", kind.source),
        ("Learns where asked", learns),
        ("Threads", said_of_threads(kind)),
        ("Tests", _planted(name)),
    ]
    told = [f"| {what} | {text} |" for what, text in rows]
    return "\n".join([f"| about | `{name}` |", "|---|---|", *told, ""])


def _planted(name: str) -> str:
    """How many mistakes were planted into it, each of which a test must catch."""
    file = PACKAGE.parent / "tests" / "planted" / f"{name}.toml"
    if not file.exists():
        return "-"
    mistakes = tomllib.loads(file.read_text(encoding="utf-8"))["mistake"]
    return f"{len(mistakes)} mistakes planted into it, each caught: `tests/planted/{file.name}`"


def settings(name: str) -> str:
    """The knobs of its model and its own, and its presets, as Markdown."""
    method = METHODS[name]()
    told = ["| setting | default | what it does |", "|---|---|---|"]
    for owner in (method.model, method):
        told += [_setting(n, getattr(owner, n), about) for n, _, about in knobs_of(owner)]
    told += ["", "| preset | batch | passes | sets |", "|---|---:|---:|---|"]
    for key, preset in method.presets.items():
        values = {**preset.model, **preset.knobs}
        sets = ", ".join(f"{n} {v}" for n, v in values.items()) or "the defaults"
        told.append(
            f"| `{key}`: {preset.title} | {preset.batch_size:,} | {preset.passes} | {sets} |"
        )
    return "\n".join([*told, ""])


def _setting(name: str, default: object, about: Knob) -> str:
    label = label_of(name, about)
    named = f"`{name}`" + (f" ({label})" if label.lower() != name.replace("_", " ") else "")
    value = ("yes" if default else "no") if isinstance(default, bool) else default
    allowed = f" One of {', '.join(about.choices)}." if about.choices else ""
    return f"| {named} | {value} | {about.help}{allowed} |"
