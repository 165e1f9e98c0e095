// The map as SVG: frames, boxes and arrows where the server put them, with live numbers on them. It is drawn again only if the
// part "map" changes; numbers change texts, widths and bars. All of it is one stop of the Tab key: arrow keys go from box to box, the
// key a to the arrows of a box, Enter selects.

import { state_variable } from "../states.js";
import { text_of_arrow, text_of_box } from "./selection.js";

const line_height = 13.2;
const title_height = 19;
const least_scale = 0.7; // of a point to a pixel; below, the map begins larger than its window
const first_scale = 0.85;
const thinnest = 1;
const thickest = 5;
const letter_width = 5.2;
const bold_width = 6;

export class MapDrawing {
  /** `on_select` gets the text of the selection for the address. */
  constructor(on_select) {
    this.on_select = on_select;
    this.map = null;
    this.selected = "";
    this.parts = []; // frames, boxes and arrows, for the keyboard
    this.hub = 0; // the box whose arrows the keyboard visits
    this.svg = d3.create("svg").attr("class", "map-drawing").attr("role", "group");
    this.svg.append("defs").append("marker").attr("id", "map-arrow").attr("viewBox", "0 0 8 8").attr("refX", 7).attr("refY", 4)
      .attr("markerUnits", "userSpaceOnUse").attr("markerWidth", 9).attr("markerHeight", 9).attr("orient", "auto-start-reverse")
      .append("path").attr("d", "M0,0L8,4L0,8Z").attr("class", "head");
    this.world = this.svg.append("g");
    this.zoom = d3.zoom().scaleExtent([0.5, 24]).filter((event) => may_zoom(event instanceof Event ? event : d3.event)) // before d3 6
      .on("zoom", () => this.world.attr("transform", d3.zoomTransform(this.node())));
    this.svg.call(this.zoom).on("dblclick.zoom", null).style("touch-action", "pan-x pan-y"); // one finger scrolls the page
    this.node().addEventListener("keydown", (event) => this.on_key(event));
  }

  node() {
    return this.svg.node();
  }

  /** Keeps the scale if the new map is as large as the one before, and the focus on the same part. */
  draw(map) {
    const is_as_large = this.map !== null && this.map.width === map.width && this.map.height === map.height;
    const had_focus = this.parts.find(({ node }) => node === document.activeElement)?.select;
    this.map = map;
    const margin = 6;
    const [width, height] = [map.width + 2 * margin, map.height + 2 * margin];
    this.svg.attr("viewBox", `${-margin} ${-margin} ${width} ${height}`)
      .attr("aria-label", `Map: ${map.boxes.length} boxes, ${map.arrows.length} arrows. Arrow keys go from box to box, a goes to the arrows of a box, Enter inspects.`);
    this.zoom.extent([[-margin, -margin], [width - margin, height - margin]])
      .translateExtent([[-width / 2, -height / 2], [width * 1.5, height * 1.5]]);
    this.world.selectAll("*").remove();
    this.frames = this.draw_frames();
    this.arrows = this.draw_arrows();
    this.boxes = this.draw_boxes();
    this.parts = [
      ...this.frames.nodes().map((node, i) => ({ node, area: map.frames[i].area, select: frame_select(map.frames[i]), is_frame: true })),
      ...this.boxes.nodes().map((node, i) => ({ node, area: map.boxes[i].area, select: text_of_box(map.boxes[i], i), box: i })),
      ...this.arrows.nodes().map((node, i) => ({ node, area: area_of_arrow(map.arrows[i]), select: text_of_arrow(map.arrows[i], i), ends: [map.arrows[i].from, map.arrows[i].to] })),
    ].filter((part) => part.select !== null);
    const focused = this.parts.findIndex(({ select }) => select === had_focus);
    this.focus_on(focused >= 0 ? focused : this.parts.findIndex((part) => !part.is_frame), focused >= 0);
    this.shown = []; // the live text and the bar of each box
    this.mark_selected();
    if (!is_as_large) this.begin_scale();
  }

