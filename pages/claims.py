"""What the papers say, tried on the texts at hand."""

from bnpexplorer.ui.claims.page import page
from bnpexplorer.ui.frame import look

look.through_app()
page()
