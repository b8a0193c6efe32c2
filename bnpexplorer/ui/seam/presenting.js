const KEPT = "bnp-presenting"; // the address with its secrets, for a reload of this tab
const KEEPS = 60000; // milliseconds in which a busy server may not have heard of a key
let presented = false;
const CONTROL = `a[href], button, input, select, textarea, summary, [contenteditable="true"],
  [role="slider"], [role="combobox"], [role="option"], [role="menuitem"]`;
const NAMES = { " ": "pause", ArrowRight: "step", Escape: "leave" };
const presents = () => document.querySelector(".st-key-presentation");

// All keys of a while are told each time, since the server hears of the latest word only: of presses
// that come faster than it answers none is lost, and none comes before another.
function tell(name) {
  const heard = window.bnpPresenting;
  const time = Math.max(Date.now(), (heard.keys.at(-1)?.time ?? 0) + 1);
  heard.keys = [...heard.keys.filter((key) => time - key.time < KEEPS), { name, time }];
  heard.send?.("keys", heard.keys);
}

// A key counts where nobody would type it: no control has the focus.
function pressed(event) {
  if (!presents() || event.ctrlKey || event.altKey || event.metaKey) return;
  if (document.activeElement?.closest(CONTROL)) return;
  const name = NAMES[event.key] ?? (/^[1-9]$/.test(event.key) ? `view-${event.key}` : "");
  if (!name) return;
  event.preventDefault(); // Space would scroll
  if (!event.repeat) tell(name);
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
  if (!document.fullscreenElement && presents()) tell("leave");
}

function listen() {
  if (window.bnpPresenting) return;
  window.bnpPresenting = { keys: [], since: 0 };
  document.addEventListener("keydown", pressed);
  document.addEventListener("click", clicked, true);
  document.addEventListener("fullscreenchange", screened);
}

export default function ({ data: { presents: on, since, what, whole }, setStateValue }) {
  listen();
  if (since < window.bnpPresenting.since) return; // of the page before, which is about to go
  Object.assign(window.bnpPresenting, { since, send: setStateValue });
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
