"""Chains on the Compare page: start them, watch them meet or not, see which topics to trust."""

import numpy as np
import pandas as pd
import streamlit as st

from ...chains import FEWEST, QUANTITIES, Chains, ChainsVerdict, chains_of, found_topics
from ...compare.alignment import NEAR
from ...compare.verdict import chains_verdict
from ...core.html import Markup, joined
from ...evaluate.settling import FEWEST_DRAWS, FEWEST_ESS, MOST_RHAT
from ...plots.chains import ChainLine, chains_figure, chains_height
from ...plots.style import colour, slots_of
from ...runs.background import BackgroundRun
from ...runs.keeping import ENDED
from ...runs.registry import Entry
from ..frame import server, session
from ..frame.look import is_dark, text_size
from ..frame.server import LoadedCorpus
from ..frame.words import plain, status_words
from ..parts import html
from ..parts.figure import live_figure, read_as_table
from ..parts.forms import method_form, title_of
from ..seam.widgets import ticking
from . import sequential
from .race import texts_at_hand
from .sequential import SequentialKind

CHAINS = SequentialKind(
    "chains",
    Chains,
    {
        "Resume": "Go on, all of them",
        "Pause": "After this mini-batch",
        "Step": "One mini-batch more for each",
        "Stop": "End all chains",
    },
    "Other chains",
    "The chains {} are no longer on this server. They were saved as they went and are under Runs. "
    "To start them again, load their texts on the Texts page; the same seed gives the same ones.",
)
DRAWN = ("log_joint", "heldout", "topics")
USUAL = 4
TOPICS, WORDS = 30, 8
UNTIL_MET = " until they have met, or all is read"


def chains_view() -> None:
    """The chains of this tab, or the form that starts some."""
    running = sequential.current(CHAINS)
    if running is not None:
        _watch(*running)
        return
    st.markdown(
        "Has it converged? A single run cannot tell: one that is stuck looks settled. One method "
        "begins here from different starts and seeds; where all end at the same, believe it."
    )
    loaded = texts_at_hand()
    if loaded is not None:
        _form(loaded)


def _form(loaded: LoadedCorpus) -> None:
    plan = method_form(loaded.corpus, "chains", USUAL)
    if plan is None:
        return
    try:
        session.launch_together(CHAINS.name, chains_of(plan, loaded.corpus), loaded)
    except ValueError as problem:
        st.error(plain(problem))
        return
    st.rerun()


# ---- watching ------------------------------------------------------------------------------------


def _watch(entry: Entry, owned: bool) -> None:
    """Buttons; the sentence and the picture, which move; and the topics of chains at rest."""
    background: BackgroundRun[Chains] = entry.background
    chains, drawn = background.run, background.status
    st.markdown(f"## {plain(title_of(chains.method.name))}, {len(chains.runs)} chains")
    sequential.steer(CHAINS, entry, owned, drawn)
    tick = server.registry().tick_seconds() if drawn not in ENDED else None

    @ticking(tick)
    def live() -> None:
        if background.status != drawn:
            st.rerun()  # the buttons outside depend on the status
        _progress(background)
        _picture(chains)

    live()
    if drawn in (*ENDED, "paused") and background.latest is not None:
        _together(entry, chains)
        _topics(entry, chains)


def _progress(background: BackgroundRun[Chains]) -> None:
    chains = background.run
    share = chains.share_done
    open_end = chains.runs[0].until == "settled" and not chains.done
    st.progress(
        min(share, 1.0),
        f"{status_words(background)}{UNTIL_MET if open_end else ''}: {share:.0%} of every chain "
        f"({plain(chains.corpus.name)}, seeds from {chains.runs[0].seed})",
    )
    sequential.say_problems(CHAINS, background, lambda i: _label(chains, i))


def _label(chains: Chains, i: int) -> str:
    start = chains.starts[i]
    return f"chain {i + 1}, from {start}" if start else f"chain {i + 1}"


