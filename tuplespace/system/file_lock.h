#pragma once

#include <cstdint>

namespace eventspace {

/// What a file in shared memory shows of the lock by which its process, as long as it lives, says that the
/// file is in use. Other than ids, locks are the same in all containers that share the file.
enum class FileLock : std::uint8_t {
  held,
  free,       ///< of all processes that could have it, none has it
  not_shared  ///< none of this machine has it; others may, whose locks the file system need not show
};

}  // namespace eventspace
