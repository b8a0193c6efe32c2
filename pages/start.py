"""From nothing to a live run in one click."""

from bnpexplorer.ui.frame import look
from bnpexplorer.ui.start.page import page

look.through_app()
page()
