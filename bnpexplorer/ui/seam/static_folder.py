"""plotly.js lies where Streamlit serves it from before the server looks there.

Symptom: The first start of a fresh clone warns of a static folder that is not there and advises to
    turn static serving off, with which figures lose their zoom. Streamlit looks once, before any
    page is drawn, so the folder cannot be made by a page. It looks beside `app.py` alone: in a
    checkout that the account may only read, figures lost their zoom as well.
Seen in: Streamlit 1.67.
No longer needed when: `tests/ui/seam/test_hosts.py` passes without `serve_plotly` in `around`.
"""

from importlib import import_module
from pathlib import Path

import plotly
import streamlit as st

from ...core.folders import app_folder, cache_folder
from ...core.store import replacing
from .private import PrivateName

STATIC = app_folder() / "static"
PLOTLY_FILE = f"plotly-{plotly.__version__}.min.js"
LOOKS = PrivateName(
    "streamlit.file_util",
    "get_app_static_dir",
    "In a folder that this account may only read, figures lose their zoom at every update.",
)


def serve_plotly() -> bool:
    """Put the file that ships inside the plotly wheel into the folder that is served, unless it is
    there; whether it is served. Beside the app, or else in the user's cache."""
    if not st.get_option("server.enableStaticServing"):
        return False
    if _put(STATIC):
        return True
    try:
        folder = cache_folder("static")
    except OSError:  # a machine where this account may write nowhere
        return False
    return LOOKS.find() is not None and _put(folder) and _serve_from(folder)


def _put(folder: Path) -> bool:
    """Write the file into a folder unless it is there; False where nobody may write."""
    source = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    target, content = folder / PLOTLY_FILE, source.read_bytes()
    try:
        if not target.exists() or target.read_bytes() != content:
            folder.mkdir(exist_ok=True)
            with replacing(target) as file:
                file.write(content)
    except OSError:
        return False
    return True


def _serve_from(folder: Path) -> bool:
    """Let Streamlit look there from now on."""
    setattr(import_module(LOOKS.module), LOOKS.name, lambda _: str(folder))
    return True
