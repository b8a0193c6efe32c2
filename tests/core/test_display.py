"""Numbers and words as people read them, at the places where the rounding turns."""

import pytest

from bnpexplorer.core import display
from bnpexplorer.core.display import (
    passes_in_words,
    percent,
    plain,
    plural,
    points,
    reach_by,
    rules_beside,
)
from bnpexplorer.core.environment import megabytes, shortage
from bnpexplorer.core.faults import short
from bnpexplorer.core.progress import Bar


@pytest.mark.parametrize(
    ("share", "digits", "said"),
    [
        (0.0, 0, "0"),
        (0.0049, 0, "under 0.5"),
        (0.005, 0, "0"),
        (0.0051, 0, "1"),
        (0.014, 0, "1"),
        (0.126, 0, "13"),
        (0.994, 0, "99"),
        (0.996, 0, "99.6"),
        (0.9994, 0, "99.9"),
        (0.9996, 0, "over 99.9"),
        (1.0, 0, "100"),
        (0.00049, 1, "under 0.05"),
        (0.00051, 1, "0.1"),
        (0.1234, 1, "12.3"),
        (0.9994, 1, "99.9"),
        (0.9996, 1, "99.96"),
        (0.99996, 1, "over 99.99"),
        (1.0, 1, "100.0"),
        (1.5, 0, "150"),
    ],
)
def test_a_share_is_never_rounded_to_nothing_or_to_all(share, digits, said):
    assert percent(share, digits) == f"{said}\u00a0%"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([0.05, -0.2], ["+5.0", "-20.0"]),
        ([0.01], ["+1.0"]),
        ([0.001, 0.3], ["+0.1", "+30.0"]),
        ([0.0009, 0.3], ["+0.09", "+30.00"]),
        ([0.00012, 0.0], ["+0.01", "+0.00"]),
        ([0.00002, -0.5], ["+0.002", "-50.000"]),
        ([0.000000004, 1.0], ["+0.0000", "+100.0000"]),
        ([0.0, 0.0], ["+0.0", "+0.0"]),
        ([], []),
    ],
)
def test_changes_have_as_many_decimals_as_the_smallest_needs(changes, said):
    assert points(changes) == said


def test_one_is_singular_and_everything_else_is_not():
    told = [plural(n, "row") for n in (0, 1, 2, 1234)]
    assert told == ["0 rows", "1 row", "2 rows", "1,234 rows"]
    assert [plural(n, "pass", "passes") for n in (1, 3)] == ["1 pass", "3 passes"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\n lines ", "two lines"),
        ("*a* _b_ `c` #d", r"\*a\* \_b\_ \`c\` \#d"),
        ("[x](y) <b> a|b $1$ ~~ & \\", "\\[x\\](y) \\<b\\> a\\|b \\$1\\$ \\~\\~ \\& \\\\"),
        ("12. first", r"12\. first"),
        ("12) first", r"12\) first"),
        ("two\n\n\tparts", "two parts"),
        ("- a - b", r"\- a - b"),
        (":home: at noon: 7", "\\:\u2060home: at noon: 7"),
        ("a@b.c www.d", "a@\u2060b.c www\u2060.d"),
        ("a -> b", "a -\u2060\\> b"),
        (7, "7"),
    ],
)
def test_text_stands_for_itself_in_markdown(text, shown):
    assert plain(text) == shown


def test_rules_go_in_one_line_without_what_was_said_of_them(tmp_path):
    (tmp_path / "a.css").write_text("/* one\n two */ .a {\n  color: red; /* x */\n}\n")
    assert rules_beside(str(tmp_path / "b.py"), "a.css") == ".a { color: red; }"


def test_the_last_room_that_is_named_shows_values(monkeypatch):
    monkeypatch.setattr(display, "_reach", [])
    reach_by(lambda: "first")
    reach_by(lambda: "second")
    assert display.front() == "second"


# ---- a bar ---------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("bnpexplorer.core.progress.time.monotonic", lambda: now[0])
    return now


def test_a_bar_is_as_long_as_its_share_and_no_longer_than_a_line(capsys, clock):
    for share, marks, told in (
        (0.0, 0, "  0"),
        (0.5, 15, " 50"),
        (0.999, 29, "100"),
        (1.0, 30, "100"),
    ):
        Bar(watched=True).draw(share, "words")
        line = f"[{'#' * marks}{'.' * (30 - marks)}] {told} %  words"
        assert capsys.readouterr().err == f"\r{line:<78}"
    Bar(watched=True).tell("x" * 200)
    assert capsys.readouterr().err == "\r" + "x" * 78


def test_a_bar_is_drawn_five_times_a_second_and_ends_its_line(capsys, clock):
    bar = Bar(watched=True)
    bar.end()
    assert capsys.readouterr().err == "", "nothing was drawn"
    for step, now in ((0.0, False), (0.1, False), (0.05, True), (0.15, False), (0.1, False)):
        clock[0] += step
        bar.tell(f"at {clock[0]:.2f}", now)
    bar.end()
    told = capsys.readouterr().err
    assert told.split() == ["at", "100.00", "at", "100.15", "at", "100.40"]
    assert told.endswith("\n")


def test_nobody_sees_a_bar_where_nobody_watches(capsys):
    bar = Bar()
    bar.draw(0.5, "words", now=True)
    bar.end()
    assert capsys.readouterr().err == ""


# ---- sentences -----------------------------------------------------------------------------------


def test_memory_is_too_little_below_a_gigabyte():
    assert shortage(2**30) == ""
    said = shortage(2**30 - 2**20)
    assert said.startswith("There are 1,023 MB of memory here, and the app takes 720 MB to learn")
    assert "give its container or machine 1,024 MB or more" in said
    assert megabytes(3 * 2**30) == "3,072 MB"


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (KeyError("state"), "'state' is missing"),
        (FileNotFoundError(2, "No such file", "/secret/path"), "No such file"),
        (PermissionError(13, "Permission denied", "/secret/path"), "Permission denied"),
        (OSError("only words"), "only words"),
        (ValueError("it ends.\n  So."), "it ends. So"),
        (ValueError("x" * 100), "x" * 80),
        (ValueError(""), "ValueError"),
    ],
)
def test_what_was_wrong_ends_a_sentence(problem, said):
    assert short(problem) == said


@pytest.mark.parametrize(
    ("seen", "of", "said"),
    [
        (0, "3", "0 of 2,225 texts in pass 1 of 3"),
        (2_224, "", "2,224 of 2,225 texts in pass 1"),
        (2_225, "3", "pass 1 of 3 over 2,225 texts"),
        (2_226, "at most 500", "pass 2 of at most 500 over 2,225 texts"),
        (213_600, "96", "pass 96 of 96 over 2,225 texts"),
    ],
)
def test_documents_read_are_told_as_passes(seen, of, said):
    assert passes_in_words(seen, 2_225, of) == said
