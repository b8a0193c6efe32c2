const STEPS = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex="0"]';
const body = () => document.querySelector('[data-testid="stPopoverBody"]');
let opener = null;

// A popover that is opened by keyboard takes the focus as soon as it is drawn.
function opened(button) {
  opener = button;
  const watch = new MutationObserver(() => {
    const found = body();
    if (document.activeElement !== button) watch.disconnect();
    else if (found) {
      watch.disconnect();
      found.tabIndex = -1;
      found.focus({ preventScroll: true });
    }
  });
  watch.observe(document.body, { childList: true, subtree: true });
  button.addEventListener("blur", () => watch.disconnect(), { once: true });
}

// Escape leads back to its button, and so does Tab past its ends, from where the browser goes on.
function leave(event) {
  const inside = event.target.closest('[data-testid="stPopoverBody"]');
  if (!inside || !opener?.isConnected) return;
  if (event.key === "Escape") {
    setTimeout(() => {
      if (!inside.isConnected) opener.focus();
    }, 300);
  } else if (event.key === "Tab") {
    const steps = [...inside.querySelectorAll(STEPS)].filter((x) => x.offsetParent);
    const end = event.shiftKey ? steps[0] : steps[steps.length - 1];
    const first = event.shiftKey && event.target === inside;
    if (!steps.length) {
      event.preventDefault(); // what it holds is still on its way
    } else if (event.target === end || first) {
      opener.click();
      opener.focus();
    }
  }
}

// The next control of the group takes the focus from one that its own click has switched off.
function pressed(button) {
  const group = button.closest('[data-testid="stHorizontalBlock"]');
  if (!group) return;
  const watch = new MutationObserver(() => {
    const holder = document.activeElement;
    if (!button.isConnected || (holder !== button && holder !== document.body)) watch.disconnect();
    else if (button.disabled) {
      const all = [...group.querySelectorAll("button")];
      const place = all.indexOf(button);
      const next = [...all.slice(place + 1), ...all.slice(0, place).reverse()].find(
        (other) => !other.disabled,
      );
      if (next) {
        watch.disconnect();
        next.focus();
      }
    }
  });
  watch.observe(group, { attributes: true, attributeFilter: ["disabled"], subtree: true });
}

export default function () {
  if (window.__bnpKeyboard) return;
  window.__bnpKeyboard = true;
  document.addEventListener("keydown", leave, true);
  document.addEventListener(
    "click",
    (event) => {
      const button = event.target.closest?.("button");
      if (!button || event.detail !== 0 || !event.isTrusted) return; // not by keyboard
      if (button.closest('[data-testid="stPopover"]')) opened(button);
      else pressed(button);
    },
    true,
  );
}
