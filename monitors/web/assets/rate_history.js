// The recent past of rates, for small curves. The server sends the present only; the page keeps what it has seen.

const max_points = 240;
const min_points = 60; // of the width of a curve

export class RateHistory {
  constructor(store) {
    this.clear();
    store.subscribe((changed) => {
      if (changed.has("rates")) this.push("events", store.get("rates")?.events_per_second);
      if (changed.has("cost")) this.push("cost", store.get("cost")?.cpu_share);
    });
  }

  clear() {
    this.series = new Map();
  }

  push(name, value) {
    if (value === null || value === undefined) return;
    const points = this.series.get(name) ?? [];
    points.push(value);
    if (points.length > max_points) points.shift();
    this.series.set(name, points);
  }

  /** Draws the curve of a series into an SVG element of 100 by 30 units, with a line at 0. */
  draw(name, svg) {
    const points = this.series.get(name) ?? [];
    const width = Math.max(min_points, points.length);
    const x = d3.scaleLinear().domain([0, width - 1]).range([0, 100]);
    const y = d3.scaleLinear().domain([0, d3.max(points) || 1]).range([29, 2]);
    const line = d3.line().x((_, i) => x(i + width - points.length)).y((value) => y(value));
    svg.querySelector("path").setAttribute("d", points.length > 1 ? line(points) : "");
  }
}

/** An empty SVG element for draw(). `label` describes it to screen readers. */
export function curve_box(label) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of [["viewBox", "0 0 100 30"], ["preserveAspectRatio", "none"], ["role", "img"], ["aria-label", label]])
    svg.setAttribute(key, value);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  for (const [key, value] of [["fill", "none"], ["stroke", "var(--bar)"], ["stroke-width", "1.5"], ["vector-effect", "non-scaling-stroke"]])
    path.setAttribute(key, value);
  svg.append(path);
  return svg;
}
