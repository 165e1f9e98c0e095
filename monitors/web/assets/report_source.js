// The data of a report: the page in one file, without a server. It has the interface of LiveSource. Its data are in elements
// that no browser runs, compressed: what is small at once; the tiles of the timeline, the calls of one thread and the matrix of one
// communicator when they are shown.

import { SourceError } from "./source.js";
import { bins_of_tile, rows_of_group } from "./timeline/tiles.js";
import { parse_visible } from "./text.js";

/** Whether this page is a report. */
export function is_report() {
  return document.getElementById("report-parts") !== null;
}

/** The value in an element of the report. */
async function unpack(id) {
  const held = document.getElementById(id);
  if (held === null) throw new SourceError("This report does not have that.");
  const letters = atob(held.textContent);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i); // ten times as fast as Uint8Array.from with a function
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return parse_visible(await new Response(stream).text());
}

export class ReportSource {
  constructor() {
    this.role = "observer";
    this.parts = null;
    this.header = null;
    this.opened = new Set(); // parts that are in elements of their own
  }

  async begin() {
    this.parts = await unpack("report-parts");
    return { role: this.role };
  }

  async sessions() {
    return [{ id: "0", name: this.parts.about.name, kind: "report", state: "" }];
  }

  /** Gives all parts of the report, whatever the view needs; of those in elements of their own, the wanted ones. */
  open(session, parts, listener) {
    for (const [name, value] of Object.entries(this.parts)) listener.on_part(name, value);
    for (const name of parts) if (name.includes("/") && !this.opened.has(name)) this.open_part(name, listener);
  }

  async open_part(name, listener) {
    if (document.getElementById(`part/${name}`) === null) return;
    this.opened.add(name);
    listener.on_part(name, await unpack(`part/${name}`));
  }

  close() {}

  async order() {
    throw new SourceError("A report cannot be played; open its recording with `eventspace web`.");
  }

  async question(name, parameters) {
    if (name !== "timeline") throw new SourceError(`This needs the recording: open it with \`eventspace web ${this.parts.about.name}\`.`);
    this.header ??= await this.read_header();
    if (parameters.from === undefined) return this.header;
    const level = Math.round(Math.log2(span_of(this.header) / (parameters.to - parameters.from)));
    const group = Math.floor(parseInt(parameters.rows, 10) / rows_of_group);
    return unpack(id_of(group, level, Math.round(parameters.from / (parameters.to - parameters.from))));
  }

  async read_header() {
    const has_tile = (group, level, index) => document.getElementById(id_of(group, level, index)) !== null;
    return { ...(await unpack("report-timeline")), has_tile };
  }
}

const id_of = (group, level, index) => `tile/${group}/${level}/${index}`;

function span_of({ length_ns }) {
  return bins_of_tile * 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(length_ns, 1) / bins_of_tile)));
}
