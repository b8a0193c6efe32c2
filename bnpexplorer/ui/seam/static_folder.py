"""plotly.js lies where Streamlit serves it from before the server looks there.

Symptom: The first start of a fresh clone warns of a static folder that is not there and advises to
    turn static serving off, with which figures lose their zoom. Streamlit looks once, before any
    page is drawn, so the folder cannot be made by a page.
Seen in: Streamlit 1.67.
No longer needed when: `tests/ui/seam/test_hosts.py` passes without `serve_plotly` in `around`.
"""

from pathlib import Path

import plotly
import streamlit as st

from ...core.folders import app_folder
from ...core.store import replacing

STATIC = app_folder() / "static"
PLOTLY_FILE = f"plotly-{plotly.__version__}.min.js"


def serve_plotly() -> bool:
    """Put the file that ships inside the plotly wheel into the static folder, unless it is there;
    whether it is served."""
    if not st.get_option("server.enableStaticServing"):
        return False
    source = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    target = STATIC / PLOTLY_FILE
    try:
        if not target.exists():
            STATIC.mkdir(exist_ok=True)
            with replacing(target) as file:
                file.write(source.read_bytes())
    except OSError:  # a folder that nobody may write into
        return False
    return True
