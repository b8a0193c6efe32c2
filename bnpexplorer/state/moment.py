"""A run at a point in time: what every page, figure, table and export of a run is made from."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any
from weakref import ref

import numpy as np

from ..core.arrays import F32, F64, I64, Bools
from ..core.derived import Derived, Derives
from ..core.display import HtmlRepr, percent, plural
from ..corpus.corpus import Corpus
from .filler import filler, sample
from .groups import gathered, grouped, grouped_frames
from .labels import Labels
from .looks import handed_on, largest, look, owners_after
from .names import Words, last_held, suggested
from .snapshot import ROUNDING, Frame, Snapshot, Topics, TracePoint
from .words import heaviest_words, least_shown

WORDS = 12
"""Words of a topic that are found at once: most lists ask for fewer."""
SMALL = 0.001
"""Of all words: a topic that holds less is small. Of 196 topics of a collection of news 74 were,
three of them of one word."""
FEW = 20
"""Topics that can be read as they are, small ones too."""
NO_WORDS = "(no words)"
"""Stands for the words of a topic that holds none."""


@dataclass(frozen=True, eq=False)
class Moment(HtmlRepr, Derives):
    """A run at a point in time, with what a person says of its topics. `Run.moment` makes one.

    Its properties are worked out when they are first asked for, and kept; whatever else is worked
    out of it is kept by `derived`. Topics go by their identities; `row` leads from these to the
    arrays of `topics`. K topics, V words.
    """

    snapshot: Snapshot
    corpus: Corpus
    """All documents, or those learned where the others are not at hand; none of them, only their
    words, where the run is compared with others."""
    model: Any
    """The statistical assumptions: what sizes count, what a component is called."""
    labels: Labels = field(default_factory=Labels)
    run_id: str = ""
    """Empty for a run that nobody keeps."""
    docs_in_pass: int = 0
    planned_docs: int = 0
    """Documents that the whole run will process; where its end is open, as far as axes reach."""
    before: "Earlier | None" = None
    """How topics looked a moment ago, of a run that learns; once it has ended all is worked out
    anew (`settled`), so that every page, server and file says the same."""
    whole: "Moment | None" = None
    """The same moment with all topics of the run, where fewer are shown in their place."""
    fewer: Any = None
    """These, and what they keep: a `runs.about.Granularity`."""

    @property
    def at(self) -> tuple[str, int]:
        """Tell this moment of a run from others: by run, step, how many of its topics are shown,
        and their groups."""
        groups, (name, step) = sorted(self.labels.groups.items()), self.snapshot.at(self.run_id)
        if self.whole is not None:
            name += f" about {len(self.snapshot.topics)}"
        return f"{name} {groups}" if groups else name, step

    def about(self, fewer: Any) -> "Moment":
        """Return this moment with fewer topics. Each has the identity of the topic of the run that
        it shares most words with, and so its past, name and colour."""
        key = ("about", fewer.n_topics)
        snapshot = self.snapshot.derived(key, lambda: replace(self.snapshot, topics=fewer.topics))
        return replace(self, snapshot=snapshot, model=fewer.model, whole=self, fewer=fewer)

    @property
    def score(self) -> float | None:
        """The held-out log likelihood per word of the topics that are shown; None if nothing was
        scored."""
        if self.fewer is None:
            return self.snapshot.heldout
        return None if math.isnan(self.fewer.score) else float(self.fewer.score)

    @property
    def derived_values(self) -> Derived:
        """Values that all moments of one snapshot share, of the same corpus and groups of topics,
        however the topics are called; they end with the snapshot."""
        groups = tuple(sorted(self.labels.groups.items()))
        return self.snapshot.derived(("moment", ref(self.corpus), groups), Derived)

    @property
    def ungrouped(self) -> "Moment":
        """The same moment, with the topics as they were learned."""
        if not self.labels.groups:
            return self
        return replace(self, labels=replace(self.labels, groups={}))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def topics(self) -> Topics:
        """The topics, each group as one; those that were learned are the snapshot's."""
        return grouped(self.snapshot.topics, self.labels.groups)

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """The topics at moments of the past, each group as one."""
        return grouped_frames(self.snapshot.frames, self.labels.groups)

    def gathered(self, proportions: F32) -> F32:
        """Proportions (D, K) of the topics that were learned, those of a group added up."""
        return gathered(proportions, self.snapshot.topics, self.labels.groups)

    @property
    def vocab(self) -> tuple[str, ...]:
        return self.corpus.vocab

    @property
    def unit(self) -> str:
        """Return the unit of the sizes of topics: words, or documents of a mixture."""
        return str(self.model.unit)

    @property
    def noun(self) -> str:
        """Return the name of one component: topic, or cluster of a mixture."""
        return str(self.model.noun)

    @property
    def mixture(self) -> bool:
        """Whether every document belongs to one component."""
        return bool(self.model.mixture)

    @cached_property
    def trace(self) -> tuple[TracePoint, ...]:
        """The history, which ends at this very moment.

        Rows are written now and then; a run that is watched or was stopped stands between two.
        """
        snapshot = self.snapshot
        if snapshot.trace and snapshot.trace[-1].step >= snapshot.step:
            return snapshot.trace
        nan, n_used = float("nan"), len(self.in_use)
        now = TracePoint(snapshot.step, snapshot.docs_seen, snapshot.seconds, n_used, nan, nan)
        return (*snapshot.trace, now)

    @cached_property
    def counted(self) -> tuple[TracePoint, ...]:
        """The history as curves of topics in use have it: from zero on, where the run began with no
        topic, so that all that its first row counts were born by then. Empty before the first
        document."""
        if not self.snapshot.docs_seen:
            return ()
        if not self.trace or not self.snapshot.frames:
            return self.trace
        first, nan = self.snapshot.frames[0], float("nan")
        born = {
            topic
            for event in self.snapshot.events
            if event.docs_seen <= first.docs_seen
            for topic in event.children
        }
        if not set(first.topic_ids[first.weight > 0.0].tolist()) <= born:
            return self.trace
        return (TracePoint(0, 0, 0.0, 0, nan, nan), *self.trace)

    # ---- topics ----------------------------------------------------------------------------

    @cached_property
    def row(self) -> dict[int, int]:
        """Where each topic, by identity, stands in the arrays."""
        return {topic: k for k, topic in enumerate(self.topics.topic_ids.tolist())}

    @cached_property
    def in_use(self) -> tuple[int, ...]:
        """Topics in use, the largest first."""
        topics = self.topics
        places = topics.by_size
        return tuple(topics.topic_ids[places[topics.in_use[places]]].tolist())

    def ordered(self, hidden: bool = False) -> list[int]:
        """Topics in use as lists have them: pinned ones first, then the largest, filler last.

        Those that a person has hidden are there only if asked for.
        """
        seen = [i for i in self.in_use if hidden or i not in self.labels.unseen]
        filler = self.filler
        return sorted(seen, key=lambda i: (i in filler, i not in self.labels.pinned))

    def telling(self) -> list[int]:
        """Those of `ordered` that are no filler: sentences, headings and names are of these alone.

        All of them where a person has hidden the rest.
        """
        seen, filler = self.ordered(), self.filler
        return [i for i in seen if i not in filler] or seen

    @property
    def filler(self) -> frozenset[int]:
        """The topics in use that are filler, a group as the one that it counts as, without those
        that a person has named or pinned. Reads some hundred documents, once."""
        return self._found_filler - self.labels.pinned - self.labels.names.keys()

    @property
    def _found_filler(self) -> frozenset[int]:
        def find() -> frozenset[int]:
            alone = self.ungrouped
            topics = self.snapshot.topics
            read = alone.derived("sample", lambda: sample(self.model, self.corpus, topics))
            return filler(self.topics, self.gathered(read.proportions), read.lengths)

        return self.derived("filler", find)

    @property
    def filler_words(self) -> Bools:
        """bool (V,): words of which most uses are in filler."""
        rows = [self.row[topic] for topic in self.filler]
        inside = self.shares[rows] @ self.topics.topic_word[rows]
        return np.asarray(inside > 0.5 * (self.shares @ self.topics.topic_word))

    @property
    def filler_ones(self) -> str:
        """Those in words: 3 topics of filler (24 % of the words)."""
        together = percent(sum(self.share(i) for i in self.filler))
        return f"{plural(len(self.filler), self.noun)} of filler ({together} of the {self.unit})"

    def members(self, topic: int) -> tuple[int, ...]:
        """The topics in use that count as this one: of a group those that have not come to their
        end, the one it goes by first."""
        return tuple(i for i in self.labels.members(topic) if i in self._learned)

    @cached_property
    def _learned(self) -> frozenset[int]:
        """The topics in use as they were learned, none of them grouped."""
        topics = self.snapshot.topics
        return frozenset(topics.topic_ids[topics.in_use].tolist())

    @cached_property
    def shares(self) -> F64:
        """float64 (K,): the share of each topic in all topics' size."""
        return self.topics.shares

    @cached_property
    def small(self) -> frozenset[int]:
        """The topics in use that hold less than `SMALL` of the words or documents each; none of a
        few, or where all do."""
        found = frozenset(i for i in self.in_use if self.share(i) < SMALL)
        some = FEW < len(self.in_use) > len(found)
        return found if some else frozenset()

    @property
    def small_ones(self) -> str:
        """Those in words: 74 small ones (3 % of the words)."""
        together = percent(sum(self.share(i) for i in self.small))
        return f"{plural(len(self.small), 'small one')} ({together} of the {self.unit})"

    @property
    def how_many(self) -> str:
        """How many topics are in use, in words: those first that are not small."""
        large = plural(len(self.in_use) - len(self.small), self.noun)
        return f"{large} and {self.small_ones}" if self.small else large

    def share(self, topic: int) -> float:
        return float(self.shares[self.row[topic]])

    def heaviest(self, topic: int, n: int) -> I64:
        """Return the `n` most probable words that the topic shows, most probable first.

        int64 (up to n,); see `state/words.py`.
        """
        if self._heaviest.get(topic, (0, ()))[0] < n:
            most = max(n, WORDS)
            self._heaviest[topic] = most, heaviest_words(self.topics, self.row[topic], most)
        return self._heaviest[topic][1][:n]

    @cached_property
    def _heaviest(self) -> dict[int, tuple[int, I64]]:
        """Topic -> how many words somebody has asked for, and its most probable ones."""
        return {}

    def top_words(self, topic: int, n: int) -> list[str]:
        """Return the words of `heaviest`; an empty list where the topic holds none."""
        return [self.vocab[w] for w in self.heaviest(topic, n)]

    def words_line(self, topic: int, n: int, between: str = " · ") -> str:
        """Return the words of `heaviest` as one line, or a note that there are none."""
        return between.join(self.top_words(topic, n)) or NO_WORDS

    def shown_words(self, topic: int) -> F32:
        """Return the topic's probabilities, 0 for words that it does not show: float32 (V,)."""
        row = self.row[topic]
        probs = self.topics.topic_word[row]
        return np.where(probs >= self._least_shown[row], probs, np.float32(0.0))

    @cached_property
    def _least_shown(self) -> F64:
        return least_shown(self.topics)

    # ---- names and colours -----------------------------------------------------------------

    def name(self, topic: int) -> str:
        """The name that a person gave, or the words that are the topic's own.

        The one place that decides. A suggested name is no other topic's, as far as the words go
        round; one that was given may be. Of a topic that is gone these are the words that it had
        when it last held something, with its identity where another has the same.
        """
        name = self._short_name(topic)
        shared = topic in (self._twins if topic in self._there else self._sharing)
        shared = shared and topic not in self.labels.names
        return f"{name} ({self.noun} {topic})" if shared else name

    def head(self, topic: int) -> str:
        """Identity and name, for lists, choices and heads of columns: no two read the same."""
        return f"{topic} · {self._short_name(topic)}"

    def _short_name(self, topic: int) -> str:
        given = self.labels.names.get(topic)
        if given:
            return given
        # Of topics that are there nothing is sought in what was: 200 moments of 300 topics take
        # 50 ms, and Live names its topics at every tick.
        words = () if topic in self._there else self._gone.get(topic, ())
        words = words or self.own_words.get(topic, ())
        return " ".join(self.vocab[w] for w in words) or f"{self.noun} {topic}"

    @cached_property
    def _there(self) -> frozenset[int]:
        return frozenset(self.in_use)

    @cached_property
    def _gone(self) -> dict[int, Words]:
        """Topic -> the words that it had when it last held something, of topics not in use. What is
        left of it has the words of the prior, or none; one that never held anything is not gone."""
        total = float(self.snapshot.topics.size.sum())
        least = (1.0 - ROUNDING) / total if total else 1.0
        found = last_held(self.snapshot.frames, least)
        return {topic: words for topic, words in found.items() if topic not in self._there}

    @cached_property
    def _twins(self) -> set[int]:
        """Topics in use that have no words but those of a larger one's suggested name."""
        seen: set[frozenset[int]] = set()
        found = set()
        for topic in self.in_use:
            if topic in self.labels.names:
                continue
            words = frozenset(self.own_words.get(topic, ()))
            if words and words in seen:
                found.add(topic)
            seen.add(words)
        return found

    @cached_property
    def _sharing(self) -> set[int]:
        """Topics that are gone and have the same words as another, whether that is there or not."""
        held = Counter(frozenset(words) for words in self._gone.values())
        held.update(frozenset(self.own_words.get(topic, ())) for topic in self.in_use)
        return {topic for topic, words in self._gone.items() if held[frozenset(words)] > 1}

    @cached_property
    def own_words(self) -> dict[int, Words]:
        """Topic -> the words of its suggested name."""
        learned = self.snapshot.topics
        if self.before:
            return suggested(self.topics, self.vocab, self.before.own_words)
        # What is grouped leaves the others their names, and has that of its first where it fits.
        before = suggested(learned, self.vocab) if self.topics is not learned else {}
        return suggested(self.topics, self.vocab, before)

    def look(self, topic: int) -> int:
        """The colour of a topic and, of small ones, its pattern, as `plots.style` draws them."""
        return look(topic, self.colours, set(self._largest))

    @cached_property
    def colours(self) -> dict[int, int]:
        """Topic -> the place of its colour, of those that were ever among the largest."""
        known = (self.before and self.before.colours) or owners_after(self.snapshot.frames)
        return handed_on(known, self._largest, set(self.row))

    @cached_property
    def _largest(self) -> list[int]:
        """The topics that have a plain colour."""
        return largest(self.topics, self.labels.unseen)

    def settled(self) -> "Moment":
        """Of a run that has ended: as whoever opens it later sees it, whatever went before."""
        return replace(self, before=None) if self.before else self

    @property
    def earlier(self) -> "Earlier":
        """What the next moment of the run should know of this one, as far as anybody saw it."""
        unseen = self.before or Earlier({}, {})
        return Earlier(
            self.__dict__.get("own_words", unseen.own_words),
            self.__dict__.get("colours", unseen.colours),
        )


@dataclass(frozen=True)
class Earlier:
    """How topics looked at an earlier moment of a run, by identity."""

    own_words: Mapping[int, Words]
    colours: Mapping[int, int]
