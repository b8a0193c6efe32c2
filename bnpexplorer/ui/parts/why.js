// What a click on a mark tells stands below the figures, out of sight: bring it there. Only for a
// click that was not shown yet, since the component begins anew for many a reason.
const ABOVE = "9rem"; // the header, which stays, and the list of events
let shown = 0;

export default ({ data, parentElement }) => {
  const panel = parentElement.closest('[class*="st-key-why-panel"]');
  if (data.clicks <= shown || panel === null) return;
  shown = data.clicks;
  panel.style.scrollMarginTop = ABOVE;
  panel.scrollIntoView({ block: "start" });
};
