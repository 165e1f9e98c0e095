// Where the page's data come from. LiveSource reads a server of `eventspace web`: one stream of events a page, and requests.
//
//     connecting --- open ---> live --- error ---> lost --- (the browser tries again) ---> live
//                                 \--- `gone` ---> ended ...................................^ when parts come again
//
// The server sends each part when it has changed; after a loss it sends all parts again, so that nothing is stale.

/** An error whose text is for the user. */
export class SourceError extends Error {}

export class LiveSource {
  constructor() {
    this.stream = null;
    this.session = null;
    this.token = "";
    this.role = "observer";
  }

  /** Reads the user's role and the token for orders. */
  async begin() {
    const me = await this.ask("/api/me");
    this.token = me.token;
    this.role = me.role;
    return me;
  }

  async sessions() {
    return this.ask("/api/sessions");
  }

  /** Streams the parts of a session. `listener` has on_part(name, value), on_state("live" | "lost"), and on_gone(reason). */
  open(session, listener) {
    this.close();
    this.session = session;
    const stream = new EventSource(`/api/s/${encodeURIComponent(session)}/stream`);
    this.stream = stream;
    stream.onopen = () => listener.on_state("live");
    stream.onerror = () => listener.on_state("lost");
    stream.addEventListener("part", (event) => {
      const part = JSON.parse(event.data);
      listener.on_part(part.name, part.value);
    });
    stream.addEventListener("gone", (event) => listener.on_gone(JSON.parse(event.data).reason ?? ""));
  }

  close() {
    this.stream?.close();
    this.stream = null;
  }

  /** Gives an order for the session, such as order("seek", {position: 1.5}). Throws a SourceError if it is refused. */
  async order(name, body) {
    await this.ask(`/api/s/${encodeURIComponent(this.session)}/do/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-EventSpace-Token": this.token },
      body: JSON.stringify(body),
    });
  }

  async ask(path, options = {}) {
    let answer;
    try {
      answer = await fetch(path, { credentials: "same-origin", ...options });
    } catch {
      throw new SourceError("The server of this page does not answer. Is `eventspace web` still running?");
    }
    const text = await answer.text();
    if (!answer.ok) throw new SourceError(reason_of(text, answer.status));
    return JSON.parse(text);
  }
}

function reason_of(text, status) {
  try {
    return JSON.parse(text).reason ?? text;
  } catch {
    return text.trim() || `The server answered with status ${status}.`;
  }
}
