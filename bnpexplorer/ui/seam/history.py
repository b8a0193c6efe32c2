"""Whether a script runs because the browser's Back or Forward was used.

Symptom: The address goes back and the page stays as it was: nothing tells a script why it runs,
    and without that an old address cannot be told from one that the page is about to change.
Seen in: Streamlit 1.67.
No longer needed when: there is a public word for it, or a callback of the address.
"""

from .private import PrivateName

WITHOUT = "The browser's Back changes the address only, not the topic or document on the page."
CONTEXT = PrivateName("streamlit.runtime.scriptrunner", "get_script_run_ctx", WITHOUT)
FLAG = PrivateName(
    "streamlit.runtime.scriptrunner_utils.script_run_context",
    "ScriptRunContext",
    WITHOUT,
    field="is_history_navigation",
)


def went_back() -> bool:
    """Whether Back or Forward was used; False where no page is being drawn."""
    context, flag = CONTEXT.find(), FLAG.find()
    return context is not None and flag is not None and getattr(context(), FLAG.field, False)
