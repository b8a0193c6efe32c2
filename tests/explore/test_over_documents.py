"""Topics over time of some of the documents, such as those of one label; where periods end."""

import numpy as np
import pytest

from bnpexplorer.explore.over_documents import prevalence
from bnpexplorer.explore.periods import index, last_day, start

DATES = np.array(
    ["1991-02-01", "1990-05-01", "1991-07-01", "NaT", "1993-01-01", "1994-03-01"], "datetime64[D]"
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
    for row, begin in enumerate(found.starts):
        inside = only & (index(DATES, "year") == index(begin[None], "year"))
        assert found.n_docs[row] == inside.sum()
        if inside.any():
            mean = np.average(
                SHARES[inside], axis=0, weights=None if weights is None else weights[inside]
            )
            np.testing.assert_allclose(found.share[row], mean, rtol=1e-6)
        else:
            assert np.isnan(found.share[row]).all()


@pytest.mark.parametrize(
    ("period", "first", "last"),
    [
        ("day", "2014-11-09", "2014-11-09"),
        ("week", "2014-11-03", "2014-11-09"),
        ("week", "1969-12-22", "1969-12-28"),
        ("month", "2016-02-01", "2016-02-29"),
        ("quarter", "1968-04-01", "1968-06-30"),
        ("quarter", "2014-10-01", "2014-12-31"),
        ("year", "1900-01-01", "1900-12-31"),
        ("5 years", "1965-01-01", "1969-12-31"),
        ("10 years", "1960-01-01", "1969-12-31"),
        ("50 years", "1950-01-01", "1999-12-31"),
    ],
)
def test_both_ends_of_a_period_belong_to_it_and_no_day_beyond(period, first, last):
    days = np.array([first, last], "datetime64[D]") + np.array([[-1, 0], [0, 1]])
    before, inside, last_inside, after = index(days.T.ravel(), period).tolist()
    assert (before, inside, last_inside, after) == (inside - 1, inside, inside, inside + 1)
    assert str(start(np.array([inside]), period)[0]) == first
    assert [str(last_day(day, period)) for day in (first, last)] == [last] * 2
