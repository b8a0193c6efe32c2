"""bnpexplorer: run with `streamlit run app.py`."""

from bnpexplorer.ui.frame import address, look, server, session
from bnpexplorer.ui.lessons import steps as lessons

look.begin_at_the_top()
look.configure()
# Before any widget: one that a fresh server drew before this lost its first click.
page = look.navigation()
look.frame()
server.prepare_first_page()
session.restore()
lessons.restore()
address.keep(session.in_address() | lessons.in_address() | look.in_address())
lessons.bar(page.title == "Lessons")
page.run()
