#include "monitors/text/colour.h"

#include <unistd.h>

#include "monitors/text/plain_output.h"
#include "pathmaps/sessions/own_process.h"

namespace eventspace {
namespace {

std::string_view sequence_of(Tone tone) noexcept {
  switch (tone) {
    case Tone::plain:
      break;
    case Tone::good:
      return "\x1b[32m";
    case Tone::warning:
      return "\x1b[33m";
    case Tone::bad:
      return "\x1b[1;31m";
    case Tone::faint:
      return "\x1b[2m";
  }
  return "";
}

}  // namespace

bool terminal_has_colour() {
  const std::string name = environment("TERM");
  return environment("NO_COLOR").empty() && !name.empty() && name != "dumb" && !name.starts_with("vt") &&
         !name.ends_with("-m") && !name.ends_with("-mono");
}

bool wants_colour(ColourUse use) {
  if (use != ColourUse::automatic) return use == ColourUse::always;
  return ::isatty(STDOUT_FILENO) == 1 && terminal_has_colour();
}

void write_toned(std::ostream& stream, std::string_view text, Tone tone, bool colour) {
  const std::string_view sequence = colour ? sequence_of(tone) : "";
  if (sequence.empty()) {
    stream << text;
    return;
  }
  write_control(stream, sequence);
  stream << text;
  write_control(stream, "\x1b[0m");
}

}  // namespace eventspace
