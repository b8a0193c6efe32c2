"""bnpexplorer: run with `streamlit run app.py`."""

from importlib import import_module

import streamlit as st

if __name__ == "__main__":  # whenever somebody looks at a page
    from bnpexplorer.ui import app

    app.run()
else:  # once, by the server that starts
    from bnpexplorer.ui.seam.as_a_script import around

    served = st.App(__file__, **around())

    from bnpexplorer.ui.frame.server import compile_ahead

    compile_ahead()
    # The pages are imported while nobody waits for them.
    import_module("bnpexplorer.ui.app")
