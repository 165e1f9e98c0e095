#include "monitors/watching/session_of_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace eventspace {
namespace {

// At most so much of a file of /proc is read: what processes put there is not trusted.
std::string beginning_of(const std::string& file) {
  constexpr std::size_t most = 1 << 20;
  std::string bytes(most, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(most));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return bytes;
}

std::optional<std::string> session_in_environment_of(std::string_view pid) {
  constexpr std::string_view variable = "EVENTSPACE_SESSION=";
  const std::string all = '\0' + beginning_of(fmt::format("/proc/{}/environ", pid));
  const std::size_t at = all.find('\0' + std::string(variable));
  if (at == std::string::npos) return std::nullopt;
  std::string value = all.substr(at + 1 + variable.size());
  value.resize(std::min(value.find('\0'), value.size()));
  return value.empty() ? std::nullopt : std::optional(std::move(value));
}

bool is_number(std::string_view text) {
  constexpr std::size_t longest = 10;
  return !text.empty() && text.size() <= longest &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<std::string> session_of_process(std::string_view pid) {
  if (!is_number(pid)) return std::nullopt;
  if (auto session = session_in_environment_of(pid)) return session;
  std::string children = beginning_of(fmt::format("/proc/{0}/task/{0}/children", pid));
  for (std::string_view rest = children; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view child = rest.substr(0, end);
    if (is_number(child))
      if (auto session = session_in_environment_of(child)) return session;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

}  // namespace eventspace
