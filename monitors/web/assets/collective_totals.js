// What collective operations cost over a whole recording, in a report: from the lines of `eventspace collectives --total --format
// json`.

import { SortedTable } from "./table.js";
import { amount, counted, duration, element } from "./text.js";

const time = (ns) => duration(ns === null ? null : ns / 1e9);
const ns_column = (name, figure, is_first = false) => ({ name, value: (row) => row[figure] ?? null, text: (row) => time(row[figure] ?? null), is_number: true, is_first });

export class CollectiveTotals {
  constructor() {
    this.operations = new SortedTable("Outcomes of collective operations", [
      { name: "Operation", value: (row) => row.collective },
      { name: "Complete", value: (row) => row.complete, text: (row) => amount(row.complete), is_number: true, is_first: true },
      { name: "Incomplete", value: (row) => row.incomplete, text: (row) => amount(row.incomplete), is_number: true },
      { name: "Open at the end", value: (row) => row.open, text: (row) => amount(row.open), is_number: true },
      { name: "Broken", value: (row) => row.broken, text: (row) => amount(row.broken), is_number: true },
    ]);
    this.threads = new SortedTable("What threads cost the others", [
      { name: "Operation", value: (row) => row.collective },
      { name: "Thread", value: (row) => row.name },
      { name: "Node", value: (row) => row.node },
      { name: "Last", value: (row) => row.last, text: (row) => amount(row.last), is_number: true },
      { name: "Perhaps last", value: (row) => row.perhaps_last, text: (row) => amount(row.perhaps_last), is_number: true },
      ns_column("Cost to others", "cost", true), ns_column("Avoidable", "avoidable"), ns_column("Own waiting", "waited"),
    ], 64);
    this.note = element("small");
    this.cards = [
      element("section", { class: "card", hidden: true }, element("h2", {}, "Outcomes"), this.operations.box),
      element("section", { class: "card", hidden: true }, element("h2", {}, "Who made the others wait", this.note), this.threads.box),
    ];
    this.has_rows = false;
  }

  update(rows) {
    this.has_rows = rows.length > 0;
    for (const card of this.cards) card.hidden = !this.has_rows;
    this.operations.update(operations_of(rows));
    this.threads.update(threads_of(rows));
    const left_out = rows.find((row) => row.kind === "left_out")?.count ?? 0;
    this.note.textContent = left_out > 0 ? `${counted(left_out, "row")} left out to keep this file small: eventspace collectives --total` : "";
  }
}

/** One row for each collective, with the number of operations of each outcome. */
function operations_of(rows) {
  const found = new Map();
  for (const row of rows.filter((one) => one.kind === "operations")) {
    const of = found.get(row.collective) ?? { collective: row.collective };
    of[row.figure] = row.count;
    found.set(row.collective, of);
  }
  return [...found.values()];
}

/** One row for each thread of each collective; times in nanoseconds. */
function threads_of(rows) {
  const found = new Map();
  for (const row of rows.filter((one) => one.kind === "thread")) {
    const id = JSON.stringify([row.collective, row.name]);
    const of = found.get(id) ?? { collective: row.collective, name: row.name, node: row.node };
    of[row.figure] = row.sum_ns ?? row.count;
    found.set(id, of);
  }
  return [...found.values()];
}
