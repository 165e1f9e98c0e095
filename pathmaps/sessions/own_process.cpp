#include "pathmaps/sessions/own_process.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include <eventspace/error.h>
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

void require_not_joined_by_preloaded_library(const std::string& session) {
  void* const found = ::dlsym(RTLD_DEFAULT, preloaded_session_function);
  const char* const joined = found != nullptr ? reinterpret_cast<const char* (*)()>(found)() : nullptr;
  if (joined == nullptr || session != joined) return;
  throw ConfigurationError(
      fmt::format("a preloaded library of EventSpace, which records the calls of MPI or PVM, has joined "
                  "session {} in this process; open the session before the first of these calls (MPI_Init), "
                  "or start the program without the library (`eventspace run --mpi none`)",
                  session));
}

bool shall_collect(const Plan& plan, const std::optional<bool>& asked) {
  if (asked) return *asked;
  return plan.collect && environment("EVENTSPACE_COLLECT") != "0";
}

}  // namespace eventspace