  // A map that would be too small to read begins at its upper left corner.
  begin_scale() {
    const box = this.node().getBoundingClientRect();
    const [, , width, height] = this.svg.attr("viewBox").split(" ").map(Number);
    const scale = Math.min(box.width / width, box.height / height);
    this.svg.call(this.zoom.transform, d3.zoomIdentity);
    const is_larger = scale > 0 && scale < least_scale;
    this.svg.attr("preserveAspectRatio", is_larger ? "xMinYMin" : null);
    if (is_larger) this.svg.call(this.zoom.scaleTo, first_scale / scale, [0, 0]);
  }

  show_all() {
    this.svg.call(this.zoom.transform, d3.zoomIdentity);
  }

  scale_by(factor) {
    this.svg.call(this.zoom.scaleBy, factor);
  }

  draw_frames() {
    const frames = this.world.append("g").selectAll("g").data(this.map.frames).join("g")
      .attr("class", (frame) => `frame ${frame.kind}`).attr("transform", ({ area }) => `translate(${area[0]},${area[1]})`);
    frames.append("rect").attr("width", ({ area }) => area[2]).attr("height", ({ area }) => area[3]).attr("rx", 6);
    frames.append("text").attr("x", 7).attr("y", 14).text((frame) => fitting(frame.title, frame.area[2]));
    this.make_buttons(frames.filter((frame) => frame_select(frame) !== null), frame_select, (frame) => frame.title);
    return frames;
  }

  draw_arrows() {
    const arrows = this.world.append("g").selectAll("g").data(this.map.arrows).join("g").attr("class", "arrow");
    arrows.append("path").attr("class", "line").attr("d", curve_of).attr("marker-end", "url(#map-arrow)")
      .attr("marker-start", ({ both }) => (both ? "url(#map-arrow)" : null));
    arrows.append("path").attr("class", "reach").attr("d", curve_of);
    this.make_buttons(arrows, (arrow) => text_of_arrow(arrow, this.map.arrows.indexOf(arrow)), (arrow) => words_of_arrow(arrow, this.map));
    arrows.append("text").attr("class", "label").each(function (arrow) {
      const lines = arrow.label === "" ? [] : arrow.label.split("\n");
      const top = arrow.label_at[1] - ((lines.length + 1) * 11) / 2 + 8;
      const label = d3.select(this);
      for (const [i, line] of [...lines, ""].entries())
        label.append("tspan").attr("class", i === lines.length ? "live" : null).attr("x", arrow.label_at[0]).attr("y", top + i * 11).text(line);
    });
    return arrows;
  }

  draw_boxes() {
    const boxes = this.world.append("g").selectAll("g").data(this.map.boxes).join("g")
      .attr("class", (box) => `box ${box.kind}${box.elements.length > 0 && box.threads.length === 0 ? " tuples" : ""}`)
      .attr("transform", ({ area }) => `translate(${area[0]},${area[1]})`);
    boxes.append("rect").attr("width", ({ area }) => area[2]).attr("height", ({ area }) => area[3]).attr("rx", 5);
    boxes.append("g").attr("class", "bar").attr("transform", ({ area }) => `translate(5,${area[3] - 5})`);
    boxes.each(function (box) {
      const group = d3.select(this);
      const [, , width, height] = box.area;
      const room = box.title ? title_height : 0;
      if (box.title) {
        group.append("text").attr("class", "title").attr("x", width / 2).attr("y", 14).text(fitting(box.title, width));
        group.append("path").attr("class", "rule").attr("d", `M0,${room}H${width}`);
      }
      const lines = [...box.lines, ""];
      const top = room + (height - room - 3 - lines.length * line_height) / 2 + 10;
      const text = group.append("text").attr("class", "lines");
      for (const [i, line] of lines.entries())
        text.append("tspan").attr("class", i === box.lines.length ? "live" : null).attr("x", width / 2).attr("y", top + i * line_height).text(fitting(line, width));
    });
    this.make_buttons(boxes, (box) => text_of_box(box, this.map.boxes.indexOf(box)), words_of_box);
    return boxes;
  }

