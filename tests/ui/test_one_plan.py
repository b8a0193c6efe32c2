"""One plan, four ways: form, command line, Python and exported script, bit for bit."""

import io
import runpy
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.fingerprints import fingerprint
from bnpexplorer import Plan, Run, load, recommend
from bnpexplorer.__main__ import main
from bnpexplorer.export import recreation, result_of
from bnpexplorer.ui.frame import server
from tests.tools.pages import button, check, choose, field, go, open_app

TOPICS = 4
WORDS = [f"{kind}{end}" for kind in ("river", "stone", "cloud", "bread") for end in "abcde"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A thousand texts of six words, of which a text has mostly those of one quarter."""
    rng, rows = np.random.default_rng(7), ["text"]
    for _ in range(1000):
        shares = np.full((TOPICS, 5), 0.01)
        shares[rng.integers(TOPICS)] = 0.17
        rows.append(" ".join(rng.choice(WORDS, 6, p=shares.ravel())))
    path = tmp_path_factory.mktemp("texts") / "thousand.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def form(file):
    """The form for the texts, as somebody uploads them."""
    app = go(open_app(), "corpus")
    check(app.file_uploader[0].upload(file.name, file.read_bytes(), "text/csv").run())
    check(button(app, "Choose a method yourself").click().run())
    return go(app, "live")


def finished(run):
    while not run.done:
        run.step()
    return run


def bits(run):
    """Of everything that was learned and scored on the way, but no clock."""
    return fingerprint(run.state, run.snapshot(with_kept=True))


@pytest.mark.second
def test_one_plan_four_ways(registry, file, tmp_path):
    app = form(file)
    check(field(app.radio, "Model").set_value("lda").run())
    check(field(app.selectbox, "Method").set_value("lda-svi").run())
    check(field(app.number_input, "Topics (K)").set_value(TOPICS).run())
    check(field(app.number_input, "Seed").set_value(3).run())
    assert field(app.number_input, "Passes").value == 34
    check(button(app, "Watch it learn").click().run())
    (entry,) = registry.entries()
    assert entry.background.wait(300)
    by_form = entry.background.run
    assert (by_form.corpus.n_docs, by_form.passes, by_form.seed) == (900, 34, 3)

    out = tmp_path / "by.run"
    options = ["--method", "lda-svi", "--set", f"n_topics={TOPICS}", "--seed", "3"]
    assert main(["fit", str(file), *options, "--out", str(out)]) == 0

    plan = Plan.of("lda-svi", values={"n_topics": TOPICS}, seed=3)
    by_python = finished(plan.split_and_start(load(file)))

    loaded = entry.source
    result = result_of(by_form, by_form.moment(), loaded.corpus, loaded.report)
    with zipfile.ZipFile(io.BytesIO(recreation(result))) as archive:
        archive.extractall(tmp_path)
    script = tmp_path / "run.py"
    by_script = runpy.run_path(str(script))
    script.write_text(script.read_text().replace('FILE = ""', f"FILE = {str(file)!r}"))
    by_script_from_file = runpy.run_path(str(script))

    assert by_script["plan"] == plan.settled(load(file))
    assert len(by_form.history) > 20
    assert np.isfinite(by_form.history[-1].heldout)
    runs = by_form, Run.load(out), by_python, by_script["run"], by_script_from_file["run"]
    assert len({bits(run) for run in runs}) == 1


@pytest.mark.second
def test_the_plan_that_is_recommended_three_ways(registry, file, tmp_path, capsys):
    """By the form as it stands, the command line without a method, and Python: with its reason."""
    best = recommend(load(file))
    assert (best.method.name, best.preset) == ("hdp-gibbs", "learned-alpha")
    app = form(file)
    assert field(app.radio, "Model").value == "hdp"
    assert best.reason in " ".join(caption.value for caption in app.caption)
    check(field(app.selectbox, "Method").set_value("hdp-svi").run())
    assert best.reason not in " ".join(caption.value for caption in app.caption)
    check(field(app.selectbox, "Method").set_value("hdp-gibbs").run())
    assert field(app.number_input, "Passes").value == best.passes == 500
    assert field(app.number_input, "States kept").value == best.method.n_kept == 30
    check(field(app.number_input, "Passes").set_value(2).run())
    check(button(app, "Watch it learn").click().run())
    (entry,) = registry.entries()
    assert entry.background.wait(300)

    out = tmp_path / "by.run"
    assert main(["fit", str(file), "--passes", "2", "--out", str(out)]) == 0
    assert best.reason.replace("500 times", "2 times") in capsys.readouterr().err

    by_python = finished(replace(best, passes=2).split_and_start(load(file)))
    assert len({bits(run) for run in (entry.background.run, Run.load(out), by_python)}) == 1


@pytest.mark.second
def test_clusters_of_short_texts_are_offered_with_the_settings_of_all(registry, file):
    app = form(file)
    check(field(app.radio, "Model").set_value("dpm").run())
    best = recommend(load(file), "clusters")
    assert field(app.selectbox, "Method").value == best.method.name == "dpm-gibbs"
    assert field(app.selectbox, "Settings").value == best.preset == "default"
    assert best.reason in " ".join(caption.value for caption in app.caption)
    check(field(app.selectbox, "Method").set_value("dpm-tsvi").run())
    assert field(app.selectbox, "Settings").value == "default"


@pytest.mark.second
def test_the_form_suggests_passes_for_what_is_left_to_learn(registry, file):
    app = form(file)
    check(field(app.selectbox, "Method").set_value("hdp-tsvi").run())

    def passes():
        return field(app.number_input, "Passes").value

    def hold_out(n):
        check(field(app.number_input, "Held-out documents").set_value(n).run())

    assert (field(app.number_input, "Held-out documents").value, passes()) == (100, 34)
    hold_out(200)
    assert passes() == 38
    check(field(app.number_input, "Passes").set_value(5).run())
    hold_out(100)
    assert passes() == 5, "a number that was typed stays"
    check(field(app.number_input, "Passes").set_value(38).run())
    hold_out(50)
    assert passes() == 32


@pytest.mark.second
def test_a_race_suggests_them_too(registry, file):
    app = choose(go(form(file), "compare"), "compare", "Race")
    assert field(app.number_input, "Passes").value == 34


@pytest.mark.second
def test_texts_of_which_none_can_be_held_out_are_said(registry, file):
    app = form(file)
    app.session_state["loaded"] = server.LoadedCorpus(load(file).take(np.arange(1)), None)
    check(app.run())
    assert "needs at least 2" in app.error[0].value
    assert not [b for b in app.button if b.label == "Watch it learn"]
    choose(go(app, "compare"), "compare", "Race")
    assert "needs at least 2" in app.error[0].value
