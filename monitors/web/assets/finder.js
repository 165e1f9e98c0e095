// The box that "/" opens: it finds what has a name (places.js), and goes there. By keyboard: type, choose with the arrows, Enter goes,
// Escape leaves. The list is bounded, and says so.

import { fill } from "./fill.js";
import { places_of } from "./places.js";
import { element, fits_whole } from "./text.js";

const most_shown = 20;

export class Finder {
  /** `page` has `store`, `address`, `shown`, `is_report`, `go_to(place)`, and `want_more()`, which is called when wants() has changed. */
  constructor(dialog, page, views) {
    this.dialog = dialog;
    this.page = page;
    this.views = views;
    this.reads_calls = false;
    this.entries = [];
    this.at = 0;
    this.input = element("input", { type: "text", role: "combobox", "aria-label": "Find by name; * stands for any text", "aria-expanded": "true",
      "aria-controls": "found", "aria-autocomplete": "list", placeholder: "Thread, process, node, path, element, scope, call, metric or view", maxlength: "1000",
      autocomplete: "off", spellcheck: "false", oninput: () => this.look(), onkeydown: (event) => this.on_key(event) });
    this.list = element("ul", { id: "found", role: "listbox", "aria-label": "Found" });
    this.list.addEventListener("click", (event) => this.choose(this.entries[[...this.list.children].indexOf(event.target.closest("li"))]));
    this.note = element("p", { class: "faint hint", role: "status" }, " ");
    dialog.replaceChildren(this.input, this.list, this.note);
    dialog.addEventListener("close", () => page.want_more());
  }

  get is_open() {
    return this.dialog.open;
  }

  open() {
    if (this.is_open) return;
    this.reads_calls = false;
    this.text = null; // begins with the first entry
    this.dialog.showModal();
    this.input.focus();
    this.input.select();
    this.page.want_more();
    this.look();
  }

  /** Forgets what the reader has asked of a session: another one is shown. */
  forget() {
    this.reads_calls = false;
    if (this.is_open) this.look();
  }

  /** The parts that have further names. The calls of a running program are read only when the reader asks for them: that costs. */
  wants() {
    if (!this.is_open || this.page.is_report) return [];
    return this.reads_calls ? ["metrics", "call_sites"] : ["metrics"];
  }

  update(changed) {
    if (this.is_open && ["names", "metrics", "call_sites", "communication", "map"].some((part) => changed.has(part))) this.look();
  }

  /** Fills the list. The entry that was chosen stays so, if it is still there. */
  look() {
    const text = this.input.value.trim();
    const before = this.text === text ? this.entries[this.at] : null;
    this.text = text;
    const found = found_in(places_of(this.page, this.views), text);
    this.entries = [...found.slice(0, most_shown), ...this.further(text)];
    const same = this.entries.findIndex((entry) => before && entry.kind === before.kind && entry.name === before.name);
    this.at = Math.max(0, same);
    this.note.textContent = words_of(found.length, text);
    this.show(!before);
  }

  /** What else can be done with this text. */
  further(text) {
    const entries = [];
    if (text && this.page.search && !this.page.is_report) entries.push({ kind: "condition", name: text, note: "next operation for which it holds", where: text, view: "timeline", changes: {} });
    if (text && !this.page.is_report && !this.page.store.get("call_sites"))
      entries.push({ kind: "more", name: this.reads_calls ? "calls are being read" : "search the calls of the program, too", note: this.reads_calls ? "" : "reads all events" });
    return entries;
  }

  /** Parts come several times a second: items that stay keep their place under the pointer, and the list its position. */
  show(is_new) {
    fill(this.list, ...this.entries.map(({ kind, name, note }, i) =>
      element("li", { id: `found-${i}`, role: "option", "aria-selected": String(i === this.at) },
        element("span", { class: "faint kind" }, kind), element("bdi", {}, name), element("span", { class: "faint note", dir: "auto" }, note))));
    if (this.entries.length > 0) this.input.setAttribute("aria-activedescendant", `found-${this.at}`);
    else this.input.removeAttribute("aria-activedescendant");
    if (is_new) this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
  }

  on_key(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (steps[event.key] && this.entries.length > 0) {
      this.at = (this.at + steps[event.key] + this.entries.length) % this.entries.length;
      this.show(true);
    } else if (event.key === "Enter") {
      this.choose(this.entries[this.at]);
    } else {
      return;
    }
    event.preventDefault();
  }

  choose(entry) {
    if (!entry) return;
    if (entry.kind === "more") {
      this.reads_calls = true;
      this.page.want_more();
      this.look();
      return;
    }
    this.dialog.close();
    this.page.go_to(entry);
  }
}

/** The places whose name has the text, or fits it if it has a *; capitals do not matter. The same name comes first, then names that begin so. Without a text, the views. */
function found_in(places, text) {
  if (text === "") return places.filter(({ kind }) => kind === "view");
  const wanted = text.toLowerCase();
  const fits = wanted.includes("*") ? (name) => fits_whole(wanted, name) : (name) => name.includes(wanted);
  const found = [[], [], []];
  for (const place of places) {
    const name = place.name.toLowerCase();
    if (fits(name)) found[name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2].push(place);
  }
  return found.flat();
}

function words_of(count, text) {
  if (count === 0) return text === "" ? " " : "Nothing has this name. * stands for any text.";
  return count > most_shown ? `The first ${most_shown} of ${count}; type more of the name.` : text === "" ? "Type a part of a name." : `${count} found`;
}
