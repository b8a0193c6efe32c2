"""Pick a method, start it, watch it learn; lay another beside it."""

from bnpexplorer.ui.frame import look
from bnpexplorer.ui.live.page import page

look.through_app()
page()
