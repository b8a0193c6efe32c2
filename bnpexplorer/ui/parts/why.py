"""Why was it born? An event of a run that somebody chose: its document, its words, its numbers.

An event is chosen in a list, or by a click on its mark in a figure (`clicked`). The part stands
outside what ticks: what is drawn anew every second has no field that keeps its focus.

What was chosen is kept apart from the list. A browser says which line it was, and lines change as
topics learn other words: a choice that only the list knew was gone at the next tick.

Below it stands how a topic ended, and what was weighed where topics were split, merged or deleted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from ...core.display import text_beside
from ...explore import why
from ...methods.base import Method
from ...plots.style import QUIET, percent, shortened, topic_paint
from ...runs.registry import Entry
from ...runs.run import Run
from ...state.edits import listed
from ...state.moment import Moment
from ...state.snapshot import Details, Event
from ..frame import access, look, pages, server
from ..frame.server import LoadedCorpus
from ..frame.words import plain
from . import html
from .event_texts import last_one, opener

TOP_WORDS = 5
CLICKS = "why-clicks"
"""Where session state counts clicks on marks, whose answers are scrolled to."""
NAME = 60
"""Letters of a topic's name in the list."""


_into_view = st.components.v2.component(
    "bnpexplorer_why_into_view",
    html="<span></span>",
    js=text_beside(__file__, "why.js"),
    isolate_styles=False,
)


@dataclass(frozen=True, eq=False)
class Subject:
    """A run whose events can be chosen."""

    label: str
    moment: Moment
    run: Run
    """Rows of events are rows of its corpus."""
    texts: LoadedCorpus | None
    """All documents; None of a tab that may not read them."""

    @property
    def method(self) -> Method:
        method: Method = self.run.method
        return method


def subject_of(entry: Entry, label: str) -> Subject | None:
    """The run of an entry as all tabs draw it now; None before its first step."""
    snapshot = server.registry().shown(entry)
    if snapshot is None:
        return None
    run = entry.background.run
    moment = server.moment_of(entry, snapshot)
    return Subject(label, moment, run, access.texts_of(entry))


# ---- choosing ------------------------------------------------------------------------------------


def key_of(name: str) -> str:
    """Where session state holds which event of a part was chosen: (name of the run, its place)."""
    return f"why-{name}"


def chosen(name: str) -> tuple[str, int] | None:
    """What stands chosen now."""
    value: tuple[str, int] | None = st.session_state.get(key_of(name))
    return value


def clicked(name: str) -> Callable[[Any], None]:
    """For a figure whose marks have (..., name of the run, place of the event) as `customdata`."""

    def choose(point: Any) -> None:
        if isinstance(point, Sequence) and not isinstance(point, str) and len(point) > 1:
            st.session_state[key_of(name)] = (str(point[-2]), int(point[-1]))
            st.session_state[CLICKS] = st.session_state.get(CLICKS, 0) + 1

    return choose


def why_born(name: str, subjects: Sequence[Subject], going: bool = False) -> None:
    """The list of events of these runs, and what is known of the one that was chosen; `going`: more
    may come, which a list that somebody has opened must not be pushed aside for."""
    by_label = {subject.label: subject for subject in subjects}
    options = _options(subjects)
    if not options or look.is_embedded():
        return
    key, listed, now = key_of(name), f"why-list-{name}", chosen(name)
    if now is not None and now not in options:
        of = by_label.get(now[0])
        if of is not None and 0 <= now[1] < len(of.moment.snapshot.events):
            options.append(now)
        else:
            now = st.session_state[key] = None
    several = len(subjects) > 1
    lines = {option: _line(by_label[option[0]], option[1], several) for option in options}
    st.session_state[listed] = now
    st.markdown("## Why was it born?")
    st.selectbox(
        "A birth, a death, a merge or a split, the newest first",
        options,
        index=None,
        key=listed,
        format_func=lambda option: lines[option],
        placeholder="Choose one here, or click its mark in a figure",
        on_change=_choose,
        args=(key, listed, _remembered(name, lines)),
    )
    if going:  # below the list, whose lines are cut on a phone as it is
        st.button(
            "Newer events",
            icon=":material/refresh:",
            type="tertiary",
            key=f"why-newer-{name}",
            help="What happened since the list was drawn",
        )
    if now is not None:
        _panel(by_label[now[0]], now[1], key, several)


Lines = dict[tuple[str, int], str]


def _remembered(name: str, lines: Lines) -> list[Lines]:
    """The lines of this drawing and of the one before, which a busy browser may still show."""
    at = f"why-lines-{name}"
    found: list[Lines] = [lines, *st.session_state.get(at, [])[:1]]
    st.session_state[at] = found
    return found


