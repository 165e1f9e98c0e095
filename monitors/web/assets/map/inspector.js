// The inspector of the map: all that the page knows of what is selected, and the controls that steer it.

import { fill } from "../fill.js";
import { words_of } from "../states.js";
import { steeringPanel } from "../steering.js";
import { selection, thread_of } from "../store.js";
import { amount, counted, duration, element, percent, terms } from "../text.js";
import { link_to, named } from "./selection.js";

const most_rows = 64;

export class Inspector {
  constructor(page) {
    this.page = page;
    this.facts = element("div", { class: "facts" });
    this.steering = steeringPanel(page.source, page.store);
    this.shown = null;
    this.box = element("div", { class: "stack" }, element("section", { class: "card inspector", "aria-label": "Selected part of the map" }, this.facts),
      this.steering.element);
  }

  /** Shows `chosen` ({kind, id} or null), with the newest numbers. */
  update(chosen, map, numbers) {
    const { store } = this.page;
    const facts = chosen && map ? new Facts(this.page, map, numbers).of(chosen) : nothing();
    fill(this.facts, ...facts);
    const selected = named(map ? chosen : null, store.get("names"), map); // positions shift when threads join
    const key = JSON.stringify(selected);
    if (key === this.shown) return;
    this.shown = key;
    this.steering.show(selected);
  }
}

function nothing() {
  return [element("h2", {}, "Inspector"), element("p", { class: "faint" }, "Select a box, an arrow or a scope to see all that is known of it.")];
}

const per_second = (rate, unit = "") => (rate === null || rate === undefined ? "" : `${amount(rate)}${unit}/s`);
const known = (text) => text || "–"; // a row that comes and goes would move the buttons of the panel below
const heading = (name, what) => element("h2", {}, element("bdi", {}, name), element("small", {}, what));

/** A table of small rows, one of each item: cells are texts or elements, and numbers from `first_number` on. */
function table_of(caption, heads, first_number, items, row_of) {
  if (items.length === 0) return null;
  const kind = (i) => (i >= first_number ? "number" : null);
  const shown = items.slice(0, most_rows).map((item) => element("tr", {}, ...row_of(item).map((cell, i) => element("td", { class: kind(i), dir: i >= first_number ? null : "auto" }, cell))));
  return element("div", { class: "table-box", tabindex: "0", role: "group", "aria-label": caption },
    element("table", {}, element("caption", {}, items.length > most_rows ? `${caption}, the first ${most_rows} of ${items.length}` : caption),
      element("thead", {}, element("tr", {}, ...heads.map((head, i) => element("th", { scope: "col", class: kind(i) }, head)))),
      element("tbody", {}, ...shown)));
}

/** A fill as a bar and in words. */
function fill_of(kept, capacity) {
  return element("span", {}, element("meter", { min: 0, max: capacity, value: kept, "aria-label": "Fill" }), ` ${kept} of ${counted(capacity, "tuple")}`);
}

/** A level with its wrapper, and where that runs; indented as in the tree. */
function level_cell(level) {
  const wrapper = level.parameters ? `${level.wrapper} (${level.parameters})` : level.wrapper;
  return element("div", { class: `level depth-${Math.min(level.depth, 5)}` }, element("bdi", {}, level.name),
    element("small", { class: "faint", dir: "auto" }, `${wrapper}, ${level.node ? `node ${level.node}` : "in the monitor"}`));
}

class Facts {
  constructor(page, map, numbers) {
    this.page = page;
    this.store = page.store;
    this.names = page.store.get("names");
    this.about = page.store.get("about");
    this.map = map;
    this.numbers = numbers;
  }

  of({ kind, id }) {
    return this[`of_${kind}`](id).filter((part) => part !== null);
  }

  link(select, text) {
    const parts = text.split(/(?<=[/.:])/).flatMap((part) => [part, element("wbr")]); // where a long name may be broken
    return element("a", { href: link_to(this.page, "map", select), dir: "auto" }, ...parts.slice(0, -1));
  }

