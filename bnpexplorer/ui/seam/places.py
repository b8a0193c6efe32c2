"""A place on the page that is drawn into later, such as `st.container()` returns.

Symptom: The type of a place has no public name, so that nothing can be declared to take one.
Seen in: Streamlit 1.67.
No longer needed when: `streamlit` itself exports the type.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    Place: TypeAlias = DeltaGenerator
else:  # only what checks types needs to know
    Place = Any
