"""The app from its first line to its last: what every script run does, in this order."""

from .claims.page import page as claims
from .compare.page import page as compare
from .documents.page import page as documents
from .frame import explore_or_study, link, look, opening, pages, present, reading, server, session
from .frame.pages import Page
from .lab.page import page as lab
from .lessons.page import page as lessons
from .live.page import page as live
from .parts import lesson_panel
from .runs.page import page as runs
from .seam.address import drop_empty
from .seam.messages import one_thread_a_tab, whole_messages
from .seam.styles import begin_at_the_top
from .seam.widgets import keep_set, tell_set
from .start.page import page as start
from .texts.page import page as texts
from .topics.page import page as topics

TEXTS, TOPICS, RUNS, LEARN = "Collection", "Topics found", "Runs and comparison", "Learn"
PAGES = (
    Page("start", "play_circle", "", start),
    Page("corpus", "library_books", TEXTS, texts, title="Texts"),
    Page("documents", "article", TEXTS, documents),
    Page("live", "monitoring", TOPICS, live),
    Page("topics", "bubble_chart", TOPICS, topics),
    Page("compare", "compare_arrows", RUNS, compare, of_study=True),
    Page("runs", "folder_open", RUNS, runs),
    Page("claims", "fact_check", RUNS, claims, of_study=True),
    Page("lab", "science", LEARN, lab, of_study=True),
    Page("lessons", "school", LEARN, lessons, of_study=True),
)
"""In the order of the menu."""


def run() -> None:
    """Draw the page that the browser asks for, with the frame around it."""
    one_thread_a_tab()
    whole_messages()
    # Nothing is drawn before this: Streamlit may still stand in the fragment that ran last.
    begin_at_the_top()
    # Before any widget: what the address says without a value, and what a script has set.
    drop_empty()
    keep_set()
    # Streamlit wants to hear of title and width before anything else is drawn.
    look.configure()
    # Before any widget: one that a fresh server drew before this lost its first click.
    explore_or_study.begin()
    asked = pages.declare(PAGES, explore_or_study.explores())
    of_study = asked.url_path in [page.name for page in PAGES if page.of_study]
    if explore_or_study.leaves(asked.url_path, of_study):
        pages.go_to("live")
    # Styles come before what they style. The first widgets: Explore or Study, and large type.
    present.begin(asked.url_path in ("live", "compare"))
    look.frame()
    # After the frame: the first page is seen before its work begins, in the background.
    server.prepare_first_page()
    server.look_after_tabs()
    # What the address says, from here on in the tab's state: runs, lesson and step.
    session.restore()
    reading.restore()
    # And back into the address, which Streamlit empties when a tab goes to another page.
    where = (
        session.in_address()
        | reading.in_address()
        | look.in_address()
        | explore_or_study.in_address()
    )
    pages.keep(where | present.in_address(where))
    # Large runs of the address are read first: there is nothing to show of them before.
    if opening.under_way():
        opening.wait_for_it()
        return
    # Only now that the runs are known that a step may ask for.
    with lesson_panel.beside(asked.url_path or PAGES[0].name):
        # What the click that led here was refused.
        link.say_refused()
        asked.run()
    tell_set()
