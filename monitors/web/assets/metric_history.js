// The values of a metric that came while the page shows it, by object: the server sends only the newest. Values of virtual times come
// together, the last thousands of them.

const max_points = 1024; // of each object; beyond it, every second one is left out

export class MetricHistory {
  constructor() {
    this.clear();
  }

  clear() {
    this.series = new Map(); // by object: [[x, y], ...]; y is null at a gap
    this.last = -1;
    this.has_virtual_time = false;
  }

  /** Takes the part "metric/NAME". */
  take(part) {
    if (!part?.value || part.time_s === this.last) return;
    this.has_virtual_time = part.virtual_time.some((time) => time !== null);
    if (part.time_s < this.last || this.has_virtual_time) this.clear_points();
    this.last = part.time_s;
    part.objects.forEach((objects, i) => this.add(name_of(objects), this.has_virtual_time ? part.virtual_time[i] : part.time_s, part.value[i]));
  }

  clear_points() {
    this.series = new Map();
  }

  add(name, x, y) {
    if (!this.series.has(name)) this.series.set(name, []);
    const points = this.series.get(name);
    points.push([x, y]);
    if (points.length > max_points && !this.has_virtual_time) this.series.set(name, points.filter((_, i) => i % 2 === 0));
  }
}

/** The objects of a value in one text. */
export function name_of(objects) {
  return objects.join(" ") || "all";
}
