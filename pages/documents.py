"""Documents of a topic, one document word by word, and texts of one's own."""

from bnpexplorer.ui import app

app.run()
