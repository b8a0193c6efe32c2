"""What follows is drawn from the top of the page.

Symptom: After quick clicks under load a page stays empty (2 of 7 sessions). Where a tab has one
    script thread (`one_thread.py`), Streamlit goes on inside the fragment that ran last if the
    thread had not ended yet, and the browser looks for a place that the new page does not have.
Seen in: Streamlit 1.67.
No longer needed when: a script begins with an empty `context_dg_stack` whatever its thread has
    drawn before; `begin_at_the_top` then changes nothing.
"""

from .private import PrivateName

WITHOUT = "After quick clicks a page may stay empty until it is reloaded."
MODULE = "streamlit.delta_generator_singletons"
STACK = PrivateName(MODULE, "context_dg_stack", WITHOUT)
EMPTY = PrivateName(MODULE, "get_default_dg_stack_value", WITHOUT)


def begin_at_the_top() -> None:
    """Leave whatever a fragment was drawing; called before anything is drawn."""
    stack, empty = STACK.find(), EMPTY.find()
    if stack is not None and empty is not None:
        stack.set(empty())
