"""The tests that planted mistakes name catch them; `python -m tests check` says if they fit."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from bnpexplorer.methods import METHODS
from tests.planted import __main__ as command
from tests.planted.__main__ import is_caught, misfit
from tests.planted.mistakes import commit, mistakes, table
from tests.planted.planting import plant
from tests.tiers import COLLECTED

MISTAKES = mistakes()


def share_of(seed: str) -> list:
    """Four of them, one in a kernel, by the commit: another gate tries others, and each repeats."""
    chance = random.Random(seed)
    kernels = [m for m in MISTAKES if m.in_kernel]
    others = [m for m in MISTAKES if not m.in_kernel]
    return [*chance.sample(kernels, 1), *chance.sample(others, 3)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"old": "pass"}, "stands 0 times in not_ended, not once. If you changed"),
        ({"where": "nothing"}, "nothing stands 0 times in the source"),
        ({"new": "return ("}, "was never closed"),
        ({"new": "process.wait(max(deadline - time.monotonic(), 0.0))"}, "it changes nothing"),
        ({"test": "tests/core/test_child.py::test_x[1]"}, "there is no tests/core/test_child.py"),
    ],
)
def test_one_that_does_not_fit_is_named_with_the_reason(change, said):
    fits = next(m for m in MISTAKES if m.about == "wait for each child in turn")
    assert misfit(fits) == ""
    found = misfit(replace(fits, **change))
    assert found.startswith("children: wait for each child in turn: ")
    assert said in found


def test_the_cases_that_mistakes_name_are_there(request):
    """By what was collected, since the parameters of a test may change. Where a part of a file was
    asked for nothing is known of it."""
    config = request.config
    part = "::" in " ".join(config.args)
    collected = set() if part else {item.nodeid for item in config.stash[COLLECTED]}
    files = {nodeid.partition("::")[0] for nodeid in collected}
    cases = {m.test for m in MISTAKES if "[" in m.test and m.test.partition("::")[0] in files}
    assert cases - collected == set()


@pytest.mark.second
@pytest.mark.parametrize("mistake", share_of(commit()), ids=lambda m: m.name)
def test_a_share_is_caught(mistake):
    assert is_caught(mistake), f"{mistake.test} passes with the mistake: {mistake.about}"


def test_at_least_three_a_method():
    counts = Counter(m.method for m in MISTAKES)
    assert {name: counts[name] for name in METHODS.ours if counts[name] < 3} == {}
    assert max(Counter(m.name for m in MISTAKES).values()) == 1


@pytest.mark.second
def test_another_commit_tries_others():
    assert share_of("a") == share_of("a") != share_of("b")
    assert len({m for seed in range(6000) for m in share_of(str(seed))}) == len(MISTAKES)


def test_the_table_lists_them_all():
    assert len(table().splitlines()) == 2 + len(MISTAKES)


def test_a_method_without_mistakes_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["--only", "lda-svi", "lda-cvb9"])
    assert ended.value.code == 2
    assert (
        "There are no mistakes of 'lda-cvb9'; choose from around, asked-and-opened, births, "
        in capsys.readouterr().err
    )


def test_mistakes_of_given_files_are_tried_alone(monkeypatch, capsys):
    file = "bnpexplorer/kernels/catvi.py"
    monkeypatch.setattr(command, "outcome", lambda mistake: (True, mistake.file))
    assert command.main(["--files", file, "README.md"]) == 0
    tried = capsys.readouterr().out.splitlines()
    assert tried == [f"{m.name}: {file}" for m in MISTAKES if m.file == file]
    assert len(tried) >= 2
    assert command.main(["--files", "README.md"]) == 0
    assert capsys.readouterr().out.startswith("No mistake is planted there")


@pytest.mark.second
def test_what_cannot_be_tried_is_named_and_the_others_go_on(monkeypatch, capsys):
    sound = next(m for m in MISTAKES if m.method == "lda-gibbs" and not m.in_kernel)
    wrong = [
        replace(sound, test="tests/test_planted.py::test_nowhere"),
        replace(sound, about="no lines", old="two\nlines"),
        replace(sound, about="no file", file="bnpexplorer/nowhere.py"),
    ]
    monkeypatch.setattr(command, "mistakes", lambda: wrong)
    assert command.main([]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{sound.name}: COULD NOT RUN: ERROR: not found: ")
    there = f"stands 0 times in {sound.where}, not once. If you changed {sound.file}, write"
    to_do = f"{there} 'lda-gibbs: no lines' anew in tests/planted/lda-gibbs.toml."
    assert second == f"lda-gibbs: no lines: COULD NOT RUN: {to_do}"
    assert third.startswith("lda-gibbs: no file: COULD NOT RUN: ")


SOURCE = """
class Sum:
    def add(self, x):
        for i in range(3):
            if x > i:
                self.total += x
        return x

def add(x):
    return x
"""
MOVED = """
def add(x): return x
class Sum:
    other = 1
    # A comment, and other line breaks.
    def add(self, x):
        for i in range(
            3
        ):
            if (x > i):
                self.total += (x)  # so
        return x
"""


@pytest.mark.parametrize("source", [SOURCE, MOVED])
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("return x", "return -x", "return -x"),
        ("self.total += x", "pass", "pass"),
        ("if x > i:", "if x >= i:", "if x >= i:\n                self.total += x"),
        ("for i in range(3):", "for i in range(2):", "range(2):\n            if x > i:"),
    ],
)
def test_layout_and_place_in_the_file_do_not_matter(source, old, new, says):
    wrong = plant(source, "Sum.add", old, new)
    assert says in wrong
    assert "def add(x):\n    return x" in wrong, "the function of the same name is as it was"


def test_what_is_not_there_once_is_refused():
    with pytest.raises(ValueError, match=r"stands 0 times in Sum\.add, not once"):
        plant(SOURCE, "Sum.add", "return y", "pass")
    with pytest.raises(ValueError, match="stands 2 times in the module, not once"):
        plant(SOURCE, "", "return x", "pass")
    with pytest.raises(ValueError, match=r"Sum\.take stands 0 times in the source"):
        plant(SOURCE, "Sum.take", "return x", "pass")


def test_a_room_s_own_module_is_planted_too():
    mistake = replace(MISTAKES[0], file="bnpexplorer/checks/__init__.py")
    assert mistake.module == "bnpexplorer.checks"
