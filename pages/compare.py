"""Runs side by side: tables and curves, races, sweeps, aligned topics, and how to fail."""

from bnpexplorer.ui.compare.page import page
from bnpexplorer.ui.frame import look

look.through_app()
page()
