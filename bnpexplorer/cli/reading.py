"""Reading a corpus as the options say."""

import argparse
import contextlib
import datetime
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.arrays import F64
from ..core.knob import knobs_of
from ..core.progress import Bar
from ..corpus import Corpus
from ..corpus.documents.enough import Loss, kept_sentence, losses, too_little
from ..corpus.intake.api import load_with_report
from ..corpus.intake.following import Follower, following
from ..corpus.readers.source import ReadOptions, read_bytes, shown
from ..corpus.text import Report
from ..corpus.words.settings import TextSettings, read_stop_words, with_words
from ..runs.beginning import Beginning
from ..runs.saved.library import Library
from ..runs.saved.rows import Saved
from ..samples import SAMPLES, load_sample

READING = (
    *("text", "date", "label", "id", "title", "format", "encoding", "split"),
    *("delimiter", "header", "sheet", "entry", "file_names", "passages", "join", "period"),
    *("as_of", "questions", "add_title", "label_parts", "ragged"),
)
"""Fields of `ReadOptions` that are options."""
BY_NAMES = "names"
"""The value of `--as-of` that reads tables as the first version did."""


def parsed(text: str) -> Any:
    """A number or truth value where the text is one, else the text."""
    lowered = text.strip().lower()
    if lowered in ("true", "yes", "false", "no"):
        return lowered in ("true", "yes")
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


@dataclass(frozen=True)
class CorpusRead:
    """A corpus and what is known of how it was read and made."""

    corpus: Corpus
    report: Report | None
    true_topics: F64 | None = None
    notes: tuple[str, ...] = ()
    """What the reader found and did, in sentences."""

    def said(self) -> dict[str, str]:
        """Head -> what a person has to know of how the corpus was read."""
        lines = {"read": " ".join(self.notes)}
        if self.report is not None:
            lines["left out"] = self.report.left_out
            if self.report.repeated:
                keeps = "--drop-repeated true keeps the first of each"
                lines["repeated"] = f"{self.report.repeated}; {keeps}"
            if self.report.left_out:
                lines["kept"] = kept_sentence(self.report)
            lines["lost"] = " ".join(map(_with_option, losses(self.report)))
        return {head: line for head, line in lines.items() if line}


def _with_option(loss: Loss) -> str:
    """A loss with the option that avoids it."""
    option = f"--{loss.name.replace('_', '-')}"
    value = f"'{loss.value}'" if isinstance(loss.value, str) else str(loss.value).lower()
    return f"{loss.sentence} {loss.remedy}: {option} {value}."


def inputs_of(options: argparse.Namespace) -> list[str]:
    """The files and folders that are read for the corpus."""
    named = [] if options.path.startswith("sample:") else [options.path]
    return named + [options.vocab] * (options.vocab is not None)


def corpus_of(options: argparse.Namespace, as_forms: bool = False) -> CorpusRead:
    """Return the corpus that the options name. With `as_forms`, open options are as on the page,
    which finds out language and clean-up."""
    if options.path.startswith("sample:"):
        name = options.path.removeprefix("sample:")
        if name not in SAMPLES:
            raise ValueError(f"There is no sample {name!r}; choose from {', '.join(SAMPLES)}.")
        sample = load_sample(name, options.seed or 0)
        return CorpusRead(sample.corpus, sample.report, sample.true_topics)
    reading, words = chosen_of(options)
    with told_how_far(options.path):
        loaded = load_with_report(options.path, options.vocab, reading, words, as_forms)
    warn((*loaded.warnings, too_little(loaded.corpus)))
    notes = tuple(note for note in loaded.notes if note not in loaded.warnings)
    return CorpusRead(loaded.corpus, loaded.report, notes=notes)


@contextlib.contextmanager
def told_how_far(path: str | Path) -> Iterator[None]:
    """On a terminal, say how far the reading of a file is. Ctrl-C cancels it."""
    bar, follower, name = Bar(), Follower(), shown(Path(path).name)
    follower.on_look = lambda: bar.tell(f"reading {name}: {follower.sentence}")
    with following(follower):
        yield
    bar.end()


def warn(sentences: Iterable[str]) -> None:
    """Say on standard error what is probably not meant; empty sentences say nothing."""
    for sentence in filter(None, sentences):
        print(f"bnpexplorer: {sentence}", file=sys.stderr)


def chosen_of(options: argparse.Namespace) -> tuple[ReadOptions, dict[str, Any]]:
    """How files are read, and the settings of words that are asked for."""
    words = {
        # Words stay words: no is a language, Norwegian.
        name: value if isinstance(default, str) else parsed(value)
        for name, default, _ in knobs_of(TextSettings)
        if (value := getattr(options, f"words_{name}")) is not None
    }
    asked = {name: getattr(options, name) for name in READING}
    several = {name: "\n".join(asked[name]) for name in ("text", "label")}
    as_of = {"": str(datetime.date.today()), BY_NAMES: ""}.get(asked["as_of"], asked["as_of"])
    reading = ReadOptions(**asked | several | {"as_of": as_of})
    return reading, with_own_stop_words(words)


def with_own_stop_words(words: dict[str, Any]) -> dict[str, Any]:
    """The settings with the words of a file where `stop_words` names one.

    Raises CorpusError for a file that holds none, ValueError for what is neither a file nor a list.
    """
    named = str(words.get("stop_words", TextSettings.stop_words))
    lists = next(about.choices for name, _, about in knobs_of(TextSettings) if name == "stop_words")
    if named in lists:
        return words
    path = Path(named)
    if not path.is_file():
        raise ValueError(f"--stop-words {named} is no file and none of {', '.join(lists)}.")
    more = read_stop_words(path.name, read_bytes(path))
    others = {name: value for name, value in words.items() if name != "stop_words"}
    return others | {"extra_stop_words": with_words(words.get("extra_stop_words", ""), more)}


def saved_run(
    library: Library,
    named: str,
    deleted: bool = False,
    none: str = "{} is neither a file nor a saved run; `runs` lists those.",
) -> Saved:
    """The saved run, or the `deleted` one, of this id, or else of this name.

    Raises ValueError for several, and for none: then with the sentence `none`.
    """
    saved = library.saved(deleted=deleted)
    known = [run for run in saved if run.run_id == named]
    known = known or [run for run in saved if run.name == named]
    if len(known) > 1:
        ids = ", ".join(run.run_id for run in known)
        kind = "deleted" if deleted else "saved"
        raise ValueError(f"{len(known)} {kind} runs are called {named}; choose by id: {ids}.")
    if not known:
        raise ValueError(none.format(named))
    return known[0]


def beginning_of(named: str) -> Beginning:
    """The topics of the run in this file, or else of the saved run of this id or name.

    Raises ValueError if there is none, or if it has found nothing.
    """
    if Path(named).is_file():
        return Beginning.of(named)
    library = Library()
    saved = saved_run(library, named)
    return Beginning.of(library.load(saved.run_id, to_go_on=False), saved.name)


@contextlib.contextmanager
def asked_to_stop() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets, so that no mini-batch is left half done; a second Ctrl-C ends."""
    asked = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def note(*_: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
