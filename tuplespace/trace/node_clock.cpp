#include "tuplespace/trace/node_clock.h"

#include <ctime>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "tuplespace/processes/process_origin.h"
#include "tuplespace/system/fnv.h"

namespace eventspace {
namespace {

std::uint64_t read_monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

// Containers on one machine share its clock, unless they have separate time namespaces.
std::uint64_t identify_monotonic() {
  const std::string boot = boot_id();
  if (boot.empty()) return 0;
  std::error_code none;  // ignored: a kernel without time namespaces
  return fnv1a<std::uint64_t>(boot + ' ' +
                              std::filesystem::read_symlink("/proc/self/ns/time", none).string());
}

}  // namespace

NodeClock::NodeClock() : read_ns_(read_monotonic_ns) {
  static const std::uint64_t identity = identify_monotonic();
  identity_ = identity;
}

NodeClock::NodeClock(std::function<std::uint64_t()> read_ns, std::uint64_t identity)
    : read_ns_(std::move(read_ns)), identity_(identity) {}

}  // namespace eventspace