def _choose(key: str, listed: str, known: Sequence[Lines]) -> None:
    """Keep what was chosen in the list. Of a line that stands there no more Streamlit hands on the
    words themselves."""
    value = st.session_state[listed]
    if isinstance(value, str):
        places = (option for lines in known for option, line in lines.items() if line == value)
        value = next(places, None)
    st.session_state[key] = value


def _options(subjects: Sequence[Subject]) -> list[tuple[str, int]]:
    """The events of all runs that can be chosen, the newest first."""
    found = [
        (subject.moment.snapshot.events[place].docs_seen, subject.label, place)
        for subject in subjects
        for place in why.listed(subject.moment.snapshot.events)
    ]
    found.sort(key=lambda at: (-at[0], at[1], -at[2]))
    return [(label, place) for _, label, place in found]


def _line(subject: Subject, place: int, several: bool) -> str:
    """With identities: no two lines read the same, or a choice could mean either."""
    event = subject.moment.snapshot.events[place]
    who = why.who(event)
    names = " + ".join(shortened(subject.moment.head(t), NAME) for t in who[:2])
    names += f" + {len(who) - 2} more" if len(who) > 2 else ""
    whose = f"{subject.label}: " if several else ""
    return f"{whose}{names} {why.WORDS_OF_KIND[event.kind]} at {event.docs_seen:,} documents"


# ---- one event -----------------------------------------------------------------------------------


def _panel(subject: Subject, place: int, key: str, several: bool) -> None:
    """All that is known of one event; `key` holds which is chosen. `several`: of one of several
    runs, which has to be named."""
    moment, event = subject.moment, subject.moment.snapshot.events[place]
    told = event.details
    with st.container(border=True, key=f"why-panel-{place}"):
        whose = f"{subject.label}: " if several else ""
        st.markdown(f"### {plain(whose + _headline(moment, event))}")
        if event.kind in ("death", "prune"):
            of_an_end(moment, event)
        elif event.kind in ("merge", "split"):
            of_a_move(moment, event)
        if told is not None and (told.trial or told.log_ratio is not None):
            _of_a_trial(subject, event, told)
        weighing = None if told is None else why.WeighedChoices.of(told)
        if told is None or (weighing is None and event.kind == "birth"):
            of_method = subject.method.untold, subject.method.untold_ends
            st.markdown(why.untold(moment.snapshot, place, *of_method))
        if told is not None and weighing is not None:
            if subject.texts is None:
                st.markdown(access.MOMENT_FOR_ITS_OWNER)
            else:
                _of_a_birth(subject, subject.texts, event, told, weighing)
        _to_births(subject, place, key)
        with st.container(key="frame-why"):
            _into_view(key="why-into-view", data={"clicks": st.session_state.get(CLICKS, 0)})


def _to_births(subject: Subject, place: int, key: str) -> None:
    """From the end of a topic to what opened it, where that is told."""
    moment, events = subject.moment, subject.moment.snapshot.events
    for topic in events[place].parents:
        born = why.birth_of(events, topic, place)
        if born is not None:
            st.button(
                f"How “{plain(shortened(moment.name(topic), NAME))}” came to be",
                icon=":material/history:",
                type="tertiary",
                key=f"{key}-birth-{topic}",
                on_click=st.session_state.update,
                args=({key: (subject.label, born)},),
            )


def _headline(moment: Moment, event: Event) -> str:
    """What happened to whom, and when."""
    when = f"at step {event.step:,}, after {event.docs_seen:,} documents"
    old = listed([f"“{moment.name(t)}”" for t in event.parents])
    new = listed([f"“{moment.name(t)}”" for t in event.children])
    return {
        "birth": f"{new} was born {when}",
        "death": f"{old} died {when}",
        "prune": f"{old} came to its end {when}",
        "merge": f"{old} became one, {new}, {when}",
        "split": f"{old} was divided into {new} {when}",
    }[event.kind]


def _of_a_trial(subject: Subject, event: Event, told: Details) -> None:
    """What was tried, or who was the last to leave."""
    moment = subject.moment
    if told.trial != "last":
        decided(moment, event, told, climbs=subject.method.kind == "mean field")
    elif subject.texts is None:
        st.markdown(access.MOMENT_FOR_ITS_OWNER)
    else:
        last_one(moment, subject.run, subject.texts, told)


def _of_a_birth(
    subject: Subject, texts: LoadedCorpus, event: Event, told: Details, found: why.WeighedChoices
) -> None:
    """Who opened it, what was weighed, and what mean field would have weighed."""
    moment = subject.moment
    opener(moment, subject.run, texts, told, event.children[0])
    st.markdown(_decision(moment, found, told.alone))
    dark = look.is_dark()
    rows = [_choice(moment, topic, event, dark) for topic in found.topics]
    st.html(html.WEIGHED_CSS + html.table(rows, found))
    what = "the document" if moment.mixture else "the word"
    few = len(found.topics) - 1
    among = f": the {few} likeliest {moment.noun}s in play and a new one" if few > 1 else ""
    st.caption(
        f"As it was at that moment, without {what} itself. Probabilities are among these rows"
        f"{among}. Both likelihoods are of {what} under the same Dirichlets: the collapsed update "
        "averages the probability, mean field its logarithm, which rules out what is uncertain."
    )
    if pages.is_there("lab"):
        pages.link_to("lab", "The same with two components, to turn by hand, in the Lab")


