"""Topics over time of some of the documents, such as those of one label."""

import numpy as np
import pytest

from bnpexplorer.explore.over_documents import prevalence
from bnpexplorer.explore.periods import index

DATES = np.array(
    ["1990-05-01", "1991-02-01", "1991-07-01", "NaT", "1993-01-01", "1994-03-01"], "datetime64[D]"
)
SHARES = np.random.default_rng(4).dirichlet([1, 1, 1], len(DATES)).astype(np.float32)
WEIGHTS = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])


@pytest.mark.parametrize("chosen", [[1, 2], [0, 3], [5], [3], []])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_chosen_documents_lie_over_the_periods_of_all(chosen, weights):
    only = np.isin(np.arange(len(DATES)), chosen)
    found = prevalence(SHARES, DATES, "year", weights, only)
    assert found.starts.astype(str).tolist() == [f"{year}-01-01" for year in range(1990, 1995)]
    assert found.n_undated == 1, "of all documents, whether they are chosen or not"
    for row, start in enumerate(found.starts):
        inside = only & (index(DATES, "year") == index(start[None], "year"))
        assert found.n_docs[row] == inside.sum()
        if inside.any():
            mean = np.average(
                SHARES[inside], axis=0, weights=None if weights is None else weights[inside]
            )
            np.testing.assert_allclose(found.share[row], mean, rtol=1e-6)
        else:
            assert np.isnan(found.share[row]).all()
