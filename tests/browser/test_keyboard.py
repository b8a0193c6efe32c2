"""Everything by keyboard alone, with a focus that can be seen."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

LOOKS = """node => {
  const s = getComputedStyle(node);
  return [s.outlineStyle, s.outlineWidth, s.boxShadow, s.borderColor, s.backgroundColor].join();
}"""
HAS_FOCUS = "node => node === document.activeElement"


def tab_to(tab, target, most=60):
    """Press Tab until the target has the focus; the focus must change how it looks."""
    before = target.evaluate(LOOKS)
    for _ in range(most):
        tab.page.keyboard.press("Tab")
        if target.evaluate(HAS_FOCUS):
            break
    else:
        pytest.fail(f"{most} times Tab do not reach {target}")
    tab.page.wait_for_function(
        f"([node, before]) => ({LOOKS})(node) !== before", arg=[target.element_handle(), before]
    )


def test_start_a_run_by_keyboard(tab):
    tab.open("/")
    first = tab.page.get_by_role("radio").first
    for _ in range(30):
        tab.page.keyboard.press("Tab")
        if first.evaluate(HAS_FOCUS):
            break
    tab.page.keyboard.press("ArrowDown")
    expect(tab.page.get_by_role("radio", name="Small CSV")).to_be_checked()
    tab.settled()
    tab_to(tab, tab.button("Watch it learn"))
    tab.page.keyboard.press("Enter")
    tab.until_points()


def test_pause_and_resume_by_keyboard_while_the_page_ticks(tab):
    tab.start_long_run()
    tab.until_learning()
    pause = tab.button("Pause")
    tab_to(tab, pause)
    tab.watch_updates()
    tab.until_updates(3)
    assert pause.evaluate(HAS_FOCUS), "updates do not steal the focus"
    tab.page.keyboard.press("Enter")
    expect(tab.status()).to_contain_text("paused")
    expect(tab.button("Resume")).to_be_focused()
    tab.page.keyboard.press("Space")
    expect(tab.status()).to_contain_text("learning")
