// Answers with the number of what was set last. It stands at the end of a page, so that the widgets
// above it have their values by then.
export default function ({ data, setStateValue, parentElement }) {
  const heard = Math.max(data.heard, Number(parentElement.dataset.heard ?? 0));
  if (data.number <= heard) return;
  parentElement.dataset.heard = data.number;
  setStateValue("heard", data.number);
}
