"""bnpexplorer: run with `streamlit run app.py`."""

from bnpexplorer.ui import lessons, look, server, session

look.configure()
# Before any widget: one that a fresh server drew before this lost its first click.
page = look.navigation()
look.frame()
server.prepare_first_page()
session.restore()
lessons.restore()
session.write_address()
lessons.write_address()
lessons.bar(page.title == "Lessons")
page.run()
