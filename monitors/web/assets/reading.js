// What the parts that are made of all events say about the reading of these events.

import { amount, counted, duration } from "./text.js";

/** In words: since when events were read, and how many are missing. */
export function reading_note(reading) {
  if (!reading) return "";
  const notes = [];
  if (!reading.is_whole) notes.push("the recording is being read");
  else notes.push(reading.since_s > 0 ? `what was kept at ${duration(reading.since_s)}, and since` : "from the beginning");
  if (reading.lost > 0) notes.push(`${amount(reading.lost)} events lost`);
  if (reading.partial > 0) notes.push(counted(reading.partial, "partial view"));
  if (reading.left_out > 0) notes.push(`${amount(reading.left_out)} values left out`);
  return notes.join("; ");
}
