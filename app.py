"""bnpexplorer: run with `streamlit run app.py`."""

from bnpexplorer.ui import look, session

look.configure()
look.frame()
session.prepare_first_page()
session.restore()
page = look.navigation()
session.write_address()
page.run()
