#include "paths/sockets/free_descriptors.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <vector>

#include <eventspace/error.h>
#include "tuplespace/system/mapping.h"

namespace eventspace {

namespace {

// 0, or the error number if that many cannot be opened.
int fault_of_opening(std::size_t count) {
  std::vector<FileHandle> opened;
  opened.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    opened.emplace_back(::eventfd(0, EFD_CLOEXEC));
    if (!opened.back().valid()) return errno;
  }
  return 0;
}

}  // namespace

bool can_open_descriptors(std::size_t count) { return fault_of_opening(count) == 0; }

void require_descriptors(std::size_t count, std::string_view what) {
  const int fault = fault_of_opening(count);
  if (fault == 0) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  throw EnvironmentError(
      fault == EMFILE
          ? fmt::format("{} needs up to {} open files (descriptors); this process may have {}, and "
                        "too many of them are in use: raise the limit with `ulimit -n`",
                        what, count, static_cast<std::uint64_t>(limit.rlim_cur))
          : fmt::format("{} needs up to {} open files (descriptors), and this machine has none left", what,
                        count));
}

}  // namespace eventspace
