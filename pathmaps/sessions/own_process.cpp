#include "pathmaps/sessions/own_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "tuplespace/system/plain_text.h"

namespace eventspace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The program's name is cut so that the whole name, with a number of ten digits, fits into a segment.
std::string own_process_name() {
  constexpr std::size_t longest = 48;
  return fmt::format("{}:{}", made_plain(program_invocation_short_name, longest), ::getpid());
}

bool shall_collect(const Plan& plan, const std::optional<bool>& asked) {
  if (asked) return *asked;
  return plan.collect && environment("EVENTSPACE_COLLECT") != "0";
}

}  // namespace eventspace
