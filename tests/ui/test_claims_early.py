"""What the Claims page says of findings that were made with too little."""

from dataclasses import replace

import pytest

from bnpexplorer.claims import CLAIMS, Study, TrialOutcome
from bnpexplorer.samples import load_sample
from bnpexplorer.ui.claims.findings import at_a_glance, finds_of
from bnpexplorer.ui.frame import server
from tests.tools.pages import button, check, field, figures, go, open_app, texts

NAME = "kappa-lda"


def kept(gain, passes=10):
    """A finished study of the small texts, whose curves end `gain` above word frequencies and rise
    with kappa."""
    study = Study(CLAIMS[NAME], load_sample("small-csv").corpus, 600.0, 3, passes=passes)
    for trial in study.trials:
        scores = tuple(-7.0 + gain + trial.x / 10 - 0.1 - last for last in (0.3, 0.1, 0.0))
        docs, way = (400, 800, 1440), (passes / 4, passes / 2, float(passes))
        study.findings[trial] = TrialOutcome(
            docs, (1.0, 2.0, 4.0), scores, (5,) * 3, unigram=(-7.0,) * 3, passes=way
        )
    study._write()
    return study


@pytest.mark.parametrize(("gain", "said"), [(-0.3, "too early"), (0.4, "holds here")])
def test_a_claim_is_no_finding_until_something_was_learned(registry, monkeypatch, gain, said):
    monkeypatch.setattr(server, "FIRST_SAMPLE", "small-csv")
    study = kept(gain)
    app = go(open_app(), "claims")
    choice = field(app.pills if hasattr(app, "pills") else app.button_group, "Paper")
    check(choice.set_value("Hoffman et al. 2013").run())
    check(field(app.radio, "Claim").set_value(NAME).run())
    badges = texts(app.get("badge") or app.markdown)
    assert said in badges
    early = said == "too early"
    assert ("would be there after about" in texts(app.markdown)) == early
    assert ("holds here after 10 passes" in badges) == (not early)
    assert f"All {len(study.trials)} trials were found before" in texts(app.caption)
    assert "Where the paper judged it: Figure 14" in texts(app.caption)
    (figure,) = figures(app)
    assert "frequencies" in str(figure)
    row = at_a_glance(finds_of(study.corpus)).set_index("claim").loc[CLAIMS[NAME].title]
    assert row.outcome == ("too early" if early else "holds")
    assert row.study == "10 passes, 3 seeds"
    assert button(app, "Try again here")


def test_findings_of_other_passes_are_other_studies(registry):
    kept(0.4, 10), kept(0.4, 3)
    found = finds_of(load_sample("small-csv").corpus)[NAME]
    assert [one.study.passes for one in found] == [10, 3], "the longest first"


def test_the_badge_says_after_how_many_passes_whoever_asked_for_them(registry):
    study = kept(0.4, 3)
    claim = study.experiment
    words = claim.said(claim.verdict(study.findings), study.findings)
    assert words == "holds here after 3 passes, from the published start; from ours +0.03"


def test_the_badge_says_in_one_breath_what_its_sentence_discloses():
    claim = CLAIMS["sumo"]
    trials = claim.trials(2)
    level = {"SUMO": 0.3, "Gibbs": 0.3, "truncation-free, more passes": 0.3}
    base = TrialOutcome((1,), (1.0,), (0.0,), (1,), unigram=(-1.0,))
    found = {
        t: replace(base, scores=(level.get(t.line, 0.1),), passes=(float(t.passes),))
        for t in trials
    }
    assert claim.said(claim.verdict(found), found) == (
        "holds here after one pass, level with truncation-free inference that reads more often"
    )
    assert CLAIMS["toy"].said(CLAIMS["toy"].verdict({}), {}) == "holds here"
    assert claim.said(claim.verdict({}), {}) == "undecided"


def test_passes_are_asked_for_where_they_are_free():
    asked = {name for name, claim in CLAIMS.items() if claim.asks_passes}
    assert {"batch-size-hdp", "kappa-lda", "catvi-words"} <= asked
    assert not asked & {"sumo", "sumo-order", "online-hdp", "catvi", "toy", "online-hdp-stream"}
