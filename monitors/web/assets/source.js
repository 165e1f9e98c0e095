// Where the page's data come from. LiveSource reads a server of `eventspace web`: one stream of events a page, and requests.
//
//     connecting --- open ---> live --- error ---> lost --- (the browser tries again) ---> live
//                                 \--- `gone` ---> ended ...................................^ when parts come again
//
// The server sends each part when it has changed; after a loss it sends all parts again, so that nothing is stale. A browser gives
// up when the server refuses the stream, as a new server refuses the cookie of the old one; then the source tries again by itself.

import { parse_visible } from "./text.js";

const between_tries_ms = 2000;

/** An error whose text is for the user. */
export class SourceError extends Error {}

export class LiveSource {
  constructor() {
    this.stream = null;
    this.next_try = null;
    this.attempt = 0; // changes with each choice of what to stream
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

  /**
   * Streams the named parts of a session. `listener` has on_part(name, value), on_lost(reason) when the stream breaks, and
   * on_gone(reason) when the session has ended.
   */
  open(session, parts, listener) {
    this.close();
    this.session = session;
    const stream = new EventSource(`/api/s/${encodeURIComponent(session)}/stream?parts=${parts.join(",")}`);
    this.stream = stream;
    stream.onerror = () => {
      if (stream.readyState === EventSource.CLOSED) this.try_again(session, parts, listener);
      else listener.on_lost("The server of this page does not answer.");
    };
    stream.addEventListener("part", (event) => {
      const part = parse_visible(event.data);
      listener.on_part(part.name, part.value);
    });
    stream.addEventListener("gone", (event) => listener.on_gone(parse_visible(event.data).reason ?? ""));
  }

  try_again(session, parts, listener) {
    this.close();
    const { attempt } = this;
    this.next_try = setTimeout(async () => {
      try {
        await this.begin(); // a new server has a new token
        if (attempt === this.attempt) this.open(session, parts, listener);
      } catch (error) {
        if (attempt !== this.attempt) return; // another session was chosen meanwhile
        listener.on_lost(error.message);
        this.try_again(session, parts, listener);
      }
    }, between_tries_ms);
  }

  close() {
    ++this.attempt;
    clearTimeout(this.next_try);
    this.stream?.close();
    this.stream = null;
  }

  /** Gives an order for the session, such as order("seek", {position: 1.5}). Returns the answer. Throws a SourceError if it is refused. */
  async order(name, body) {
    return this.ask(`/api/s/${encodeURIComponent(this.session)}/do/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-EventSpace-Token": this.token },
      body: JSON.stringify(body),
    });
  }

  /** Asks a question about the session, such as question("timeline", {from: 0, to: 100, rows: "0-3", pixels: 50}). */
  async question(name, parameters) {
    return this.ask(`/api/s/${encodeURIComponent(this.session)}/q/${name}?${new URLSearchParams(parameters)}`);
  }

  async ask(path, options = {}) {
    let answer;
    try {
      answer = await fetch(path, { credentials: "same-origin", ...options });
    } catch {
      throw new SourceError("The server of this page does not answer. Is `eventspace web` still running?");
    }
    const text = await answer.text();
    if (!answer.ok) throw Object.assign(new SourceError(reason_of(text, answer.status)), { status: answer.status });
    return parse_visible(text);
  }
}

function reason_of(text, status) {
  try {
    return JSON.parse(text).reason ?? text;
  } catch {
    return text.trim() || `The server answered with status ${status}.`;
  }
}
