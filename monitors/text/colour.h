#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

namespace eventspace {

/// When a command colours its text.
enum class ColourUse : std::uint8_t {
  automatic,  ///< on a terminal that has colours, unless NO_COLOR is set
  always,
  never
};

/// Whether to colour the text on standard output. `automatic` checks the environment: NO_COLOR, set and not
/// empty, forbids them; TERM must name a terminal, neither `dumb` nor one without colours.
bool wants_colour(ColourUse use);
/// Whether the terminal named by TERM has colours, and NO_COLOR does not forbid them. Does not consider where
/// the output goes.
bool terminal_has_colour();

/// The meaning of a piece of coloured text.
enum class Tone : std::uint8_t { plain, good, warning, bad, faint };

/// Writes `text` to `stream` in the colour of its meaning, or plain if `colour` is false. The control
/// sequences pass a PlainOutput; `text` does not, and is escaped as usual.
void write_toned(std::ostream& stream, std::string_view text, Tone tone, bool colour);

}  // namespace eventspace
