// The names in a table of topics are buttons, `data-topic` is the topic's identity.
export default function (component) {
  const node = component.parentElement;
  node.bnpTell = component.setStateValue;
  if (node.bnpHears) return;
  node.bnpHears = ({ target }) => {
    const topic = target.closest?.("button[data-topic]")?.dataset.topic;
    // With the time, so that a second click on the same name is a change too.
    if (topic) node.bnpTell("opened", { topic: Number(topic), time: Date.now() });
  };
  document.addEventListener("click", node.bnpHears);
  return () => document.removeEventListener("click", node.bnpHears);
}
