"""The Claims page, each part alone: which study, which outcome, and what is said of it."""

import os
from types import SimpleNamespace

import pytest

from bnpexplorer.claims import CLAIMS, Study, TrialOutcome
from bnpexplorer.claims.kept import all_kept
from bnpexplorer.claims.study import results_folder
from bnpexplorer.claims.trial import UNLIMITED
from bnpexplorer.samples import load_sample
from bnpexplorer.ui.claims import findings, study
from tests.tools.alone import asked, drawn, handed
from tests.tools.pages import button, check, field, texts

KAPPA = CLAIMS["kappa-lda"]


@pytest.fixture(scope="module")
def corpus():
    return load_sample("small-csv").corpus


def kept(corpus, claim="kappa-lda", n_seeds=3, n=99, **size):
    """A study on disk of which `n` trials have ended."""
    one = Study(
        CLAIMS[claim], corpus, size.get("budget", 600.0), n_seeds, passes=size.get("passes", 0)
    )
    for trial in one.trials[:n]:
        way = (1.0, 2.0, float(one.passes or 3))
        scores = tuple(-6.5 + trial.x / 10 - last for last in (0.3, 0.1, 0.0))
        one.findings[trial] = TrialOutcome(
            (40, 80, 144), (1.0, 2.0, 4.0), scores, (5,) * 3, unigram=(-7.0,) * 3, passes=way
        )
    one._write()
    return one


@pytest.mark.parametrize(
    ("passes", "budget", "said"),
    [
        (1, 0.0, "1 pass, 3 seeds"),
        (2, 0.0, "2 passes, 3 seeds"),
        (1_200, 0.0, "1,200 passes, 3 seeds"),
        (0, 60.0, "1 minute, 3 seeds"),
        (0, 90.0, "1.5 minutes, 3 seeds"),
        (0, 600.0, "10 minutes, 3 seeds"),
    ],
)
def test_the_size_of_a_study_in_words(passes, budget, said):
    one = SimpleNamespace(budget=budget, passes=passes, n_seeds=3, findings=[1, 2], trials=[1] * 42)
    found = findings.StudyOnDisk(one, "holds")
    assert (found.size, found.progress) == (said, "2 of 42 trials")


def test_findings_are_the_finished_first_then_the_longest_then_those_of_most_seeds(corpus):
    kept(corpus, passes=4)
    kept(corpus, passes=2)
    kept(corpus, passes=KAPPA.passes, n=5)  # the size that a study by minutes would be read as
    kept(corpus, passes=4, n_seeds=2)
    (results_folder() / f"kappa-lda-{corpus.fingerprint}-3-600.json").write_text("{}")
    found = findings.finds_of(corpus)["kappa-lda"]
    sizes = [(one.study.passes, one.study.n_seeds, one.study.done) for one in found]
    assert sizes == [(4, 3, True), (4, 2, True), (2, 3, True), (KAPPA.passes, 3, False)]
    assert found[3].progress == f"5 of {len(found[3].study.trials)} trials"
    timed = next(c for c in CLAIMS.values() if c.trials(1) and not c.passes)
    kept(corpus, timed.name, n=2)
    (results_folder() / f"{timed.name}-{corpus.fingerprint}-3-p4.json").write_text("{}")
    (by_minutes,) = findings.finds_of(corpus)[timed.name]
    assert by_minutes.size == "10 minutes, 3 seeds"
    glance = findings.at_a_glance({"kappa-lda": found}).set_index("claim")
    row = glance.loc[KAPPA.title]
    assert (row.outcome, row.study, row.trials) == (
        found[0].outcome,
        found[0].size,
        found[0].progress,
    )
    assert (row.paper, row["where"]) == findings.paper_and_place(KAPPA)
    others = glance[glance.index != KAPPA.title]
    assert "not tried" not in {*others["outcome"]}
    told = {t: s for t, s in others["study"].items() if s}
    assert told == {
        CLAIMS[name].title: f"kept: {one[0][0].corpus.split(', ')[0]}"
        for name, one in findings.kept_finds().items()
        if CLAIMS[name] is not KAPPA
    }


