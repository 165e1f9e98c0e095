#include "monitors/archive/recorder_clock.h"

#include <filesystem>

#include "tuplespace/processes/process_origin.h"

namespace eventspace {

std::string name_of_own_clock() {
  const std::string boot = boot_id();
  std::error_code error;
  const std::string names = std::filesystem::read_symlink("/proc/self/ns/time", error).string();
  // A kernel without time namespaces has a single clock.
  return !boot.empty() ? boot + ' ' + names : std::string();
}

}  // namespace eventspace
