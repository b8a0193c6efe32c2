"""Runs that are unlike each other, and what the Runs page draws of them by direct call."""

import contextlib
from types import SimpleNamespace

import streamlit as st

from bnpexplorer.runs.saved.rows import USUAL, Saved
from bnpexplorer.ui.frame import access, holding, server
from bnpexplorer.ui.runs import table

MB = 1024 * 1024
CHAIN = {"group": "g", "place": 1, "of": 4, "sentence": "They *agree*."}


def saved(run_id, status="paused", corpus="news", tags=(), chain=None, error="", **facts):
    said = {"status": status, "corpus": corpus, "method": f"method of {run_id}", "heldout": None}
    said |= {"error": error} if error else {}
    said |= {"chain": chain} if chain else {}
    return Saved(
        run_id,
        f"run *{run_id}*",
        f"{corpus}-key",
        facts.pop("created", 0.0),
        facts.pop("updated", 5.0),
        {**USUAL, **said, **facts},
        tags,
        n_bytes=facts.pop("n_bytes", 0),
    )


ONE, TWO, OTHER = saved("a", docs_seen=1, planned_docs=9), saved("b"), saved("c", corpus="poems")
DONE = saved("d", "finished")


def drawn(monkeypatch):
    """Watch what is drawn, and say what the server knows: entries and races by a run's identity."""
    found = SimpleNamespace(
        buttons={}, captions=[], markdown=[], info=[], warning=[], error=[], popovers={}, pressed=()
    )
    found.entries, found.races, found.taken, found.unread = {}, {}, {}, set()

    def button(label, *_, key="", disabled=False, on_click=None, args=(), **__):
        found.buttons[label] = not disabled
        return label in found.pressed and not disabled

    def popover(label, *_, disabled=False, **__):
        found.popovers[label] = not disabled
        return contextlib.nullcontext()

    monkeypatch.setattr(st, "button", button)
    monkeypatch.setattr(st, "popover", popover)
    monkeypatch.setattr(st, "container", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(st, "expander", lambda label, **__: contextlib.nullcontext(label))
    for kind, words in (("caption", found.captions), ("markdown", found.markdown)):
        monkeypatch.setattr(st, kind, lambda said, *_, words=words, **__: words.append(said))
    for kind in ("info", "warning", "error"):
        words = getattr(found, kind)
        monkeypatch.setattr(st, kind, lambda said, *_, words=words, **__: words.append(said))
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(server, "registry", lambda: SimpleNamespace(get=found.entries.get))
    monkeypatch.setattr(server, "race_of", found.races.get)
    monkeypatch.setattr(holding, "why_not", lambda run_id: found.taken.get(run_id, ""))
    monkeypatch.setattr(access, "may_read", lambda run_id: run_id not in found.unread)
    monkeypatch.setattr(table, "_name_and_tags", lambda chosen: None)
    monkeypatch.setattr(table, "_export", lambda run: None)
    return found


def entry(status):
    return SimpleNamespace(background=SimpleNamespace(status=status))
