#include "monitors/cli/keys_on_input.h"

#include <iostream>

#include <eventspace/error.h>

namespace eventspace {

void add_keys_on_input(CLI::App& app, bool& keys_on_input) {
  app.add_flag("--keys-on-input", keys_on_input, "Read the session's keys from standard input");
}

std::shared_ptr<const UsedKeys> take_keys_from_input(const std::string& session) {
  constexpr std::size_t max_bytes = 4096;
  std::string text(max_bytes, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::cin.gcount()));
  if (text.empty()) {
    throw ConfigurationError(
        "no keys on standard input; `launch` in the pathmap must forward standard input (use ssh without "
        "-n)");
  }
  const SessionKeys keys = parse_session_keys(text, "standard input");
  overwrite(text);
  return use_given_keys(session, keys);
}

}  // namespace eventspace
