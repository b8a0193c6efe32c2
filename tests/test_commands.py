"""`python -m tests TASK` runs the commands that it names, and tells whether all succeed."""

import shutil
import subprocess
import sys

import pytest

from tests import __main__ as tasks
from tests import house

KERNEL = "bnpexplorer/kernels/catvi.py"


class Recorder:
    """Notes each command instead of running it, and answers with one exit code after another."""

    def __init__(self, *codes: int) -> None:
        self.codes, self.commands = list(codes), []

    def __call__(self, command):
        self.commands.append([word.rpartition("/")[2] for word in command])
        assert shutil.which(command[0]), command[0]
        return self.codes.pop(0) if self.codes else 0


@pytest.fixture
def changed(monkeypatch):
    asked = []

    def changed_since(base):
        asked.append(base)
        return frozenset({KERNEL, "docs/numbers.md"})

    monkeypatch.setattr(tasks, "changed_since", changed_since)
    return asked


def test_check_runs_every_linter(monkeypatch):
    run = Recorder()
    monkeypatch.setattr(shutil, "which", lambda name, path=None: f"/somewhere/{name}")
    assert tasks.main(["check"], run) == 0
    words = [" ".join(command) for command in run.commands]
    tools = [
        "ruff format --check",
        "ruff check",
        "lint-imports",
        "mypy",
        "planted --check",
        "biome@",
    ]
    assert [tool for tool, said in zip(tools, words, strict=True) if tool not in said] == []


def test_check_says_that_it_does_without_npx(monkeypatch, capsys):
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, **at: None if name == "npx" else which(name))
    run = Recorder()
    assert tasks.main(["check"], run) == 0
    assert len(run.commands) == 5
    assert "Left out: biome" in capsys.readouterr().out


def test_reached_runs_tests_and_the_mistakes_of_changed_sources(changed, capsys):
    run = Recorder()
    assert tasks.main(["reached", "main"], run) == 0
    assert changed == ["main"]
    tests, planted = run.commands
    assert tests[1:] == ["-m", "pytest", "--reached=main"]
    assert planted[1:] == ["-m", "tests.planted", "--files", "catvi.py"]
    assert f"== python -m tests.planted --files {KERNEL}\n" in capsys.readouterr().out


def test_reached_compares_with_the_last_commit(changed):
    assert tasks.main(["reached"], Recorder()) == 0
    assert changed == ["HEAD"]


@pytest.mark.parametrize(
    ("task", "words"),
    [("all", ["-m", "pytest", "--all"]), ("docs", []), ("house", ["-m", "tests.house"])],
)
def test_the_other_tasks_are_one_command(task, words):
    run = Recorder()
    assert tasks.main([task], run) == 0
    ((program, *rest),) = run.commands
    assert (program == task) == (not words)
    assert rest == words


@pytest.mark.parametrize(
    ("task", "codes", "ended", "n_run"),
    [
        ("check", [0, 1, 0, 0], 1, 4),  # the others run all the same
        ("reached", [1, 0], 1, 2),
        ("reached", [5, 0], 0, 2),  # no test is reached
        ("reached", [0, 1], 1, 2),  # a mistake survives
        ("all", [5], 1, 1),
        ("docs", [2], 1, 1),
    ],
)
def test_a_task_fails_if_one_of_its_commands_does(task, codes, ended, n_run, changed, capsys):
    run = Recorder(*codes)
    assert tasks.main([task], run) == ended
    assert len(run.commands) >= n_run
    assert ("FAILED: " in capsys.readouterr().out) == bool(ended)


def test_the_exit_code_is_the_command_s():
    assert tasks.run([sys.executable, "-c", "raise SystemExit(3)"]) == 3


@pytest.mark.parametrize("words", [[], ["checks"], ["reached", "no-such-commit"]])
def test_what_is_no_task_is_refused(words, capsys):
    with pytest.raises(SystemExit) as ended:
        tasks.main(words, Recorder())
    assert ended.value.code == 2
    assert "python -m tests: error: " in capsys.readouterr().err


# ---- figures of the house ------------------------------------------------------------------------


def test_lines_are_counted_once_each():
    paths = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "bnpexplorer/*.py"]
    named = subprocess.run(paths, cwd=house.ROOT, capture_output=True, text=True, check=True)
    there = [house.ROOT / path for path in named.stdout.splitlines()]
    assert sum(map(house.lines, house.sources())) == sum(p.read_bytes().count(b"\n") for p in there)


def test_arrows_lead_from_one_room_to_another():
    arrows = house.arrows()
    assert ("ui", "runs") in arrows
    assert not [pair for pair in arrows if pair[0] == "core" or pair[0] == pair[1]]


def test_a_module_that_one_other_imports():
    assert "bnpexplorer.kernels.osbp" in house.imported_once()
    assert "bnpexplorer.kernels.jit" not in house.imported_once()


def test_names_that_stand_twice():
    assert house.repeated(["page.py", "app.py", "page.py"]) == ["page.py"]
    assert house.room("bnpexplorer/ui/app.py") == house.room("bnpexplorer.ui.parts.mode") == "ui"
    assert house.room("bnpexplorer/__init__.py") == house.room("bnpexplorer") == "bnpexplorer"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Who comes second waits.", True),
        ("Numbers of topics, of which the first is empty.", True),
        ("Return the words of each topic.", False),
        ("Whole numbers.", False),
    ],
)
def test_patterns_find_docstrings_that_are_hard_to_read(text, found):
    assert house.hard_to_read([text]) == [text] * found


@pytest.mark.second
def test_the_table_has_every_figure(monkeypatch):
    monkeypatch.setattr(house, "reach_of_kernels", lambda: [3, 5, 40])
    rows = dict(line.strip("| ").split(" | ") for line in house.table().splitlines()[2:])
    assert rows["files of tests that a kernel reaches (median)"] == "5"
    assert int(rows["modules"].replace(",", "")) == len(house.sources())


@pytest.mark.second
def test_no_figure_is_above_its_limit_and_no_limit_far_above_its_figure(monkeypatch):
    monkeypatch.setattr(house, "reach_of_kernels", lambda: [1])
    found = house.figures()
    assert {name: found[name] for name, most in house.LIMITS.items() if found[name] > most} == {}
    loose = {n: found[n] for n, most in house.LIMITS.items() if most > 1.03 * found[n] + 1}
    assert loose == {}, "lower the limits in tests/house.py"
