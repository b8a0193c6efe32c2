"""Corpora from and to what people have, and topics to other programs: one file a neighbour.

| | corpus from | corpus to | topics to |
|---|---|---|---|
| scipy, numpy | `Corpus.from_csr` | `Corpus.to_csr` | `Topics` has arrays |
| gensim | `from_gensim` | `to_gensim` | `to_lda_model` |
| tomotopy | `from_tomotopy` | `to_tomotopy` | |
| pandas | `from_table` | `to_pandas` | |
| polars | `from_table` | `to_polars` | |
| Arrow | `from_table` | `to_arrow` | |
| Hugging Face | `from_table` | `to_datasets` | |
| spaCy | `from_spacy` | `to_spacy` | |
| pyLDAvis | | | `to_pyldavis`, `write_pyldavis` |
| topicwizard | | | `to_topicwizard` |
| ArviZ | | | `to_arviz` |
| MALLET | a file: `load` | | `write_mallet` |

None of these packages is needed to import this; what needs one imports it when it is called. Counts
are the same numbers on both sides.

>>> from bnpexplorer import load
>>> from bnpexplorer.interchange import from_table, to_arrow
>>> corpus = load("sample_data/small.csv")
>>> again = from_table(to_arrow(corpus), vocab=corpus.vocab)
>>> again.fingerprint == corpus.fingerprint
True
"""

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