  of_thread(id) {
    const thread = thread_of(this.store, id);
    if (!thread) return [heading(this.names.threads[id], "thread")];
    const views = [["overview", "Overview"], ["timeline", "Timeline"], ["profile", "Where time goes"]];
    return [
      heading(thread.name, "thread"),
      terms([
        ["State", `${thread.state} ${words_of(this.about, thread.state)}`],
        [thread.in_flight ? "In" : "Last", known(thread.call)],
        [thread.in_flight ? "For" : "Since", known(duration(thread.for_s))],
        ["Operations", known(per_second(thread.rate))],
        ["Processor", percent(thread.cpu)],
        ["Waiting for it", known(thread.waiting && counted(thread.waiting, "thread"))],
        ["Process", this.process_link(thread)],
        ["Node", thread.node === null ? "" : this.link(`node:${thread.node}`, thread.node)],
      ]),
      element("p", { class: "links" }, ...views.map(([view, title]) => element("a", { href: link_to(this.page, view, `thread:${id}`) }, title))),
      this.path_table("Paths", this.paths_where((i) => this.map.paths.thread[i] === id), "element"),
    ];
  }

  process_link(thread) {
    if (thread.process === null) return "";
    return this.link(`process:${thread.process}`, thread.rank === null ? thread.process : `${thread.process} (rank ${thread.rank})`);
  }

  of_element(id) {
    const about = this.map.elements[id];
    const live = this.numbers.elements.get(id);
    const { kept, capacity, waiting } = this.numbers.of_elements([id]);
    return [
      heading(about.name, about.kind === "joint" ? "joint of a collective operation" : "element"),
      terms([
        ["Kept in", about.kind === "shared" ? `shared memory, home ${about.host}` : about.host],
        ["Type", about.type],
        ["Capacity", about.capacity],
        ["When full", { wait: "writers wait", discard: "the oldest tuple is dropped" }[about.when_full]],
        ["Fill", about.capacity === undefined ? "" : kept === null ? live?.unknown || "not known" : fill_of(kept, capacity)],
        ["Written", known(per_second(live?.written_per_second))],
        ["Taken", known(per_second(live?.taken_per_second))],
        ["Waiting", known(waiting > 0 && counted(waiting, "thread"))],
      ]),
      this.path_table("Writers", this.paths_where((i) => this.map.paths.element[i] === id && this.map.paths.use[i] !== "read"), "user"),
      this.path_table("Readers", this.paths_where((i) => this.map.paths.element[i] === id && this.map.paths.use[i] === "read"), "user"),
    ];
  }

  of_path(id) {
    const { paths } = this.map;
    const live = this.numbers.of_paths([id]);
    return [
      heading(this.names.paths[id], "path"),
      terms([
        ["From", this.user_link(id)],
        ["To", this.element_link(id)],
        ["Use", { write: "writes", read: "reads and takes", any: "any" }[paths.use[id]]],
        ["Operations", known(per_second(live.rate))],
        ["Bytes", `${known(per_second(live.bytes, "B"))}, by the size of the newest tuple`],
        ["In all", counted(this.numbers.paths.get(id)?.events ?? 0, "operation")],
        ["Waiting for", known(duration(live.waits_s))],
      ]),
    ];
  }

  of_arrow(id) {
    const arrow = this.map.arrows[id];
    const live = this.numbers.of_paths(arrow.paths);
    return [
      heading(counted(arrow.paths.length, "path"), "arrow"),
      terms([["Operations", known(per_second(live.rate))], ["Bytes", known(per_second(live.bytes, "B"))], ["Waiting", known(live.waiting > 0 && counted(live.waiting, "thread"))]]),
      this.path_table("Paths", arrow.paths, "user"),
    ];
  }

  of_group(id) {
    const box = this.map.boxes[id];
    return [heading(box.lines.join(" "), "drawn as one box"), this.thread_table(box.threads), this.element_table(box.elements)];
  }

  of_process(id) {
    const index = this.names.processes.indexOf(id);
    const rank = index < 0 ? null : this.names.rank_of_process[index];
    const node = index < 0 ? null : this.names.nodes[this.names.node_of_process[index]];
    const threads = index < 0 ? [] : this.threads_where((process) => process === index);
    const elements = [...this.map.elements.keys()].filter((i) => this.map.elements[i].host === `process ${id}`);
    return [heading(id, "process"), this.summary(threads, [["Rank", rank], ["Node", node === null ? "" : this.link(`node:${node}`, node)]]),
      this.thread_table(threads), this.element_table(elements)];
  }

