// The live numbers of the map: those of paths, elements and levels from the part "map_rates", and the states of threads from their
// blocks, by the positions that the part "map" uses.

import { is_bad, words_of } from "../states.js";
import { amount } from "../text.js";

/** Rows of a part in columns: {path: [1, 2], per_second: [3, 4]} becomes a Map from each `key` to its row. */
function rows_of(columns, key) {
  const rows = new Map();
  const names = Object.keys(columns ?? {});
  (columns?.[key] ?? []).forEach((id, i) => rows.set(id, Object.fromEntries(names.map((name) => [name, columns[name][i]]))));
  return rows;
}

const sum_of = (values) => {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
};

export class MapNumbers {
  constructor(store) {
    this.store = store;
    this.update();
  }

  /** Reads the newest parts. */
  update() {
    const rates = this.store.get("map_rates");
    const users = this.store.get("map")?.paths?.element ?? [];
    const blocks = this.store.thread_blocks();
    this.letters = blocks.map((block) => block.state).join("");
    this.rates = blocks.flatMap((block) => block.rate);
    this.scope = rates?.scope ?? null;
    this.paths = rows_of(rates?.paths, "path");
    this.elements = rows_of(rates?.elements, "element");
    this.levels = rows_of(rates?.levels, "name");
    this.waits = new Map(); // threads that wait, by element
    for (const [path, row] of this.paths) if (row.waits_s !== null) this.waits.set(users[path], (this.waits.get(users[path]) ?? 0) + 1);
  }

  /** The sums over paths: {rate, bytes, waiting, waits_s}; null where nothing is known. */
  of_paths(paths) {
    const rows = paths.map((path) => this.paths.get(path)).filter((row) => row !== undefined);
    const waits = rows.map((row) => row.waits_s).filter((wait) => wait !== null);
    return {
      rate: sum_of(rows.map((row) => row.per_second)),
      bytes: sum_of(rows.map((row) => row.bytes_per_second)),
      waiting: waits.length,
      waits_s: waits.length > 0 ? Math.max(...waits) : null,
    };
  }

  /** The fill of elements: {kept, capacity, waiting}; null where nothing is known. */
  of_elements(elements) {
    const rows = elements.map((element) => this.elements.get(element)).filter((row) => row !== undefined && row.kept !== null);
    return {
      kept: sum_of(rows.map((row) => row.kept)),
      capacity: sum_of(rows.map((row) => row.capacity)),
      waiting: elements.reduce((count, element) => count + (this.waits.get(element) ?? 0), 0),
    };
  }

  letter_of(thread) {
    return this.letters[thread] ?? null;
  }

  /** How many of the threads are in each state, as [letter, count]; stalled states first, then the most frequent. */
  states_of(threads) {
    const about = this.store.get("about");
    const bad = (letter) => Number(is_bad(about, letter));
    const counts = new Map();
    for (const thread of threads) {
      const letter = this.letter_of(thread);
      if (letter !== null) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    return [...counts].sort(([a, some], [b, others]) => bad(b) - bad(a) || others - some || a.localeCompare(b));
  }

  /** The operations a second of threads; null if unknown. */
  rate_of(threads) {
    return sum_of(threads.map((thread) => this.rates[thread]));
  }

  /** The live line of a box. */
  text_of(box) {
    const parts = [];
    const states = this.states_of(box.threads);
    if (states.length === 1 && box.threads.length === 1) parts.push(`${states[0][0]} ${words_of(this.store.get("about"), states[0][0])}`);
    else if (states.length > 0) parts.push(states.map(([letter, count]) => `${letter} ${count}`).join("  "));
    if (box.threads.length > 1 || (box.kind === "process" && box.threads.length > 0)) {
      const rate = this.rate_of(box.threads);
      if (rate !== null && parts.join().length < 14) parts.push(`${amount(rate)}/s`);
    }
    if (box.threads.length === 0) parts.push(this.fill_text(box.elements));
    return parts.filter((part) => part !== "").join("  ");
  }

  fill_text(elements) {
    const { kept, capacity, waiting } = this.of_elements(elements);
    const texts = [kept === null ? "" : `${amount(kept)} of ${amount(capacity)}`, waiting > 0 ? `${waiting} wait` : ""];
    return texts.filter((text) => text !== "").join(", ");
  }

  /** The live line of an arrow. */
  text_of_arrow(arrow) {
    const { rate, bytes, waiting } = this.of_paths(arrow.paths);
    if (rate === null && waiting === 0) return "";
    const texts = [rate === null ? "" : `${amount(rate)}/s`, rate > 0 && bytes > 0 ? `${amount(bytes)}B/s` : "", waiting > 0 ? `${waiting} wait` : ""];
    return texts.filter((text) => text !== "").join("  ");
  }
}
