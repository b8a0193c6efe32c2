// The names in a table of topics are buttons; `data-run` and `data-topic` say what they lead to.
export default function (component) {
  const node = component.parentElement;
  const hear = ({ target }) => {
    const { run, topic } = target.closest?.("button[data-topic]")?.dataset ?? {};
    // With the time, so that a second click on the same name is a change too.
    if (topic) component.setStateValue("opened", { run, topic: Number(topic), time: Date.now() });
  };
  // Streamlit begins this script anew where anything about the component changes, the colours too,
  // and ends the one before it late or not at all: each takes away its own listener only, or the
  // end of the first would take that of the second.
  document.removeEventListener("click", node.bnpHears);
  node.bnpHears = hear;
  document.addEventListener("click", hear);
  return () => document.removeEventListener("click", hear);
}
