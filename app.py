"""bnpexplorer: run with `streamlit run app.py`."""

import streamlit as st

if __name__ == "__main__":  # whenever somebody looks at a page
    from bnpexplorer.ui import app

    app.run()
else:  # once, by the server that starts
    from bnpexplorer.ui.frame.server import compile_ahead
    from bnpexplorer.ui.seam.server import around

    served = st.App(__file__, **around())
    compile_ahead()
    # The pages are imported here, before anybody waits for the first one.
    from bnpexplorer.ui import app as app
