"""Every option reaches what it is for: the reading of files, the words, the run, the pool."""

import argparse
import contextlib
import json
from dataclasses import fields
from datetime import date

import numpy as np
import pytest

from bnpexplorer import Plan, Run, load
from bnpexplorer.__main__ import _options, _parser, main
from bnpexplorer.cli import fit
from bnpexplorer.cli.reading import (
    READING,
    CorpusRead,
    chosen_of,
    corpus_of,
    told_how_far,
    with_own_stop_words,
)
from bnpexplorer.core.knob import knobs_of
from bnpexplorer.corpus.intake.following import follower_here
from bnpexplorer.corpus.intake.usage import Usage
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.inference.cores import cores
from bnpexplorer.inference.pool import Threads
from bnpexplorer.methods import METHODS
from bnpexplorer.runs.beginning import Beginning
from bnpexplorer.runs.learning import FOUND_AGAIN
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.samples import bar_topics

CSV = "sample_data/small.csv"


@pytest.fixture(autouse=True)
def at_home(monkeypatch, request, tmp_path):
    monkeypatch.chdir(request.config.rootpath)
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "home"))
    n = cores().n
    yield
    cores().use(n)  # as `--threads` leaves it for the process


def options_of(*arguments: str) -> argparse.Namespace:
    return _options(_parser(), arguments)


# ---- reading -------------------------------------------------------------------------------------

READ_SO = {
    "format": "tsv",
    "text": "body",
    "id": "key",
    "title": "heading",
    "date": "day",
    "label": "party",
    "delimiter": ";",
    "header": "no",
    "encoding": "cp1252",
    "split": "paragraphs",
    "sheet": "Second",
    "entry": "train.csv",
    "file_names": "date label",
    "join": "account",
    "period": "month",
    "passages": "120",
    "as_of": "2026-03-05",
    "questions": "apart",
    "add_title": "short",
    "label_parts": "first",
    "ragged": "leave out",
}
"""Every field of `ReadOptions`, none of them as it is where it is left out."""


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


@pytest.mark.parametrize("command", [["fit"], ["claims", "toy", "--path"], ["corpus", "build"]])
def test_every_option_of_reading_is_passed_on(command):
    asked = [part for name, value in READ_SO.items() for part in (_option(name), value)]
    end = ["out"] if command[0] == "corpus" else []
    assert chosen_of(options_of(*command, "mine.csv", *end, *asked)) == (ReadOptions(**READ_SO), {})
    assert (
        [f.name for f in fields(ReadOptions)]
        == list(READ_SO)
        == sorted(READING, key=[*READ_SO].index)
    )
    assert all(READ_SO[f.name] != f.default for f in fields(ReadOptions))


def test_files_are_read_as_of_today_unless_by_names():
    """And `--text` and `--label` may be given again."""
    today, _ = chosen_of(options_of("fit", "mine.csv", "--text", "a", "--text", "b"))
    assert (today.as_of, today.text) == (str(date.today()), "a\nb")
    assert chosen_of(options_of("fit", "mine.csv", "--as-of", "names"))[0] == ReadOptions()


def test_every_setting_of_words_is_passed_on_as_a_number_or_a_word():
    given = {}
    for name, default, about in knobs_of(TextSettings):
        if isinstance(default, bool):
            given[name] = not default
        elif isinstance(default, str):
            others = [one for one in about.choices or ("no", "yes") if one != default]
            given[name] = others[-1]
        else:
            given[name] = default + 1 if isinstance(default, int) else default / 3
    asked = [
        part
        for name, value in given.items()
        for part in (f"--{name.replace('_', '-')}", str(value))
    ]
    reading, words = chosen_of(options_of("fit", CSV, *asked))
    assert words == given
    assert {name: type(value) for name, value in words.items()} == {
        name: type(value) for name, value in given.items()
    }
    assert reading == ReadOptions(as_of=str(date.today()))


def test_words_of_a_file_come_to_those_that_are_given_and_leave_the_other_settings(tmp_path):
    file = tmp_path / "stop.txt"
    file.write_text("train\nkitchen\n")
    given = {"stop_words": str(file), "extra_stop_words": "garden", "min_df": 4}
    assert with_own_stop_words(given) == {"extra_stop_words": "garden train kitchen", "min_df": 4}


def test_a_drawn_sample_is_drawn_by_the_seed():
    for seed in ("0", "3"):
        found = corpus_of(options_of("fit", "sample:bars", "--seed", seed))
        again = corpus_of(options_of("fit", "sample:bars", "--seed", seed))
        assert found.corpus.fingerprint == again.corpus.fingerprint
    assert (
        found.corpus.fingerprint != corpus_of(options_of("fit", "sample:bars")).corpus.fingerprint
    )


