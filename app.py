"""bnpexplorer: run with `streamlit run app.py`."""

from bnpexplorer.ui import lessons, look, session

look.configure()
look.frame()
session.prepare_first_page()
session.restore()
lessons.restore()
page = look.navigation()
session.write_address()
lessons.write_address()
lessons.bar(page.title == "Lessons")
page.run()
