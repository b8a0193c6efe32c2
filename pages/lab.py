"""Lab: small demonstrations to turn by hand. Needs no corpus."""

from bnpexplorer.ui import app

app.run()
