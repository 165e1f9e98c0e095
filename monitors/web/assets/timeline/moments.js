// How times of a timeline are shown and written in the address. Tiles have nanoseconds since the origin of their reading. Of a
// recording, seconds since it began are shown; of a running session the time of day, as its origin changes with each reading.

/** `shift`: nanoseconds to add to a time of the tiles, for the number that the address has (in seconds). */
export function moments_of(header) {
  return { is_live: header.live, shift: header.live ? header.origin_ns : -header.began_ns, realtime_ns: header.realtime_ns };
}

/** The number in the address, with nanoseconds. */
export function in_address(moments, time) {
  return ((time + moments.shift) / 1e9).toFixed(9);
}

export function from_address(moments, text) {
  const seconds = Number(text);
  return text === null || !Number.isFinite(seconds) ? null : Math.round(seconds * 1e9) - moments.shift;
}

/** `seconds` as the address has them, with the digits that tell ticks `step` seconds apart. */
export function axis_label(moments, seconds, step) {
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  if (!moments.is_live) return `${trimmed(seconds, digits)}s`;
  const ms = seconds * 1e3 + moments.realtime_ns / 1e6;
  const day = new Date(ms);
  const rest = (ms / 1e3) % 60;
  return `${two(day.getHours())}:${two(day.getMinutes())}:${rest.toFixed(digits).padStart(digits > 0 ? digits + 3 : 2, "0")}`;
}

function trimmed(number, digits) {
  const text = number.toFixed(digits);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

const two = (number) => String(number).padStart(2, "0");
