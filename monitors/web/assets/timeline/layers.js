// Draws one frame of a timeline from the tiles that are there: rows with their names, the axis, arrows, and what is selected.

import { paint, row_height } from "./paint.js";
import { key_of, rows_of_group } from "./tiles.js";
import { axis_label } from "./moments.js";

export const axis_height = 24;
const most_arrows = 400; // more would hide the bars
const most_pictures = 160;
const painting_ms = 7; // of a frame; what is missing then is stretched from what there is

/** The pictures of tiles, by place; the ones used last are kept. */
export class Pictures {
  constructor() {
    this.kept = new Map();
  }

  clear() {
    this.kept.clear();
  }

  /** The picture of `tile` for this place; an old one, perhaps of another size, while there is no time to draw. */
  get(tile, place, look, has_time) {
    const key = key_of(place.group, place.level, place.index);
    const known = this.kept.get(key);
    const is_right = known && known.tile === tile && Math.abs(known.width - place.width) < 1 && known.look === look;
    if (is_right || (known && !has_time())) return known.canvas;
    if (!has_time()) return null;
    const made = { canvas: paint(tile, place, look), tile, width: place.width, look };
    this.kept.delete(key);
    this.kept.set(key, made);
    if (this.kept.size > most_pictures) this.kept.delete(this.kept.keys().next().value);
    return made.canvas;
  }
}

/** The places of tiles that a window shows: for each group of rows those of the level whose bins are about a pixel. */
export function places_in({ from, to, top, width, height }, tiles) {
  const level = tiles.level_for((to - from) / width);
  const span = tiles.span_of(level);
  const groups = Math.ceil(tiles.header.rows.length / rows_of_group);
  const group_height = rows_of_group * row_height;
  const places = [];
  const last = Math.min(2 ** level - 1, Math.floor(to / span));
  for (let group = Math.floor(top / group_height); group < groups && group * group_height < top + height; ++group)
    for (let index = Math.max(0, Math.floor(from / span)); index <= last; ++index)
      places.push({ group, level, index, from: index * span, to: (index + 1) * span, width: (span / (to - from)) * width });
  return places;
}

/** Draws the bars of the window. Returns the tiles that it shows, and whether some are not as they will be. */
export function draw_bars(pen, window, tiles, pictures, look) {
  const begun = performance.now();
  const has_time = () => performance.now() - begun < painting_ms;
  const shown = new Set();
  let is_whole = true;
  for (const place of places_in(window, tiles)) {
    const tile = tiles.get(place.group, place.level, place.index);
    const x = Math.round(window.left + ((place.from - window.from) / (window.to - window.from)) * window.width);
    const y = place.group * rows_of_group * row_height - window.top;
    const picture = tile ? pictures.get(tile, place, look, has_time) : null;
    if (tile) shown.add(tile);
    if (!picture) draw_waiting(pen, x, y, place.width, look.palette);
    else pen.drawImage(picture, x, y, picture_width(picture, place, look), picture.height / look.scale);
    is_whole &&= Boolean(tile) && has_time();
  }
  return { shown, is_whole };
}

// A picture of the right size is not scaled, so that its texts stay sharp.
function picture_width(picture, place, look) {
  const own = picture.width / look.scale;
  return Math.abs(own - place.width) < 1 ? own : place.width;
}

// What has not come yet must not look like nothing.
function draw_waiting(pen, x, y, width, palette) {
  pen.fillStyle = palette.line;
  for (let row = 0; row < rows_of_group; ++row) pen.fillRect(x, y + row * row_height + row_height / 2 - 1, width, 2);
}

/** The arrows and joins of the shown tiles, each once, and how many messages and collective operations are too many to be drawn. */
export function links_of(shown) {
  const messages = new Map();
  const joins = new Map();
  let left_out = 0;
  let joins_left_out = 0;
  for (const tile of shown) {
    left_out = Math.max(left_out, tile.messages_left_out);
    joins_left_out = Math.max(joins_left_out, tile.joins_left_out);
    for (const message of tile.messages) messages.set(message.join(), message);
    for (const join of tile.joins) joins.set(join.join(), join);
  }
  const has_room = joins.size <= most_arrows;
  if (!has_room) joins_left_out = Math.max(joins_left_out, joins.size);
  return { messages: [...messages.values()], joins: has_room ? [...joins.values()] : [], left_out, joins_left_out };
}