def test_the_line_of_reading_ends_before_the_next(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with told_how_far("texts/mine.csv"):
        follower_here().tell("12 texts")
        follower_here().look(Usage(n_bytes=7 * 2**20, seconds=3.0))
    line = "reading mine.csv: 12 texts, 3 s of processor time, 7 MB of memory"
    assert capsys.readouterr().err == f"\r{line:<78}\n"


# ---- what learns ---------------------------------------------------------------------------------

LEARN = ("fit", CSV, "--method", "lda-svi", "--batch-size", "50")


@pytest.mark.second
@pytest.mark.parametrize("more", [[], ["--chains", "2"], ["--go-on"]])
def test_every_kind_of_run_is_computed_by_the_pool_that_was_asked_for(
    capsys, monkeypatch, tmp_path, more
):
    asked = [*LEARN, "--passes", "1", *more]
    if "--go-on" in more:
        half = tmp_path / "half.run"
        learned(Plan.of("lda-svi", batch_size=50, passes=1), steps=1).save(half)
        asked = ["fit", str(half), "--go-on"]
    with Threads(cores().n + 3) as pool:
        monkeypatch.setattr(fit, "pool_for", lambda options: contextlib.nullcontext(pool))
        assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["threads"] == cores().n + 3


def learned(plan: Plan, steps: int = 10**6) -> Run:
    run = plan.split_and_start(load(CSV))
    while not run.done and run.n_steps < steps:
        run.step()
    return run


@pytest.mark.second
def test_a_recommended_plan_has_all_other_choices():
    run = learned(Plan.of("lda-svi", values={"n_topics": 4}, passes=1))
    beginning = Beginning.of(run, "mine")
    asked = ["--seed", "5", "--passes", "3", "--batch-size", "40", "--heldout", "11"]
    asked += ["--minutes", "77", "--until", "settled", "--set", "eta=0.7"]
    given = CorpusRead(load(CSV), None)
    plan = fit.recommended(options_of("fit", CSV, *asked), given, beginning)
    assert plan.start_from is beginning
    assert (plan.method.name, plan.method.model.eta) == ("hdp-gibbs", 0.7)
    assert (plan.seed, plan.passes, plan.batch_size, plan.n_heldout) == (5, 3, 40, 11)
    assert (plan.minutes, plan.until, plan.order, plan.chains) == (77.0, "settled", "shuffled", 1)
    assert plan.reason.startswith("hdp-gibbs: 160 texts with ")
    stream = fit.recommended(options_of("fit", CSV, "--stream", "--chains", "3"), given, None)
    assert (stream.method.name, stream.order, stream.chains) == ("hdp-tsvi", "stream", 3)
    assert stream.start_from is None


def test_the_preset_that_was_recommended_gives_way_to_one_that_was_chosen(monkeypatch):
    best = Plan.of("hdp-svi", "wang-2011")
    monkeypatch.setattr(fit, "recommend", lambda corpus, order: best)
    given = CorpusRead(load(CSV), None)
    found = [
        fit.recommended(options_of("fit", CSV, *asked), given, None).preset
        for asked in ([], ["--preset", "default"])
    ]
    assert found == ["wang-2011", "default"]


@pytest.mark.second
@pytest.mark.parametrize("more", [[], ["--chains", "2"]])
def test_why_a_method_was_recommended_is_said_of_one_run_and_of_chains(capsys, more):
    assert main(["fit", CSV, "--passes", "1", *more]) == 0
    why = fit.recommend(load(CSV)).reason.replace("500 times", "1 time")
    assert capsys.readouterr().err.startswith(f"bnpexplorer: recommended for these texts: {why}\n")


@pytest.mark.second
@pytest.mark.parametrize("chosen", [["--method", "hdp-parallel-gibbs"], []])
def test_a_method_cautions_whether_it_was_chosen_or_recommended(capsys, monkeypatch, chosen):
    plan = Plan.of("hdp-parallel-gibbs", values={"n_start": 1}, passes=1)
    monkeypatch.setattr(fit, "recommend", lambda corpus, order: plan)
    few = ["--set", "n_start=1", "--passes", "1"]
    assert main(["fit", CSV, *chosen, *few]) == 0
    said = plan.caution(load(CSV))
    assert said == plan.method.caution() != ""
    assert capsys.readouterr().err.startswith(f"bnpexplorer: {said}\n")


def test_texts_too_short_for_a_method_are_told_before_they_are_learned(capsys, monkeypatch):
    monkeypatch.setattr(METHODS["hdp-memoized"], "too_short", 100)
    assert main(["fit", CSV, "--method", "hdp-memoized", "--passes", "1"]) == 0
    assert capsys.readouterr().err.startswith(
        "bnpexplorer: hdp-memoized may predict worse than word frequencies here: it did on some "
        "texts of fewer than 100 words, and these have 23 on average. Samplers, which read them "
        "many times, predict them better.\n"
    )


@pytest.mark.second
@pytest.mark.parametrize("more", [[], ["--chains", "2"]])
def test_the_true_topics_of_a_drawn_sample_are_known_to_the_run_that_is_kept(more):
    asked = ["--method", "lda-svi", "--passes", "1", "--keep", "mine"]
    assert main(["fit", "sample:bars", *asked, *more]) == 0
    library = Library()
    kept = library.saved()
    assert len(kept) == (2 if more else 1)
    for saved in kept:
        run = library.load(saved.run_id, to_go_on=False)
        np.testing.assert_array_equal(run.known, bar_topics())
        assert FOUND_AGAIN in run.history[-1].scalars
