"""Pick a method, start it, watch it learn; lay another beside it."""

from bnpexplorer.ui import app

app.run()
