"""The runs that are saved on this machine: open, go on, name, delete, take along."""

from bnpexplorer.ui.frame import look
from bnpexplorer.ui.runs.page import page

look.through_app()
page()
