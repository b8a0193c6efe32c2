// Notes what the page has asked of the server and not got yet: `bnpAwaited` is "a run" from the
// moment in which a run of the script is asked for until it begins, then "its end", then null.
// The numbers are those of Streamlit's messages (protocol buffers); driver.py fills them in.
((numbers) => {
  if (window.bnpTraffic) return;
  window.bnpTraffic = true;
  window.bnpAwaited = null;

  /** The numbers of the fields of a message, its own ones only. */
  function fields(bytes) {
    const found = [];
    let at = 0;
    function varint() {
      let value = 0;
      let scale = 1;
      let byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte > 127);
      return value;
    }
    while (at < bytes.length) {
      const tag = varint();
      found.push(Math.floor(tag / 8));
      const length = varint(); // a number itself, or how long a part is
      if (tag % 8 === 2) at += length;
    }
    return found;
  }

  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", ({ data }) => {
        if (!window.bnpAwaited || !(data instanceof ArrayBuffer)) return;
        const seen = fields(new Uint8Array(data));
        if (seen.includes(numbers.begun)) window.bnpAwaited = "its end";
        else if (seen.includes(numbers.ended) && window.bnpAwaited === "its end")
          window.bnpAwaited = null;
      });
    }
    send(data) {
      if (data instanceof Uint8Array && fields(data).includes(numbers.asked))
        window.bnpAwaited = "a run";
      super.send(data);
    }
  };
})(NUMBERS);
