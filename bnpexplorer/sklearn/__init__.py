"""The models as scikit-learn estimators: `LDA`, `HDP` and `DPMixture`.

>>> from sklearn.feature_extraction.text import CountVectorizer
>>> from sklearn.pipeline import make_pipeline
>>> from bnpexplorer import load
>>> from bnpexplorer.sklearn import HDP
>>> texts = load("sample_data/small.csv").docs.text
>>> topics = HDP(method="hdp-tsvi", max_iter=5, random_state=0)
>>> shares = make_pipeline(CountVectorizer(min_df=2), topics).fit_transform(texts)
>>> shares.shape == (len(texts), topics.n_topics_)
True

They stand wherever scikit-learn's own LatentDirichletAllocation does: pipelines, grid searches,
unions, `set_output(transform="pandas")`, `clone`, joblib. The same counts, settings and seed give
the numbers of `Plan.of(method, ...).start(corpus)` to the last bit.

**Parameters.** None is what the method, its `preset` or the number of documents says, as in a
`Plan`. Settings that several methods have stand among the parameters; `knobs` holds any others by
name, as `python -m bnpexplorer methods` and `fit --set` call them, such as
`knobs={"burn_in": 20}`. One that the method does not have is refused with those it has.

- `method`: a name of the registry; those of the model, from other packages too. The defaults are
  those of the app's form. `preset`: one of the method's whole settings.
- `start`: where topics begin; `tau` and `kappa`: steps of (t + tau)^-kappa.
- `batch_size`: documents in a mini-batch. `max_iter`: passes over the documents.
- `total_samples`: documents that `partial_fit` awaits in all, of which a call brings some; a
  mini-batch is scaled up to them.
- `n_jobs`: threads, None is one and -1 one a core. Numbers do not depend on it.
- `random_state`: a whole number is the seed of the run.

**After `fit`** there are `components_`, float64 (K, V), whose rows sum to 1: the expected topics;
`n_topics_`, how many are in use; `topics_`, all that is known of them
(`bnpexplorer.state.snapshot`); and `n_iter_`, `n_features_in_` and `feature_names_in_` as usual. An
`LDA` has a column for each of its topics, the others for those in use, the largest first.

**Counts** are numbers from 0, dense or sparse. Those that are not whole, such as tf-idf, are
learned as they stand by the methods that read counts in sums alone: `lda-batch`, `lda-svi`,
`hdp-batch`, `hdp-svi`, `hdp-memoized`, `hdp-splitmerge`, `dpm-batch` and `dpm-svi`. Samplers and
all others, which place words one by one, round them with a DataConversionWarning: a row keeps its
sum, rounded to the nearest whole number, and its amounts get their whole part and then one each by
largest remainders (`corpus/weighted.py`). A weight of 1 is what a word that occurs once weighs, and
a topic is in use that holds as much: weights of a thousandth say next to nothing, so multiply them.
A row without words is not learned, and gets the prior.

**`score`** is the log likelihood per word of what it hides of the documents that it is given:
half of the different words of each, a tenth of its words where documents use much of the
vocabulary and words are counted, or of a mixture whole documents (`bnpexplorer.evaluate`). Topic
models read a document from four starts, for `transform`, too. Which words are hidden never changes,
so that scores on the same documents compare; `perplexity` is exp(-score).
"""

from .estimators import HDP, LDA, DPMixture

__all__ = ["HDP", "LDA", "DPMixture"]
