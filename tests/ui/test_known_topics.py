"""Texts whose true topics are known: their pictures, and how many are found again."""

import re
from urllib.parse import unquote

import pytest

from bnpexplorer.compare.sequential import race_of
from bnpexplorer.explore.likeness import FOUND_AGAIN, found_again
from bnpexplorer.runs.plan import Plan
from tests.tools.pages import button, check, figures, go, html, open_app, small, small_run, texts
from tests.tools.topics_page import page as topics_page

pytestmark = pytest.mark.usefixtures("registry")
PAIR = re.compile(
    r'<div class="pair (again|lost)">.*?<b>(?:topic (\d+)|no topic)</b> <span>(.*?)</span>'
)


def ended(registry, sample="bars", method="hdp-tsvi", **settings):
    run, loaded = small_run(method, small(sample), **settings)
    run.known = loaded.true_topics
    entry = registry.add(run, loaded)
    entry.background.start()
    assert entry.background.wait(300)
    return entry


def on_live(entry):
    return go(open_app(run=entry.run_id, own=entry.secret), "live")


def dotted_at(figure):
    return [s["y0"] for s in figure["layout"].get("shapes", ()) if s["line"]["dash"] == "dot"]


def curve_of(app):
    found = [f for f in figures(app) if "found again" in f["layout"]["yaxis"]["title"]["text"]]
    assert len(found) == 1
    return found[0]


def pairs(app, topics, known):
    """Those drawn, held against the best pairing worked out anew."""
    drawn = PAIR.findall(html(app))
    found = found_again(known, topics)
    assert len(drawn) == len(known)
    for (mark, topic, words), row, distance in zip(drawn, found.rows, found.distances, strict=True):
        assert int(topic) == topics.topic_ids[row]
        assert mark == ("again" if distance < 0.5 else "lost")
        verdict = "found again" if distance < 0.5 else "not found"
        assert words == f"{verdict}, {distance:.2f}"
    images = re.findall(r'<div class="pair.*?<img src="(.*?)" .*?<img src="(.*?)" ', html(app))
    for (true, mine), words, row in zip(images, known, found.rows, strict=True):
        assert shades_of(true) == pytest.approx(words / words.max(), abs=0.06)
        probs = topics.topic_word[row]
        assert shades_of(mine) == pytest.approx(probs / probs.max(), abs=0.06)
    return found


def shades_of(image):
    """Of the 25 pixels of an image, row by row."""
    found = {}
    for path in re.findall(r"<path .*?/>", unquote(image)):
        ink = 0.0 if "rgba" in path else float((re.findall(r"opacity='(.*?)'", path) or [1.0])[0])
        found |= {(int(r), int(c)): ink for c, r in re.findall(r"M(\d+) (\d+)h", path)}
    return [found[place] for place in sorted(found)]


@pytest.mark.second
def test_on_live_every_true_topic_is_drawn_beside_its_partner(registry):
    entry = ended(registry, passes=1)
    app, snapshot = on_live(entry), entry.background.latest
    found = pairs(app, snapshot.topics, entry.source.true_topics)
    assert 0 < found.count < 10, "both kinds are seen"
    assert html(app).count('alt="true ') == 10
    left = int(snapshot.topics.in_use.sum()) - 10
    assert f"{left} topics in use without a true one" in html(app)
    figure = curve_of(app)
    assert dotted_at(figure) == [10]
    counted = [int(p.scalars[FOUND_AGAIN]) for p in snapshot.trace]
    assert counted[-1] == found.count
    names = [a["text"] for a in figure["layout"]["annotations"]]
    assert f"hdp-tsvi<br><b>{found.count}</b>" in names
    assert figure["data"][0]["y"] == counted


@pytest.mark.second
def test_texts_without_pixels_have_the_curve_alone(registry):
    app = on_live(ended(registry, "hdp-draw", passes=1))
    assert dotted_at(curve_of(app)) == [23]
    assert "bnp-sheet" not in html(app)


def test_texts_of_which_nothing_is_known_have_neither(registry):
    app = on_live(ended(registry, "small-csv"))
    assert "bnp-sheet" not in html(app)
    assert "found again" not in texts(app.markdown)


@pytest.mark.second
def test_a_race_has_a_sheet_and_a_curve_for_each_runner(registry):
    loaded = small("bars")
    plans = [Plan.of(name, passes=2) for name in ("hdp-tsvi", "hdp-svi")]
    race = race_of(plans, loaded.corpus)
    for run in race.runs:
        run.known = loaded.true_topics
    entry = registry.add(race, loaded)
    entry.background.start()
    assert entry.background.wait(300)
    app = go(open_app(race=entry.run_id, race_key=entry.secret, compare="Race"), "compare")
    drawn = PAIR.findall(html(app))
    assert len(drawn) == 20
    for run, mine in zip(race.runs, (drawn[:10], drawn[10:]), strict=True):
        found = found_again(loaded.true_topics, run.snapshot().topics)
        assert [m[0] == "again" for m in mine] == found.close.tolist()
    curves = [f for f in figures(app) if dotted_at(f) == [10]]
    assert len(curves) == 2
    app = check(button(app, "Present").click().run())
    assert {"3 Found again", "5 Pictures"} <= {b.label.strip("*") for b in app.button}
    check(button(app, "5 Pictures").click().run())
    assert len(PAIR.findall(html(app))) == 20


@pytest.mark.second
def test_presented_pictures_are_a_view_of_their_own(registry):
    app = check(button(on_live(ended(registry)), "Present").click().run())
    check(button(app, "5 Pictures").click().run())
    assert len(PAIR.findall(html(app))) == 10
    check(button(app, "6 Found again").click().run())
    assert dotted_at(curve_of(app)) == [10]


@pytest.mark.second
def test_on_topics_the_chosen_one_is_drawn_beside_the_true_one(registry):
    entry = ended(registry, passes=20)
    topics, known = entry.background.latest.topics, entry.source.true_topics
    found = found_again(known, topics)
    partner = int(topics.topic_ids[found.rows[found.close.argmax()]])
    other = next(
        int(i)
        for row, i in enumerate(topics.topic_ids)
        if topics.in_use[row] and found.known_of(row) is None
    )
    said = {}
    for topic in (partner, other):
        app = topics_page(run=entry.run_id, own=entry.secret, topic=str(topic))
        said[topic] = html(app).partition("bnp-alone")[2].partition("</span>")[0]
        pairs(app, topics, known)
    distance = found.distances[found.close.argmax()]
    assert f"{distance:.2f} away: found again" in said[partner]
    assert said[partner].count("<img") == 2
    assert "matched to none of the true topics" in said[other]
    assert said[other].count("<img") == 1
