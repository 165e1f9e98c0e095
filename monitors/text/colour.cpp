#include "monitors/text/colour.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>
#include <string>

#include "monitors/text/plain_output.h"

namespace eventspace {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

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

void add_colour(CLI::App& app, ColourUse& use) {
  static const std::map<std::string, ColourUse> words{
      {"auto", ColourUse::automatic}, {"always", ColourUse::always}, {"never", ColourUse::never}};
  const auto choose = [&use](const std::string& word) {
    const auto known = words.find(word);
    if (known == words.end())
      throw CLI::ValidationError("--color", "found '" + word + "'; expected auto, always or never");
    use = known->second;
  };
  app.add_option_function<std::string>(
         "--color", choose,
         "Colours: auto (on a terminal, unless NO_COLOR is set), always or never "
         "[auto]")
      ->type_name("WHEN");
}

bool terminal_has_colour() {
  const std::string_view name = variable("TERM");
  return variable("NO_COLOR").empty() && !name.empty() && name != "dumb" && !name.starts_with("vt") &&
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
