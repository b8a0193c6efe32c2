"""Curves of other programs behind those of one's runs, from a file that a benchmark wrote."""

import numpy as np
import streamlit as st

from ...compare import Ground
from ...compare.references import read_references
from ...core.arrays import F64
from ..frame.words import plain

MOST = 5
"""Curves drawn, the best at the end first: more could not be told apart by their names."""


def other_programs(ground: Ground) -> list[tuple[str, F64, F64]]:
    """Name, seconds and scores of the programs in the file chosen that can be compared."""
    with st.popover("Other programs", icon=":material/compare_arrows:"):
        st.caption(
            "How well other programs did on the same texts and the same held-out documents, in "
            "grey behind your runs: choose the **quality.jsonl** that "
            "`python -m benchmarks.quality FILE` wrote. Its seconds are the processor's."
        )
        file = st.file_uploader("quality.jsonl", type="jsonl", key="compare-other-programs")
    if file is None:
        return []
    try:
        found = read_references(file.getvalue().decode("utf-8").splitlines(), ground)
    except UnicodeDecodeError:
        st.error(f"{plain(file.name)} is not text; choose the file that the benchmark wrote.")
        return []
    except ValueError as problem:
        st.error(f"{plain(file.name)}: {plain(str(problem))}")
        return []
    if not found:
        st.warning(
            f"{plain(file.name)} has no curve of these texts with these documents held out. The "
            "benchmark reads the file as it is and holds out what a run with seed 0 does."
        )
    if len(found) > MOST:
        st.caption(f"Of {len(found)} other programs the {MOST} that end highest.")
    return [(f.program, np.array(f.seconds), np.array(f.scores)) for f in found[:MOST]]
