// What processes record, and the buttons that switch it: of what the reader has selected, or of what the form chooses.

import { fill } from "../fill.js";
import { element, terms } from "../text.js";

const settings = { on: "Record everything", "1/100": "Record one in 100", off: "Record nothing" };

export class CollectingBox {
  constructor(panel) {
    this.panel = panel;
    this.path = this.select("Path");
    this.kind = this.select("Kind of event");
    this.event_class = this.select("Class of event");
    this.processes = element("input", { type: "search", size: "14", placeholder: "all processes", "aria-label": "Processes: names, with * for any text",
      oninput: () => panel.update() });
    this.form = element("div", { class: "controls" }, element("label", {}, "Path ", this.path), element("label", {}, "or kind ", this.kind),
      element("label", {}, "class ", this.event_class), element("label", {}, "of ", this.processes));
    this.chosen = element("div", { class: "steering-chosen" });
    this.buttons = Object.entries(settings).map(([setting, words]) => element("button", { type: "button", onclick: () => this.order(setting) }, words));
    this.now = element("div", { class: "steering-now", dir: "auto" });
    this.now_box = element("div", { role: "group", "aria-label": "Recorded now" }, element("h3", {}, "Recorded now"), this.now);
    this.box = element("div", { role: "group", "aria-label": "Collecting" }, element("h3", {}, "Collecting"), this.form, this.chosen,
      element("div", { class: "controls" }, ...this.buttons));
  }

  select(label) {
    return element("select", { "aria-label": label, onchange: () => this.panel.update() });
  }

  get paths() {
    return this.panel.store.get("steering/paths") ?? [];
  }

  /** What is selected. Without a pathmap, a thread stands for its process, and a path for nothing: the form is shown. */
  get selection() {
    const { selection, store } = this.panel;
    if (store.get("about")?.kind === "pathmap" || !["thread", "path"].includes(selection.kind)) return selection;
    const process = selection.kind === "thread" ? this.process_of(selection.name) : null;
    return process === null ? { kind: null, name: null } : { kind: "process", name: process };
  }

  /** The choice as members of an order. */
  choice() {
    const { kind, name } = this.selection;
    if (kind === "path" || kind === "thread") return { [kind]: name };
    if (kind === "process" || kind === "node") return { [kind]: pattern_of(name) };
    if (this.path.value) return { path: this.path.value };
    const choice = { kind: this.kind.value, class: this.event_class.value, process: this.processes.value };
    return Object.fromEntries(Object.entries(choice).filter(([, value]) => value));
  }

  order(setting) {
    this.panel.order("collecting", { setting, ...this.choice() });
  }

  update() {
    const { store, state } = this.panel;
    const { selection } = this;
    const has_selection = ["path", "thread", "process", "node"].includes(selection.kind);
    this.form.hidden = has_selection;
    const kinds = store.get("steering/choices")?.kinds ?? [];
    set_options(this.path, "no path", this.paths.map(({ name }) => name));
    set_options(this.kind, "all kinds", kinds.map(({ kind }) => kind));
    set_options(this.event_class, "all classes", kinds.find(({ kind }) => kind === this.kind.value)?.classes ?? []);
    this.path.disabled = this.paths.length === 0;
    for (const control of [this.kind, this.event_class, this.processes]) control.disabled = this.path.value !== "";
    fill(this.now, ...(state?.collecting ?? []).map((group) => element("div", {}, element("strong", {}, group.state), ": ", element("bdi", {}, group.processes))));
    fill(this.chosen, this.describe(has_selection));
    const { words, setting } = this.what(has_selection);
    this.buttons.forEach((button, i) => {
      this.panel.allow(button);
      button.setAttribute("aria-label", `${Object.values(settings)[i]} of ${words}`);
      button.setAttribute("aria-pressed", Object.keys(settings)[i] === setting);
    });
  }

  /** The choice in words, and its setting now, if the server says it. */
  what(has_selection) {
    const { selection } = this;
    const path = this.shown_path(has_selection);
    if (path) return { words: `path ${path.name}`, setting: path.setting };
    if (has_selection) return { words: `${selection.kind} ${selection.name}`, setting: null };
    const words = [this.kind.value, this.event_class.value, this.processes.value && `processes ${this.processes.value}`].filter((word) => word);
    const groups = this.panel.state?.collecting ?? [];
    return { words: words.join(" ") || "everything", setting: words.length === 0 && groups.length === 1 ? groups[0].state : null };
  }

  shown_path(has_selection) {
    const { selection } = this;
    const name = has_selection ? selection.kind === "path" && selection.name : this.path.value;
    return name ? this.paths.find((path) => path.name === name) ?? { name, setting: null, events: "", processes: "", also: [] } : null;
  }

  describe(has_selection) {
    const { selection } = this;
    const path = this.shown_path(has_selection);
    if (path)
      return terms([["Path", path.name], ["Recorded as", path.events || "–"], ["By", path.processes || "–"], ["Now", path.setting ?? "not recorded by a process that runs"],
        ["Switched with it", path.also.join(", ") || "–"]]);
    if (selection.kind === "thread") return terms([["Thread", selection.name], ["Switched with it", `all threads of ${this.process_of(selection.name) ?? "its process"}`]]);
    return has_selection ? terms([[selection.kind === "node" ? "Node" : "Process", selection.name]]) : null;
  }

  process_of(thread) {
    const names = this.panel.store.get("names");
    const process = names?.process_of_thread[names.threads.indexOf(thread)];
    return names?.processes[process] ?? null;
  }
}

/** A pattern that only this name matches, as far as patterns can say it. */
function pattern_of(name) {
  return name.replace(/[*?[\]{},]/g, "?");
}

/** Fills a select, unless it has these options, so that it stays open; the first one is no choice. */
export function set_options(select, first, names) {
  const key = JSON.stringify([first, names]);
  if (select.dataset.key === key) return;
  const { value } = select;
  select.dataset.key = key;
  select.replaceChildren(element("option", { value: "" }, first), ...names.map((name) => element("option", { value: name, dir: "auto" }, name)));
  select.value = names.includes(value) ? value : "";
}
