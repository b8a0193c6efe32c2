"""What a run found: its topics, their words, their past, and their documents."""

from bnpexplorer.ui.frame import look
from bnpexplorer.ui.topics.page import page

look.through_app()
page()
