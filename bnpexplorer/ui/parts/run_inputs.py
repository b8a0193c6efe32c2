"""The part of the form that says how a run goes: how long, how often, and what is held out.

How many threads the runs of this server share: one field, the same for all that it starts.
"""

from dataclasses import replace
from typing import Any

import streamlit as st

from ...core.environment import THREADS, usable_cores
from ...corpus import Corpus
from ...evaluate import PROTOCOLS
from ...inference.cores import cores, too_many
from ...runs import limits
from ...runs.choices import UNTIL, Order, Until
from ...runs.limits import LARGEST_BATCH
from ...runs.plan import MOST_CHAINS, Plan
from ..frame import link
from ..seam.widgets import number_field

ORDERS: dict[Order, str] = {
    "shuffled": "shuffled, anew in every pass",
    "stream": "as a stream: once, by date, never looking back",
}


def run_inputs(
    usual: Plan, n_to_learn: int, length: float, key: str, at: str, chains: int, problems: list[str]
) -> dict[str, Any]:
    """Batch size, passes over `n_to_learn` documents of `length` words on average, seed, and when
    it ends, by their names in a plan."""
    columns, below = st.columns(3), st.columns(3)
    until = _until_input(usual, key, below[0])
    with below[1]:
        minutes = number_field(
            "Minutes, 0: no limit",
            0,
            1440,
            0.0,
            problems,
            key=f"{key}-minutes",
            help="Of learning, of every chain its own.",
        )
    with below[2]:
        n_chains = number_field(
            "Chains",
            2 if chains > 1 else 1,
            MOST_CHAINS,
            chains,
            problems,
            key=f"{key}-chains",
            help="The same method from different starts and seeds: where all end at the same, "
            "believe it.",
        )
    with columns[0]:
        size = _followed(min(usual.batch_for(n_to_learn), LARGEST_BATCH), f"{at}-batch")
        batch_size = number_field(
            "Batch size (S)",
            1,
            LARGEST_BATCH,
            size,
            problems,
            key=f"{at}-batch-{size}",
            help="The mini-batch: how many documents are read before the topics change.",
        )
    with columns[1]:
        ending = usual if until == usual.until else replace(usual, until=until, passes=None)
        suggested = ending.passes_for(n_to_learn, length)
        passes = _passes_input(ending, suggested, f"{at}-{until}", problems)
    with columns[2]:
        seed = number_field(
            "Seed",
            0,
            2**31 - 1,
            usual.seed,
            problems,
            key=f"{key}-seed",
            help="The same seed gives the same numbers, here, on the command line and in Python.",
        )
    ends = {"until": until, "minutes": minutes or None, "chains": n_chains}
    return {"batch_size": batch_size, "passes": passes, "seed": seed, **ends}


def _until_input(usual: Plan, key: str, column: Any) -> Until:
    """When the run ends; what reads its texts once has no choice."""
    once = usual.method.batching == "once"
    until: Until = column.selectbox(
        "It ends when",
        ["passes"] if once else list(UNTIL),
        format_func=lambda u: UNTIL[u],
        key=f"{key}-until-{'once' if once else 'all'}",
        disabled=once,
        help="Settled: the quantities without labels no longer move, by R-hat and effective sample "
        "size for samplers. A single run can settle where another start would not.",
    )
    return until


def _followed(suggested: int, field: str) -> int:
    """Return what a field starts at: as suggested for so many documents, also when they change,
    until somebody types a number. The field's key is `field` and what it starts at."""
    shown = st.session_state.get(f"{field}-suggested", suggested)
    typed = st.session_state.get(f"{field}-{shown}", shown) != shown
    start = shown if typed else suggested
    st.session_state[f"{field}-suggested"] = start
    return int(start)


def _passes_input(usual: Plan, suggested: int, at: str, problems: list[str]) -> int:
    start = _followed(suggested, f"{at}-passes")
    once = usual.method.batching == "once"
    about = "How often the texts are read, without those held out."
    return number_field(
        "Passes" if usual.until == "passes" else "Passes at most",
        1,
        10_000,
        start,
        problems,
        key=f"{at}-passes-{start}",
        disabled=once,
        help=f"{about} This method reads them once, in their own order." if once else about,
    )


def heldout_key(corpus: Corpus, key: str) -> str:
    """Of the field that asks how many documents are held out."""
    return f"{key}-heldout-{corpus.n_docs}"


def heldout_inputs(
    usual: Plan, corpus: Corpus, n_heldout: int, key: str, at: str, problems: list[str]
) -> dict[str, Any]:
    """What is held out, how it is scored, and the order of the others, by their names in a plan."""
    model_name = usual.method.model.name
    known = [p for p in PROTOCOLS if model_name in PROTOCOLS[p].models]
    order: Order = usual.order
    columns = st.columns(3)
    with columns[0]:
        chosen = number_field(
            "Held-out documents",
            1,
            max(min(corpus.n_docs // 2, 2000), 1),
            n_heldout,
            problems,
            key=heldout_key(corpus, key),
            help="Kept apart from learning, chosen at random by the seed; the score is theirs.",
        )
    protocol = columns[1].selectbox(
        "How they are scored",
        known,
        known.index(usual.protocol_for(corpus)),
        key=f"{key}-protocol-{model_name}",
        format_func=lambda p: PROTOCOLS[p].title,
        help="Scores of different protocols cannot be compared.",
    )
    if usual.method.batching == "shuffled":
        order = columns[2].selectbox(
            "Order of reading", list(ORDERS), format_func=lambda o: ORDERS[o], key=f"{at}-order"
        )
    return {"n_heldout": chosen, "protocol": protocol, "order": order}


MOST = 1024


def threads_input(key: str, problems: list[str]) -> None:
    """Ask for the threads of this server; nothing in a class, but for who started it.

    Runs under way follow at once, and so does the field of every other tab when it is drawn again.
    """
    if limits.is_shared() and not link.is_lecturers():
        return
    now, there = cores().n, usable_cores()
    has = "1 core" if there == 1 else f"{there:,} cores"
    words = (
        f"Of this server, shared out between the runs under way; this machine has {has}. They "
        f"change how fast it learns, and no number. {THREADS} sets them at the start."
    )
    with st.columns(3)[0]:  # as wide as the other numbers
        asked = number_field(
            "Threads",
            1,
            MOST,
            now,
            problems,
            key=f"{key}-threads-{now}",  # another number elsewhere begins it anew
            help=words,
        )
    if 1 <= asked <= MOST:
        cores().use(asked)
        if said := too_many(asked):
            st.caption(said)
