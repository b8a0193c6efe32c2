"""Canaries: names that Streamlit keeps to itself are there, and missed in a sentence."""

import importlib
import pkgutil

import pytest
import streamlit as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from bnpexplorer.ui import seam
from bnpexplorer.ui.seam import address, messages, styles
from bnpexplorer.ui.seam.private import PrivateName
from tests.tools.waiting import NEVER

MODULES = [
    importlib.import_module(f"{seam.__name__}.{module.name}")
    for module in pkgutil.iter_modules(seam.__path__)
]
NAMES = [
    thing for module in MODULES for thing in vars(module).values() if isinstance(thing, PrivateName)
]
GONE = PrivateName("streamlit", "a_name_it_never_had", "The page says so.")
GONE_MODULE = PrivateName("streamlit.no_such_module", "anything", "The page says so.")
GONE_FIELD = PrivateName(address.FLAG.module, address.FLAG.name, "The page says so.", "no_such_one")


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.field or name.name)
def test_streamlit_still_has_it(name):
    assert name.find() is not None, f"{name.sentence()} Look at {seam.__name__}."


def test_names_are_looked_for_where_they_are():
    assert {styles.STACK, styles.EMPTY, address.RUN_CONTEXT, address.FLAG} <= set(NAMES)


@pytest.mark.parametrize("name", [GONE, GONE_MODULE, GONE_FIELD])
def test_what_is_gone_is_said_once_with_what_follows(name, caplog):
    assert name.find() is None
    assert name.find() is None
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.getMessage() == name.sentence()
    assert st.__version__ in name.sentence()
    assert name.sentence().endswith("The page says so.")


@pytest.mark.second
def test_without_them_a_page_is_drawn_all_the_same(monkeypatch, caplog):
    monkeypatch.setattr(styles, "STACK", GONE)
    monkeypatch.setattr(address, "FLAG", GONE)

    def script():
        import streamlit as st

        from bnpexplorer.ui.seam import address, styles

        styles.begin_at_the_top()
        st.text(str(address.went_back()))

    (words,) = AppTest.from_function(script, default_timeout=NEVER).run().text
    assert words.value == "False"


@pytest.mark.parametrize(
    ("setting", "say", "missed", "right"),
    [
        (messages.SETTING, messages.one_thread_a_tab, True, False),
        (messages.SMALLEST_KEPT_MESSAGE, messages.whole_messages, 10_000.0, messages.BEYOND),
    ],
)
def test_a_setting_is_known_and_missed_once(setting, say, missed, right, monkeypatch, caplog):
    assert setting in config.get_config_options()
    monkeypatch.setattr(st, "get_option", lambda name: right)
    say()
    assert not caplog.records
    monkeypatch.setattr(st, "get_option", lambda name: missed)
    say()
    say()
    (record,) = caplog.records
    assert setting in record.getMessage()
