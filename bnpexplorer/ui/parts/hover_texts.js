// What points say when the pointer is on them, sent once and apart from the figure: it is the
// largest part, and stays the same when colours or an outline change.
function slotOf(name) {
  window.bnpTexts ||= new Map();
  if (!window.bnpTexts.has(name)) {
    const slot = {};
    slot.filled = new Promise((fill) => {
      slot.fill = fill;
    });
    window.bnpTexts.set(name, slot);
  }
  return window.bnpTexts.get(name);
}

// Lines that came compressed, by their name, whichever comes first: they or the figure.
export function keepTexts({ name, packed }) {
  slotOf(name).fill(unpacked(packed));
}

async function unpacked(packed) {
  const stream = new Blob([bytesOf(packed)]).stream();
  const lines = stream.pipeThrough(new DecompressionStream("deflate"));
  return (await new Response(lines).text()).split("\n");
}

// Every point of these traces gets the text of its customdata, as soon as the texts are there:
// Plotly looks into the same array when the pointer comes, so that nothing is drawn anew.
export function giveTexts(traces, name) {
  const waiting = traces.map((trace) => {
    const rows = trace.customdata ? numbersOf(trace.customdata) : [];
    trace.text = Array.from(rows, () => "");
    return { rows, text: trace.text };
  });
  slotOf(name).filled.then((texts) => {
    for (const { rows, text } of waiting) {
      rows.forEach((row, place) => {
        text[place] = texts[row];
      });
    }
  });
}

function numbersOf(values) {
  return Array.isArray(values) ? values : new Int32Array(bytesOf(values.bdata).buffer);
}

function bytesOf(letters) {
  return Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
}
