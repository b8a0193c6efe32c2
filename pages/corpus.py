"""Load a corpus, look at it, prune it."""

from bnpexplorer.ui.frame import look
from bnpexplorer.ui.texts.page import page

look.through_app()
page()
