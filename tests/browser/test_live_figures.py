"""The script of live figures, in a real browser, with a model that answers as a kernel does."""

import json
import re

import pytest

from bnpexplorer import Plan
from bnpexplorer.export.notebooks.card import STYLE, script
from bnpexplorer.export.notebooks.watch import RunWatch
from tests.tools.export import EVIL, own_corpus

pytestmark = [pytest.mark.browser, pytest.mark.second]

EVERY, PATIENCE = (
    int(re.search(rf"{name} = (\d+)", script())[1]) for name in ("EVERY", "PATIENCE")
)
"""Milliseconds, of the script."""
STAGE = """
const values = {VALUES};
const listeners = [];
window.asked = [];
const model = {
  get: (name) => values[name],
  send: (what) => window.asked.push(what.do),
  on: (name, call) => listeners.push(call),
  off: (name, call) => listeners.splice(listeners.indexOf(call), 1),
};
window.answer = (changed) => {
  Object.assign(values, changed);
  for (const call of [...listeners]) call();
};
window.leave = widget.render({ model, el: document.body });
"""


@pytest.fixture
def values():
    run = Plan.of("hdp-tsvi", batch_size=10).split_and_start(own_corpus())
    run.step()
    watch = RunWatch(run)
    kept = {"style": STYLE, "title": EVIL, "said": watch.said(), "drawing": watch.drawing()}
    return {**kept, "state": "going", "answers": 1}


def test_buttons_questions_and_text(browser, values):
    page = browser.new_page(color_scheme="dark")
    problems = []
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.clock.install(time="2026-01-01")
    page.clock.pause_at("2026-01-02")  # its timers now wait for this test
    page.set_content("<!doctype html><title>n</title><body></body>")
    stage = STAGE.replace("{VALUES}", json.dumps(values).replace("</", "<\\/"))
    program = script().replace("export default { render };", "const widget = { render };") + stage
    page.evaluate(f"() => {{ {program} }}")

    assert page.locator("h2").text_content() == EVIL, "a title is text"
    assert page.locator("img, script").count() == 0
    assert page.locator("path.curve").count() >= 1
    card = page.locator(".bnpexplorer")
    assert card.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(17, 21, 28)"
    assert card.evaluate("e => getComputedStyle(e).color") == "rgb(236, 240, 244)"

    toggle, step = page.get_by_role("button").all()
    assert (toggle.text_content(), step.is_disabled()) == ("Pause", True)
    page.clock.run_for(EVERY)
    assert page.evaluate("window.asked") == ["look"]
    page.clock.run_for(PATIENCE)
    assert page.evaluate("window.asked") == ["look"], "a question at a time"
    page.clock.run_for(EVERY)
    assert page.evaluate("window.asked") == ["look"] * 2, "unless no answer comes"
    toggle.click()
    assert page.evaluate("window.asked.at(-1)") == "pause"
    page.evaluate("answer({state: 'paused', answers: 2, said: '<b>Paused</b>'})")
    assert page.get_by_role("status").text_content() == "<b>Paused</b>"
    assert toggle.text_content() == "Go on"
    step.click()
    assert page.evaluate("window.asked.at(-1)") == "step"
    page.evaluate("answer({state: 'done', answers: 3})")
    assert toggle.is_disabled()
    assert step.is_disabled()
    n = page.evaluate("(leave(), window.asked.length)")
    page.evaluate("answer({state: 'going', answers: 4})")
    page.clock.run_for(2 * EVERY)
    assert page.evaluate("window.asked.length") == n, "who left asks nothing more"
    assert problems == []
    page.context.close()