@pytest.mark.parametrize(
    ("source", "paper", "place"),
    [
        ("Wang, Paisley & Blei 2011, table 1", "Wang et al. 2011", "table 1"),
        ("Wang & Blei 2012, figure 2, left", "Wang & Blei 2012", "figure 2, left"),
        ("Hoffman 2013, figure 14", "Hoffman 2013", "figure 14"),
    ],
)
def test_a_source_is_a_paper_and_a_place_in_it(source, paper, place):
    assert findings.paper_and_place(SimpleNamespace(source=source)) == (paper, place)


def found_(outcome, done=True, progress="3 of 9 trials"):
    return SimpleNamespace(outcome=outcome, progress=progress, study=SimpleNamespace(done=done))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([], "{} · :material/check_circle: holds on State of the Union"),
        ([found_("holds"), found_("does not hold")], "{} · :material/check_circle: holds here"),
        ([found_("does not hold")], "{} · :material/cancel: does not hold here"),
        ([found_("undecided", False)], "{} · :material/help: undecided after 3 of 9 trials"),
        ([found_("too early")], "{} · :material/hourglass_empty: too early"),
    ],
)
def test_a_claim_says_the_outcome_of_its_longest_study(found, said):
    place = findings.paper_and_place(KAPPA)[1]
    assert study._caption(KAPPA, found) == said.format(place)
    exact = next(claim for claim in CLAIMS.values() if not claim.trials(1))
    assert "holds here" in study._caption(exact, [])


def test_each_claim_has_its_own_caption_and_the_address_names_the_one_that_is_chosen(monkeypatch):
    claims = [c for c in CLAIMS.values() if c.trials(1)][:3]
    written = []
    monkeypatch.setattr(study, "keep_in_address", written.append)
    finds = {claims[1].name: [found_("holds")]}
    app, found = asked(study.choose_claim, claims, finds)
    (radio,) = app.radio
    assert radio.options == [claim.title for claim in claims]
    captions = list(radio.proto.captions)
    assert [("holds here" in caption) for caption in captions] == [False, True, False]
    assert found == [claims[0]]
    check(radio.set_value(claims[2].name).run())
    assert found[-1] is claims[2]
    assert written[-1] == claims[2].name


def test_the_claim_of_an_address_turns_to_its_paper(monkeypatch):
    monkeypatch.setattr(study, "asked_claim", lambda: "kappa-lda")
    app, (claims,) = asked(study.choose_paper)
    assert KAPPA in claims
    assert app.session_state[f"claim-of-{claims[0].name}"] == "kappa-lda"
    monkeypatch.setattr(study, "asked_claim", lambda: "")
    _, (claims,) = asked(study.choose_paper)
    assert claims == next(iter(findings.papers().values()))


def test_the_form_s_minutes_passes_and_seeds_are_those_of_the_study(corpus):
    claim = next(c for c in CLAIMS.values() if c.asks_passes)
    app, found = asked(study.study_form, claim, corpus)
    assert found == [None]
    assert field(app.number_input, "Passes").value == claim.passes
    check(field(app.number_input, "Minutes at most").set_value(7.0).run())
    check(field(app.number_input, "Passes").set_value(2).run())
    check(field(app.number_input, "Seeds").set_value(4).run())
    check(button(app, "Try again here").click().run())
    made = found[-1]
    assert (made.experiment, made.corpus, made.budget) == (claim, corpus, 420.0)
    assert (made.passes, made.n_seeds) == (2, 4)
    assert {t.passes for t in made.trials} >= {2}
    timed = next(c for c in CLAIMS.values() if c.trials(1) and not c.passes)
    app, found = asked(study.study_form, timed, corpus)
    assert field(app.number_input, "Minutes").value == min(timed.judged.minutes, 1440.0)
    assert not [n for n in app.number_input if n.label == "Passes"]
    assert UNLIMITED > 2


