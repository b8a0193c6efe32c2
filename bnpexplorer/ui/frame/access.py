"""Read access to the texts of a run: the only way from a run, race, study ... to its documents.

Anyone with the address watches: figures, topics with their words, settings, scores, counts and the
dates of documents. Texts, ids, titles, labels, word counts in some of the documents, and the corpus
itself, to learn from or to export, are for those who hold the secret of the run, or a link with its
key to read from the owner (`&texts=KEY`, a switch under Share).

That key is derived from the secret and not stored. It survives a reload, which has the address, and
a restart of the server, which has the secret. Its holder may pass it on, and it lasts as long as
the run. A link to watch that was given before does not become one to read.

On one's own machine (without BNPEXPLORER_SHARED) anyone who opens the app reads everything; the
samples are for everybody.
"""

import hashlib
import hmac
from dataclasses import replace

import streamlit as st

from ...explore.documents import unnamed_of
from ...runs import limits
from ...runs.registry import Entry
from ...samples import is_sample
from . import server
from .server import LoadedCorpus

TEXTS = "texts"
"""What the keys to read are called in the address."""
FOR_ITS_OWNER = (
    "The documents are for the owner of this run: ask for a link that shares the texts (Share, "
    "“With the texts”)."
)


WORDS_FOR_ITS_OWNER = (
    "How common a word is in some documents, and beside which others, can tell the words of a "
    f"single one. {FOR_ITS_OWNER}"
)
"""Not from so many documents on: who may choose dates finds one by the difference of two ranges."""
MOMENT_FOR_ITS_OWNER = (
    "What was weighed then is of a single document or word, which the numbers can tell. "
    f"{FOR_ITS_OWNER}"
)


def begin() -> None:
    """At the top of every script run: the keys to read from the address, in a new session."""
    st.session_state.setdefault("held", set())
    if "reads" not in st.session_state:
        st.session_state["reads"] = {
            key for key in st.query_params.get(TEXTS, "").split(",") if key
        }


def in_address() -> dict[str, str]:
    """The keys to read, as pages keep them in the address."""
    return {TEXTS: ",".join(sorted(st.session_state["reads"]))}


def hold(*secrets: str) -> None:
    """From now on this tab controls, and reads, what has one of these secrets."""
    st.session_state["held"] |= {secret for secret in secrets if secret}


def holds(run_id: str) -> bool:
    """Whether this tab has the secret of a run, saved or in memory; a race's runs have its own."""
    return _secret(run_id) in st.session_state["held"]


def key_to_read(secret: str) -> str:
    """What opens the texts of whatever has this secret, and tells nothing of the secret."""
    return hmac.new(secret.encode(), b"texts", hashlib.sha256).hexdigest()[:20]


def is_open(run_id: str) -> bool:
    """Whether everybody may have these documents: alone at a machine, or those of a sample."""
    entry = server.registry().get(run_id)
    source = None if entry is None else entry.source
    return not limits.is_shared() or (isinstance(source, LoadedCorpus) and is_sample(source.corpus))


def may_read(run_id: str) -> bool:
    """Whether this tab may have the documents of a run, a race, a study ..., saved or in memory."""
    if is_open(run_id) or holds(run_id):
        return True
    secret = _secret(run_id)
    return bool(secret) and key_to_read(secret) in st.session_state["reads"]


def texts_of(entry: Entry) -> LoadedCorpus | None:
    """Return the corpus with its documents; None if missing or not readable by this tab."""
    loaded = entry.source
    return loaded if isinstance(loaded, LoadedCorpus) and may_read(entry.run_id) else None


def counts_of(entry: Entry) -> LoadedCorpus | None:
    """The corpus for figures, which everybody sees: nothing in it tells which document is which."""
    loaded = entry.source
    if not isinstance(loaded, LoadedCorpus):
        return None
    return replace(loaded, corpus=unnamed_of(loaded.corpus))


def learns(entry: Entry, loaded: LoadedCorpus) -> bool:
    """Whether a run learns these texts, or others that are the same for every method."""
    source = entry.source
    return (
        isinstance(source, LoadedCorpus) and source.corpus.fingerprint == loaded.corpus.fingerprint
    )


def _secret(run_id: str) -> str:
    """Empty for a run that nobody knows, or that was saved without one."""
    entry = server.registry().get(run_id)
    return server.library().secret(run_id) if entry is None else entry.secret
