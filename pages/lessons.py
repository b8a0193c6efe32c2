"""The tour and the lessons."""

from bnpexplorer.ui import app

app.run()
