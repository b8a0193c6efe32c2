"""What is there for good is taken out of the garbage collector's sight.

Symptom: Streamlit collects garbage after every script run and every tick. With all libraries in
    sight that took 0.1 s each time, four fifths of what a watching tab cost.
Seen in: Streamlit 1.67.
No longer needed when: `python -m benchmarks.tabs` shows the same times without it.
"""

import gc


def spare_collector() -> None:
    """Collect once, then freeze what is left: libraries, compiled kernels, samples."""
    gc.collect()
    gc.freeze()
