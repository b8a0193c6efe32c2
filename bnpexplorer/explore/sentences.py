"""Changes as sentences to quote: what they say is what was computed, neither more nor less.

Numbers are rounded as far as the change stays right within a tenth of itself. Every sentence stands
alone; its detail says how it was compared and how sure it is.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core.display import percent, plural, rates
from .change import Changes, ChangeTurn
from .changed_words import ChangedWords
from .mix import NONE, REST, Mix
from .periods import Labelled, Period, in_words

NB = "\u00a0"
MOST_DIGITS = 5
"""Decimals that a share is written with, of two that hardly differ."""
Counted = Literal["words", "documents"]
"""What counts the same: every word, or every document, long or short."""


@dataclass(frozen=True)
class Sentence:
    """What to quote, and what it rests on."""

    text: str
    detail: str


@dataclass(frozen=True)
class Basis:
    """What a share is a share of."""

    counted: Counted
    mixture: bool = False
    """Every document belongs to one component, which is called a cluster."""
    noun: str = "topic"

    @property
    def of(self) -> str:
        if self.counted == "words":
            return "of the words"
        return "of the documents" if self.mixture else "of the average document"


@dataclass(frozen=True)
class Sides:
    """What two sets of documents are called."""

    before: str
    """"the Whigs" of labels, or a range of dates: "1 May 1961 to 14 January 1969"."""
    after: str
    labels: bool = False
    """Two labels, of which none comes first."""

    @property
    def heads(self) -> tuple[str, str]:
        """Of two columns of a table, which no other column is called."""
        return (f"in {self.before}", f"in {self.after}") if self.labels else ("before", "after")

    def ahead(self, risen: bool) -> str:
        """Which way a difference goes: "more in “Whig” than in “Democratic”" of labels."""
        if not self.labels:
            return "up" if risen else "down"
        most, least = (self.after, self.before) if risen else (self.before, self.after)
        return f"more in “{most}” than in “{least}”"


def turn_sentence(name: str, turn: ChangeTurn, period: Period, basis: Basis) -> Sentence:
    """A rise or fall from one period to the next: "In October 2014 topic “ebola” rose ..."."""
    rose = turn.after > turn.before
    before, after = two_percents(turn.before, turn.after)
    now, then = in_words(turn.later, period), in_words(turn.earlier, period)
    text = (
        f"{now[0].upper()}{now[1:]} {basis.noun} “{name}” {'rose' if rose else 'fell'} from "
        f"{before} {then} to {after} {basis.of}."
    )
    detail = (
        f"{plural(turn.n_earlier, 'document')} {then}, {turn.n_later:,} {now}"
        f"{_in_texts((turn.n_earlier, turn.units_earlier), (turn.n_later, turn.units_later))}; "
        f"{_at_least(turn.sure, Sides(then, now))}, {_certain(turn.n_compared)}."
    )
    return Sentence(text, detail)


@dataclass(frozen=True)
class Scale:
    """The unit in which the parts of a change are told."""

    per: float
    unit: str


POINTS = Scale(100.0, "points")
WORDS_OF_1000 = Scale(1000.0, "times in 1,000 words")


def with_mix(
    sentence: Sentence,
    mix: Mix | None,
    labels: Labelled | None,
    counted: Counted,
    between: Sides | None = None,
    scale: Scale = POINTS,
) -> Sentence:
    """Return the sentence of a change with its cause, where the mix of labels surely differs.

    The text tells the larger part, and as the cause where it surely is; and where the mix surely
    goes against what happened within labels, that too. The detail has both parts. `between`: the
    two labels that are compared; then `labels` are periods. `mix`: None where labels cannot tell.
    """
    if mix is None or labels is None or not mix.moved:
        return sentence
    kind, differs = ("period", "differs") if between else ("label", "changed")
    if mix.larger == "mix":
        cause = ", mostly because " if mix.sure else ", while "
        cause += _moved(mix, labels, counted, between)
        if mix.against:
            less = (
                ("less" if mix.parts[2] > 0.0 else "more")
                if between
                else ("fell" if mix.parts[2] > 0.0 else "rose")
            )
            cause += f"; in texts of the same {kind} it {'is ' if between else ''}{less}"
    elif mix.sure:
        cause = f", mostly in texts of the same {kind}, though the mix of {kind}s {differs}, too"
    elif mix.helped:
        cause = f", partly because {_moved(mix, labels, counted, between)}"
    else:
        cause = ""
    digits = 1 if abs(mix.parts[2]) >= 0.01 else 3
    of_mix, within, total = (
        [f"{scale.per * value:+.{digits}f}" for value in values]
        for values in np.stack([mix.parts, mix.low, mix.high], axis=1).tolist()
    )
    said = (
        f" Of {total[0]} {scale.unit} {of_mix[0]} ({of_mix[1]} to {of_mix[2]}) come from the mix "
        f"of {kind}s and {within[0]} ({within[1]} to {within[2]}) from texts of the same {kind}, "
        "with the same certainty."
    )
    if mix.shared < 1.0 - 1e-9:
        said += f" {percent(mix.shared)} of the {counted} have {kind}s of both sides."
    return Sentence(f"{sentence.text[:-1]}{cause}.", f"{sentence.detail}{said}")


def _moved(mix: Mix, labels: Labelled, counted: Counted, between: Sides | None) -> str:
    """Which label moved the mix most, for the end of a sentence."""
    before, after = two_percents(mix.before, mix.after)
    if between:
        when = {NONE: "have no date", REST: "are from periods with few texts"}
        of = when.get(mix.label) or f"are from {labels.names[mix.label]}"
        return (
            f"{after} of the {counted} of “{between.after}” and {before} of those of "
            f"“{between.before}” {of}"
        )
    those = {NONE: "texts without a label", REST: "labels with few texts"}
    name = those.get(mix.label) or f"“{labels.names[mix.label]}”"
    return f"{name} went from {before} to {after} of the {counted}"


def change_sentence(name: str, found: Changes, k: int, sides: Sides, basis: Basis) -> Sentence:
    """The change of column k between two sets of documents, each with at least one."""
    a, b = float(found.before[k]), float(found.after[k])
    before, after = two_percents(a, b)
    if sides.labels:
        text = (
            f"{basis.noun.capitalize()} “{name}” is {after} {basis.of} of “{sides.after}” and "
            f"{before} of those of “{sides.before}”."
        )
        if basis.counted == "documents" and not basis.mixture:
            text = text.replace("of those of", "of that of")
    else:
        verb = "rose" if b > a else "fell" if b < a else "stayed"
        text = (
            f"{basis.noun.capitalize()} “{name}” {verb} from {before} {basis.of} ({sides.before}) "
            f"to {after} ({sides.after})."
        )
    sure = float(found.sure[k])
    bound = (
        f"{_at_least(sure, sides)}, {_certain(found.n_compared)}"
        if sure
        else "so many documents do not make this sure"
    )
    earlier = (found.n_before, found.units_before)
    later = (found.n_after, found.units_after)
    counts_once = _in_texts(later, earlier) if sides.labels else _in_texts(earlier, later)
    documents = f"{plural(found.n_before, 'document')} and {found.n_after:,}"
    if sides.labels:
        documents = (
            f"{plural(found.n_after, 'document')} of “{sides.after}” and {found.n_before:,} of "
            f"“{sides.before}”"
        )
    return Sentence(text, f"{documents}{counts_once}; {bound}.")


def word_sentence(word: str, found: ChangedWords, w: int, sides: Sides) -> Sentence:
    """How often a word occurs on both sides."""
    a, b = int(found.before[w]) / found.n_before, int(found.after[w]) / found.n_after
    (before, after), unit = rates((a, b))
    if sides.labels:
        text = (
            f"The word “{word}” stands {after} times in {unit} words of “{sides.after}” and "
            f"{before} times in those of “{sides.before}”."
        )
    else:
        text = (
            f"The word “{word}” {'rose' if b > a else 'fell'} from {before} ({sides.before}) to "
            f"{after} in {unit} words ({sides.after})."
        )
    sure = abs(float(found.z[w])) > found.least
    earlier = (int(found.before[w]), int(found.docs_before[w]))
    later = (int(found.after[w]), int(found.docs_after[w]))
    # Of labels in the order in which the text names them.
    (n, docs), (m, others) = (later, earlier) if sides.labels else (earlier, later)
    detail = (
        f"{n:,} times in {plural(docs, 'document')}{' and' if sides.labels else ', then'} "
        f"{m:,} times in {others:,}; {abs(float(found.z[w])):.1f} standard errors, "
        + (_certain(found.n_compared, "sure with") if sure else "which is not sure")
        + "."
    )
    return Sentence(text, detail)


def _in_texts(*sides: tuple[int, int]) -> str:
    """What chance goes by, where that is not documents: of both sides their number, and of texts
    that chose their words on their own."""
    if all(n_docs == n_units for n_docs, n_units in sides):
        return ""
    one, other = (n_units for _, n_units in sides)
    return f", which are {one:,} and {other:,} different texts"


def _at_least(sure: float, sides: Sides) -> str:
    """The bound, rounded towards nothing so that it stays true."""
    points = abs(sure) * 100.0
    digits = 0 if points >= 10 else 1 if points >= 1 else 2
    scale = 10.0**digits
    written = int(points * scale) / scale
    if not written:
        return f"surely {sides.ahead(sure > 0)}, by less than 0.01 points"
    if sides.labels:
        return f"at least {written:.{digits}f} points {sides.ahead(sure > 0)}"
    return f"{sides.ahead(sure > 0)} by at least {written:.{digits}f} points"


def _certain(n_compared: int, words: str = "with") -> str:
    if n_compared == 1:
        return f"{words} 95{NB}% certainty"
    return f"{words} 95{NB}% certainty for all {n_compared:,} comparisons together"


def two_percents(one: float, other: float) -> tuple[str, str]:
    """Two shares, rounded as far as their difference stays right within a tenth of itself."""
    digits = _digits(one, other, 100.0)
    return percent(one, digits), percent(other, digits)


def _digits(one: float, other: float, unit: float) -> int:
    """The fewest decimals of parts of `unit` that keep a difference; at most `MOST_DIGITS`."""
    for digits in range(MOST_DIGITS):
        scale = unit * 10.0**digits
        rounded = (round(other * scale) - round(one * scale)) / scale
        if abs(rounded - (other - one)) <= 0.1 * abs(other - one):
            return digits
    return MOST_DIGITS
