"""Test the options of commands: their defaults, their values, and those that exclude others."""

import re

import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.cli.reading import parsed
from tests.cli.learning import at_root_and_home
from tests.tools.commands import commands


@pytest.fixture(autouse=True)
def at_home(monkeypatch, request, tmp_path):
    yield from at_root_and_home(monkeypatch, request, tmp_path)


@pytest.mark.parametrize(
    "chosen",
    [
        ["--method", "lda-svi"],
        ["--preset", "default"],
        ["--start-from", "a.run"],
        ["--passes", "2"],
        ["--minutes", "3"],
        ["--until", "passes"],
        ["--seed", "1"],
        ["--stream"],
        ["--batch-size", "9"],
        ["--set", "eta=1"],
        ["--chains", "2"],
        ["--heldout", "4"],
        *(["--heldout", "0"], ["--minutes", "0"], ["--seed", "0"]),  # 0 is a choice, too
    ],
)
def test_a_run_that_goes_on_takes_no_choice_of_one_that_begins(capsys, chosen):
    assert main(["fit", "some.run", "--go-on", *chosen]) == 2
    assert capsys.readouterr().err == (
        f"bnpexplorer: --go-on learns the rest of a run as it was begun; leave {chosen[0]} out.\n"
    )


def test_what_an_option_says_it_is_where_it_is_left_out_is_so():
    """A number or name in brackets at the end of its help, such as [10]."""
    told = {}
    for path, parser in commands():
        for action in parser._actions:
            said = re.search(r"\[(sample:\w+|[\d.]+)\]$", action.help or "")
            if said and not action.dest.startswith("words_"):
                told[path, action.dest] = said[1]
                assert (
                    f"{action.default:g}" == said[1]
                    if said[1][0].isdigit()
                    else (action.default == said[1])
                )
    assert {dest for _, dest in told} == {"path", "minutes", "seeds"}


def test_a_file_of_words_is_offered_where_it_is_read_and_nowhere_else():
    (fit,) = [parser for path, parser in commands() if path == ("fit",)]
    offers = [one.dest for one in fit._actions if "A file instead" in (one.help or "")]
    assert offers == ["words_stop_words"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-3", -3),
        ("0.5", 0.5),
        ("1e-3", 0.001),
        (" Yes ", True),
        ("true", True),
        ("no", False),
        ("FALSE", False),
        ("many", "many"),
        ("", ""),
    ],
)
def test_what_is_written_after_an_equals_sign_is_a_number_or_a_word(text, value):
    found = parsed(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--chains", "1"], "--chains must be 2 to 8; got 1."),
        (["--chains", "9"], "--chains must be 2 to 8; got 9."),
        (
            ["--stream", "--passes", "2"],
            "--stream reads the corpus once, --passes 2 would read it again; leave one of them "
            "out.",
        ),
        (["--set", "eta"], "--set needs NAME=VALUE; got 'eta'."),
        (["--shards", "s3://x"], "--shards says where a cluster's workers read; add --cluster "),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_is_read(capsys, more, said):
    assert main(["fit", "nowhere.csv", "--method", "lda-svi", *more]) == 2
    assert capsys.readouterr().err.startswith(f"bnpexplorer: {said}")
