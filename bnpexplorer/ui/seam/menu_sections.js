const LISTS = '[data-testid="stSidebarNavItems"], [data-testid="stSidebarNavItems"] li';

// The menu of a phone comes and goes with the width of the window.
function watch() {
  let due = false;
  const mend = () => {
    due = false;
    for (const part of document.querySelectorAll(LISTS)) part.setAttribute("role", "none");
  };
  new MutationObserver(() => {
    if (!due) requestAnimationFrame(mend);
    due = true;
  }).observe(document.body, { childList: true, subtree: true });
  mend();
}

export default () => {
  if (!window.bnpSections) watch();
  window.bnpSections = true;
};
