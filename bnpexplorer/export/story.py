"""What the texts are and what they speak of, for readers of the report: sections of HTML.

Texts and titles stand in it only where the result's corpus has them: who only watches has a corpus
without.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from ..core.arrays import F32, F64, Bools
from ..core.display import percent, plural
from ..core.html import Markup, render
from ..explore.change import changes, turns
from ..explore.choosing import between
from ..explore.documents import facts_of, lengths_of, title_of
from ..explore.means import group_means
from ..explore.mix import Compared, mixes, periods_as_labels
from ..explore.over_documents import FEW, Prevalence, prevalence
from ..explore.passages import best_rows, passage_of
from ..explore.periods import Labelled, Period, day_in_words, labelled, last_day, suitable_period
from ..explore.sentences import Basis, Sentence, Sides, change_sentence, turn_sentence, with_mix
from ..plots.style import topic_colour
from .drawing import Ink, time_line
from .result import Result

draw = partial(render, "export/story.html")

TOLD, WORDS = 12, 10
"""Topics with a section of their own, the largest; words of each."""
TRIED = 12
"""Texts of a topic that are tried at most for passages that do not stand in the report yet."""
PASSAGES, SENTENCES, LABELS = 3, 6, 6
"""Quoted of a topic; of what changed, in time and between labels; labels of a topic."""
LABEL_BAR = 5.0
"""Width of the longest bar of a topic's labels, in rem."""


