#include "monitors/servers/descriptor_limit.h"

#include <fmt/format.h>

#include <iostream>

#include "tuplespace/processes/descriptor_limit.h"

namespace eventspace {

std::string warn_of_few_descriptors(std::uint64_t descriptors, std::uint64_t connections) {
  constexpr std::uint64_t others = 64;  // files, segments that are being opened, links to other servers
  if (descriptors >= connections + others) return "";
  return fmt::format(
      "this process may open {} descriptors, but `limits: connections` of {} needs {}: connections beyond "
      "that are not served. Raise the number with `ulimit -n`, or lower the limit",
      descriptors, connections, connections + others);
}

void allow_connections(std::uint64_t connections) {
  const std::string warning = warn_of_few_descriptors(raise_descriptor_limit(), connections);
  if (!warning.empty()) std::cerr << "warning: " + warning + "\n" << std::flush;
}

}  // namespace eventspace
