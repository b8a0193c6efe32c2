"""What a run found: its topics, their words, their past, and their documents."""

from bnpexplorer.ui import app

app.run()
