"""The tour and the lessons."""

from bnpexplorer.ui.frame import look
from bnpexplorer.ui.lessons.page import page

look.through_app()
page()
