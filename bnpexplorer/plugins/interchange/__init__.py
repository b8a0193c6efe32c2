"""The functions of `bnpexplorer.interchange`: one file for each other program."""

from .arviz import to_arviz
from .gensim import bags_of, from_gensim, to_gensim, to_lda_model
from .mallet import mallet_file, write_mallet
from .pyldavis import pyldavis_file, to_pyldavis, write_pyldavis
from .spacy import from_spacy, to_spacy
from .tables import from_table, to_arrow, to_datasets, to_pandas, to_polars
from .tomotopy import from_tomotopy, to_tomotopy
from .topicwizard import to_topicwizard

WRITERS = {"pyldavis": write_pyldavis, "mallet": write_mallet}
"""What `export --to` may name -> what writes it."""

__all__ = [
    "bags_of",
    "from_gensim",
    "from_spacy",
    "from_table",
    "from_tomotopy",
    "mallet_file",
    "pyldavis_file",
    "to_arrow",
    "to_arviz",
    "to_datasets",
    "to_gensim",
    "to_lda_model",
    "to_pandas",
    "to_polars",
    "to_pyldavis",
    "to_spacy",
    "to_tomotopy",
    "to_topicwizard",
    "write_mallet",
    "write_pyldavis",
]
