// Where the cells of the grid of threads lie. Pure.
//
// Threads that follow each other on one node form a group, which begins on a line of its own if there are few enough nodes;
// its label is on the left. Otherwise all cells follow each other, with a small step between nodes left out.

const max_height = 440;
const max_cell = 30;
const min_cell = 3;
const max_labelled = 24; // groups

/**
 * `nodes`: for each thread the number of its node, or null. `width`: of the canvas, and `label_width`: of the longest label, in pixels. Returns {cell, gap, columns,
 * label_width, height, places: [{x, y}], groups: [{node, y}], find(x, y), below(i, down)}; find() returns the thread at a point, or
 * null; below() returns the nearest thread in the next line, down (1) or up (-1), or `i` itself in the last.
 */
export function layout(nodes, width, label_width) {
  const groups = groups_of(nodes);
  const is_labelled = groups.length > 0 && groups.length <= max_labelled && groups.some((group) => group.node !== null);
  const left = is_labelled ? label_width : 0;
  const rows = is_labelled ? groups : [{ node: null, first: 0, count: nodes.length }];
  let cell = max_cell;
  while (cell > min_cell && height_of(rows, columns_of(width - left, cell), cell) > max_height) --cell;
  return place(rows, cell, columns_of(width - left, cell), left);
}

function groups_of(nodes) {
  const groups = [];
  nodes.forEach((node, i) => {
    const last = groups[groups.length - 1];
    if (last && last.node === node) ++last.count;
    else groups.push({ node, first: i, count: 1 });
  });
  return groups;
}

const columns_of = (width, cell) => Math.max(1, Math.floor(width / cell));
const step_of = (rows, cell) => (rows.length > 1 ? Math.max(2, Math.round(cell / 4)) : 0);

function height_of(rows, columns, cell) {
  return rows.reduce((sum, row) => sum + Math.ceil(row.count / columns) * cell + step_of(rows, cell), 0);
}

function place(rows, cell, columns, left) {
  const places = [];
  const groups = [];
  let y = 2;
  for (const row of rows) {
    groups.push({ node: row.node, y });
    for (let i = 0; i < row.count; ++i)
      places[row.first + i] = { x: left + (i % columns) * cell + 2, y: y + Math.floor(i / columns) * cell };
    y += Math.ceil(row.count / columns) * cell + step_of(rows, cell);
  }
  const find = (x, py) => {
    const at = places.findIndex((spot) => x >= spot.x && x < spot.x + cell && py >= spot.y && py < spot.y + cell);
    return at < 0 ? null : at;
  };
  const below = (i, down) => {
    const lines = places.map((spot) => (spot.y - places[i].y) * down).filter((step) => step > 0);
    if (lines.length === 0) return i;
    const next = places[i].y + down * lines.reduce((a, b) => Math.min(a, b));
    const distance = (at) => Math.abs(places[at].x - places[i].x);
    return places.reduce((best, spot, at) => (spot.y === next && (best === null || distance(at) < distance(best)) ? at : best), null);
  };
  return { cell, gap: cell > 8 ? 2 : 1, columns, label_width: left, height: Math.max(y + 2, 40), places, groups, find, below };
}
