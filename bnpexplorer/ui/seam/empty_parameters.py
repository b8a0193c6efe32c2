"""Parameters of the address without a value, which are no choice.

Symptom: `live?view-topics=` gives a widget that always has a value the value None, and the page
    that reads it ends.
Seen in: Streamlit 1.67.
No longer needed when: tests/ui/test_bound_addresses.py passes without `drop_empty`.
"""

from .private import PrivateName

WITHOUT = "An address with an empty parameter ends the page."
CONTEXT = PrivateName("streamlit.runtime.scriptrunner", "get_script_run_ctx", WITHOUT)
INITIAL = PrivateName(
    "streamlit.runtime.state.query_params", "QueryParams", WITHOUT, field="_initial_query_params"
)
NOW = PrivateName(
    "streamlit.runtime.state.query_params", "QueryParams", WITHOUT, field="_query_params"
)


def drop_empty() -> None:
    """At the top of every script run, before any widget: forget parameters without a value.

    The browser is not told: a word to it would be a step of its Back button, which led to the empty
    parameter again. It hears of it with what the page writes into the address next.
    """
    context = CONTEXT.find()
    if context is None or INITIAL.find() is None or NOW.find() is None or context() is None:
        return
    with context().session_state.query_params() as parameters:
        for values in (parameters._initial_query_params, parameters._query_params):
            for name in [name for name, value in values.items() if not any(value)]:
                del values[name]
