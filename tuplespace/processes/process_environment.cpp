#include "tuplespace/processes/process_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

namespace eventspace {
namespace {

std::string beginning_of(const std::string& file) {
  constexpr std::size_t most = 1 << 20;
  std::string bytes(most, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(most));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return bytes;
}

}  // namespace

std::map<std::string, std::string, std::less<>> environment_of_process(std::int32_t pid) {
  std::map<std::string, std::string, std::less<>> variables;
  const std::string all = beginning_of(fmt::format("/proc/{}/environ", pid));
  for (std::string_view rest = all; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\0'));
    if (const std::size_t equal = line.find('='); equal != std::string_view::npos)
      variables.emplace(line.substr(0, equal), line.substr(equal + 1));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return variables;
}

std::int32_t parent_of_process(std::int32_t pid) {
  // "4711 (name) S 4710 ...": the name may have any characters, also ')'.
  const std::string stat = beginning_of(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = stat.rfind(')');
  constexpr std::size_t to_parent = 4;  // ") S "
  if (name_end == std::string::npos || stat.size() <= name_end + to_parent) return 0;
  std::int32_t parent = 0;
  std::from_chars(stat.data() + name_end + to_parent, stat.data() + stat.size(), parent);
  return parent;
}

}  // namespace eventspace
