"""Load a corpus, look at it, prune it."""

from bnpexplorer.ui import app

app.run()
