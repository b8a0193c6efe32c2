"""Lab: small demonstrations to turn by hand. Needs no corpus."""

from bnpexplorer.ui.frame import look
from bnpexplorer.ui.lab.page import page

look.through_app()
page()
