"""What the Start page says of the first demonstration is what its two runs do."""

import re
from collections import Counter
from functools import cache

import numpy as np
import pytest

from benchmarks.demonstration import curve
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.runs.demonstration import GROWING, SEEN, SHRINKING, TENFOLD_SECONDS, plans
from bnpexplorer.samples import SAMPLES, load_sample
from bnpexplorer.ui.frame.server import FIRST_METHODS

SHOWN = 10_000
"""Documents that are read within 20 seconds of learning: four tenfolds of `TENFOLD_SECONDS`, and
the last of them by a machine that reads 2,000 documents a second."""
ON_OTHER_MACHINES = 0.15
"""So far counts may lie from those of the caption, since bits are equal on like machines only."""


@cache
def curves(sample):
    return [curve(plan, sample) for plan in plans(sample, load_sample(sample).corpus)]


def test_every_sample_of_the_start_page_has_a_caption():
    assert set(SEEN) == {name for name, sample in SAMPLES.items() if not sample.drawn}
    assert 4 * TENFOLD_SECONDS < 20


@pytest.mark.second
@pytest.mark.parametrize("sample", SEEN)
def test_every_number_of_the_caption_is_what_the_plans_do(sample):
    grown, shrunk = curves(sample)
    told = [int(number) for number in re.findall(r"\b\d+\b", SEEN[sample].caption)]
    found = [grown.topics[0], max(grown.topics), shrunk.topics[0], shrunk.topics[-1]]
    assert told == pytest.approx(found, rel=ON_OTHER_MACHINES, abs=1)
    assert grown.points[0][0] == 1, "after the first document"
    assert shrunk.topics[0] == max(shrunk.topics), "it starts with all it may have"
    names = [plan.method.name for plan in plans(sample, load_sample(sample).corpus)]
    assert re.findall(r"\bhdp-\w+", SEEN[sample].caption) == names
    models = {plan.method.model for plan in plans(sample, load_sample(sample).corpus)}
    assert len(models) == 1, "two methods for one model"


@pytest.mark.second
@pytest.mark.parametrize("sample", SEEN)
def test_one_line_climbs_step_by_step_and_the_other_shrinks_within_what_is_shown(sample):
    grown, shrunk = curves(sample)
    growth = max(grown.topics) - grown.topics[0]
    assert len(grown.rises) >= 0.6 * growth, "topics are opened one by one"
    seen = [docs for docs in grown.rises if docs <= SHOWN]
    assert len(seen) >= max(4, growth / 2)
    last = [n for docs, n in shrunk.points if docs <= SHOWN][-1]
    assert last <= 0.7 * shrunk.topics[0]
    pairs = zip(shrunk.points, shrunk.points[1:], strict=False)
    falls = [docs for (_, before), (docs, after) in pairs if after < before and docs <= SHOWN]
    assert len(falls) >= 5, "it does not fall at once"


@pytest.mark.second
def test_with_the_texts_that_are_chosen_at_first_it_climbs_in_every_tenfold_of_documents():
    first = next(name for name in SAMPLES)
    rises = [docs for docs in curves(first)[0].rises if docs <= SHOWN]
    assert min(Counter(len(str(docs)) for docs in rises).values()) >= 2
    assert {len(str(docs)) for docs in rises} == {1, 2, 3, 4}


@pytest.mark.parametrize(("n_docs", "passes"), [(300, 40), (499, 40), (900, 22), (30_000, 1)])
def test_so_many_documents_are_read_in_all_and_no_text_more_than_forty_times(n_docs, passes):
    texts = Corpus.from_csr(np.tile([[1, 1]], (n_docs, 1)))
    grown, shrunk = plans("small-csv", texts, seed=7)
    assert (grown.passes, grown.batch_size, grown.seed) == (passes, 1, 7)
    assert (shrunk.passes, shrunk.batch_size, shrunk.seed) == (passes, 16, 7)


def test_its_methods_are_those_that_are_compiled_for_the_first_page():
    assert (GROWING, SHRINKING) == FIRST_METHODS
