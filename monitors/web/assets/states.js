// The states of threads: a letter from the server (see `about.letters`), words, and how the state looks. A state is shown by
// its letter or by a mark, and by its colour: never by colour alone.

const looks = {
  R: { colour: "running" },
  W: { colour: "waiting" },
  A: { colour: "apart" },
  S: { colour: "stuck", mark: "cross" },
  C: { colour: "computing", mark: "stripe" },
  B: { colour: "blocked", mark: "stripe" },
  Q: { colour: "silent", mark: "stripe" },
  T: { colour: "stopped", mark: "cross" },
  D: { colour: "dead", mark: "cross" },
  U: { colour: "unknown", mark: "hatch" },
  N: { colour: "gone" },
  E: { colour: "gone" },
  O: { colour: "unknown" },
};

/** How a state looks, with the colours of the present theme. `mark` says which drawing small cells have beside colour. */
export function look_of(letter) {
  const look = looks[letter] ?? looks.U;
  const style = getComputedStyle(document.documentElement);
  const colour = style.getPropertyValue(`--state-${look.colour}`).trim();
  return { colour, ink: ink_on(colour), mark: look.mark ?? null };
}

/** The name of the style's variable for the colour of a state. */
export function state_variable(letter) {
  return `--state-${(looks[letter] ?? looks.U).colour}`;
}

/** Black or white, whichever stands out more from a colour "#rrggbb". */
export function ink_on(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.18 ? "#000000" : "#ffffff"; // where both contrasts are 4.6
}

/** The words of a state, from the part `about`. */
export function words_of(about, letter) {
  return about?.letters?.find((entry) => entry.letter === letter)?.words ?? letter;
}

/** How bad a state is, for sorting: stalled states first. */
export function is_bad(about, letter) {
  return about?.letters?.find((entry) => entry.letter === letter)?.stalled ?? false;
}

/** A mark and words for a severity of the part `verdict`. */
export const severities = {
  ok: { mark: "✓", words: "running" },
  late: { mark: "◔", words: "held up" },
  stall: { mark: "✕", words: "stalled" },
  ended: { mark: "■", words: "ended" },
  unknown: { mark: "?", words: "unknown" },
};
