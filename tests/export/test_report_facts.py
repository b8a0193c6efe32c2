"""Test the settings, topics and colours that a report states against what its run holds."""

import datetime
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from bnpexplorer import Plan, load
from bnpexplorer.core.installation import versions
from bnpexplorer.corpus.intake.api import load_with_report
from bnpexplorer.evaluate import PROTOCOLS
from bnpexplorer.export import report, result_of
from bnpexplorer.export.pieces import lead, protocol_sentence
from bnpexplorer.plots.style import topic_colour
from tests.tools.export import at, small_result

CSV = "sample_data/small.csv"


@pytest.fixture(scope="module", autouse=True)
def in_repository(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(request.config.rootpath)
        yield


def plain(html):
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def learned(plan, corpus, steps):
    run = plan.split_and_start(corpus)
    for _ in range(steps):
        run.step()
    return run


def settings_of(result):
    table = report(result).split("<h3>Settings</h3>")[1].split("</table>")[0]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td></tr>', table, re.DOTALL)
    return [tuple(map(plain, row)) for row in rows]


def test_every_setting_of_a_report_is_that_of_its_run():
    loaded = load_with_report(CSV, settings={"min_df": 3, "extra_stop_words": "sea " * 300})
    plan = Plan.of("lda-gibbs", values={"n_topics": 7}, seed=5, batch_size=30, passes=90)
    plan = replace(plan, n_heldout=12, until="settled", minutes=45)
    run = learned(plan, loaded.corpus, 6)
    snapshot = replace(run.snapshot(), seconds=1234.56)
    result = result_of(run, run.moment(snapshot, run_id="ab12"), loaded.corpus, loaded.report)
    rows = settings_of(result)
    facts = dict(rows)
    assert len(facts) == len(rows)
    corpus = loaded.corpus
    assert rows[0] == ("Run", "ab12")
    assert facts["Texts"] == f"small.csv: 160 documents, {corpus.n_words} different words"
    assert facts["Held out"] == "12 documents"
    assert facts["Fingerprint of the corpus"] == corpus.fingerprint
    assert facts["Fingerprint without those held out"] == run.corpus.fingerprint
    assert facts["Method"] == f"lda-gibbs: {run.method.title}"
    assert (facts["Source"], facts["Model"]) == (run.method.source, run.method.model.title)
    for name, value in {**vars(run.method.model), **vars(run.method)}.items():
        if name != "model":
            assert facts[name] == str(value), name
    assert facts["n_topics"] == "7"
    assert (facts["Seed"], facts["Passes"], facts["Batch size"]) == (
        "5",
        "90 at most",
        "30 documents",
    )
    assert facts["It ends when"] == "it has settled, or several chains have met"
    assert (facts["Minutes at most"], facts["Order of reading"]) == ("45", "shuffled")
    assert facts["Protocol of the score"] == PROTOCOLS[run.protocol].sentence
    assert facts["Seconds of learning"] == "1,234.6", "at the moment that is shown"
    made = ", ".join(f"{name} {number}" for name, number in versions().items())
    assert facts["Made with"] == made
    assert facts["Words: min_df"] == "3"
    assert facts["Words: extra_stop_words"] == ("sea " * 300)[:1000].strip() + " …"
    assert facts["Words: drop_repeated"] == "False", "what is off is told, too"
    assert "Words: language" not in facts or facts["Words: language"]
    assert "Began from" not in facts


def test_what_a_run_was_not_given_is_said_to_be_none():
    plan = Plan.of("lda-svi", values={"n_topics": 7}, batch_size=1000, passes=2)
    run = plan.start(load(CSV))
    run.step()
    begun = replace(plan, start_from=run, order="stream").start(load(CSV))
    facts = dict(settings_of(result_of(run, run.moment(), load(CSV))))
    assert (facts["Held out"], facts["Protocol of the score"]) == ("none", "nothing was held out")
    assert (facts["Passes"], facts["Minutes at most"]) == ("2", "no limit")
    assert facts["It ends when"] == "all passes are read"
    assert facts["Batch size"] == "160 documents"
    assert "Run" not in facts
    assert not [name for name in facts if name.startswith("Words: ")]
    begun.step()
    facts = dict(settings_of(result_of(begun, begun.moment(), load(CSV))))
    assert facts["Began from"] == begun.given.said
    assert facts["Order of reading"] == "stream"
    assert facts["Protocol of the score"].startswith("Log likelihood per word of each mini-batch")


def test_texts_that_do_not_belong_to_a_run_have_no_fingerprint_in_its_report():
    run = learned(Plan.of("lda-svi", n_heldout=12), load(CSV), 1)
    facts = dict(settings_of(result_of(run, run.moment())))
    assert facts["Fingerprint of the corpus"] == "not known"
    assert facts["Fingerprint without those held out"] == run.corpus.fingerprint


def test_the_day_of_a_report_is_told_where_it_is_given():
    result = small_result("hdp-tsvi")
    assert "Made on" not in report(result)
    assert report(result, datetime.date(2026, 3, 9)).count("Made on 2026-03-09.") == 1


def test_one_topic_is_one_topic():
    result = small_result("hdp-tsvi")
    topics = result.snapshot.topics
    one = replace(topics, size=np.where(np.arange(len(topics)) == 0, 50.0, 0.0))
    run = result.run
    alone = at(result, topics=one, docs_seen=run.corpus.n_docs + 1)
    said = lead(result.run, alone.moment)
    assert said.startswith(
        f"1 topic in use, by hdp-tsvi after pass 2 of 2 over {run.corpus.n_docs} texts; held-out "
        f"log likelihood per word −{-result.score:.2f}."
    )


@pytest.mark.parametrize(("n", "mapped"), [(2, 0), (3, 3), (60, 60), (61, 60)])
def test_a_map_has_the_largest_topics_where_there_are_three(n, mapped):
    result = small_result("hdp-svi")
    topics = result.snapshot.topics
    assert len(topics) > 61
    size = np.zeros(len(topics))
    size[np.random.default_rng(1).permutation(len(topics))[:n]] = 2.0 + np.arange(n)
    html = report(at(result, topics=replace(topics, size=size)))
    if not mapped:
        assert "Map of the topics" not in html
        return
    assert html.count('<circle class="topic"') == mapped
    assert f"The {mapped} largest topics, by their names." in html
    shares = np.sort(size)[::-1][:mapped] / size.sum()
    written = re.findall(r'<circle class="topic".*?<title>.*?, ([\d.]+) %</title>', html, re.DOTALL)
    assert written == [f"{100 * share:.1f}" for share in shares]


def test_the_circles_and_the_rows_of_a_report_have_the_colours_of_their_topics():
    result = small_result("hdp-tsvi")
    html = report(result)
    for topic in result.moment.in_use[:5]:
        look = result.moment.look(topic)
        light, dark = topic_colour(look, False), topic_colour(look, True)
        assert html.count(f"--l:{light};--d:{dark}") >= 2


def test_a_score_says_how_it_was_made():
    assert protocol_sentence("") == ""
    assert protocol_sentence("stream").startswith("Log likelihood per word of each mini-batch")
    for name, protocol in PROTOCOLS.items():
        assert protocol_sentence(name) == protocol.sentence
