"""bnpexplorer: run with `streamlit run app.py`."""

from bnpexplorer.ui import app

app.run()
