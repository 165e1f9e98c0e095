// Steering a running session: what its processes record, how often the page looks, and trials of scope trees. Views that show the
// panel want the part "steering". Only the owner's page has the controls at hand; an observer sees the same state.
//
//     const panel = steeringPanel(source, store);
//     box.append(panel.element);
//     panel.show({ kind: "path", name: "queue" }); // what the reader selected
//
// The panel shows the state that the server confirms, never what it has only asked for. An order names the version of the state that
// the panel shows; if another page has steered since, the server refuses it, and the panel shows the newer state. While an order is
// carried out, buttons keep the focus of the keyboard: they are not disabled, but say so, and do nothing. What comes and goes is at the
// end of the panel, so that no button moves under the pointer.

import { fill } from "./fill.js";
import { CollectingBox } from "./steering/collecting_box.js";
import { TrialBox } from "./steering/trial_box.js";
import { duration, element } from "./text.js";

const parts = ["steering", "names"];
const page_name = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** `element`, `show(selection)`, and `close()`, which the panel does by itself once it has left the document. */
export function steeringPanel(source, store) {
  const panel = new SteeringPanel(source, store);
  return { element: panel.box, show: (selection) => panel.show(selection), close: () => panel.close() };
}

class SteeringPanel {
  constructor(source, store) {
    this.source = source;
    this.store = store;
    this.selection = { kind: null, name: null };
    this.seen = null; // the last version
    this.awaited = null; // the version that an order of this page made
    this.is_sending = false;
    this.is_edited = false; // the interval, which keeps what was typed until that has been carried out
    this.is_interval_ordered = false;
    this.is_refused = false; // because of a newer state, which is still to come
    this.has_been_shown = false;
    this.is_closed = false;
    this.note = element("p", { class: "faint hint-lines" });
    this.message = element("p", { class: "steering-message", role: "status", "aria-live": "polite" });
    this.make_interval();
    this.collecting = new CollectingBox(this);
    this.trial = new TrialBox(this);
    this.box = element("section", { class: "card steering", "aria-label": "Steering" }, element("h2", {}, "Steering"), this.note,
      this.collecting.box, this.interval_box, this.trial.box, this.collecting.now_box, this.message);
    this.leave = store.subscribe((changed) => this.on_parts(changed));
    queueMicrotask(() => { this.has_been_shown = true; }); // a view appends it at once, and may be left before the first parts
    this.update();
  }

  make_interval() {
    this.interval = element("input", { type: "number", min: 0, step: "any", size: "6", "aria-label": "Interval between looks, in seconds", oninput: () => { this.is_edited = true; } });
    this.set_interval = element("button", { type: "submit" }, "Set");
    this.interval_now = element("span", { class: "faint" });
    const form = element("form", { class: "controls", onsubmit: (event) => this.on_interval(event) }, element("label", {}, "Look every ", this.interval, " s"),
      this.set_interval, this.interval_now);
    this.interval_box = element("div", { role: "group", "aria-label": "Interval" }, element("h3", {}, "Interval"), form);
  }

  close() {
    this.is_closed = true;
    this.leave();
  }

  show(selection) {
    this.selection = selection?.kind ? selection : { kind: null, name: null };
    this.trial.show(this.selection);
    this.update();
  }

  on_parts(changed) {
    if (this.has_been_shown && !this.box.isConnected) return this.close();
    if (parts.some((part) => changed.has(part))) this.update();
    return undefined;
  }

  get state() {
    return this.store.get("steering");
  }

  /** Why this page can order nothing; empty if it can. */
  get hindrance() {
    if (!this.state) return "The server has not said yet what can be steered.";
    if (this.state.reason) return `Nothing can be steered: ${this.state.reason}.`;
    return this.source.role === "owner" ? "" : "You look as an observer. Only the owner's page steers: open the owner's address.";
  }

  /** Whether an order must wait until the one before has been carried out. */
  get must_wait() {
    return this.is_sending || this.awaited !== null || (this.state?.under_way ?? false);
  }

  /** Shows whether a button does something. */
  allow(button, has_effect = true) {
    button.disabled = this.hindrance !== "";
    button.setAttribute("aria-disabled", String(button.disabled || this.must_wait || !has_effect));
  }

  update() {
    const { state, hindrance } = this;
    this.note.textContent = hindrance || "What you order here applies to the running program and to all pages.";
    this.hear(state);
    this.interval.disabled = hindrance !== "";
    this.allow(this.set_interval);
    if (state?.interval_s !== undefined) {
      this.interval_now.textContent = `now every ${duration(state.interval_s)}`;
      if (!this.is_edited) this.interval.value = state.interval_s;
    }
    this.collecting.update();
    this.trial.update();
  }

  /** Says what became of orders: of this page, and of others. */
  hear(state) {
    if (!state || state.version === undefined) return;
    const is_new = this.seen !== null && state.version !== this.seen;
    if (is_new && state.version < this.seen) this.awaited = null; // another server has come
    this.seen = state.version;
    // A refusal has already said it.
    if (is_new && state.by !== page_name && !this.is_sending && !this.is_refused) this.say([`Another page of the owner has steered: ${state.last_order}.`]);
    if (is_new) this.is_refused = false;
    if (this.awaited === null || state.version < this.awaited || state.under_way) return;
    this.awaited = null;
    const { outcome } = state;
    const is_own = outcome !== null && state.by === page_name;
    if (this.is_interval_ordered && is_own && outcome.refusals.length === 0) this.is_edited = false;
    this.is_interval_ordered = false;
    if (outcome === null) this.say([]); // the session has ended
    if (!is_own) return;
    this.say([`${outcome.refusals.length > 0 ? "Not all was carried out" : "Carried out"}: ${outcome.text}.`, ...outcome.refusals], outcome.refusals.length > 0);
  }

  say(lines, is_bad = false) {
    this.message.dataset.bad = is_bad;
    fill(this.message, ...lines.flatMap((line, i) => (i > 0 ? [element("br"), line] : [line])));
  }

  /** Gives an order from the state that is shown, unless another one is under way. */
  async order(name, body) {
    if (this.hindrance !== "" || this.must_wait) return;
    const { version } = this.state;
    this.is_sending = true;
    this.say(["Being carried out…"]);
    this.update();
    try {
      const answer = await this.source.order(name, { version, page: page_name, ...body });
      this.awaited = answer.version;
    } catch (error) {
      this.is_interval_ordered = false;
      this.is_refused = error.status === 409 && this.seen === version;
      this.say([`Refused: ${error.message}`], true);
    }
    this.is_sending = false;
    this.update();
  }

  on_interval(event) {
    event.preventDefault();
    if (this.must_wait) return;
    const seconds = this.interval.value === "" ? null : Number(this.interval.value);
    this.is_edited = true;
    this.is_interval_ordered = true;
    this.order("interval", { seconds });
  }
}
