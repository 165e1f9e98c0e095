#include "monitors/watching/session_of_process.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuplespace/parsing/number_in.h"
#include "tuplespace/processes/process_environment.h"
#include "tuplespace/system/file_beginning.h"

namespace eventspace {
namespace {

std::optional<std::string> session_in_environment_of(std::int32_t pid) {
  auto variables = environment_of_process(pid);
  const auto found = variables.find("EVENTSPACE_SESSION");
  if (found == variables.end() || found->second.empty()) return std::nullopt;
  return std::move(found->second);
}

std::optional<std::int32_t> process_id_in(std::string_view text) {
  const auto number = number_in<std::int32_t>(text);
  return number && *number > 0 ? number : std::nullopt;
}

}  // namespace

std::optional<std::string> session_of_process(std::string_view pid) {
  const auto number = process_id_in(pid);
  if (!number) return std::nullopt;
  if (auto session = session_in_environment_of(*number)) return session;
  const std::string children = beginning_of_file(fmt::format("/proc/{0}/task/{0}/children", *number));
  for (std::string_view rest = children; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (const auto child = process_id_in(rest.substr(0, end)))
      if (auto session = session_in_environment_of(*child)) return session;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

}  // namespace eventspace
