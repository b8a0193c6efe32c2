"""Plugins: clusters, large builds, and the forms of other programs.

No room outside imports them: `core/plugins.py` names what each offers. They may import any room,
but not one another.
"""
