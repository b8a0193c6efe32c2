"""Which saved runs a tab sees and which it controls, alone at a machine or in a class.

By default whoever opens the app may open and change every saved run. With the environment variable
BNPEXPLORER_SHARED=1 a saved run belongs to whoever has its owner's link: a tab sees the runs that
it started, imported or was opened with the owner's link of, and may watch those its address names.
"""

from collections.abc import Collection, Sequence

import streamlit as st

from ...chains import Chains
from ...corpus.stored import StoredCorpus
from ...runs import limits
from ...runs.saved.rows import Damaged, Saved
from . import access, server, session


def is_shared() -> bool:
    """Whether saved runs belong to the tabs that made them."""
    return limits.is_shared()


def hold(run_id: str) -> None:
    """This tab made the saved run: from now on it sees and controls it."""
    access.hold(server.library().secret(run_id))


def _holds(run_id: str) -> bool:
    """Whether the run is this tab's own."""
    return not is_shared() or access.holds(run_id)


def saved_runs(named: Collection[str] = ()) -> list[Saved]:
    """The saved runs that this tab may see, the latest first. Raises StoreError.

    `named` are runs that the address names beside those on the page.
    """
    named = {*named, *st.session_state["own"]}
    return [s for s in server.library().saved() if s.run_id in named or _holds(s.run_id)]


def deleted_runs() -> list[Saved]:
    """The deleted runs that this tab may bring back. Raises StoreError."""
    return [saved for saved in server.library().saved(deleted=True) if _holds(saved.run_id)]


def corpus_at_hand(fingerprint: str) -> StoredCorpus | None:
    """The stored corpus of this fingerprint that a saved run of this tab learns; else None.

    On a shared server an imported file opens no other: its maker may have read the fingerprint on
    somebody else's page. Raises StoreError.
    """
    for saved in saved_runs():
        if not (_holds(saved.run_id) and saved.corpus_key.startswith(fingerprint)):
            continue
        corpus = server.library().texts(saved.corpus_key)
        if isinstance(corpus, StoredCorpus) and corpus.manifest.fingerprint == fingerprint:
            return corpus
    return None


def holds(secret: str) -> bool:
    """Whether this tab controls the run of the secret."""
    return not is_shared() or secret in st.session_state["held"]


def damaged_runs() -> list[Damaged]:
    """Runs that cannot be listed; on a shared server only this tab's. Raises StoreError."""
    return [one for one in server.library().damaged() if _holds(one.run_id)]


def may_control(run_id: str) -> bool:
    """Whether this tab may go on with the run, rename or delete it."""
    return not why_not(run_id)


def why_not(run_id: str) -> str:
    """Why this tab may not control a run; empty if it may."""
    race = server.race_of(run_id)
    if race is not None:
        name = "the chains" if isinstance(race.background.run, Chains) else "the race"
        among = "among chains that go on" if name == "the chains" else "in a race that goes on"
        return f"is {among}: stop {name} on the Compare page first"
    if is_shared():
        return "" if _holds(run_id) else "is somebody else's run: to watch only"
    return "is on somebody else's page now: to watch only" if in_other_hands(run_id) else ""


def in_other_hands(run_id: str) -> bool:
    """Whether another tab shows the run now and this one does not control it."""
    registry = server.registry()
    entry = registry.get(run_id)
    if entry is None or registry.owned(run_id, st.session_state["own"].get(run_id, "")):
        return False
    return bool(entry.tabs - {session.tab_id()})


def take_up_again(saved: Saved) -> None:
    """Let a run that was stopped or failed on this server go on from where it was saved last."""
    entry = server.registry().get(saved.run_id)
    unfinished = entry is not None and entry.background.status in ("stopped", "failed")
    if entry is not None and unfinished and not entry.background.not_kept:
        server.registry().renew(saved.run_id)


def put_on_page(run_ids: Sequence[str]) -> None:
    """Open saved runs and show them, and no others, on the Live page. Raises StoreError.

    The tab controls those that it may; it watches the others.
    """
    keys = {}
    for run_id in run_ids:
        entry = server.open_saved(run_id)
        if entry is not None:
            keys[run_id] = entry.secret if may_control(run_id) else ""
    for run_id in [r for r in st.session_state["own"] if r not in keys]:
        session.leave(run_id)
    st.session_state["own"] = keys
    shown = session.shown_runs()
    texts = access.texts_of(shown[0].entry) if shown else None
    if texts is not None:
        session.use_corpus(texts)
    for run_id in keys:
        server.registry().attach(session.tab_id(), run_id)
