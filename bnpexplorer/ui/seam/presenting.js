const KEPT = "bnp-presenting"; // the address with its secrets, for a reload of this tab
let presented = false;
const CONTROL = `a[href], button, input, select, textarea, summary, [contenteditable="true"],
  [role="slider"], [role="combobox"], [role="option"], [role="menuitem"]`;
const NAMES = { " ": "pause", ArrowRight: "step", Escape: "leave" };
const button = (name) => document.querySelector(`.st-key-present-${name} button`);
const presents = () => document.querySelector(".st-key-presentation");

// A key counts where nobody would type it: no control has the focus.
function pressed(event) {
  if (!presents() || event.ctrlKey || event.altKey || event.metaKey) return;
  if (document.activeElement?.closest(CONTROL)) return;
  const name = NAMES[event.key] ?? (/^[1-9]$/.test(event.key) ? `view-${event.key}` : "");
  if (!name) return;
  event.preventDefault(); // Space would scroll
  if (!event.repeat) button(name)?.click();
}

// Whoever goes on with keys after a click of the mouse means the page, not the button again.
function clicked({ target, detail }) {
  const wanted = target.closest?.("button");
  if (!wanted) return;
  if (wanted.closest(".st-key-present-enter")) {
    // Where a browser or a frame does not allow it, the window presents as it is.
    document.documentElement.requestFullscreen?.().catch(() => undefined);
  } else if (detail > 0 && wanted.closest(".st-key-presentation")) {
    wanted.blur();
  }
}

// In full screen the browser takes Escape for itself, and tells of that alone.
function screened() {
  if (!document.fullscreenElement) button("leave")?.click();
}

function listen() {
  if (window.bnpPresenting) return;
  window.bnpPresenting = true;
  document.addEventListener("keydown", pressed);
  document.addEventListener("click", clicked, true);
  document.addEventListener("fullscreenchange", screened);
}

export default function ({ data: { presents: on, what, whole } }) {
  listen();
  const here = `${location.pathname} ${what}`;
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
  const ends = presented && !on; // it is also begun anew, unchanged, where the window grows
  presented = on;
  if (!on) {
    sessionStorage.removeItem(KEPT);
    if (ends && document.fullscreenElement) document.exitFullscreen();
  } else if (whole) sessionStorage.setItem(KEPT, JSON.stringify({ here, whole }));
  else if (kept.here === here) location.replace(`${location.pathname}?${kept.whole}`);
}
