"""What was changed by hand stands in the exports, and the script does it again."""

import contextlib
import io
import json
import zipfile

import pytest

from bnpexplorer.export import recreation, result_of, script
from bnpexplorer.export.report import report
from bnpexplorer.export.tables import readme
from bnpexplorer.methods import make_method
from bnpexplorer.runs.plan import Plan
from bnpexplorer.samples import load_sample

NAME = "<b>ships'\"</b>"


def changed_result():
    """A finished run of the small sample that was changed twice, and ran on for a pass."""
    corpus = load_sample("small-csv").corpus
    method = make_method("lda-gibbs", "default", {"n_topics": 6, "burn_in": 1, "thin": 1})
    run = Plan(method, seed=2, batch_size=50, passes=4, n_heldout=10).split_and_start(corpus)
    for _ in range(run.n_batches * 2 + 1):
        run.step()
    topics = run.snapshot().topics
    one, two = topics.topic_ids[topics.by_size][:2].tolist()
    run.edit("merge", [one, two], [NAME, "topic 3"])
    while not run.done:
        run.step()
    run.edit("delete", [one])
    run.run_on(1)
    while not run.done:
        run.step()
    return result_of(run, run.moment(corpus=corpus), corpus)


@pytest.mark.second
def test_the_script_makes_the_changes_at_their_steps(tmp_path):
    """Executed, it gives the numbers of the run, which depend on the changes."""
    result = changed_result()
    text = script(result)
    assert "changed by hand" in text
    assert f"run.edit('merge', {list(result.snapshot.edits[0].topics)}," in text
    with zipfile.ZipFile(io.BytesIO(recreation(result))) as archive:
        archive.extractall(tmp_path)
    spaces = {"__name__": "__main__"}
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(text, "run.py", "exec"), spaces)
    (found,) = [line for line in printed.getvalue().splitlines() if line.startswith("{")]
    assert json.loads(found) == {"heldout": result.score, "topics": len(result.moment.in_use)}
    assert "The exported run had" not in printed.getvalue()
    again = spaces["run"]
    assert (again.state.tokens.topic == result.run.state.tokens.topic).all()
    assert again.edits == result.snapshot.edits


def test_the_changes_stand_in_report_and_tables():
    result = changed_result()
    html, lines = report(result), readme(result).splitlines()
    assert "<h3>Changed by hand</h3>" in html
    assert "&lt;b&gt;ships" in html
    assert NAME not in html
    said = [line for line in lines if line.startswith("by hand")]
    assert said == [f"by hand       {edit.sentence}" for edit in result.snapshot.edits]
    assert len(said) == 3


def plan_until(until):
    method = make_method("lda-gibbs", "default", {"n_topics": 6, "burn_in": 1, "thin": 1})
    return Plan(method, seed=2, batch_size=50, passes=40, n_heldout=10, until=until, minutes=9)


def printed_by(text):
    spaces = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(text, "run.py", "exec"), spaces)
    return spaces["run"], printed.getvalue()


@pytest.mark.parametrize("until", ["passes", "settled"])
def test_a_run_whose_time_was_over_and_that_ran_on_twice_is_made_again(until):
    """Its plan is that of its beginning: passes, and by which rule it would have ended."""
    corpus = load_sample("small-csv").corpus
    run = plan_until(until).split_and_start(corpus)
    for _ in range(4):
        run.step()
    run.end("minutes")
    for passes in (1, 2):
        run.run_on(passes)
        while not run.done:
            run.step()
    result = result_of(run, run.moment(corpus=corpus), corpus)
    lines = script(result).splitlines()
    assert "    passes=40," in lines
    assert ("    until='settled'," in lines) == (until == "settled")
    assert not [line for line in lines if line.startswith("    minutes=")], "seconds differ"
    begins = lines.index("run = plan.start(train, heldout)")
    assert lines[begins + 1 : begins + 10] == [
        "for _ in range(4):",
        "    run.step()",
        "run.end('minutes')",
        "run.run_on(1)",
        "for _ in range(2):",
        "    run.step()",
        "run.run_on(2)",
        "for _ in range(6):  # the whole run, which was changed by hand on its way",
        "    run.step()",
    ]
    again, printed = printed_by(script(result))
    assert "The exported run had" not in printed
    assert (again.state.tokens.topic == run.state.tokens.topic).all()
    assert again.passes == run.passes == 4


@pytest.mark.parametrize("why", ["minutes", "met", ""])
def test_a_script_ends_its_run_where_that_ended(why):
    corpus = load_sample("small-csv").corpus
    run = plan_until("passes").split_and_start(corpus)
    for _ in range(2):
        run.step()
    if why:
        run.end(why)
    text = script(result_of(run, run.moment(corpus=corpus), corpus))
    assert f"run.end('{why}')" in text if why else "run.end" not in text
    said = "the whole run" if why else "as far as it had come"
    assert f"for _ in range(2):  # {said}\n    run.step()\n" in text
