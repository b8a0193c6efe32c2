"""Types as people read them: `float64 array`, and without what a state must satisfy."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

ARRAY = re.compile(
    r"(?:numpy\.)?ndarray\[tuple\[(?:typing\.)?Any, \.\.\.\], "
    r"(?:numpy\.)?dtype\[(?:numpy\.|typing\.)?(\w+)\]\]"
)
OPENED = "Annotated["


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-signature", _parsable)
    app.connect("doctree-resolved", _simplify)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _parsable(app, what, name, obj, options, signature, returns) -> tuple[str | None, str | None]:
    """A default that is made anew has a name which Python cannot read, and Sphinx neither."""
    return (signature and signature.replace("<factory>", "..."), returns)


def _simplify(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    kinds = (addnodes.desc_parameter, addnodes.desc_annotation, addnodes.desc_returns)
    for node in [n for kind in kinds for n in doctree.findall(kind)]:
        text = node.astext()
        simple = simplified(text)
        if simple == text:
            continue
        name = node.children[0] if isinstance(node, addnodes.desc_parameter) else None
        node.clear()
        if name is not None:
            node += name
            simple = simple.removeprefix(name.astext())
        node += nodes.Text(simple.removeprefix(" -> "))


def simplified(text: str) -> str:
    """`text` with `T` for each `Annotated[T, ...]`, and arrays by the type of their numbers."""
    text = ARRAY.sub(lambda found: f"{found[1]} array".removeprefix("Any "), text)
    while OPENED in text:
        before, _, rest = text.partition(OPENED)
        depth, comma = 1, 0
        for end, letter in enumerate(rest):
            depth += (letter in "[(") - (letter in "])")
            if letter == "," and depth == 1 and not comma:
                comma = end
            if not depth:
                break
        text = before + rest[: comma or end] + rest[end + 1 :]
    return text
