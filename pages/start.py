"""From nothing to a live run in one click."""

from bnpexplorer.ui import app

app.run()
