"""Whatever is put into a template comes out as text, and HTML is made by templates alone."""

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from bnpexplorer.core import html
from bnpexplorer.core.html import Markup, as_is, environment, joined, render, with_elements
from tests.tools.markup import Tags

PACKAGE = Path(html.__file__).parents[1]
TEMPLATES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.html"))
MEANS_HARM = "\"'><script onload=alert(1)>{{ 7919 * 7927 }}{% raw %}{# &"
"""Breaks out of an attribute and of an element, and is a template itself."""
COMPUTED = "62773913"
FROM = r'{% from "(.*?)"'
"""What takes macros of another template."""


class Hostile(str):
    """A value for any argument of a macro: whatever is asked of it, it is `MEANS_HARM` again.

    Numbers can be made of it, since coordinates are arguments, too.
    """

    truth = True

    def __new__(cls):
        return super().__new__(cls, MEANS_HARM)

    def _itself(self, *_):
        return self

    def _yes(self, _):
        return True

    __getitem__ = __add__ = __radd__ = __sub__ = __mul__ = __truediv__ = _itself
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _yes

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __iter__(self):
        return iter([self, self])

    def __format__(self, _):
        return MEANS_HARM

    def __bool__(self):
        return self.truth

    def __float__(self):
        return 1.5

    def __index__(self):
        return 2

    __hash__ = str.__hash__
    __eq__ = str.__eq__


class Falsy(Hostile):
    truth = False


def macros():
    for path in TEMPLATES:
        for name, macro in sorted(vars(environment().get_template(path).module).items()):
            if hasattr(macro, "arguments"):
                yield pytest.param(path, macro, id=f"{path}:{name}")


def harmless(source, drawn):
    """Assert that nothing of a hostile value has become HTML, or was worked out."""
    found, own = Tags(drawn), set(re.findall(r"<(\w+)", source))
    assert set(found.tags) <= own
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert MEANS_HARM not in drawn
    assert COMPUTED not in drawn
    assert "#}" not in drawn.replace("{{ 7919", "")
    assert found.tags.count("script") <= source.count("<script")


def own_sources(path):
    """The text of a template, and of those from which it takes macros."""
    text = (PACKAGE / path).read_text("utf-8")
    return text + "".join(map(own_sources, re.findall(FROM, text)))


@pytest.mark.parametrize("kind", [Hostile, Falsy])
@pytest.mark.parametrize(("path", "macro"), [*macros()])
def test_no_macro_of_any_template_lets_a_value_through(path, macro, kind):
    inside = {"caller": kind} if macro.caller else {}
    drawn = macro(**{name: kind() for name in macro.arguments}, **inside)
    assert isinstance(drawn, Markup)
    harmless(own_sources(path), drawn)


@pytest.mark.parametrize(
    "broken",
    [
        "<b>{{ words | safe }}</b>",
        "<b class={{ words }}></b>",
        "{% autoescape false %}<b>{{ words }}</b>{% endautoescape %}",
    ],
)
def test_a_template_that_lets_a_value_through_is_found(broken):
    drawn = environment().from_string(broken).render(words=Hostile())
    with pytest.raises(AssertionError):
        harmless(broken, drawn)


def test_every_template_is_filled_by_the_python_beside_it_or_by_another():
    assert len(TEMPLATES) > 10
    taken = {p for t in TEMPLATES for p in re.findall(FROM, (PACKAGE / t).read_text("utf-8"))}
    for path in set(TEMPLATES) - taken:
        beside = "".join(p.read_text("utf-8") for p in (PACKAGE / path).parent.glob("*.py"))
        assert f'"{path}"' in beside, path


# ---- what comes out ------------------------------------------------------------------------------


def test_html_is_put_in_as_it_stands_and_text_is_escaped():
    bold = Markup("<b>{}</b>").format("a & b")
    assert bold == "<b>a &amp; b</b>"
    assert joined([bold, "<i>"], Markup("<br>")) == "<b>a &amp; b</b><br>&lt;i&gt;"
    assert as_is("<i>") + "<" == "<i>&lt;"
    assert with_elements("<*a*>", (r"\*(.+)\*", r"<em>\1</em>")) == "&lt;<em>a</em>&gt;"
    image = render("ui/parts/known.html", "image", source="x", alt='"<')
    assert image == '<img src="x" alt="&#34;&lt;">'


