#pragma once

#include <cstdint>

namespace eventspace {

/// The visible state of the lock by which a process marks a file in shared memory as in use as long as it
/// lives. Unlike ids, locks are the same in all containers that share the file.
enum class FileLock : std::uint8_t {
  held,
  free,       ///< not held by any process that could hold it
  not_shared  ///< not held on this machine; processes on other machines may hold it, whose locks the file
              ///< system need not show
};

}  // namespace eventspace
