"""What the papers say, tried on the texts at hand."""

from bnpexplorer.ui import app

app.run()