def test_a_value_too_few_or_too_many_is_refused():
    with pytest.raises(UndefinedError, match="alt"):
        render("ui/parts/known.html", "image", source="x")
    with pytest.raises(TypeError, match="size"):
        render("ui/parts/known.html", "image", source="x", alt="", size=2)


def test_line_breaks_beside_tags_draw_nothing_and_others_stay(tmp_path, monkeypatch):
    text = (
        "{% macro piece(n) %}\n<p>\n  one\n  two\n</p>\n\n{{ n }}\n<b\n  id='x'>{{ 1 / n }}</b>\n"
    )
    (tmp_path / "one.html").write_text(text + "{% endmacro %}\n", "utf-8")
    monkeypatch.setattr(html, "PACKAGE", tmp_path)
    assert render("one.html", "piece", n=2) == "<p>one\n  two</p>2<b\n  id='x'>0.5</b>"
    with pytest.raises(ZeroDivisionError) as error:
        render("one.html", "piece", n=0)
    at = error.traceback[-1]
    assert (Path(at.path).name, at.lineno + 1) == ("one.html", 9), "errors name the line"


def test_a_template_is_read_once(monkeypatch):
    render("ui/parts/known.html", "image", source="x", alt="")

    def read(*_):
        raise AssertionError("it is read again")

    monkeypatch.setattr(html, "_source", read)
    monkeypatch.setattr(Path, "read_text", read)
    for _ in range(3):
        render("ui/parts/known.html", "image", source="x", alt="")


def test_nothing_is_imported_for_templates_before_one_is_drawn():
    code = "import sys, bnpexplorer.core.display; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=PACKAGE.parent).returncode == 0


# ---- nothing else makes HTML ---------------------------------------------------------------------

TAG = re.compile(r"(?<!\?P)</?[a-z][a-z0-9]*[\s/>]|<[a-z][a-z0-9]*$")
NOT_HTML = ("plots/", "corpus/words/junk.py", "core/xlsx.py")
"""Labels of Plotly, whose few elements are not HTML's, patterns that find HTML in texts, and the
XML of workbooks, which escapes every cell."""
UNESCAPED = Counter({"core/display.py": 1, "ui/lab/demonstration.py": 3, "ui/parts/known.py": 1})
"""Where style sheets, scripts and addresses of our own are put in as they are."""


@cache
def sources():
    """Each module of the package as (path, tree)."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return [(p.relative_to(PACKAGE).as_posix(), ast.parse(p.read_text("utf-8"))) for p in paths]


def with_tags(tree):
    """The lines of the strings with values in them that hold tags of HTML."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [p.value for p in node.values if isinstance(p, ast.Constant)]
            if any(TAG.search(part) for part in parts):
                yield node.lineno


def calls(tree, name):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


@pytest.mark.second
def test_no_string_with_values_in_it_holds_tags():
    assert [*with_tags(ast.parse('f"<b>{name}</b>"'))] == [1]
    assert [*with_tags(ast.parse("""f'<i title="{name}">'"""))] == [1]
    found = [
        f"{path}:{line}"
        for path, tree in sources()
        if not path.startswith(NOT_HTML)
        for line in with_tags(tree)
    ]
    assert not found, "HTML is made by templates: see core/html.py"


@pytest.mark.second
def test_only_words_that_stand_in_the_code_are_called_html():
    found, unescaped = [], Counter()
    for path, tree in sources():
        if path == "core/html.py":
            continue
        unescaped[path] += len([*calls(tree, "as_is")])
        for call in calls(tree, "Markup"):
            if not all(isinstance(word, ast.Constant) for word in call.args):
                found.append(f"{path}:{call.lineno}")
    assert not found, "a template, or `as_is` where it is a style sheet or a script of our own"
    assert +unescaped == UNESCAPED


@pytest.mark.second
def test_nothing_else_escapes_html():
    found = {
        path
        for path, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "html" and not node.level
        for name in node.names
        if name.name == "escape"
    }
    assert found == {"plots/style.py"}, "labels of Plotly"
