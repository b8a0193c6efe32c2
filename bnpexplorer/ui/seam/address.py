"""The address of a page and the browser's history. Each workaround has its symptom below.

Parameters of the address without a value, which are no choice.

Symptom: `live?view-topics=` gives a widget that always has a value the value None, and the page
    that reads it ends.
Seen in: Streamlit 1.67.
No longer needed when: tests/ui/test_bound_addresses.py passes without `drop_empty`.

Parameters that earlier versions wrote, translated.

Symptom: A widget that is bound to the address reads what the address said when it was opened, and
    not what a script has written there since.
Seen in: Streamlit 1.67.
No longer needed when: tests/ui/test_kept_addresses.py passes with `st.query_params.update` alone.

Whether a script runs because the browser's Back or Forward was used.

Symptom: The address goes back and the page stays as it was: nothing tells a script why it runs,
    and without that an old address cannot be told from one that the page is about to change.
Seen in: Streamlit 1.67.
No longer needed when: there is a public word for it, or a callback of the address.

A step of the browser's Back for each act of a person; `one_step.js` does it.

Symptom: Every word that a script writes into the address is a step of its own. Who goes from one
    page to another has three behind them: the empty address, the runs, the choices; Back leads
    through all of these, and each but the last lacks something that the page then forgets.
Seen in: Streamlit 1.67.
No longer needed when: tests/browser/test_topics.py goes back to the view that a click has left
    without it.

From one page to another.

Symptom: `st.switch_page` refuses to leave a page whose widgets are bound to the address, unless it
    is given the new page's own parameters.
Seen in: Streamlit 1.67.
No longer needed when: "Watch it learn" on the Start page works without `query_params`.

Pages are declared before any widget is drawn.

Symptom: A widget that is drawn before `st.navigation` has another identity in the first script run
    of a fresh server, and its first click is lost. And until a server has met `st.navigation`, a
    page's own address makes it run the file in `pages/` in the place of `app.py`; so each of these
    runs the whole app too. There the browser's console also shows two 404 lines, since Streamlit's
    own script asks for `_stcore/health` and `_stcore/host-config` below the page's address first
    and at the root next, in case the app is served from a folder. No setting changes that, and an
    answer there would be wrong.
Seen in: Streamlit 1.67.
No longer needed when: the switch for large type, drawn before `st.navigation`, answers to the first
    click after the server has been started; and a fresh server that is opened at `/live` runs
    `app.py`, as it does later.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from ...core.display import text_beside
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


def translate(values: Mapping[str, str]) -> None:
    """Set parameters of the address, as if it had been opened so; to be called before the widgets
    bound to them are drawn."""
    st.query_params.update(values)
    context = CONTEXT.find()
    if context is not None and INITIAL.find() is not None and context() is not None:
        with context().session_state.query_params() as parameters:
            parameters._initial_query_params.update({n: [v] for n, v in values.items()})


WITHOUT_HISTORY = (
    "The browser's Back changes the address only, not the topic or document on the page."
)
RUN_CONTEXT = PrivateName("streamlit.runtime.scriptrunner", "get_script_run_ctx", WITHOUT_HISTORY)
FLAG = PrivateName(
    "streamlit.runtime.scriptrunner_utils.script_run_context",
    "ScriptRunContext",
    WITHOUT_HISTORY,
    field="is_history_navigation",
)


def went_back() -> bool:
    """Whether Back or Forward was used; False where no page is being drawn."""
    context, flag = RUN_CONTEXT.find(), FLAG.find()
    return context is not None and flag is not None and getattr(context(), FLAG.field, False)


_component = st.components.v2.component(
    "bnpexplorer_one_step",
    html="<span></span>",
    js=text_beside(__file__, "one_step.js"),
    isolate_styles=False,
)


def one_step_an_act() -> None:
    """Once on every page; it draws nothing."""
    with st.container(key="frame-one-step"):
        _component(key="one-step")


def switch_to(page: Any) -> None:
    """Switch to a page, by its file or as it was declared; the app writes its parameters anew."""
    st.switch_page(page, query_params={})


def declare_pages(sections: Mapping[str, Sequence[Any]]) -> Any:
    """The pages by their sections, in the order of the menu, on top; returns the one that was asked
    for."""
    return st.navigation({name: list(some) for name, some in sections.items()}, position="top")
