"""A lesson on paper: everything that it says, and nothing from elsewhere."""

import re
from html.parser import HTMLParser

import pytest

from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.lessons import LESSON_FILES, parse, read
from bnpexplorer.lessons.handout import LINES, handout, html_of, inline

FILES = sorted(path for path in LESSON_FILES.glob("*.md") if path.name != "README.md")


class Read(HTMLParser):
    """The words of a page, its tags, and where they lie."""

    VOID = ("meta", "br")

    def __init__(self, html):
        super().__init__()
        self.words, self.tags, self.open = {"": []}, [], []
        self.feed(html)
        assert self.open == [], "every tag is closed"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append((tag, dict(attrs).get("class", "")))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if ("style", "") not in self.open:
            part = "lecturer" if ("main", "lecturer") in self.open else "class"
            self.words.setdefault(part, []).append(data)

    def said(self, part):
        return " ".join(" ".join(self.words[part]).split())


def plain(markdown):
    """The words of Markdown, without its marks; of tables the cells."""
    rows = (row for row in markdown.splitlines() if not re.fullmatch(r"[|:\- ]+", row))
    bare = re.sub(r"\*\*|[|`]|(?<!\w)\*|\*(?!\w)", " ", "\n".join(rows))
    return " ".join(re.sub(r"(?m)^\s*([-*]|\d+\.) ", " ", bare).split())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_holds_every_step_question_and_answer(path):
    lesson = read(path)
    page = Read(handout(lesson))
    # Tags divide words that Markdown's marks do not.
    ours, theirs = (
        re.sub(r"\s+(?=[.,:;?!)”’])", "", page.said(part)) for part in ("class", "lecturer")
    )
    for number, step in enumerate(lesson.steps, 1):
        for said in (ours, theirs):
            assert f"{number}. {step.title}" in said
        assert squeezed(step.text) in re.sub(r"\s", "", ours)
        if step.question:
            assert squeezed(step.question) in re.sub(r"\s", "", ours)
            assert squeezed(step.question) in re.sub(r"\s", "", theirs)
            assert squeezed(step.answer) in re.sub(r"\s", "", theirs)
            assert squeezed(step.answer) not in re.sub(r"\s", "", ours), "not for the class"
        if step.notes:
            assert squeezed(step.notes) in re.sub(r"\s", "", theirs)
            assert squeezed(step.notes) not in re.sub(r"\s", "", ours)


def squeezed(markdown):
    return re.sub(r"\s", "", plain(markdown))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_needs_nothing_from_elsewhere(path):
    html = handout(read(path))
    page = Read(html)
    assert "://" not in html
    assert not {"script", "img", "link", "iframe", "a"} & {tag for tag, _ in page.tags}
    assert not any({"src", "href", "style"} & set(attrs) for _, attrs in page.tags)
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html
    exercises = sum(attrs.get("class") == "exercise" for _, attrs in page.tags)
    assert exercises == sum(bool(step.question) for step in read(path).steps)
    assert sum(attrs.get("class") == "rule" for _, attrs in page.tags) == LINES * exercises


def test_the_class_has_notes_and_exercises_in_every_step():
    lesson = read(LESSON_FILES / "class.md")
    minutes = [int(re.search(r"\((\d+) minutes\)", step.title)[1]) for step in lesson.steps]
    assert sum(minutes) == lesson.minutes == 45
    assert all(step.notes and step.question and step.set_up for step in lesson.steps)
    words = Read(handout(lesson)).said("lecturer")
    found = [int(number) for number in re.findall(r"Exercise (\d+)\b", words)]
    assert found == [1, 2, 3, 4, 5]


def test_a_step_without_a_question_takes_no_number_of_an_exercise():
    asks = "### Question\nWhat?\n### Answer\nThat.\n"
    text = "---\ntitle: A\nabout: B\nminutes: 5\n---\n## One\nText.\n"
    text += f"## Two\nText.\n{asks}## Three\nText.\n## Four\nText.\n{asks}"
    page = Read(handout(parse(text, "mine.md")))
    for part in ("class", "lecturer"):
        assert re.findall(r"Exercise (\d+)\b", page.said(part)) == ["1", "2"]


def test_runs_of_one_method_are_told_apart():
    lecturer = Read(handout(read(LESSON_FILES / "class.md"))).said("lecturer")
    assert "with hdp-svi batch size 1, hdp-svi batch size 100 on “Drawn from an HDP”" in lecturer
    assert "a race of hdp-tsvi, hdp-svi on" in lecturer


def test_where_texts_are_not_installed_runs_have_their_methods_names(monkeypatch):
    def absent(name):
        raise CorpusError(f"{name} is not installed")

    monkeypatch.setattr("bnpexplorer.lessons.handout.load_sample", absent)
    lecturer = Read(handout(read(LESSON_FILES / "class.md"))).said("lecturer")
    assert "with hdp-svi, hdp-svi on “Drawn from an HDP”" in lecturer


def test_words_of_a_lecturer_are_words():
    text = (
        "---\ntitle: <b>A</b> & B\nabout: **c**\nminutes: 5\n---\n## One <i>\n"
        "See [there](https://example.org) & <script>alert(1)</script>.\n"
    )
    html = handout(parse(text, "mine.md"))
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "See there &amp;" in html
    assert "<title>&lt;b&gt;A&lt;/b&gt; &amp; B</title>" in html


def test_paragraphs_lists_and_tables():
    assert html_of("One\ntwo.\n\nThree.") == "<p>One two.</p><p>Three.</p>"
    assert html_of("First:\n- a\n  goes on\n- b") == (
        "<p>First:</p><ul><li>a goes on</li><li>b</li></ul>"
    )
    assert html_of("1. a\n2. b") == "<ol><li>a</li><li>b</li></ol>"
    assert html_of("| x | n |\n|---|---:|\n| **a** | 1 |") == (
        '<table><thead><tr><th>x</th><th class="number">n</th></tr></thead>'
        '<tbody><tr><td><strong>a</strong></td><td class="number">1</td></tr></tbody></table>'
    )
    drawn = html_of("9. a\n10. b\n\n| x |\n|:---|\n| 1 |\nAfter.")
    assert drawn.startswith("<ol><li>a</li><li>b</li></ol><table><thead><tr><th>x</th>")
    assert drawn.endswith("<td>1</td></tr></tbody></table><p>After.</p>")
    assert inline("**a** and **b**") == "<strong>a</strong> and <strong>b</strong>"
    assert inline("a **b** *c* `d*e`") == ("a <strong>b</strong> <em>c</em> <code>d*e</code>")
