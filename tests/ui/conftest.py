"""What tests of pages share."""

import pytest
import streamlit as st


@pytest.fixture
def tab(monkeypatch):
    """The session of a tab for functions that are called directly; an address without anything."""
    state = {"own": {}, "tab": "me", "held": set(), "reads": set()}
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(st, "query_params", {})
    return state
