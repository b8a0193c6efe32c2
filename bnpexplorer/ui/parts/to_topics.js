// The names in a table of topics are buttons; `data-run` and `data-topic` say what they lead to.
// One listener for as long as the tab lives: tables come and go, and so does the component that
// tells the server; a click that comes before it is told as soon as it is there.
const SOON = 10000; // milliseconds after which nobody waits for a click any more
let tell = null;
let asked = null;

function hear({ target }) {
  const { run, topic } = target.closest?.("button[data-topic]")?.dataset ?? {};
  if (!topic) return;
  // With the time, so that a second click on the same name is a change too.
  asked = { run, topic: Number(topic), time: Date.now() };
  tellIt();
}

function tellIt() {
  if (!tell || !asked) return;
  if (Date.now() - asked.time < SOON) tell("opened", asked);
  asked = null;
}

document.addEventListener("click", hear);
document.documentElement.classList.add("bnp-hears"); // until then the names are no buttons: html.css

export default function ({ setStateValue }) {
  tell = setStateValue;
  tellIt();
  // Streamlit begins this anew where anything about the component changes, the colours too, and
  // ends the one before it late: that takes away its own way to tell, not the next one's.
  return () => {
    if (tell === setStateValue) tell = null;
  };
}