def _picture(chains: Chains) -> None:
    """The sentence, the numbers behind it, and the draws of all chains."""
    verdict = chains.verdict()
    if chains.done:
        enough = verdict.n_draws >= FEWEST_DRAWS
        st.markdown(f"**{chains_verdict(verdict.met, enough, len(chains.sound))}**")
    if verdict.met:
        st.success(verdict.sentence, icon=":material/check:")
    else:
        st.info(plain(verdict.sentence), icon=":material/call_split:")
    if verdict.n_draws >= FEWEST_DRAWS:
        st.markdown(_numbers(verdict))
    lines = _lines(chains)
    keys = [key for key in DRAWN if key in next((c[0].values for c in chains.draws if c), {})]
    if not keys:
        st.caption("The picture comes with the first draws.")
        return
    dark = is_dark()
    names = [html.named_line(colour(c.slot, dark), c.dash, c.label) for c in lines]
    legend = joined(names, Markup("&emsp;"))
    st.html(html.CSS + Markup('<div class="bnp">{}</div>').format(legend))
    titles = [QUANTITIES[key].title for key in keys]
    seen = max((c[len(c) - len(c) // 2].docs_seen for c in chains.draws if len(c) > 1), default=0)
    live_figure(
        chains_figure(lines, titles, float(seen), dark, text_size(), _levels(chains)),
        "chains",
        chains_height(len(titles)),
        f"{', '.join(titles)} of all chains over the documents seen; numbers in the table.",
    )
    st.caption(
        "Draws left of the upright dotted line do not count. Scores are those of single states, "
        "not averaged over states as a run's own score is; what is not above word frequencies has "
        "learned nothing."
    )
    read_as_table("chains", lambda: _table(chains), last=True)


def _levels(chains: Chains) -> dict[str, float]:
    """Where word frequencies alone stand in the panel of scores: all chains have one split."""
    unigram = session.unigram_of(chains.run_ids[0], chains.runs[0])
    return {QUANTITIES["heldout"].title: unigram}


def _numbers(verdict: ChainsVerdict) -> str:
    """R-hat and effective sample size as a table in Markdown."""
    rows = [
        f"| {QUANTITIES[key].title} | {verdict.rhat[key]:.3f} | {verdict.ess[key]:,.0f} |"
        for key in verdict.rhat
    ]
    head = f"| | R-hat (at most {MOST_RHAT}) | effective sample size (at least {FEWEST_ESS}) |"
    return "\n".join([head, "|---|---:|---:|", *rows])


def _lines(chains: Chains) -> list[ChainLine]:
    """Every chain as it is drawn: chains of one start have one colour and different dashes.

    Where there is one start only, each has a colour.
    """
    starts = list(dict.fromkeys(chains.starts))
    groups = [starts.index(start) for start in chains.starts]
    slots = slots_of(groups if len(starts) > 1 else range(len(groups)))
    return [
        ChainLine(
            _label(chains, i),
            slot,
            dash,
            np.array([draw.docs_seen for draw in draws], float),
            {
                QUANTITIES[key].title: np.array([draw.values[key] for draw in draws], float)
                for key in (draws[0].values if draws else ())
            },
        )
        for i, (draws, (slot, dash)) in enumerate(zip(chains.draws, slots, strict=True))
    ]


def _table(chains: Chains) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"chain": _label(chains, i), "documents": draw.docs_seen}
            | {QUANTITIES[key].title: value for key, value in draw.values.items()}
            for i, draws in enumerate(chains.draws)
            for draw in draws
        ]
    )


# ---- at rest -------------------------------------------------------------------------------------


def _together(entry: Entry, chains: Chains) -> None:
    """Show the score of predictions averaged over all chains beside those of single chains."""
    snapshots = [entry.background.latest[i] for i in chains.sound]
    alone = [snapshot.heldout for snapshot in snapshots if snapshot.heldout is not None]
    steps = tuple(snapshot.step for snapshot in snapshots)
    together = snapshots[0].derived(("score of chains", entry.run_id, steps), chains.score)
    if together is None or len(alone) < FEWEST:
        return
    st.markdown(
        f"A prediction that averages over all chains scores **{together:.3f}** per held-out "
        f"word; single chains score {min(alone):.3f} to {max(alone):.3f}."
    )


def _topics(entry: Entry, chains: Chains) -> None:
    """The topics by how many chains have found them."""
    snapshots = entry.background.latest
    moments = [chains.runs[i].moment(snapshots[i]) for i in chains.sound]
    steps = tuple(moment.snapshot.step for moment in moments)
    found = moments[0].derived(
        ("topics of chains", entry.run_id, steps),
        lambda: found_topics([moment.topics for moment in moments]),
    )
    n_all = sum(len(one.chains) == len(moments) for one in found)
    noun = moments[0].noun
    st.markdown(f"## Which {noun}s to trust")
    st.markdown(
        f"**All {len(moments)} chains have found {n_all} of {len(found)} {noun}s.** Those of few "
        f"chains may be an accident of where these began. A {noun} is found again where a chain's "
        f"own shares about half of its words' mass (Jensen-Shannon distance below {NEAR})."
    )
    table = pd.DataFrame(
        [
            {
                "chains that have it": len(one.chains),
                f"share of {moments[0].unit}": f"{one.share:.1%}",
                "most probable words": moments[one.chain].words_line(one.topic, WORDS, ", "),
            }
            for one in found
        ]
    )
    st.dataframe(table.head(TOPICS), hide_index=True)
    read_as_table("chains-topics", lambda: table, label=f"All {noun}s")
