"""One saved run as lists show it, bounded before any page sees it."""

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, get_args

from ...core import store
from ...evaluate import split_of, topics_in_use
from ...state.labels import Labels
from ..choices import MOST_NUMBER
from ..draws import ChainOf
from ..keeping import Status
from ..plan import MOST_CHAINS
from ..run import Run

NAME_LENGTH, TAGS_LENGTH, LABEL_LENGTH = 80, 200, 60
"""Most letters of a run's name, of a tag, and of a topic's name, as the fields of pages allow."""
SENTENCE_LENGTH = 1000
"""Most letters of what is said of a run."""
LATEST = 9e9
"""Seconds since 1970, in the year 2255: tables of pandas end in 2262."""
AT_REST = ("finished", "stopped", "failed", "paused")
"""Statuses of a run whose thread came to rest before its server ended."""
USUAL: Mapping[str, Any] = {
    "method": "",
    "model": "",
    "corpus": "",
    "protocol": "",
    "status": "stopped",
    "seed": 0,
    "docs_seen": 0,
    "planned_docs": 0,
    "n_topics": 0,
}
"""Default facts, for rows of earlier versions that lack some."""


@dataclass(frozen=True)
class Saved:
    """The row of one saved run."""

    run_id: str
    name: str
    corpus_key: str
    created: float
    """Seconds since 1970."""
    updated: float
    facts: Mapping[str, Any]
    """The result of `facts_of` at the last save."""
    tags: tuple[str, ...] = ()
    labels: Labels = field(default_factory=Labels)
    deleted: float | None = None
    """When it was deleted; it can be brought back for a week."""
    n_bytes: int = 0
    """Bytes on disk, without the corpus, which several runs may share."""

    @property
    def interrupted(self) -> bool:
        """Whether it was learning when it was saved last: true too while it still does."""
        return self.facts["status"] not in AT_REST

    @property
    def chain(self) -> ChainOf | None:
        """Its place among several chains, or None."""
        found = self.facts.get("chain")
        return None if found is None else ChainOf(**found)

    @property
    def failure(self) -> str:
        """How it ended, if with an error, and where it goes on; else empty."""
        if self.facts["status"] != "failed":
            return ""
        step = self.facts.get("step")  # older rows have none
        where = "where it was saved last" if step is None else f"step {step:,}"
        error = self.facts.get("error", "").rstrip(".")
        return f"stopped with an error: {error}. Resume goes on from {where}."

    def judged_with(self, run: Run) -> bool:
        """Whether its score and that of `run` have the same training and held-out documents and the
        same protocol, so that they compare methods. False for older rows, which lack the split."""
        facts = self.facts
        there = facts.get("split", "") == split_of(run.corpus, run.heldout)
        return there and facts["protocol"] == run.protocol and facts["heldout"] is not None

    @property
    def progress(self) -> float:
        """The share of its documents that it has learned, 1 if it has converged."""
        done = self.facts["status"] == "finished"
        return 1.0 if done else self.facts["docs_seen"] / max(self.facts["planned_docs"], 1)


@dataclass(frozen=True)
class Damaged:
    """A folder of a run that cannot be listed; it can only be deleted."""

    run_id: str
    why: str
    n_bytes: int


def one_line(text: str, most: int) -> str:
    """Return at most `most` characters of `text`, with spaces for line ends, control characters and
    lone surrogates, which no page or database can show."""
    blank = ("Cc", "Cs", "Zl", "Zp")
    plain = "".join(" " if unicodedata.category(c) in blank else c for c in text.strip()[:most])
    return plain.strip()


def facts_of(run: Run, status: str) -> dict[str, Any]:
    """Return the facts of a run for lists, as plain numbers and strings."""
    topics = run.topics if run.n_steps else None
    scores = [point.heldout for point in run.history if point.heldout == point.heldout]
    chain = {} if run.chain is None else {"chain": asdict(run.chain)}
    return {
        "method": run.method.name,
        "model": run.method.model.name,
        "corpus": run.corpus.name,
        "protocol": run.protocol,
        "status": status,
        "seed": run.seed,
        "step": run.n_steps,
        "docs_seen": run.docs_seen,
        "planned_docs": run.planned_docs,
        "seconds": run.seconds,
        "n_topics": 0 if topics is None else topics_in_use(topics),
        "heldout": scores[-1] if scores else None,
        "split": split_of(run.corpus, run.heldout),
        **chain,
    }


# ---- reading a row -------------------------------------------------------------------------------


def saved_of(row: Mapping[str, Any], n_bytes: int) -> Saved:
    """Check a row from the folder of its run. Raises one of `store.DAMAGE`."""
    facts, tags, labels = (store.part(row, name) for name in ("facts", "tags", "labels"))
    if not isinstance(tags, list):
        raise ValueError("its tags are no list")
    run_id = _words("run_id", row["run_id"])
    return Saved(
        run_id,
        one_line(_words("name", row["name"]), NAME_LENGTH) or run_id,
        _words("corpus_key", row["corpus_key"]),
        _time(row["created"]),
        _time(row["updated"]),
        _facts(facts),
        tuple(one_line(_words("tags", tag), TAGS_LENGTH) for tag in tags),
        short_labels(Labels.from_json(labels)),
        None if row["deleted"] is None else _time(row["deleted"]),
        n_bytes,
    )


def short_labels(labels: Labels) -> Labels:
    """With names of one line; those that are empty go."""
    short = {topic: one_line(name, LABEL_LENGTH) for topic, name in labels.names.items()}
    return replace(labels, names={topic: name for topic, name in short.items() if name})


def _facts(found: Any) -> dict[str, Any]:
    """Return checked facts that a page can show."""
    facts = {**USUAL, "heldout": None, **found}
    for name, usual in USUAL.items():
        kind = _words if isinstance(usual, str) else _count
        facts[name] = kind(name, facts[name])
    if facts["status"] not in get_args(Status):
        raise ValueError(f"its status is {facts['status']!r}")
    score = facts["heldout"]
    if isinstance(score, float) and not math.isfinite(score):  # a word that has no probability
        facts["heldout"] = None
    elif score is not None:
        facts["heldout"] = _number("heldout", score)
    facts["corpus"] = one_line(facts["corpus"], SENTENCE_LENGTH)
    if "error" in facts:
        facts["error"] = one_line(_words("error", facts["error"]), SENTENCE_LENGTH)
    if "split" in facts:
        facts["split"] = one_line(_words("split", facts["split"]), SENTENCE_LENGTH)
    if facts.get("step") is not None:
        _count("step", facts["step"])
    if facts.get("chain") is not None:
        check_chain(store.unpack(ChainOf, facts["chain"], {}))
    return facts


def check_chain(chain: ChainOf) -> None:
    """Raise ValueError if `chain` is impossible or cannot be shown."""
    if not 0 <= chain.place < chain.of <= MOST_CHAINS:
        raise ValueError(f"it is chain {chain.place + 1} of {chain.of}")
    for name, words, most in (("group", chain.group, 40), ("sentence", chain.sentence, 1000)):
        if words != one_line(words, most):
            raise ValueError(f"the {name} of its chain cannot be shown")


def _words(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"its {name} is no text")
    return value


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_NUMBER:
        raise ValueError(f"its {name} is {value!r:.40}")
    return value


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"its {name} is no number")
    if not math.isfinite(value):
        raise ValueError(f"its {name} is {value}")
    return float(value)


def _time(value: Any) -> float:
    seconds = _number("time", value)
    if not 0.0 <= seconds <= LATEST:
        raise ValueError(f"its time is {seconds:g}")
    return seconds
