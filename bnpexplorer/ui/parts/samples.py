"""The samples to choose from, on the Start page and on the Corpus page."""

import streamlit as st

from ...samples import SAMPLES


def choose_sample(label: str, key: str) -> str:
    """The name of one of the samples."""
    name: str = st.radio(
        label,
        list(SAMPLES),
        format_func=lambda name: SAMPLES[name].title,
        captions=[sample.sentence for sample in SAMPLES.values()],
        key=key,
    )
    return name
