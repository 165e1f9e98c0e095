// The states of threads: a letter from the server (see `about.letters`), words, and how the state looks. A state is shown by
// its letter or by a mark, and by its colour: never by colour alone.

const looks = {
  R: { colour: "running", ink: "#ffffff" },
  W: { colour: "waiting", ink: null },
  A: { colour: "apart", ink: null },
  S: { colour: "stuck", ink: "#ffffff", mark: "cross" },
  C: { colour: "computing", ink: "#000000", mark: "stripe" },
  B: { colour: "blocked", ink: "#000000", mark: "stripe" },
  Q: { colour: "silent", ink: "#ffffff", mark: "stripe" },
  T: { colour: "stopped", ink: "#ffffff", mark: "cross" },
  D: { colour: "dead", ink: "var", mark: "cross" },
  U: { colour: "unknown", ink: null, mark: "hatch" },
  N: { colour: "gone", ink: null },
  E: { colour: "gone", ink: null },
  O: { colour: "unknown", ink: null },
};

/** How a state looks, with the colours of the present theme. `mark` says which drawing small cells have beside colour. */
export function look_of(letter) {
  const look = looks[letter] ?? looks.U;
  const style = getComputedStyle(document.documentElement);
  const colour = style.getPropertyValue(`--state-${look.colour}`).trim();
  let ink = look.ink ?? style.getPropertyValue("--text").trim();
  if (ink === "var") ink = style.getPropertyValue("--card").trim();
  return { colour, ink, mark: look.mark ?? null };
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