  make_buttons(groups, select_of, words_of) {
    groups.attr("role", "button").attr("tabindex", -1).attr("aria-label", words_of).each((part, i, nodes) =>
      nodes[i].addEventListener("click", () => {
        this.focus_on(this.parts.findIndex(({ node }) => node === nodes[i]), false);
        this.on_select(select_of(part));
      }));
  }

  /** Shows the newest numbers. */
  update(numbers) {
    if (!this.map) return;
    const rates = this.map.arrows.map((arrow) => numbers.of_paths(arrow.paths));
    const most = Math.max(...rates.map(({ rate }) => rate ?? 0), 1);
    const { map } = this;
    this.arrows.each(function (arrow, i) {
      const group = d3.select(this);
      const text = numbers.text_of_arrow(arrow);
      if (set_text(group.select(".live"), text)) group.attr("aria-label", with_numbers(words_of_arrow(arrow, map), text));
      const share = Math.sqrt((rates[i].rate ?? 0) / most);
      group.select(".line").attr("stroke-width", (thinnest + (thickest - thinnest) * share).toFixed(1));
      group.classed("waits", rates[i].waiting > 0).classed("quiet", !rates[i].rate);
    });
    const { shown } = this;
    this.boxes.each(function (box, i) {
      const text = numbers.text_of(box);
      const shares = shares_of(box, numbers);
      const now = `${text} ${shares}`;
      if (shown[i] === now) return;
      shown[i] = now;
      const group = d3.select(this);
      set_text(group.select(".live"), fitting(text, box.area[2], bold_width));
      group.attr("aria-label", with_numbers(words_of_box(box), text));
      draw_bar(group.select(".bar"), shares, box.area[2] - 10);
    });
    this.svg.classed("empty", map.boxes.length === 0);
  }

  /** Marks what the address selects. */
  select(text) {
    if (text === this.selected) return;
    this.selected = text;
    this.mark_selected();
  }

  mark_selected() {
    const text = this.selected;
    for (const { node, select } of this.parts) mark(node, select === text);
  }

  focus_on(index, is_moved) {
    if (index < 0) return;
    this.parts.forEach(({ node }, i) => node.setAttribute("tabindex", i === index ? 0 : -1));
    this.focused = index;
    if (!is_moved) return;
    this.parts[index].node.focus({ preventScroll: true });
    this.keep_in_view(this.parts[index].area);
  }

  // Moves the map so that what has the focus is in the middle, if it is out of the window.
  keep_in_view([x, y, width, height]) {
    const { k, x: left, y: top } = d3.zoomTransform(this.node());
    const [[west, north], [east, south]] = this.zoom.extent()();
    const is_in = x * k + left >= west && y * k + top >= north && (x + width) * k + left <= east && (y + height) * k + top <= south;
    if (!is_in) this.svg.call(this.zoom.translateTo, x + width / 2, y + height / 2);
  }

