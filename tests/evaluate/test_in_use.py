"""Counts of topics in use, on sizes whose answers are known."""

import numpy as np
import pytest

from bnpexplorer.evaluate import effective_topics, topics_covering, topics_in_use
from bnpexplorer.state.snapshot import Topics


def sized(*size: float) -> Topics:
    n = len(size)
    return Topics(
        topic_word=np.full((n, 3), 1 / 3, np.float32),
        total=np.ones(n),
        size=np.array(size, float),
        weight=np.full(n, 1 / n) if n else np.zeros(0),
        unseen=0.0 if n else 1.0,
        topic_ids=np.arange(n),
        concentration=1.0,
        gamma=1.0,
        eta=0.1,
    )


def test_threshold_is_inclusive_up_to_rounding():
    topics = sized(5.0, 1.0, 1.0 - 1e-12, 0.99, 0.0)
    assert topics_in_use(topics) == 3
    assert topics_in_use(topics, threshold=5.0) == 1
    assert topics_in_use(topics, threshold=5.1) == 0


def test_covering_takes_the_largest_topics_first():
    assert topics_covering(sized(5, 900, 90, 4, 1)) == 2  # 990 of 1000
    assert topics_covering(sized(5, 900, 90, 4, 1), share=0.991) == 3
    assert topics_covering(sized(5, 900, 90, 4, 1), share=0.5) == 1
    assert topics_covering(sized(1, 1, 1, 1), share=1.0) == 4
    assert topics_covering(sized(1, 0, 1, 0), share=1.0) == 2


def test_effective_number():
    assert effective_topics(sized(2, 2, 2, 0)) == pytest.approx(3.0)
    assert effective_topics(sized(7)) == pytest.approx(1.0)
    # entropy of (1/2, 1/4, 1/4) is 1.5 bits
    assert effective_topics(sized(2, 1, 1)) == pytest.approx(2**1.5)


@pytest.mark.parametrize("topics", [sized(), sized(0.0, 0.0)])
def test_nothing_in_use(topics):
    assert topics_in_use(topics) == 0
    assert topics_covering(topics) == 0
    assert effective_topics(topics) == 0.0
