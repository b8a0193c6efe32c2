"""Documents of a topic, one document word by word, and texts of one's own."""

from bnpexplorer.ui.documents.page import page
from bnpexplorer.ui.frame import look

look.through_app()
page()