  of_node(id) {
    const index = this.names.nodes.indexOf(id);
    const processes = [...this.names.processes.keys()].filter((i) => this.names.node_of_process[i] === index);
    const threads = index < 0 ? [] : this.threads_where((process) => process !== null && this.names.node_of_process[process] === index);
    const elements = [...this.map.elements.keys()].filter((i) => this.map.elements[i].host === `node ${id}` && this.map.elements[i].kind !== "part");
    const threads_of = new Map(processes.map((i) => [i, []]));
    for (const thread of threads) threads_of.get(this.names.process_of_thread[thread]).push(thread);
    const row_of = (i) => [this.link(`process:${this.names.processes[i]}`, this.names.processes[i]), this.states_text(threads_of.get(i))];
    return [heading(id, "node"), this.summary(threads, [["Processes", processes.length]]), table_of("Processes", ["Name", "Threads"], 2, processes, row_of),
      this.element_table(elements)];
  }

  of_scope(id) {
    const scope = this.map.scopes.find(({ name }) => name === id);
    const is_timed = scope.watched && this.numbers.scope === id;
    const time = (level, name) => (is_timed ? duration(this.numbers.levels.get(level.name)?.[name]) || "–" : "–");
    const row_of = (level) => [level_cell(level), time(level, "last_s"), time(level, "mean_s"), time(level, "longest_s")];
    return [
      heading(id, scope.watched ? "scope through which this page watches" : "scope"),
      terms([["Reads", scope.reads], ["Trace elements", scope.sources], ["Times", is_timed ? "of pulls, with all levels below" : "known only for the scope through which this page watches"],
        ["Levels left out", scope.left_out || ""]]),
      table_of("Levels", ["Level, wrapper, place", "Last", "Mean", "Longest"], 1, scope.levels, row_of),
    ];
  }

  summary(threads, pairs) {
    return terms([...pairs, ["Threads", threads.length], ["States", known(this.states_text(threads))], ["Operations", known(per_second(this.numbers.rate_of(threads)))]]);
  }

  states_text(threads) {
    return this.numbers.states_of(threads).map(([letter, count]) => `${letter} ${words_of(this.about, letter)} ${count}`).join(", ");
  }

  threads_where(accepts) {
    return [...this.names.threads.keys()].filter((i) => accepts(this.names.process_of_thread[i]));
  }

  paths_where(accepts) {
    return [...this.map.paths.element.keys()].filter(accepts);
  }

  thread_table(threads) {
    const row_of = (i) => {
      const thread = thread_of(this.store, i);
      return [this.link(`thread:${i}`, this.names.threads[i]), thread ? `${thread.state} ${words_of(this.about, thread.state)}` : "", thread ? per_second(thread.rate) : ""];
    };
    return table_of("Threads", ["Name", "State", "Rate"], 2, threads, row_of);
  }

  element_table(elements) {
    return table_of("Elements", ["Name", "Fill"], 1, elements,
      (i) => [this.link(`element:${i}`, this.map.elements[i].name), this.numbers.fill_text([i]) || "–"]);
  }

  /** Paths with their other end: "user" or "element". */
  path_table(caption, paths, end) {
    const other = (i) => (end === "user" ? this.user_link(i) : this.element_link(i));
    const row_of = (i) => {
      const live = this.numbers.of_paths([i]);
      return [this.link(`path:${i}`, this.names.paths[i]), other(i), per_second(live.rate) || "–", live.waits_s === null ? "–" : duration(live.waits_s)];
    };
    return table_of(caption, ["Path", end === "user" ? "Thread" : "Element", "Rate", "Waits"], 2, paths, row_of);
  }

  user_link(path) {
    const { thread, user } = this.map.paths;
    const select = thread[path] === null ? selection(this.store, user[path]) : `thread:${thread[path]}`;
    return select === null ? element("bdi", {}, user[path]) : this.link(select, user[path]);
  }

  element_link(path) {
    const index = this.map.paths.element[path];
    return this.link(`element:${index}`, this.map.elements[index].name);
  }
}