def test_the_chosen_study_or_kept_finding_is_shown(monkeypatch):
    shown = []
    monkeypatch.setattr(study, "show_findings", lambda *what: shown.append(what))
    monkeypatch.setattr(study, "show_verdict", lambda *what: shown.append(what))
    monkeypatch.setattr(study, "read_as_table", lambda *what, **more: None)

    def one(size):
        kept_ = SimpleNamespace(findings=f"of {size}")
        return SimpleNamespace(size=size, progress="3 of 9 trials", study=kept_)

    several = [one("long"), one("short")]
    app = drawn(study.offer, KAPPA, several)
    assert shown.pop() == (several[0].study, "of long")
    (choice,) = app.selectbox
    own = ["These texts, long: 3 of 9 trials", "These texts, short: 3 of 9 trials"]
    kept_ones = [k for k in all_kept() if k.claim is KAPPA]
    assert choice.options == [*own, *(f"Kept: {k.corpus}" for k in kept_ones)]
    check(choice.set_value(own[1]).run())
    assert shown.pop() == (several[1].study, "of short")
    check(choice.set_value(choice.options[-1]).run())
    of, findings_, ended, trials, on = shown.pop()
    assert (of, findings_, ended, trials) == (
        KAPPA,
        kept_ones[-1].findings,
        kept_ones[-1].findings,
        list(kept_ones[-1].findings),
    )
    assert on == "on State of the Union in passages of 200 words"
    assert "Made 20" in texts(app.caption)
    exact = next(claim for claim in CLAIMS.values() if not claim.trials(1))
    assert not drawn(study.offer, exact, []).markdown


def test_every_claim_that_is_tried_opens_on_a_kept_finding():
    assert {c.name for c in CLAIMS.values() if c.trials(1)} == {*findings.kept_finds()}
    first = {name: (one[0][0].on, one[0][1]) for name, one in findings.kept_finds().items()}
    assert first["sumo"] == ("State of the Union", "holds")
    assert first["online-hdp-stream"][1] == "holds", "too early for a verdict stands last"


def test_a_verdict_has_the_badge_and_the_pictures_of_its_own_findings(monkeypatch, corpus):
    told, one = handed(monkeypatch, study), kept(corpus, passes=10)
    app = drawn(study.show_verdict, KAPPA, one.findings, one.findings, one.trials)
    verdict = KAPPA.verdict(one.findings)
    badge = KAPPA.said(verdict, one.findings)
    assert badge in texts(app.markdown)
    _, icon, colour = study.VERDICTS[verdict.outcome]
    assert f":{colour}-badge[{icon} {badge}]" in texts(app.markdown)
    assert f"How this is decided: {KAPPA.decided}" in texts(app.caption)
    assert f"Here {KAPPA.where(one.trials)}." in texts(app.caption)
    for place, picture in enumerate(KAPPA.pictures(one.findings)):
        assert told.figures[f"claim-{place}"].to_json() == picture.figure(False, 14).to_json()
        assert len(told.tables[f"claim-{place}"]) > 1
    assert "The paper's numbers" not in texts(app.caption)
    nothing = drawn(study.show_verdict, CLAIMS["catvi"], {}, {}, one.trials)
    assert f"The paper's numbers: {CLAIMS['catvi'].judged.numbers}" in texts(nothing.caption)
    nothing = drawn(study.show_verdict, KAPPA, {}, {}, one.trials)
    assert "undecided" in texts(nothing.markdown)
    going_on = {**one.findings}
    ended = {t: o for t, o in going_on.items() if t.seed == 0}
    early = drawn(study.show_verdict, KAPPA, going_on, ended, one.trials)
    assert KAPPA.said(KAPPA.verdict(ended), ended) in texts(early.markdown)


