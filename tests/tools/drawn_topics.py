"""Topics, groups of them and labels, as hypothesis draws them: none is like another."""

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import Topics

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.one_of(st.just(0.0), st.floats(0.01, 1e6))


NAMES = st.text(max_size=12)


@st.composite
def topics(draw, most=8, n_words=7, sizes=SIZES):
    """Topics of any sizes, whose weights are not in proportion to these, under any identities."""
    ids = draw(st.lists(st.integers(0, 30), min_size=1, max_size=most, unique=True))
    size = np.array(draw(st.lists(sizes, min_size=len(ids), max_size=len(ids))))
    rng = np.random.default_rng(draw(SEEDS))
    words = rng.dirichlet(np.full(n_words, 0.4), len(ids)).astype(np.float32)
    *weight, unseen = rng.dirichlet(np.ones(len(ids) + 1)).tolist()
    total = size + 0.1 * n_words
    return Topics(
        words, total, size, np.array(weight), unseen, np.array(ids, np.int64), 1.0, 1.0, 0.1
    )


@st.composite
def groups(draw, ids=range(35)):
    """Some topics, of which some may not be there, each in one group at most."""
    order = draw(st.permutations(sorted(ids)))
    sizes = draw(st.lists(st.integers(2, 4), max_size=4))
    ends = np.cumsum([0, *sizes]).tolist()
    parts = [order[a:b] for a, b in pairwise(ends)]
    return {part[0]: tuple(sorted(part[1:])) for part in parts if len(part) > 1}


@st.composite
def labels(draw, names=NAMES):
    """What a person may have said of the topics 0 to 34."""
    some = st.frozensets(st.integers(0, 34), max_size=5)
    said = Labels(hidden=draw(some), pinned=draw(some), groups=draw(groups()), folded=draw(some))
    for topic, name in draw(st.dictionaries(st.integers(0, 34), names, max_size=6)).items():
        said = said.rename(topic, name)
    return said
