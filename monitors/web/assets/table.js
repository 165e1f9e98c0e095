// A table whose rows are sorted by a click on a column's heading. The order is kept while rows change.
//
//     const table = new SortedTable("Collective operations", [{ name: "Operation", value: (row) => row.operation }, ...]);
//     table.update(rows);

import { fill } from "./fill.js";
import { element } from "./text.js";

export class SortedTable {
  /**
   * `columns`: {name, value(row), text(row)?, cell(row)?, is_number?, is_wide?}. The first column with `is_first` sorts, descending. Shows
   * up to `most` rows, and counts the others; then columns keep their widths while numbers change.
   */
  constructor(caption, columns, most = Infinity) {
    this.columns = columns;
    this.most = most;
    this.more = element("p", { class: "faint hint" });
    this.sorted = columns.find((column) => column.is_first) ?? columns[0];
    this.is_descending = this.sorted.is_number ?? false;
    this.rows = [];
    this.heads = columns.map((column) => element("th", { scope: "col", class: column.is_number ? (column.is_wide ? "number wide" : "number") : null },
      element("button", { type: "button", onclick: () => this.sort_by(column) }, column.name)));
    this.body = element("tbody");
    this.box = element("div", { class: most < Infinity ? "table-box steady" : "table-box" }, element("table", {}, element("caption", { class: "visually-hidden" }, caption),
      element("thead", {}, element("tr", {}, ...this.heads)), this.body), most < Infinity ? this.more : null);
  }

  update(rows) {
    this.rows = rows;
    this.show();
  }

  sort_by(column) {
    this.is_descending = column === this.sorted ? !this.is_descending : (column.is_number ?? false);
    this.sorted = column;
    this.show();
  }

  show() {
    this.columns.forEach((column, i) => {
      const order = this.is_descending ? "descending" : "ascending";
      if (column === this.sorted) this.heads[i].setAttribute("aria-sort", order);
      else this.heads[i].removeAttribute("aria-sort");
    });
    const sign = this.is_descending ? -1 : 1;
    const { value } = this.sorted;
    const rows = [...this.rows].sort((a, b) => sign * compare(value(a), value(b)));
    this.more.textContent = rows.length > this.most ? `and ${rows.length - this.most} more, in this order` : " ";
    fill(this.body, ...rows.slice(0, this.most).map((row) => element("tr", {}, ...this.columns.map((column) =>
      element("td", { class: column.is_number ? "number" : null, dir: column.is_number ? null : "auto" }, column.cell ? column.cell(row) : (column.text ?? column.value)(row) ?? "–")))));
  }
}

// Rows without a value come last in descending order.
function compare(a, b) {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : -1;
  if (b === null || b === undefined) return 1;
  return typeof a === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}
