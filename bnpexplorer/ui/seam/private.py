"""Names that Streamlit keeps to itself: looked up at run time, missed in one sentence."""

import dataclasses
import logging
from functools import cache
from importlib import import_module
from typing import Any

import streamlit as st

LOG = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class PrivateName:
    """Something that a module of Streamlit's has, without a promise."""

    module: str
    name: str
    without: str
    """What a person sees without it, as a sentence."""
    field: str = ""
    """The field that is meant, if `name` is a dataclass."""

    def find(self) -> Any:
        """Return the object of this name; None, logged once, if this Streamlit lacks it."""
        try:
            found = getattr(import_module(self.module), self.name)
        except (ImportError, AttributeError):
            return warn_once(self.sentence())
        if self.field and self.field not in {field.name for field in dataclasses.fields(found)}:
            return warn_once(self.sentence())
        return found

    def sentence(self) -> str:
        """Return a sentence on what is missing and its effect."""
        full = ".".join(filter(None, (self.module, self.name, self.field)))
        return f"Streamlit {st.__version__} has no {full}. {self.without}"


@cache
def warn_once(sentence: str) -> None:
    """One line in the log of this server, however often it is said."""
    LOG.warning("%s", sentence)
