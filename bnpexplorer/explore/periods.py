"""Periods of the calendar: which one a day belongs to, where it begins, what it is called.

Documents by their label: outlet, party, section, whatever the texts came with.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..core.arrays import I64, Bools

Column = npt.NDArray[Any]
Period = Literal["day", "week", "month", "quarter", "year", "5 years", "10 years", "50 years"]
PERIODS: tuple[Period, ...] = (
    "day",
    "week",
    "month",
    "quarter",
    "year",
    "5 years",
    "10 years",
    "50 years",
)
USUAL: tuple[Period, ...] = ("day", "month", "year", "5 years", "10 years", "50 years")
"""What is chosen without being asked for: addresses that name no period show what they did before
there were weeks and quarters."""
MANY = 80
"""More periods than this are too many to read."""
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
QUARTERS = ("first", "second", "third", "fourth")


def suitable_period(dates: Column) -> Period:
    """The shortest usual period that cuts the known dates into at most `MANY` pieces."""
    for period in USUAL:
        if 0 < count(dates, period) <= MANY:
            return period
    return USUAL[-1]


def count(dates: Column, period: Period) -> int:
    """How many periods there are from the first known date to the last; 0 without one."""
    if not len(dates):
        return 0
    ends = np.array([np.fmin.reduce(dates), np.fmax.reduce(dates)])  # unknown ones do not count
    return 0 if np.isnat(ends).any() else int(np.ptp(index(ends, period))) + 1


def index(days: Column, period: Period) -> I64:
    """The number of the period that each day belongs to: int64. Weeks begin on Mondays."""
    number = days.astype("datetime64[D]").astype(np.int64)
    if period == "day":
        return np.asarray(number)
    if period == "week":
        return np.asarray((number + 3) // 7)  # 1 January 1970 was a Thursday
    months = days.astype("datetime64[M]").astype(np.int64)
    if period in ("month", "quarter"):
        return np.asarray(months // (3 if period == "quarter" else 1))
    year = days.astype("datetime64[Y]").astype(np.int64) + 1970
    return np.asarray(year // _years(period))


def start(numbers: I64, period: Period) -> Column:
    """The first day of periods: datetime64[D]."""
    if period == "day":
        return np.asarray(numbers.astype("datetime64[D]"))
    if period == "week":
        return np.asarray((7 * numbers - 3).astype("datetime64[D]"))
    if period in ("month", "quarter"):
        months = numbers * (3 if period == "quarter" else 1)
        return np.asarray(months.astype("datetime64[M]").astype("datetime64[D]"))
    years = (numbers * _years(period) - 1970).astype("datetime64[Y]")
    return np.asarray(years.astype("datetime64[D]"))


def _years(period: Period) -> int:
    return {"year": 1, "5 years": 5, "10 years": 10, "50 years": 50}[period]


def day_in_words(day: Any) -> str:
    """3 October 2014."""
    year, month, number = str(np.datetime64(day, "D")).rsplit("-", 2)
    return f"{int(number)} {MONTHS[int(month) - 1]} {year}"


def in_words(first_day: Any, period: Period) -> str:
    """When a period that begins on this day was, to stand in a sentence: "in October 2014"."""
    day = np.datetime64(first_day, "D")
    year, month, _ = str(day).rsplit("-", 2)
    if period == "day":
        return f"on {day_in_words(day)}"
    if period == "week":
        return f"in the week of {day_in_words(day)}"
    if period == "month":
        return f"in {MONTHS[int(month) - 1]} {year}"
    if period == "quarter":
        return f"in the {QUARTERS[(int(month) - 1) // 3]} quarter of {year}"
    if period == "year":
        return f"in {year}"
    if period == "10 years":
        return f"in the {year}s"
    return f"in {year}–{int(year) + _years(period) - 1}"


def last_day(first_day: Any, period: Period) -> np.datetime64:
    """The last day of the period that a day belongs to."""
    number = index(np.array([first_day], "datetime64[D]"), period)
    found: np.datetime64 = start(number + 1, period)[0] - np.timedelta64(1, "D")
    return found


LARGEST = 12
"""Labels with a place of their own in figures; the others are drawn as one."""
OTHERS = "all others"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Which of L labels each of D documents has."""

    names: tuple[str, ...]
    """The label with most documents first; of equal ones by the alphabet."""
    codes: I64
    """int64 (D,): place in `names`; -1 for a document without a label."""
    n_docs: I64
    """int64 (L,)"""

    @property
    def n_unlabelled(self) -> int:
        return int((self.codes < 0).sum())

    def folded(self, largest: int = LARGEST) -> "Labelled":
        """The `largest` labels and all others as one; the same if one more is all there is."""
        if len(self.names) <= largest + 1:
            return self
        name = OTHERS if OTHERS not in self.names else f"{OTHERS} than these"
        codes = np.minimum(self.codes, largest)
        n_docs = np.append(self.n_docs[:largest], self.n_docs[largest:].sum())
        return Labelled((*self.names[:largest], name), codes, n_docs)


def labelled(label: Column | None, n_docs: int) -> Labelled | None:
    """The labels of `n_docs` documents, object (D,); None if fewer than two are in use.

    Blanks around a label do not count; an empty one is no label.
    """
    if label is None:
        return None
    # Equal labels are looked at once: 500,000 of ten different ones were sorted for a second.
    kinds: dict[str, int] = {}
    keys = (value if type(value) is str else text_of(value) for value in label)
    of_kind = np.fromiter((kinds.setdefault(key, len(kinds)) for key in keys), np.int64, len(label))
    names, place_of = np.unique(np.array([*map(text_of, kinds)], str), return_inverse=True)
    back = place_of[of_kind]
    n = np.bincount(back, minlength=len(names))
    given = np.flatnonzero(names != "")
    if len(given) < 2:
        return None
    order = given[np.argsort(-n[given], kind="stable")]
    place = np.full(len(names), -1, np.int64)
    place[order] = np.arange(len(order))
    return Labelled(tuple(names[order].tolist()), place[back], n[order].astype(np.int64))


def text_of(value: object) -> str:
    """A label as it is shown and compared; empty if there is none."""
    return "" if value is None or value != value else str(value).strip()


def with_label(label: Column | None, n_docs: int, wanted: tuple[str, ...]) -> Bools:
    """Which documents have one of these labels, "" for none: bool (D,)."""
    names = set(wanted)
    if label is None:
        return np.full(n_docs, "" in names)
    return np.fromiter((text_of(value) in names for value in label), bool, n_docs)
