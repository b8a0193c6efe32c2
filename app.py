"""bnpexplorer: run with `streamlit run app.py`. The order of these lines matters."""

from bnpexplorer.ui.frame import address, look, server, session
from bnpexplorer.ui.lessons import steps as lessons
from bnpexplorer.ui.seam.one_thread import one_thread_a_tab
from bnpexplorer.ui.seam.page_top import begin_at_the_top

one_thread_a_tab()
begin_at_the_top()  # before anything is drawn
look.configure()
page = look.navigation()  # before any widget
look.frame()
server.prepare_first_page()  # after the frame: the first page is seen before its work begins
session.restore()  # runs from the address,
lessons.restore()  # and the lesson,
address.keep(session.in_address() | lessons.in_address() | look.in_address())  # before both go back
lessons.bar(page.title == "Lessons")  # above the page
page.run()
