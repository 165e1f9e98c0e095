// Collective operations of a report, from the lines of `eventspace collectives --total --format json`: what each thread cost the
// others, the calls that caused it, and waits for messages.

import { SortedTable } from "../table.js";
import { amount, duration, element } from "../text.js";

export const title = "Collectives";
export const key = "3";
export const wants = ["collective_totals"];

const time = (ns) => duration(ns === null ? null : ns / 1e9);
const ns_column = (name, figure, is_first = false) => ({ name, value: (row) => row[figure] ?? null, text: (row) => time(row[figure] ?? null), is_number: true, is_first });

export function show(box, page) {
  const reason = element("p", { class: "faint" });
  const operations = new SortedTable("Collective operations", [
    { name: "Operation", value: (row) => row.collective },
    { name: "Complete", value: (row) => row.complete, text: (row) => amount(row.complete), is_number: true, is_first: true },
    { name: "Incomplete", value: (row) => row.incomplete, text: (row) => amount(row.incomplete), is_number: true },
    { name: "Open at the end", value: (row) => row.open, text: (row) => amount(row.open), is_number: true },
    { name: "Broken", value: (row) => row.broken, text: (row) => amount(row.broken), is_number: true },
  ]);
  const threads = new SortedTable("What threads cost the others", [
    { name: "Operation", value: (row) => row.collective },
    { name: "Thread", value: (row) => row.name },
    { name: "Node", value: (row) => row.node },
    { name: "Last", value: (row) => row.last, text: (row) => amount(row.last), is_number: true },
    { name: "Perhaps last", value: (row) => row.perhaps_last, text: (row) => amount(row.perhaps_last), is_number: true },
    ns_column("Cost to others", "cost", true), ns_column("Avoidable", "avoidable"), ns_column("Own waiting", "waited"),
  ]);
  box.append(element("div", { class: "stack" },
    element("section", { class: "card" }, element("h2", {}, "Collective operations"), reason, operations.box),
    element("section", { class: "card" }, element("h2", {}, "Who made the others wait"), threads.box)));
  return (changed) => {
    if (!changed.has("collective_totals")) return;
    const rows = page.store.get("collective_totals") ?? [];
    reason.textContent = rows.length === 0 ? "The recording has no collective operations." : "";
    reason.hidden = rows.length > 0;
    operations.update(operations_of(rows));
    threads.update(threads_of(rows));
  };
}

/** One row for each collective, with the number of operations of each outcome. */
export function operations_of(rows) {
  const found = new Map();
  for (const row of rows.filter((one) => one.kind === "operations")) {
    const of = found.get(row.collective) ?? { collective: row.collective };
    of[row.figure] = row.count;
    found.set(row.collective, of);
  }
  return [...found.values()];
}

/** One row for each thread of each collective; times in nanoseconds. */
export function threads_of(rows) {
  const found = new Map();
  for (const row of rows.filter((one) => one.kind === "thread")) {
    const id = JSON.stringify([row.collective, row.name]);
    const of = found.get(id) ?? { collective: row.collective, name: row.name, node: row.node };
    of[row.figure] = row.sum_ns ?? row.count;
    found.set(id, of);
  }
  return [...found.values()];
}
