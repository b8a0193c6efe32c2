"""Test what a script says of its run: the sample, the topics it began at, and its chains."""

import io
import zipfile

import pytest

from bnpexplorer import Plan, load
from bnpexplorer.export import needs_texts, recreation, result_of, sample_of_run, script
from bnpexplorer.export.texts import sample_behind
from bnpexplorer.runs.draws import ChainOf
from bnpexplorer.samples import load_sample
from tests.export.test_report_facts import learned

CSV = "sample_data/small.csv"


@pytest.fixture(scope="module", autouse=True)
def in_repository(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(request.config.rootpath)
        yield


@pytest.mark.second
def test_a_drawn_sample_is_known_by_the_seed_that_drew_it():
    for seed in (0, 4):
        corpus = load_sample("hdp-draw", seed).corpus
        run = learned(Plan.of("lda-svi", values={"n_topics": 3}, seed=4), corpus, 1)
        result = result_of(run, run.moment(), corpus)
        assert sample_behind(result) == ("hdp-draw", seed)
        assert sample_of_run(run).fingerprint == corpus.fingerprint
        assert f"corpus = load_sample('hdp-draw', seed={seed}).corpus" in script(result)
        assert not needs_texts(result)
    other = load_sample("hdp-draw", 5).corpus
    run = learned(Plan.of("lda-svi", values={"n_topics": 3}, seed=4), other, 1)
    assert sample_behind(result_of(run, run.moment(), other)) is None
    assert sample_of_run(run) is None


def test_a_run_that_began_at_topics_needs_them_though_its_texts_are_a_sample():
    corpus = load(CSV)
    first = learned(Plan.of("lda-svi", values={"n_topics": 3}), corpus, 1)
    run = learned(Plan.of("lda-gibbs", passes=1, start_from=first), corpus, 1)
    result = result_of(run, run.moment(), corpus)
    assert sample_behind(result) == ("small-csv", 0)
    assert needs_texts(result)
    with zipfile.ZipFile(io.BytesIO(recreation(result))) as archive:
        assert archive.namelist() == ["run.py", "run.ipynb", "CITATION.bib", "texts.zip"]


@pytest.mark.parametrize("place", [0, 1])
def test_the_first_of_several_chains_is_made_by_their_plan_and_another_by_its_own(place):
    corpus = load(CSV)
    plan = Plan.of("lda-gibbs", values={"n_topics": 3}, seed=6, passes=8, until="settled")
    run = learned(plan, corpus, 1)
    run.chain = ChainOf("group", place, 3)
    text = script(result_of(run, run.moment(), corpus))
    first = place == 0
    assert ("from dataclasses import replace" in text) == first
    assert ("run = replace(plan, chains=1, until='passes').start(train, heldout)" in text) == first
    assert ("run = plan.start(train, heldout)" in text) == (not first)
    assert ("    chains=3," in text) == first
    assert ("    until='settled'," in text) == first
    assert "    seed=6," in text