def _decision(moment: Moment, found: why.WeighedChoices, alone: bool) -> str:
    """How much likelier a new topic was than the best of those in play, by both updates."""
    noun = moment.noun
    if len(found.topics) == 1:
        return f"There was no {noun} yet, so the first document had to open one."
    ahead = found.ahead(mean_field=False)
    words = f"A new {noun} was **{why.times(ahead)}** the best of those in play"
    if found.rival >= 0:
        words += f", “{plain(moment.name(found.rival))}”"
    if alone:
        words += "; it was not drawn: some documents of a mini-batch begin alone"
    elif ahead < 0:
        words += "; it was drawn all the same, as rare things are among many draws"
    words += "."
    if len(found.log_meanfield):
        mean = found.ahead(mean_field=True)
        words += f" By mean field it would have been {why.times(mean)} its best: "
        words += f"{why.compared(ahead, mean)}."
    return words


def _choice(moment: Moment, topic: int, event: Event, dark: bool) -> html.RowChoice:
    """A row's beginning: name, colour and the words of that time."""
    if topic == why.NEW:
        about = _words(moment, event.children[0], event)
        return html.RowChoice(f"a new {moment.noun}", about, QUIET[dark], taken=True)
    if topic < 0:
        return html.RowChoice(f"a {moment.noun} that ended at once", "", QUIET[dark])
    paint = topic_paint(moment.look(topic), dark)
    return html.RowChoice(moment.name(topic), _words(moment, topic, event), paint)


def _words(moment: Moment, topic: int, event: Event) -> str:
    found = why.words_then(moment.snapshot.frames, topic, event.docs_seen, TOP_WORDS)
    return " · ".join(moment.vocab[w] for w in found)


WEIGHED = {
    "merge": "What was weighed: to make one of {old}, against leaving them apart.",
    "split": "What was weighed: to divide {old} into {new}, against leaving it whole.",
    "splits": "What was weighed: to divide {old} into {new}, and others likewise, all or none.",
    "delete": "What was weighed: to give the {unit} of {old} to others, against keeping it.",
}
"""By what was tried."""
RAISED = {
    "splits": "They were taken because together they raised the bound, by {}.",
    "delete": "It went because the bound is higher without it, by {}.",
}
"""The others: it alone raised the bound."""


def of_an_end(moment: Moment, event: Event) -> None:
    """What the topic was."""
    for topic in event.parents:
        life = why.life_until(moment.snapshot, moment.snapshot.frames, topic, event.docs_seen)
        if life is None:
            st.markdown("It held nothing at any of the moments that were kept.")
            continue
        began = "It was there from the start"
        if life.born is not None:
            how = "born"
            if life.parents:
                names = listed([f"“{plain(moment.name(t))}”" for t in life.parents])
                how = f"{'merged' if len(life.parents) > 1 else 'split'} from {names}"
            began = f"It was {how} after {life.born:,} documents"
        st.markdown(
            f"{began}, had {percent(life.largest, 1)} of all {moment.unit} at most, and "
            f"{percent(life.last, 2)} when {life.last_docs:,} documents had been seen."
        )


def of_a_move(moment: Moment, event: Event) -> None:
    """The parts of a split or a merge."""
    told = event.details
    if told is None or not told.sizes:
        return
    ends = event.children if event.kind == "split" else event.parents
    parts = ", ".join(
        f"“{moment.name(topic)}” {size:,}" for topic, size in zip(ends, told.sizes, strict=True)
    )
    st.markdown(f"{moment.unit.capitalize()} of the parts: {plain(parts)}.")


def decided(moment: Moment, event: Event, told: Details, climbs: bool) -> None:
    """What was weighed, and by what it was taken; `climbs`: by a bound, not by a draw."""
    if told.trial in WEIGHED:
        old, new = (
            listed([f"“{moment.name(topic)}”" for topic in topics])
            for topics in (event.parents, event.children)
        )
        st.markdown(plain(WEIGHED[told.trial].format(old=old, new=new, unit=moment.unit)))
    if told.log_ratio is None:
        return
    number = f"{told.log_ratio:+,.2f}".replace("-", "−")
    if climbs:
        raised = RAISED.get(told.trial, "It was taken because it raised the bound, by {}.")
        st.markdown(raised.format(number))
    else:
        chance = "so it was sure to be taken"
        if told.log_ratio < 0:
            chance = f"so it was taken with probability {why.power(told.log_ratio)}"
        st.markdown(f"The logarithm of its acceptance ratio was {number}, {chance}.")