/** The messages with an end in the window; none if they are too many to be told apart. */
export function arrows_in({ from, to, top, height }, { messages, left_out }) {
  const is_seen = (row) => (row + 1) * row_height > top && row * row_height < top + height;
  const seen = messages.filter(([one, sent, other, received]) => sent < to && received > from && (is_seen(one) || is_seen(other)));
  const most = left_out > 0 ? 0 : most_arrows;
  return seen.length > most ? { arrows: [], left_out: Math.max(left_out, seen.length) } : { arrows: seen, left_out };
}

export function draw_links(pen, arrows, joins, { x_of, y_of, palette }) {
  pen.lineWidth = 1.2;
  pen.strokeStyle = palette.classes[3].colour;
  pen.setLineDash([4, 3]);
  for (const members of joins) {
    pen.beginPath();
    members.forEach(([row, begin], i) => (i === 0 ? pen.moveTo(x_of(begin), y_of(row)) : pen.lineTo(x_of(begin), y_of(row))));
    pen.stroke();
  }
  pen.setLineDash([]);
  pen.strokeStyle = pen.fillStyle = palette.arrow;
  pen.globalAlpha = 0.75;
  for (const [from, sent, to, received, certain] of arrows) {
    if (!certain) pen.setLineDash([3, 3]);
    draw_arrow(pen, x_of(sent), y_of(from), x_of(received), y_of(to));
    if (!certain) pen.setLineDash([]);
  }
  pen.globalAlpha = 1;
}

function draw_arrow(pen, x1, y1, x2, y2) {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x2, y2);
  pen.lineTo(x2 - 7 * Math.cos(angle - 0.4), y2 - 7 * Math.sin(angle - 0.4));
  pen.lineTo(x2 - 7 * Math.cos(angle + 0.4), y2 - 7 * Math.sin(angle + 0.4));
  pen.fill();
}

/** The names of the rows at the left, over what is drawn there. */
export function draw_names(pen, window, header, palette, current) {
  pen.fillStyle = palette.back;
  pen.fillRect(0, 0, window.left, window.height);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  pen.save();
  pen.beginPath();
  pen.rect(0, 0, window.left - 6, window.height);
  pen.clip();
  const first = Math.max(0, Math.floor(window.top / row_height));
  for (let row = first; row < header.rows.length; ++row) {
    const y = row * row_height - window.top;
    if (y > window.height) break;
    const { thread, process, lane, rank } = header.rows[row];
    const where = rank === null ? process : `rank ${rank}`;
    pen.fillStyle = palette.accent;
    if (row === current) pen.fillRect(0, y + 3, 3, row_height - 6);
    pen.fillStyle = palette.text;
    pen.fillText(lane > 0 ? `${thread} (${lane + 1})` : thread, 8, y + row_height / 2);
    const used = pen.measureText(thread).width + (lane > 0 ? 32 : 16);
    pen.fillStyle = palette.faint;
    if (where && where !== thread) pen.fillText(where, used, y + row_height / 2);
  }
  pen.restore();
}

export function draw_lines(pen, window, count, palette) {
  pen.fillStyle = palette.line;
  for (let row = Math.max(0, Math.floor(window.top / row_height)); row <= count; ++row) {
    const y = Math.round(row * row_height - window.top);
    if (y > window.height) break;
    pen.fillRect(0, y, window.left + window.width, 0.5);
  }
  pen.fillRect(window.left - 0.5, 0, 1, window.height);
}

/** The axis below the rows, with about a label for each 110 pixels. */
export function draw_axis(pen, window, moments, palette) {
  const y = window.height;
  pen.fillStyle = palette.back;
  pen.fillRect(0, y, window.left + window.width, axis_height);
  pen.fillStyle = palette.line;
  pen.fillRect(0, y, window.left + window.width, 1);
  pen.fillStyle = palette.faint;
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "center";
  const shift = moments.shift; // so that ticks are round numbers of what is shown
  const range = [(window.from + shift) / 1e9, (window.to + shift) / 1e9, Math.max(2, window.width / 110)];
  const step = d3.tickStep(...range);
  for (const tick of d3.ticks(...range)) {
    const x = window.left + ((tick * 1e9 - shift - window.from) / (window.to - window.from)) * window.width;
    if (x < window.left || x > window.left + window.width) continue;
    pen.fillRect(x, y, 1, 5);
    const label = axis_label(moments, tick, step);
    pen.fillText(label, Math.min(x, window.left + window.width - pen.measureText(label).width / 2 - 2), y + 14); // there is room on the left, below the names
  }
  pen.textAlign = "left";
}
