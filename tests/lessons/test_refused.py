"""What a lesson is refused for, in whole sentences: each with its own line, word and number."""

import re

import pytest

from bnpexplorer.lessons import LessonError, parse

HEAD = "---\ntitle: A\nabout: B\nminutes: 5\n---\n"
STEP = f"{HEAD}## One\nText.\n"
SET_UP = f"{STEP}### Set up\n"
RACE = f"{SET_UP}sample: bars\nrace: hdp-svi\n"
SECTIONS = "a step has Set up, Question, Answer, For the lecturer below ###, once each"
PAGES = "start, corpus, documents, live, topics, compare, runs, claims, lab"

WHOLE = [
    ("\n", 1, "a lesson begins with a line ---, then title, about and minutes"),
    ("---\ntitle: A\n", 1, "no second line --- ends what begins here"),
    (HEAD.replace("minutes: 5\n", ""), 1, "minutes: is missing between the lines ---"),
    (HEAD, 5, "the lesson has no step; a step begins with a line ## and words"),
    (f"{HEAD}\nx\n{STEP}", 7, "text before the first step; a step begins with ## and words"),
    (f"{STEP}## \nText.\n", 8, "a step has a title after ## and text below it"),
    (f"{STEP}## Two\n", 8, "a step has a title after ## and text below it"),
    (f"{STEP}### Remark\n", 8, f"{SECTIONS}; got 'Remark'"),
    (f"{SET_UP}sample: bars\n### Set up\n", 10, f"{SECTIONS}; got 'Set up'"),
    (f"{STEP}### For the lecturer\nx\n### For the lecturer\ny\n", 10, f"{SECTIONS}; got 'For the"),
    (f"{STEP}### Question\nx\n", 8, "a Question and its Answer go together, and neither is empty"),
    (f"{STEP}\n### Answer\nx\n", 9, "a Question and its Answer go together, and neither is empty"),
    (SET_UP, 8, "nothing to set up, here or between the lines ---"),
    (f"{SET_UP}sample: bars\n\nsample: small-csv\n", 11, "sample: stands in line 9 already"),
    (f"{SET_UP}page:\n", 9, "page: has no value"),
    (
        f"{SET_UP}colour: red\n",
        9,
        "expected one of sample, run, race, runs, claim, page, show, set, a colon, and its value",
    ),
    (f"{SET_UP}page: moon\n", 9, f"there is no page 'moon'; choose from {PAGES}"),
    (f"{SET_UP}page: topics\nshow: sticks\n", 10, "show: goes with page: lab"),
    (f"{SET_UP}run: hdp-svi\n", 9, "a run needs a sample: line as well"),
    (f"{SET_UP}race: hdp-svi\n" + "race: hdp-tsvi\n", 9, "a race needs a sample: line as well"),
    (f"{RACE}claim: toy\n", 11, "race: and claim: do not go together"),
    (f"{RACE}run: hdp-svi\n", 10, "run: and race: do not go together"),
    (f"{RACE}page: live\n", 11, "race: opens a page of its own; leave page: out"),
    (f"{SET_UP}page: live\nclaim: toy\n", 9, "claim: opens a page of its own; leave page: out"),
    (RACE, 10, "a race has 2 to 4 race: lines; got 1"),
    (RACE + "race: hdp-svi\n" * 4, 10, "a race has 2 to 4 race: lines; got 5"),
    (f"{RACE}race: hdp-tsvi passes=3\n", 11, "the runs of a race have the same seed and passes"),
    (
        f"{RACE}race: dpm-sumo\n",
        11,
        "dpm-sumo cannot race: it reads the documents once, in the corpus's own order",
    ),
    (
        f"{RACE}race: hdp-memoized\n",
        11,
        "hdp-memoized cannot race: it reads the same blocks in every pass and learns at the pass's "
        "end",
    ),
    (f"{SET_UP}runs: 3\n", 9, "runs: names a step before this one with runs; got '3'"),
    (
        f"{SET_UP}sample: bars\nrun: hdp-svi\n## Two\nText.\n### Set up\nclaim: toy\nruns: 1\n",
        15,
        "runs: goes with page: and set: alone",
    ),
    (
        f"{SET_UP}page: topics\nset: topics-view\n",
        10,
        "expected name = value after set:; got 'topics-view'",
    ),
    (
        f"{SET_UP}page: live\nset: view-axis = passes\nset: view-topics = 20\n"
        "set: view-axis = seconds\n",
        12,
        "view-axis is set in line 10 already",
    ),
    (
        f"{SET_UP}page: live\nset: view-topics = 30\n",
        10,
        "view-topics must be one of 10, 20, all; got '30'",
    ),
    (
        f"{SET_UP}page: live\nset: x = 1\n",
        10,
        "there is no control 'x'; choose from view-axis, view-topics",
    ),
    (
        f"{SET_UP}page: runs\nset: x = 1\n",
        10,
        "set: goes with a page that has something to set, see the README",
    ),
    (
        f"{SET_UP}sample: bars\nrun: hdp-svi gamma=2 gamma=3\n",
        10,
        "expected name=value once each after hdp-svi; got 'gamma=3'",
    ),
    (
        f"{SET_UP}sample: bars\nrun: hdp-svi passes=x\n",
        10,
        "passes must be a whole number from 1 to 1000000; got 'x'",
    ),
]


@pytest.mark.parametrize(("text", "line", "why"), WHOLE, ids=map(str, range(len(WHOLE))))
def test_a_refusal_is_a_whole_sentence_about_its_own_line(text, line, why):
    """One that ends within a word is compared up to there."""
    with pytest.raises(LessonError) as refused:
        parse(text, "mine.md")
    said = str(refused.value)
    assert re.match(re.escape(f"mine.md, line {line}: {why}"), said)
    assert said.endswith(f"{why}.") or why.endswith("the")