class Story:
    """The sections about one result; what several of them need is worked out once."""

    def __init__(self, result: Result) -> None:
        self.result, self.moment = result, result.moment
        self.told = self.moment.telling()
        self.docs = result.corpus.docs
        # Every word counts the same, as in "of the words"; clusters hold documents.
        mixture = self.moment.mixture
        self.weights: F64 | None = None if mixture else lengths_of(result.corpus).astype(float)
        self.units = result.corpus.units
        counted = "documents" if mixture else "words"
        self.basis = Basis("documents" if mixture else "words", mixture, self.moment.noun)
        self.of = f"of the {counted}"
        self.shares: F32 = result.shares
        dates = self.docs.date
        self.dates = None if dates is None or np.isnat(dates).all() else dates
        self.period: Period = "year" if self.dates is None else suitable_period(self.dates)
        self.labels: Labelled | None = labelled(self.docs.label, result.corpus.n_docs)

    def sections(self) -> list[Markup]:
        """Return what the texts are, what changed, and the largest topics."""
        if not self.told:
            return [self._texts()]
        return [self._texts(), self._changed(), self._topics()]

    # ---- the texts ---------------------------------------------------------------------------

    def _texts(self) -> Markup:
        corpus = self.result.corpus
        facts = [
            f"{plural(corpus.n_docs, 'text')} with {corpus.n_tokens:,} words that count, "
            f"{corpus.n_words:,} different ones"
        ]
        if self.dates is not None:
            known = self.dates[~np.isnat(self.dates)]
            first, last = day_in_words(known.min()), day_in_words(known.max())
            undated = len(self.dates) - len(known)
            without = f" ({undated:,} without a date)" if undated else ""
            facts.append(f"from {first} to {last}{without}" if first != last else f"of {first}")
        if self.labels is not None:
            largest = [
                f"{name} ({n:,})"
                for name, n in zip(self.labels.names[:3], self.labels.n_docs[:3], strict=True)
            ]
            more = len(self.labels.names) - len(largest)
            tail = f" and {more:,} more" if more > 0 else ""
            facts.append(f"labelled {', '.join(largest)}{tail}")
        return draw("texts", facts=facts)

    # ---- what changed ------------------------------------------------------------------------

    def _changed(self) -> Markup:
        sentences = [*self._turns(), *self._between_labels()]
        return draw("changed", sentences=sentences) if sentences else Markup()

    def _turns(self) -> list[Sentence]:
        if self.dates is None:
            return []
        columns = [self.moment.row[topic] for topic in self.told]
        found = turns(self.shares, self.dates, self.period, columns, self.weights, units=self.units)
        ids = self.moment.topics.topic_ids  # of groups, as the shares are
        told = found[:SENTENCES]
        said = [
            turn_sentence(self._name(int(ids[turn.column])), turn, self.period, self.basis)
            for turn in told
        ]
        if self.labels is None or not told:
            return said
        compared = [(t.column, self._in_period(t.earlier), self._in_period(t.later)) for t in told]
        return self._with_mix(said, compared, self.labels, told[0].n_compared)

    def _in_period(self, day: np.datetime64) -> Bools:
        """Which documents are of the period that begins on this day: bool (D,)."""
        assert self.dates is not None
        last = str(last_day(day, self.period))
        return between(self.dates, len(self.dates), str(day), last)

    def _between_labels(self) -> list[Sentence]:
        """Of the two labels with most documents."""
        if self.labels is None:
            return []
        one, other = self.labels.names[:2]
        columns = [self.moment.row[topic] for topic in self.told]
        codes = self.labels.codes
        found = changes(
            self.shares, codes == 0, codes == 1, self.weights, units=self.units, columns=columns
        )
        sides, told = Sides(one, other, labels=True), found.order.tolist()[: SENTENCES // 2]
        told = [k for k in told if found.sure[k] != 0.0]
        said = [
            change_sentence(self._name(self.told[k]), found, k, sides, self.basis) for k in told
        ]
        periods = periods_as_labels(self.docs.date, (codes == 0) | (codes == 1))
        if periods is None:
            return said
        compared = [(columns[k], codes == 0, codes == 1) for k in told]
        return self._with_mix(said, compared, periods, found.n_compared, sides)

    def _with_mix(
        self,
        said: Sequence[Sentence],
        compared: Sequence[Compared],
        labels: Labelled,
        n_compared: int,
        between: Sides | None = None,
    ) -> list[Sentence]:
        """Return the sentences with the cause of each change; `between` as for `with_mix`."""
        causes = mixes(self.shares, compared, labels, self.weights, self.units, n_compared)
        counted = self.basis.counted
        return [
            with_mix(one, mix, labels, counted, between)
            for one, mix in zip(said, causes, strict=True)
        ]

    def _name(self, topic: int) -> str:
        return self.moment.name(topic)

    # ---- the topics --------------------------------------------------------------------------

    def _topics(self) -> Markup:
        over_time = None
        if self.dates is not None:
            over_time = prevalence(
                self.shares, self.dates, self.period, self.weights, units=self.units
            )
        quoted: set[str] = set()
        sections = [self._topic(topic, over_time, quoted) for topic in self.told[:TOLD]]
        rest = len(self.told) - TOLD
        filler = self.moment.filler_ones if self.moment.filler.isdisjoint(self.told) else ""
        return draw(
            "topics", noun=self.moment.noun, of=self.of, rest=rest, filler=filler, sections=sections
        )

    def _topic(self, topic: int, over_time: Prevalence | None, quoted: set[str]) -> Markup:
        moment = self.moment
        look = moment.look(topic)
        ink = topic_colour(look, False), topic_colour(look, True)
        pictures = [self._time_line(topic, over_time, ink), self._by_label(topic, ink)]
        return draw(
            "topic",
            name=self._name(topic),
            share=percent(moment.share(topic), 1),
            words=moment.words_line(topic, WORDS),
            ink=ink,
            pictures=[*filter(None, pictures)],
            passages=self._passages(topic, quoted),
        )

    def _time_line(self, topic: int, over_time: Prevalence | None, ink: Ink) -> Markup:
        if over_time is None or len(over_time.starts) < 2:
            return Markup()
        name = self._name(topic)
        picture = time_line(
            np.where(over_time.few, np.nan, over_time.share[:, self.moment.row[topic]]),
            [self._day(day) for day in over_time.starts],
            ink,
            f"Share of {name} by {self.period}.",
        )
        by = f"in periods of {self.period}" if " " in self.period else f"by {self.period}"
        few = FEW if over_time.few.any() else 0
        return draw("over_time", picture=picture, of=self.of, by=by, few=few)

    def _day(self, first_day: np.datetime64) -> str:
        """A period by its first day, as far as that tells: 2014-10 of a month."""
        letters = {"day": 10, "week": 10, "month": 7, "quarter": 7}
        return str(first_day)[: letters.get(self.period, 4)]

    def _by_label(self, topic: int, ink: Ink) -> Markup:
        if self.labels is None:
            return Markup()
        k = self.moment.row[topic]
        folded = self.labels.folded(LABELS)
        n_labels = len(folded.names)
        means = group_means(self.shares, folded.codes, n_labels, self.weights, self.units, [k])
        low, high = means.interval()
        most = float(np.nanmax(means.mean)) or 1.0
        rows = [
            {
                "name": name,
                "mean": percent(mean, 1),
                "low": percent(down, 1),
                "high": percent(up, 1),
                "width": f"{LABEL_BAR * mean / most:.2f}",
            }
            for name, mean, down, up in _rows(folded.names, means.mean, low, high)
        ]
        return draw("by_label", rows=rows, ink=ink, of=self.of)

    def _passages(self, topic: int, quoted: set[str]) -> list[tuple[str, str]]:
        """Return the passages that speak most of it, each with its source, if there are texts;
        none that reads as one of those `quoted` before, to which they are added."""
        result = self.result
        found: list[tuple[str, str]] = []
        if self.docs.text is None:
            return []
        everywhere = np.ones(result.corpus.n_docs, bool)
        for row in best_rows(self.moment, self.shares, topic, everywhere, TRIED).tolist():
            words = passage_of(self.moment, result.corpus, result.text_settings, topic, row)
            source = " · ".join([title_of(result.corpus, row), *facts_of(result.corpus, row)[:2]])
            letters = "".join(filter(str.isalnum, words.casefold()))
            if letters and letters not in quoted:
                quoted.add(letters)
                found.append((words, source))
            if len(found) == PASSAGES:
                break
        return found


def _rows(
    names: Sequence[str], mean: F64, low: F64, high: F64
) -> list[tuple[str, float, float, float]]:
    """(name, mean, low, high) of labels that have documents."""
    columns = (mean[:, 0].tolist(), low[:, 0].tolist(), high[:, 0].tolist())
    every = zip(names, *columns, strict=True)
    return [row for row in every if row[1] == row[1]]
