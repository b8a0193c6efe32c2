"""All that leans on what Streamlit does not promise, one file a workaround.

Each begins with what is seen without it, the versions in which that was seen, and how to see that
it is no longer needed; a style sheet does so in its first comment. Names that Streamlit keeps to
itself go through `private.PrivateName`: without one the app says so once, in its log, and goes on,
and `tests/ui/seam/` fails. So do the names of Streamlit's elements in style sheets and scripts.
"""
