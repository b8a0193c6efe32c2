"""A part of a page drawn alone, of a moment that is written down here: every number differs.

Six documents of unequal lengths, dates and labels; three topics whose sizes are not in the order of
their identities.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.corpus import Corpus, DocTable
from bnpexplorer.corpus.text import describe
from bnpexplorer.corpus.words.occurrences import TextMatches
from bnpexplorer.methods import make_method
from bnpexplorer.models import MODELS
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.moment import Moment
from bnpexplorer.state.snapshot import Snapshot, Topics
from bnpexplorer.ui.frame.server import LoadedCorpus
from bnpexplorer.ui.parts.explore import Explored

from .pages import check
from .waiting import NEVER

WORDS = ("tide", "ship", "tax", "law", "rose")
COUNTS = np.array(
    [
        [9, 1, 0, 0, 0],
        [3, 2, 1, 0, 0],
        [0, 0, 7, 4, 1],
        [0, 1, 2, 9, 0],
        [0, 0, 0, 1, 8],
        [1, 0, 0, 0, 3],
    ]
)
DATES = ("2001-02-03", "2002-03-04", "2003-04-05", "NaT", "2001-06-07", "2003-08-09")
LABELS = ("sea", "sea", "state", "state", "state", "garden")
TITLES = ("First sail", "Second port", "Third budget", "Fourth court", "Fifth bed", "Sixth hedge")
IDS = (4, 9, 2)
SIZES = (16.0, 25.0, 12.0)
TOPIC_WORD = np.array(
    [[0.6, 0.3, 0.06, 0.03, 0.01], [0.02, 0.05, 0.43, 0.48, 0.02], [0.05, 0.02, 0.03, 0.1, 0.8]],
    np.float32,
)
SHARES = np.array(
    [
        [0.93, 0.05, 0.02],
        [0.71, 0.22, 0.07],
        [0.04, 0.88, 0.08],
        [0.11, 0.83, 0.06],
        [0.03, 0.13, 0.84],
        [0.24, 0.17, 0.59],
    ],
    np.float32,
)


def texts_of(counts: np.ndarray) -> Corpus:
    """The documents, with a title, a text, a date and a label each."""
    texts = [
        " ".join(w for w, n in zip(WORDS, row, strict=True) for _ in range(n)) for row in counts
    ]
    columns = {"title": TITLES, "text": texts, "label": LABELS}
    docs = {name: np.array([*values], object) for name, values in columns.items()}
    table = DocTable(date=np.array(DATES, "datetime64[D]"), **docs)
    return Corpus.from_csr(counts, WORDS, table, "the six")


def moment(labels: Labels | None = None, model: str = "hdp", **snapshot: Any) -> Moment:
    """The three topics after 40 documents seen; `labels`: what a person said of them."""
    size = np.array(SIZES)
    weight = 0.9 * size / size.sum()
    ids = np.array(IDS, np.int64)
    topics = Topics(TOPIC_WORD, size + 0.5, size, weight, 0.1, ids, 1.0, 1.0, 0.1)
    found = {"trace": (), "events": ()} | snapshot
    at = Snapshot(5, 40, 2.0, topics, **found)
    return Moment(at, texts_of(COUNTS), MODELS[model](), labels or Labels(), "run-a", 6, 60)


def explored(
    moment: Moment, owned: bool = True, readable: bool = True, **background: Any
) -> Explored:
    """The moment as a tab explores it: its owner's, or somebody's who watches."""
    named = SimpleNamespace(
        name="a run",
        method=SimpleNamespace(name="hdp-tsvi", model=moment.model),
        passes_said="pass of {}".format,
    )
    usual = {"run": named, "status": "finished", "ended": True, "latest": moment.snapshot}
    entry = SimpleNamespace(
        run_id=moment.run_id,
        labels=moment.labels,
        secret="secret",
        background=SimpleNamespace(**usual | background),
    )
    shown = SimpleNamespace(entry=entry, owned=owned)
    loaded = LoadedCorpus(moment.corpus, describe(moment.corpus))
    return Explored(shown, moment, loaded, readable)  # type: ignore[arg-type]


def drawn(part: Callable[..., object], *given: Any, **state: Any) -> AppTest:
    """What a part of a page draws, with this session state (a dash is an underscore)."""

    def script(part, given):  # type: ignore[no-untyped-def]  # its source is run by itself
        part(*given)

    app = AppTest.from_function(
        script, kwargs={"part": part, "given": given}, default_timeout=NEVER
    )
    for name, value in state.items():
        app.session_state[name.replace("_", "-")] = value
    return check(app.run())


class Handed:
    """What a part of a page hands on, by its key: figures, what answers a click, and tables."""

    def __init__(self) -> None:
        self.figures: dict[str, Any] = {}
        self.clicks: dict[str, Callable[[Any], None] | None] = {}
        self.more: dict[str, dict[str, Any]] = {}
        self.tables: dict[str, Any] = {}
        self.asked: dict[str, dict[str, Any]] = {}
        """How each table is to be shown, where that is said."""
        self.led: list[tuple[Any, ...]] = []
        """Topic, filter, search and document of each way to the Documents page that was taken."""

    def _figure(
        self, figure: Any, key: str, height: int, alt: str, on_click: Any = None, **more: Any
    ) -> None:
        self.figures[key] = figure() if callable(figure) else figure
        self.clicks[key], self.more[key] = on_click, more | {"height": height, "alt": alt}

    def _table(self, name: str, frame: Any, **asked: Any) -> None:
        self.tables[name], self.asked[name] = frame(), asked

    def _lead(
        self, _: Any, topic: Any = None, asked: Any = None, search: str = "", row: Any = None
    ) -> None:
        self.led.append((topic, asked, search, row))


def handed(monkeypatch: pytest.MonkeyPatch, *rooms: Any) -> Handed:
    """Note what these modules hand on instead of drawing it."""
    found = Handed()
    doubles = {
        "live_figure": found._figure,
        "read_as_table": found._table,
        "lead_to_documents": found._lead,
    }
    for room in rooms:
        for name, double in doubles.items():
            if hasattr(room, name):
                monkeypatch.setattr(room, name, double)
    return found


def asked(part: Callable[..., object], *given: Any, **state: Any) -> tuple[AppTest, list[Any]]:
    """The page that a part draws, and what the part gives back, the newest last."""
    found: list[Any] = []

    def noted(*what: Any) -> None:
        found.append(part(*what))

    return drawn(noted, *given, **state), found


def found_in(_: Moment, text: str, __: object) -> TextMatches:
    """Words between blanks, in place of the cutter; a pattern that does not end meets `stuck`."""
    if text == "stuck":
        raise CorpusError("Its *pattern* did not cut this text.")
    terms = text.split()
    counts = {WORDS.index(t): terms.count(t) for t in dict.fromkeys(terms) if t in WORDS}
    unknown = {t: terms.count(t) for t in dict.fromkeys(terms) if t not in WORDS}
    return TextMatches((), counts, unknown, 2)


def on_page(name: str, at: Moment | None = None, owned: bool = True, **changed: Any) -> Any:
    """A run of the Live page at a moment; what is not given is that of a run that has finished."""
    run = {
        "name": name,
        "method": make_method("hdp-tsvi"),
        "corpus": texts_of(COUNTS),
        "passes": 3,
        "planned_docs": 160,
        "until": "passes",
        "protocol": "completion",
        "threads": 2,
    } | dict.fromkeys(("known", "pool", "heldout", "given", "chain"))
    said = dict.fromkeys(
        ("error", "lost", "asked_for", "why_paused", "not_kept", "error_details"), ""
    )
    background = {"status": "finished", "latest": at and at.snapshot, "ended": True, **said}
    background |= {"place_in_queue": 0, "run": SimpleNamespace(**run | changed.pop("run", {}))}
    entry = SimpleNamespace(run_id=f"id-{name}", background=SimpleNamespace(**background | changed))
    return SimpleNamespace(entry=entry, owned=owned, moment=at)
