// Collective operations: who came last, by how much, and what it has cost the others. A report also has the totals of
// `eventspace collectives --total`, which know the calls of MPI, too.

import { CollectiveTotals } from "../collective_totals.js";
import { SortedTable } from "../table.js";
import { amount, duration, element } from "../text.js";

export const title = "Collectives";
export const key = "3";
export const wants = ["collectives"];

export function show(box, page) {
  const reason = element("p", { class: "faint" });
  let largest = 0;
  const bar = (row) => {
    const filled = element("span", { class: "bar" });
    filled.style.width = `${largest > 0 ? (100 * row.cost_s) / largest : 0}%`;
    return element("span", {}, element("span", { class: "bar-track", "aria-hidden": "true" }, filled), duration(row.cost_s));
  };
  const table = new SortedTable("Collective operations", [
    { name: "Operation", value: (row) => row.operation },
    { name: "Count", value: (row) => row.count, text: (row) => amount(row.count), is_number: true },
    { name: "Per second", value: (row) => row.per_second, text: (row) => amount(row.per_second), is_number: true },
    { name: "Newest", value: (row) => row.number, text: (row) => `#${row.number}`, is_number: true },
    { name: "Came last", value: (row) => row.last.join(", ") },
    { name: "Late by", value: (row) => row.late_s, text: (row) => duration(row.late_s), is_number: true },
    { name: "Waited, all", value: (row) => row.waited_s, text: (row) => duration(row.waited_s), is_number: true },
    { name: "Costliest", value: (row) => row.costliest ?? "" },
    { name: "Its cost", value: (row) => row.cost_s, cell: bar, is_number: true, is_first: true },
    { name: "Absent now", value: (row) => row.absent.join(", ") },
  ]);
  table.box.hidden = true; // until the part comes
  const newest = element("section", { class: "card" }, element("h2", {}, "Collective operations"), reason, table.box);
  const totals = new CollectiveTotals();
  box.append(element("div", { class: "stack" }, newest, ...totals.cards));
  return (changed) => {
    if (changed.has("collective_totals")) totals.update(page.store.get("collective_totals") ?? []);
    if (!changed.has("collectives") && !changed.has("collective_totals")) return;
    const part = page.store.get("collectives");
    const rows = part?.rows ?? [];
    newest.hidden = rows.length === 0 && totals.has_rows;
    reason.textContent = part?.reason ?? (rows.length === 0 ? "No collective operation has been seen yet." : "");
    reason.hidden = reason.textContent === "";
    table.box.hidden = rows.length === 0;
    largest = Math.max(0, ...rows.map((row) => row.cost_s));
    table.update(rows);
  };
}
