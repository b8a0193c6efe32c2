"""What a trial notes at a moment where it has more topics than are noted of it."""

import numpy as np
import pytest

from bnpexplorer.claims.attempt import StudyTerms, begin
from bnpexplorer.claims.learned import is_short
from bnpexplorer.claims.trial import UNLIMITED, Trial, TrialOutcome
from bnpexplorer.evaluate import npmi


def test_of_many_topics_the_twenty_largest_are_noted_the_largest_first(bars):
    values = (("n_topics", 27),)
    trial = Trial("one", 5, "lda-svi", 3, 60, values=values, passes=2)
    attempt = begin(trial, StudyTerms(1e9, "", False, False), bars[0].take(np.arange(120)), {})
    attempt.learn(lambda: True)
    topics = attempt.run.method.topics(attempt.run.state)
    largest = sorted(range(27), key=lambda k: -topics.size[k])[:20]
    found = attempt.outcome
    assert len(topics.size) == 27
    assert list(found.words[-1]) == [str(topics.topic_ids[k]) for k in largest]
    assert list(found.sizes[-1].values()) == [topics.size[k] for k in largest]
    each = [npmi(topics.topic_word[[k]], attempt.run.corpus)[0] for k in range(27)]
    of_largest = np.mean([each[k] for k in largest])
    assert found.coherence == (pytest.approx(of_largest, abs=1e-6),)
    others = np.mean(each), np.mean([each[k] for k in largest[:10]])
    assert min(abs(of_largest - other) for other in others) > 1e-4


@pytest.mark.parametrize(
    ("asked", "read", "short"),
    [
        (3, (1.0, 3.0), False),
        (3, (1.0, 3.0 * (1 - 1e-12)), False),
        (3, (1.0, 2.99), True),
        (UNLIMITED, (1.0, 2.0), False),
        (3, (), False),
    ],
)
def test_a_trial_is_short_of_its_passes_by_more_than_rounding(asked, read, short):
    trial = Trial("one", 0, "lda-svi", 0, passes=asked)
    assert is_short(trial, TrialOutcome(passes=read)) == short
