// The first word after an act of a person is a step; those that follow complete its address.
export default function () {
  const { history } = window;
  if (history.bnpOneStep) return;
  history.bnpOneStep = true;
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let acted = true;
  for (const act of ["pointerdown", "keydown"]) {
    window.addEventListener(act, () => (acted = true), { capture: true, passive: true });
  }
  window.addEventListener("popstate", () => (acted = false), { capture: true });
  history.pushState = (...what) => {
    (acted ? push : replace)(...what);
    acted = false;
  };
}
