"""Twelve questions of a class on growth, shrinking and "locally", and where each is answered."""

import pytest

from bnpexplorer.lessons import LESSON_FILES, read

QUESTIONS = {
    "What makes a topic be born?": ("birth", 2, "this is the largest product"),
    "When are they born?": ("birth", 3, "The first step has the most births"),
    "How many are to be expected?": ("concentration", 1, "the number grows like α ln(1 + n/α)"),
    "Can a truncated run grow?": ("truncation", 3, "none is ever added"),
    "Why does a small topic lose words?": ("shrinking", 1, "mean field penalizes uncertainty"),
    "Why does it grow less certain?": ("shrinking", 2, "makes it more uncertain"),
    "When is it gone?": ("shrinking", 2, "After nine steps it is gone"),
    "Why does it not come back?": ("shrinking", 3, "a topic without words has only its prior"),
    "What is collapsed?": ("locally", 1, "it integrates the topics out"),
    "Why only locally?": ("locally", 2, "A stream has no place for that"),
    "Why does the local step sample?": ("locally", 3, "no longer independent"),
    "What bound is left?": ("locally", 4, "makes it looser"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_finds_its_answer(question):
    name, number, sentence = QUESTIONS[question]
    step = read(LESSON_FILES / f"{name}.md").steps[number - 1]
    assert sentence in " ".join(f"{step.text} {step.question} {step.answer}".split())
