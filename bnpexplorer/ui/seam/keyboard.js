const STEPS = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex="0"]';
const body = () => document.querySelector('[data-testid="stPopoverBody"]');
const GROUP = '[data-testid="stHorizontalBlock"]';
const KEYED = '[class*="st-key-"]';
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

// The button as it stands now: a page that is drawn anew may put another element in its place.
function standing(button, key) {
  return key ? document.querySelector(`.${CSS.escape(key)} button`) : button;
}

// The next control of the group takes the focus from one that its own click has switched off.
function pressed(button) {
  if (!button.closest(GROUP)) return;
  const key = [...(button.closest(KEYED)?.classList ?? [])].find((name) =>
    name.startsWith("st-key-"),
  );
  const until = Date.now() + 10000; // a slow page still answers this click, not another
  const watch = new MutationObserver(() => {
    const now = standing(button, key);
    const holder = document.activeElement;
    if (Date.now() > until || (holder !== now && holder !== document.body)) watch.disconnect();
    else if (now?.disabled) {
      const all = [...now.closest(GROUP).querySelectorAll("button")];
      const place = all.indexOf(now);
      const next = [...all.slice(place + 1), ...all.slice(0, place).reverse()].find(
        (other) => !other.disabled,
      );
      if (next) {
        watch.disconnect();
        next.focus();
      }
    }
  });
  watch.observe(document.body, {
    attributes: true,
    attributeFilter: ["disabled"],
    childList: true,
    subtree: true,
  });
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
