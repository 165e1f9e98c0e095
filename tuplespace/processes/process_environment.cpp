#include "tuplespace/processes/process_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/file_beginning.h"

namespace eventspace {

std::map<std::string, std::string, std::less<>> environment_of_process(std::int32_t pid) {
  std::map<std::string, std::string, std::less<>> variables;
  const std::string all = beginning_of_file(fmt::format("/proc/{}/environ", pid));
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
  const std::string stat = beginning_of_file(fmt::format("/proc/{}/stat", pid), 4096);
  const std::size_t name_end = stat.rfind(')');
  constexpr std::size_t to_parent = 4;  // ") S "
  if (name_end == std::string::npos || stat.size() <= name_end + to_parent) return 0;
  return leading_number<std::int32_t>(std::string_view(stat).substr(name_end + to_parent));
}

}  // namespace eventspace
