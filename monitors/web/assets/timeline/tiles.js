// The data of a timeline, in tiles: the rows of a group from a time on. Tiles form a tree, in which each has two halves; a tile
// that has all of its operations also has those of all tiles below it.
//
//     level 0   [              0              ]     the whole recording, in 256 bins
//     level 1   [      0       ][      1      ]
//     level 2   [  0  ][   1   ][  2  ][  3   ] ... down to bins of a nanosecond
//
// Tiles are asked for when they are first wanted, a few at a time, those of the last frame first; the tiles used last are kept.

export const bins_of_tile = 256;
export const rows_of_group = 16;
const most_kept = 600;
const most_asked = 4;

/** The tiles of one reading of a recording or session. `ask(parameters)` promises the answer of the server. */
export class Tiles {
  constructor(header, ask, on_change) {
    this.header = header;
    this.ask = ask;
    this.on_change = on_change;
    this.kept = new Map(); // by key, the one used last at the end
    this.wanted = [];
    this.asked = new Set();
    this.failed = new Set();
    this.is_over = false;
    this.deepest = Math.max(0, Math.ceil(Math.log2(Math.max(header.length_ns, 1) / bins_of_tile)));
    this.span = bins_of_tile * 2 ** this.deepest; // of the tile of level 0
    this.deepest = header.deepest ?? this.deepest; // of a report, the last level that it has
  }

  /** The level whose bins are at most as wide as `ns`, and more than half of it. */
  level_for(ns) {
    const levels = Math.log2(this.span / bins_of_tile) - Math.log2(Math.max(ns, 1));
    return Math.min(this.deepest, Math.max(0, Math.ceil(levels)));
  }

  span_of(level) {
    return this.span / 2 ** level;
  }

  /** The best tile that is there for this place, which may be one of a lower level; asks for the right one. Null: none yet. */
  get(group, level, index) {
    const exact = this.find(group, level, index, (tile) => tile.exact || tile.level === level);
    if (exact) return exact;
    this.wanted.push(this.place_of(group, level, index));
    return this.find(group, level, index, () => true);
  }

  // A report has no tiles below one that has all of its operations.
  place_of(group, level, index) {
    while (this.header.has_tile && level > 0 && !this.header.has_tile(group, level, index)) {
      level -= 1;
      index = Math.floor(index / 2);
    }
    return { group, level, index };
  }

  find(group, level, index, is_good) {
    for (let up = 0; up <= level; ++up) {
      const key = key_of(group, level - up, Math.floor(index / 2 ** up));
      const tile = this.kept.get(key);
      if (!tile || !is_good(tile)) continue;
      this.kept.delete(key);
      this.kept.set(key, tile);
      return tile;
    }
    return null;
  }

  /** Asks for the tiles that were wanted since the last call, and no longer for those wanted before. */
  ask_for_wanted() {
    const wanted = this.wanted;
    this.wanted = [];
    for (const place of wanted) {
      if (this.asked.size >= most_asked) break;
      this.ask_for(place);
    }
    return wanted.length > 0;
  }

  async ask_for({ group, level, index }) {
    const key = key_of(group, level, index);
    if (this.asked.has(key) || this.failed.has(key)) return;
    this.asked.add(key);
    const span = this.span_of(level);
    const last = Math.min((group + 1) * rows_of_group, this.header.rows.length) - 1;
    try {
      const answer = await this.ask({ from: index * span, to: (index + 1) * span, pixels: bins_of_tile, rows: `${group * rows_of_group}-${last}`,
        generation: this.header.generation });
      this.keep(key, decode(answer, level));
    } catch (error) {
      this.failed.add(key); // as the generation has ended; otherwise a new view asks again
      setTimeout(() => this.failed.delete(key), 2000);
      if (!this.is_over) this.on_change(error);
    } finally {
      this.asked.delete(key);
    }
    if (!this.is_over) this.on_change(null);
  }

  /** The operation with this place in the recording, if a tile that is there has it; else null. */
  find_operation(place) {
    const [path, point, sequence] = place.split(".").map(Number);
    for (const tile of this.kept.values()) {
      if (!tile.exact) continue;
      for (const [row, data] of tile.rows) {
        const i = data.sequence.findIndex((one, at) => one === sequence && data.path[at] === path && data.point[at] === point);
        if (i >= 0) return operation_in(data, row, i);
      }
    }
    return null;
  }

  keep(key, tile) {
    this.kept.set(key, tile);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= most_kept) break;
      this.kept.delete(oldest);
    }
  }
}

export function key_of(group, level, index) {
  return `${group}/${level}/${index}`;
}

/** Turns the columns of an answer into arrays for each row. */
export function decode(answer, level) {
  const rows = new Map();
  let at = 0;
  answer.rows.forEach((row, i) => {
    const count = answer.counts[i];
    rows.set(row, answer.exact ? operations_of(answer, at, count) : bins_of(answer, at, count));
    at += count;
  });
  return { level, from: answer.from, width: answer.width, bins: answer.bins, exact: answer.exact === 1, rows, gaps: groups_of(answer.gaps, 5),
    messages: groups_of(answer.messages, 5), messages_left_out: answer.messages_left_out, joins: joins_of(answer.joins, answer.from),
    joins_left_out: answer.joins_left_out };
}

function operations_of(answer, at, count) {
  const begin = new Float64Array(count);
  const end = new Float64Array(count);
  const sequence = new Float64Array(count);
  let time = answer.from;
  let number = 0;
  for (let i = 0; i < count; ++i) { // times and numbers are differences to the one before
    begin[i] = time += answer.begin[at + i];
    end[i] = time + answer.length[at + i];
    sequence[i] = number += answer.sequence[at + i];
  }
  const slice = (column) => column.slice(at, at + count);
  return { count, begin, end, name: slice(answer.name), look: slice(answer.look), path: slice(answer.path), point: slice(answer.point), sequence };
}

/** Operation `i` of a row, as views show it. */
export function operation_in({ begin, end, name, look, path, point, sequence }, row, i) {
  return { row, begin: begin[i], end: end[i], name: name[i], of: class_of(look[i]), in_flight: is_in_flight(look[i]), place: `${path[i]}.${point[i]}.${sequence[i]}` };
}

/**
 * The number of the first operation of a row that ends at `from` or later, or has one before it that does: operations are in the order
 * of their begins, so an outer one may be far before those inside.
 */
export function first_ending_after(data, from) {
  if (!data.latest) {
    data.latest = new Float64Array(data.count);
    for (let i = 0, most = -Infinity; i < data.count; ++i) data.latest[i] = most = Math.max(most, data.end[i]);
  }
  let [low, high] = [0, data.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (data.latest[middle] < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function bins_of(answer, at, count) {
  const slice = (column) => column.slice(at, at + count);
  return { count, bin: slice(answer.bin), class: slice(answer.class), begun: slice(answer.begun), share: slice(answer.share) };
}

function groups_of(flat, size) {
  const groups = [];
  for (let i = 0; i + size <= flat.length; i += size) groups.push(flat.slice(i, i + size));
  return groups;
}

// The begin of a member is the difference to that of the one before, of the first to the tile's.
function joins_of(flat, from) {
  const joins = [];
  for (let i = 0; i < flat.length; i += 1 + 2 * flat[i]) {
    let begin = from;
    joins.push(groups_of(flat.slice(i + 1, i + 1 + 2 * flat[i]), 2).map(([row, after]) => [row, begin += after]));
  }
  return joins;
}

export const class_of = (look) => look & 7;
export const is_in_flight = (look) => (look & 8) !== 0;
export const depth_of = (look) => look >> 4;