@pytest.mark.parametrize(
    ("owned", "back"), [(True, "Another claim"), (False, "All claims")], ids=["owner", "watcher"]
)
@pytest.mark.parametrize(
    ("trials", "over", "done", "said"),
    [
        ([1], "", False, ["progress", "So far:", "found"]),
        ([1], "Its *time* is over.", False, ["progress", "Its *time* is over.", "found"]),
        ([1], "", True, ["progress", "found"]),
        ([], "", True, ["found"]),
    ],
)
def test_a_study_says_how_far_it_is_and_to_whom(monkeypatch, owned, back, trials, over, done, said):
    went = []
    monkeypatch.setattr(study.studies, "buttons", lambda _, mine: went.append(mine))
    monkeypatch.setattr(study.studies, "progress", lambda *_: study.st.markdown("progress"))
    monkeypatch.setattr(
        study, "show_findings", lambda _, known: study.st.markdown(f"found {known}")
    )
    run = SimpleNamespace(trials=trials, why_over=over, done=done, findings="on disk")
    background = SimpleNamespace(status="finished", run=run, latest=None)
    app = drawn(study.watch, SimpleNamespace(background=background), owned)
    assert went == [owned]
    assert [b.label for b in app.button] == [back]
    assert ("watching only" in texts(app.caption)) == (not owned)
    assert [w.value for w in app.warning] == [over] * bool(over)
    told = [m.value for m in app.markdown]
    assert told == [line for line in said if line not in (over, "found")] + ["found on disk"]
    background.latest = "the newest"
    newest = drawn(study.watch, SimpleNamespace(background=background), owned)
    assert newest.markdown[-1].value == "found the newest"


def test_a_verdict_is_of_trials_that_have_ended_and_pictures_are_of_all(monkeypatch, corpus):
    shown = []
    told = handed(monkeypatch, study)
    monkeypatch.setattr(study, "show_verdict", lambda *what: shown.append(what))
    monkeypatch.setattr(study, "table", lambda found: f"table of {len(found)}")
    one = kept(corpus, passes=3, n=5)
    going_on = {**one.findings, "a trial": "so far"}
    drawn(study.show_findings, one, going_on)
    assert shown == [(KAPPA, going_on, one.findings, one.trials)]
    assert told.tables == {"all-trials": "table of 6"}
    drawn(study.show_findings, one, {})
    assert len(told.tables) == 1
    assert len(shown) == 2


def test_an_exact_claim_has_its_verdict_and_pictures_without_any_trial(monkeypatch):
    told = handed(monkeypatch, study)
    exact = next(claim for claim in CLAIMS.values() if not claim.trials(1))
    drawn(study.show_verdict, exact, {}, {}, ())
    assert len(told.figures) == len(exact.pictures({})) > 0
    row = findings.at_a_glance({}).set_index("claim").loc[exact.title]
    assert row["outcome"] == exact.verdict({}).outcome != "not tried"


def test_findings_are_read_again_when_they_have_changed_and_none_are_no_study(monkeypatch, corpus):
    kept(corpus, passes=7, n=0)
    found = findings.finds_of(corpus).get("kappa-lda", ())
    assert 7 not in [one.study.passes for one in found]
    read = []
    path = results_folder() / f"kappa-lda-{corpus.fingerprint}-3-p9.json"
    path.write_text("{}")
    monkeypatch.setattr(findings, "_read", lambda *what: read.append(what[:3]))
    for seconds in (1_000, 2_000):
        os.utime(path, (seconds, seconds))
        findings.finds_of(corpus)
    mine = [what for what in read if what[0] == str(path)]
    assert mine == [(str(path), seconds * 10**9, "3-p9") for seconds in (1_000, 2_000)]


def test_no_more_minutes_are_proposed_than_a_study_may_take(monkeypatch, corpus):
    monkeypatch.setattr(study, "most_minutes", lambda: 3)
    app, _ = asked(study.study_form, KAPPA, corpus)
    minutes = next(n for n in app.number_input if n.label.startswith("Minutes"))
    assert KAPPA.judged.minutes > 3
    assert minutes.value == 3.0
