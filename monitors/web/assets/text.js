// Numbers and durations as the commands of EventSpace print them, and elements of the page. All text from the server becomes
// text nodes: names of threads may contain anything.

// Characters that change the order of the text around them; a name with one could make a line say something else.
const order_marks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const escaped_order_marks = /\\u(061c|200[ef]|202[a-e]|206[6-9])/i;

/** Parses JSON from the server. Characters that would change the order of other text become visible, as "[U+202E]". */
export function parse_visible(text) {
  if (text.search(order_marks) < 0 && !escaped_order_marks.test(text)) return JSON.parse(text);
  const code_of = (mark) => `[U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`;
  return JSON.parse(text, (_, value) => (typeof value === "string" ? value.replace(order_marks, code_of) : value));
}

/** A duration in seconds with a unit, about three digits: "1.2ms", "252ms", "2.1s", "3min 5s", "2h 4min". */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  const size = Math.abs(seconds);
  if (size < 1e-6) return `${Math.round(seconds * 1e9)}ns`;
  if (size < 1e-3) return `${digits(seconds * 1e6)}us`;
  if (size < 0.9995) return `${digits(seconds * 1e3)}ms`;
  if (size < 60) return `${digits(seconds)}s`;
  const whole = Math.round(size);
  if (whole < 3600) return `${Math.floor(whole / 60)}min ${whole % 60}s`;
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}min`;
}

/** A number with a decimal prefix: "950", "12.3k", "4.5M". */
export function amount(number) {
  if (number === null || number === undefined) return "–";
  for (const [limit, letter] of [[1e9, "G"], [1e6, "M"], [1e4, "k"]])
    if (Math.abs(number) >= limit) return `${digits(number / (letter === "k" ? 1e3 : limit))}${letter}`;
  return digits(number);
}

export function percent(share) {
  return share === null || share === undefined ? "–" : `${digits(share * 100)}%`;
}

function digits(number) {
  const size = Math.abs(number);
  if (number === Math.round(number)) return number.toFixed(0);
  return number.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** A count with its noun: "1 thread", "4 threads". */
export function counted(count, noun, plural = `${noun}s`) {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A call and the place where the program makes it, if that is known. */
export function call_name(call, site) {
  return site ? `${call} at ${site}` : call;
}

/** Whether a name fits a pattern in which * stands for any text. */
export function fits_whole(pattern, name) {
  const words = pattern.split("*").map((text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${words.join(".*")}$`, "s").test(name);
}

/** Makes an element: element("dd", {class: "faint"}, "text", other_element). Attributes that are null are left out. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A list of terms and values, without those that are empty. */
export function terms(pairs) {
  const list = element("dl");
  for (const [term, value] of pairs) {
    if (value === null || value === undefined || value === "") continue;
    list.append(element("dt", {}, term), element("dd", { dir: "auto" }, value));
  }
  return list;
}
