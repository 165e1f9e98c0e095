// The timeline: threads by time, with their operations as bars, messages as arrows, collective operations joined, and what was
// lost hatched. The address has the range (`from`, `to`), the selected operation (`op`) and the condition of the search (`where`).

import { fill } from "../fill.js";
import { counted, duration, element, terms, amount } from "../text.js";
import { selected_name } from "../store.js";
import { Board } from "../timeline/board.js";
import { from_address, in_address, moments_of } from "../timeline/moments.js";
import { Palette } from "../timeline/paint.js";
import { Tiles } from "../timeline/tiles.js";

export const title = "Timeline";
export const key = "5";
export const wants = [];

const between_tries_ms = 150;
const between_readings_ms = 1000;
const live_window_ns = 2e9;

export function show(box, page) {
  const view = new TimelineView(box, page);
  view.begin();
  return Object.assign((changed) => view.update(changed), { search: (where) => view.search(where) });
}

class TimelineView {
  constructor(box, page) {
    this.page = page;
    this.board = new Board({ on_move: () => this.on_move(), on_pick: (operation, begun) => this.pick(operation, begun),
      on_links: (messages, joins) => this.show_links(messages, joins) });
    this.links = element("p", { class: "hint faint" }, " ");
    this.state = element("p", { class: "faint state", role: "status" }, "Reading the events…");
    this.legend = element("div", { class: "legend", "aria-label": "Classes of operations" });
    this.detail = element("section", { class: "card operation", "aria-label": "Selected operation" });
    this.where = element("input", { type: "search", "aria-label": "Find the next operation for which this condition holds", placeholder: "duration > 10ms and kind == 'mpi'",
      maxlength: "1000", autocomplete: "off", spellcheck: "false" });
    this.found = element("span", { class: "faint", role: "status" });
    this.follow = element("button", { type: "button", "aria-pressed": "true", onclick: () => this.set_following(!this.is_following) }, "Follow");
    this.is_following = true;
    this.tiles = null;
    this.generation = null;
    this.searches = 0;
    this.must_read = false; // the server has read the session again, so that it refuses questions about the reading shown here
    this.must_find = false;
    this.thread = null; // the selected thread, when its row was shown
    this.sought = null; // an operation of the address that has not been found in the tiles
    box.append(element("section", { class: "card timeline" }, element("h2", {}, "Timeline"), this.make_controls(), this.state, this.board.box, this.links, this.legend), this.detail);
    this.show_operation(null);
  }

