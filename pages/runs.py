"""The runs that are saved on this machine: open, go on, name, delete, take along."""

from bnpexplorer.ui import app

app.run()
