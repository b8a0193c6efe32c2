"""Runs side by side: tables and curves, races, sweeps, aligned topics, and how to fail."""

from bnpexplorer.ui import app

app.run()
