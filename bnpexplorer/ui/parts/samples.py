"""The samples to choose from on the Start and Corpus pages, and in the Lab."""

import streamlit as st

from ...samples import SAMPLES


def choose_sample(label: str, key: str, drawn: bool = False) -> str:
    """The name of one of the samples: of those `drawn` from a prior, or of the others."""
    offered = {name: sample for name, sample in SAMPLES.items() if sample.drawn == drawn}
    name: str = st.radio(
        label,
        list(offered),
        format_func=lambda name: offered[name].title,
        captions=[sample.sentence for sample in offered.values()],
        key=key,
    )
    return name