  make_controls() {
    const button = (text, label, onclick) => element("button", { type: "button", title: label, "aria-label": label, onclick }, text);
    const form = element("form", { class: "find", role: "search" }, this.where, element("button", { type: "submit" }, "Find next"), this.found);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.find();
    });
    return element("div", { class: "controls" }, button("−", "Zoom out (-)", () => this.tiles && this.board.zoom(2)), button("+", "Zoom in (+)", () => this.tiles && this.board.zoom(0.5)),
      button("All", "Show all (Home)", () => this.tiles && this.show_all()), this.follow, form);
  }

  get is_shown() {
    return this.board.canvas.isConnected;
  }

  async begin() {
    this.where.value = this.page.address.get("where") ?? "";
    this.follow.hidden = true;
    const session = this.page.session;
    while (this.is_shown && session === this.page.session) {
      const answer = await this.ask("timeline", {});
      if (!this.is_shown) return;
      if (answer?.state === "ready") this.must_read = false;
      if (answer?.state === "ready" && answer.generation !== this.generation) this.take(answer);
      else if (answer) this.state.textContent = answer.state === "loading" ? `Reading the events: ${Math.round(100 * answer.progress)}%` : this.words_of(answer);
      if (answer?.state === "ready" && !answer.live) return;
      await pause(this.tiles ? between_readings_ms : between_tries_ms);
      while (this.is_shown && this.tiles && !this.must_read && (!this.is_following || document.hidden)) await pause(between_tries_ms);
    }
  }

  async ask(question, parameters) {
    try {
      return await this.page.source.question(question, parameters);
    } catch (error) {
      this.state.textContent = error.message;
      return null;
    }
  }

  /** Takes a new reading: of a recording the only one. */
  take(header) {
    const is_first = this.tiles === null;
    if (this.tiles) this.tiles.is_over = true;
    this.generation = header.generation;
    this.moments = moments_of(header);
    const ask = (parameters) => this.page.source.question("timeline", parameters);
    this.tiles = new Tiles(header, ask, (error) => this.on_tile(error));
    this.board.set_tiles(this.tiles);
    this.state.textContent = this.words_of(header);
    this.follow.hidden = !header.live;
    this.show_legend(header);
    if (is_first) this.take_address();
    else if (this.is_following) this.to_the_end();
    this.show_position();
    if (is_first && this.must_find) this.find(true);
  }

  words_of(header) {
    if (header.state !== "ready") return "";
    const all = [`${counted(header.events, "operation")} of ${counted(header.rows.length, "row")} in ${duration(header.length_ns / 1e9)}`];
    if (header.kept < header.events) all.push(`${amount(header.events - header.kept)} of them only as shares of time`);
    if (header.lost > 0) all.push(`${counted(header.lost, "record")} lost before they were read: hatched`);
    if (header.messages_left_out > 0) all.push(`${counted(header.messages_left_out, "message")} not kept, so without an arrow`);
    if (header.members_left_out > 0) all.push(`${counted(header.members_left_out, "participation")} in collective operations not kept, so without a line`);
    if (header.live) all.push("what the trace elements keep now: the last events of each thread");
    if (header.note) all.push(header.note);
    if (header.failure) all.push(header.failure);
    return `${all.join("; ")}.`;
  }

  take_address() {
    const { address } = this.page;
    const from = from_address(this.moments, address.get("from"));
    const to = from_address(this.moments, address.get("to"));
    const has_range = from !== null && to !== null && to > from;
    if (has_range) this.set_following(false);
    if (has_range) this.board.set_range(from, to);
    else if (this.tiles.header.live) this.to_the_end(live_window_ns);
    const place = address.get("op");
    if (place) this.load_operation(place, !has_range);
    this.show_thread();
  }

  /** Scrolls to the thread that the address selects, when it selects another one. */
  show_thread() {
    const name = selected_name(this.page);
    if (name === this.thread || !this.tiles) return;
    this.thread = name;
    const row = this.tiles.header.rows.findIndex(({ thread }) => thread === name);
    if (row >= 0) this.board.center_row(row);
  }

  /** Finds the next operation for which the condition holds, once the events are there; after the last one the first. */
  search(where) {
    this.where.value = where;
    if (this.tiles) this.find(true);
    else this.must_find = true;
  }

  to_the_end(length = this.board.window.to - this.board.window.from) {
    const end = this.tiles.header.length_ns;
    this.board.set_range(end - length * 0.98, end + length * 0.02);
  }

  show_all() {
    this.board.show_all();
    this.on_move();
  }

  set_following(is_following) {
    this.is_following = is_following;
    this.follow.setAttribute("aria-pressed", String(is_following));
    if (is_following && this.tiles?.header.live) {
      this.page.address.set("from", null);
      this.page.address.set("to", null);
      this.to_the_end();
    }
  }

  /** Says what is not drawn in this window. */
  show_links(messages, joins) {
    const all = [];
    if (messages > 0) all.push(`${amount(messages)} messages are too many to be drawn as arrows; zoom in.`);
    if (joins > 0) all.push(`${amount(joins)} collective operations are too many to be joined by lines; zoom in.`);
    const words = all.join(" ") || " ";
    if (this.links.textContent !== words) this.links.textContent = words;
  }

  on_tile(error) {
    if (error && error.status !== 409) this.state.textContent = error.message;
    if (error?.status === 409) this.must_read = true;
    if (this.sought) this.show_from_tiles(this.sought.place, this.sought.reason);
    this.board.draw_soon();
  }

  // The address bar accepts only so many changes a second.
  on_move() {
    if (this.tiles.header.live && this.is_following) this.set_following_off();
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.is_shown && this.write_range(), 200);
  }

  set_following_off() {
    this.is_following = false;
    this.follow.setAttribute("aria-pressed", "false");
  }

  write_range() {
    const { from, to } = this.board.window;
    this.page.address.set("from", in_address(this.moments, from));
    this.page.address.set("to", in_address(this.moments, to));
  }

  update(changed) {
    if (changed.has("theme")) {
      this.board.set_theme();
      if (this.tiles) this.show_legend(this.tiles.header);
    }
    if (changed.has("clock")) this.show_position();
    if (changed.has("address") || changed.has("names")) this.show_thread();
    if (changed.has("address") && this.tiles && !this.page.address.get("op") && this.board.selected) this.show_operation(null);
  }

  /** Where a recording is played. */
  show_position() {
    const clock = this.page.store.get("clock");
    const is_recording = this.page.store.get("about")?.recording && this.tiles && !this.tiles.header.live;
    this.board.marked = is_recording && clock ? clock.at * 1e9 + this.tiles.header.began_ns : null;
    this.board.draw_soon();
  }

  show_legend(header) {
    const { classes, gap } = new Palette();
    const swatch = (look, letter) => {
      const made = element("span", { class: "swatch", "aria-hidden": "true" }, letter);
      Object.assign(made.style, { backgroundColor: look.colour, backgroundImage: look.image ? `url(${look.image})` : "none", color: look.ink });
      return made;
    };
    this.legend.replaceChildren(
      ...header.classes.map(({ letter, words }, i) => element("span", {}, swatch(classes[i], letter), words)),
      element("span", {}, swatch(gap, ""), "lost or not kept"));
  }

  pick(operation, begun) {
    this.show_operation(operation);
    this.page.address.set("op", operation?.place ?? null);
    if (begun !== null) fill(this.detail, element("h2", {}, "Operation"), element("p", {}, `${begun > 1 ? `${begun} operations begin in this pixel` : "Here are more operations than pixels"}: zoom in to select one.`));
    if (operation?.place) this.load_operation(operation.place, false);
  }

  show_operation(operation, fields = null) {
    this.board.selected = operation;
    this.board.draw_soon();
    if (!operation) {
      fill(this.detail, element("h2", {}, "Operation"), element("p", { class: "faint" }, "Select an operation to see all its fields."));
      return;
    }
    const { header } = this.tiles;
    const row = header.rows[operation.row];
    const begun = (operation.begin + (this.moments.is_live ? 0 : this.moments.shift)) / 1e9;
    const own = [["Thread", row.thread], ["Process", row.rank === null ? row.process : `${row.process} (rank ${row.rank})`], ["Node", row.node],
      ["Does", header.classes[operation.of].words], [this.moments.is_live ? "Began after" : "Began at", `${begun.toFixed(9)}s`],
      [operation.in_flight ? "Not ended after" : "Took", duration((operation.end - operation.begin) / 1e9)]];
    fill(this.detail, element("h2", {}, element("bdi", {}, header.names[operation.name])), terms([...own, ...(fields ?? [])]),
      fields === null ? element("p", { class: "faint" }, "…") : null);
  }

  /** Asks for the fields of an operation by its place in the recording, and shows it. */
  async load_operation(place, moves) {
    const [path, point, sequence] = place.split(".");
    this.looked_for = place;
    const answer = await this.wait_for("event", () => ({ path, point, sequence }));
    if (!answer || this.looked_for !== place) return;
    if (answer.state === "failed" && this.show_from_tiles(place, answer.reason)) return;
    if (answer.state !== "found") {
      fill(this.detail, element("h2", {}, "Operation"), element("p", {}, answer.reason ?? "This operation is not in the timeline."));
      return;
    }
    const operation = this.operation_of(answer.operation);
    this.show_operation(operation, answer.fields.map(({ name, value, unit }) => [name, unit === "ns" ? duration(value / 1e9) : String(value)]));
    if (moves) this.board.reveal(operation);
  }

  /** Without a server there are only the fields that tiles have; those may come later. */
  show_from_tiles(place, reason) {
    const operation = this.board.selected?.place === place ? this.board.selected : this.tiles.find_operation(place);
    this.sought = operation ? null : { place, reason };
    if (operation) this.show_operation(operation, [["Further fields", reason]]);
    return operation !== null;
  }

  operation_of({ row, begin, end, in_flight, name, class: of, path, point, sequence }) {
    return { row, begin, end, in_flight, of, name: this.tiles.header.names.indexOf(name), place: `${path}.${point}.${sequence}` };
  }

  /** Asks until the answer is there and is about the reading shown here, or the view has gone. `parameters()` gives those of this reading. */
  async wait_for(question, parameters, on_wait = () => {}) {
    while (this.is_shown) {
      const { generation } = this;
      const answer = await this.page.source.question(question, { ...parameters(), generation })
        .catch((error) => ({ state: "failed", reason: error.message, is_old: error.status === 409 && this.tiles.header.live }));
      if (answer.is_old) this.must_read ||= generation === this.generation;
      else if (answer.state !== "searching" && generation === this.generation) return answer;
      else if (answer.state === "searching") on_wait(answer);
      await pause(between_tries_ms);
    }
    return null;
  }

  /** From the selected operation or the window on; `wraps`: then from the beginning. */
  async find(wraps = false) {
    const where = this.where.value.trim();
    this.page.address.set("where", where || null);
    if (!where || !this.tiles) return;
    const search = ++this.searches;
    const after = this.board.selected ? this.board.selected.begin : Math.max(-1, Math.floor(this.board.window.from) - 1);
    this.found.textContent = "Searching…";
    let answer = await this.find_after(where, after, search);
    if (wraps && answer?.state === "none" && search === this.searches) answer = await this.find_after(where, -1, search);
    if (!answer || search !== this.searches) return; // a newer search has begun
    if (answer.state === "found") this.show_found(answer.operation);
    else this.found.textContent = answer.reason ?? (answer.state === "none" ? `No ${wraps ? "" : "later "}operation is like this.` : "The search took too long; zoom to where it is likely.");
  }

  find_after(where, after, search) {
    const { shift } = this.moments;
    const from = () => Math.max(-1, after + (shift - this.moments.shift)); // in another reading
    return this.wait_for("find", () => ({ where, from: from() }), ({ reached }) => {
      if (search === this.searches) this.found.textContent = `Searched ${Math.round((100 * reached) / this.tiles.header.length_ns)}%…`;
    });
  }

  show_found(found) {
    const operation = this.operation_of(found);
    this.found.textContent = `Found on ${this.tiles.header.rows[found.row].thread}.`;
    if (this.tiles.header.live) this.set_following_off();
    this.board.reveal(operation);
    this.show_operation(operation);
    this.page.address.set("op", operation.place);
    this.load_operation(operation.place, false);
  }
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