  on_key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.parts.length === 0) return;
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (direction) this.focus_on(this.next_in(direction), true);
    else if (event.key === "a" || event.key === "A") this.visit_arrows(event.key === "a" ? 1 : -1);
    else if (event.key === "Enter" || event.key === " ") this.on_select(this.parts[this.focused].select);
    else if (event.key === "+") this.scale_by(1.4);
    else if (event.key === "-") this.scale_by(1 / 1.4);
    else if (event.key === "0") this.show_all();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The nearest box or frame in a direction; the focused one if there is none. */
  next_in([dx, dy]) {
    const from = anchor_of(this.parts[this.focused]);
    let best = this.focused;
    let least = Infinity;
    this.parts.forEach((part, i) => {
      if (part.ends) return;
      const to = anchor_of(part);
      const ahead = (to[0] - from[0]) * dx + (to[1] - from[1]) * dy;
      const aside = Math.abs((to[0] - from[0]) * dy) + Math.abs((to[1] - from[1]) * dx);
      if (i === this.focused || ahead <= 0.5 || ahead + 2.5 * aside >= least) return;
      least = ahead + 2.5 * aside;
      best = i;
    });
    return best;
  }

  /** Goes from a box to one of its arrows after the other, and then back to it. */
  visit_arrows(step) {
    const { box, ends } = this.parts[this.focused];
    if (box !== undefined) this.hub = box;
    else if (!ends) return;
    else if (!ends.includes(this.hub)) [this.hub] = ends; // the mouse has chosen it
    const places = [...this.parts.keys()].filter((i) => this.parts[i].box === this.hub || this.parts[i].ends?.includes(this.hub));
    this.focus_on(places[(places.indexOf(this.focused) + step + places.length) % places.length], true);
  }
}

// One finger scrolls the page; two move and scale the map.
const may_zoom = (event) => !event.button && !(event.touches && event.touches.length < 2);

// A frame is where its title is, so that it is met before its boxes.
const anchor_of = ({ area, is_frame }) => (is_frame ? [area[0] + 20, area[1] + 8] : [area[0] + area[2] / 2, area[1] + area[3] / 2]);

const frame_select = (frame) => (frame.kind === "cluster" ? null : `${frame.kind}:${frame.name}`);

const area_of_arrow = ({ label_at: [x, y] }) => [x - 20, y - 12, 40, 24];

function words_of_arrow({ from, to, both, label }, { boxes }) {
  const ends = [boxes[from], boxes[to]].map(words_of_box).join(both ? " and " : " to ");
  return `arrow ${both ? "between" : "from"} ${ends}${label === "" ? "" : `, ${label.replaceAll("\n", ", ")}`}`;
}

const with_numbers = (words, text) => (text === "" ? words : `${words}: ${text}`);

const words_of_box = (box) => [box.title, ...box.lines].filter((line) => line !== "").join(", ");

function mark(node, is_selected) {
  node.classList.toggle("selected", is_selected);
  node.setAttribute("aria-pressed", is_selected);
}

/** Returns whether the text is another one. */
function set_text(selection, text) {
  const node = selection.node();
  const is_new = node.textContent !== text;
  if (is_new) node.textContent = text;
  return is_new;
}

/** A text that is cut to about the width in points; labels say it in full. */
function fitting(text, width, letter = letter_width) {
  const most = Math.max(4, Math.floor(width / letter));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function curve_of({ curve }) {
  if (curve.length < 8) return null;
  let text = `M${curve[0]},${curve[1]}`;
  for (let i = 2; i + 5 < curve.length; i += 6) text += `C${curve.slice(i, i + 6).join(" ")}`;
  return text;
}

/** The shares of the bar of a box, as [colour variable, share]: the states of its threads, or the fill of its elements. */
function shares_of(box, numbers) {
  if (box.threads.length > 0) return numbers.states_of(box.threads).map(([letter, count]) => [state_variable(letter), count / box.threads.length]);
  const { kept, capacity } = numbers.of_elements(box.elements);
  return kept === null || capacity === 0 ? [] : [["--bar", Math.min(1, kept / capacity)], ["--bar-soft", 1 - Math.min(1, kept / capacity)]];
}

function draw_bar(bar, shares, width) {
  let at = 0;
  const parts = shares.map(([colour, share]) => ({ colour, x: (at += share * width) - share * width, width: share * width }));
  bar.selectAll("rect").data(parts).join("rect").attr("height", 3).attr("x", ({ x }) => x.toFixed(1))
    .attr("width", (part) => part.width.toFixed(1)).style("fill", ({ colour }) => `var(${colour})`);
}
