"""Corpora from and to what people have, and topics to other programs.

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

The functions are defined in `bnpexplorer.plugins.interchange`. None of these packages is needed to
import this; what needs one imports it when it is called. Counts are the same numbers on both sides.

>>> from bnpexplorer import load
>>> from bnpexplorer.interchange import from_table, to_arrow
>>> corpus = load("sample_data/small.csv")
>>> again = from_table(to_arrow(corpus), vocab=corpus.vocab)
>>> again.fingerprint == corpus.fingerprint
True
"""

from typing import Any

from .core.plugins import plugin


def __getattr__(name: str) -> Any:
    """Return a function of the plugin, or its `__all__`, for `from ... import *`."""
    if name == "__path__":  # this is a module, not a package
        raise AttributeError(name)
    return getattr(plugin("interchange"), name)


def __dir__() -> list[str]:
    return list(plugin("interchange").__all__)
