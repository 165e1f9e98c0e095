#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/stacks/thread_stack.h"

namespace eventspace {

/// Unwinds copies of threads of one process, with elfutils' libdwfl. Files of the process that cannot be read
/// are left out: a stack ends at the first frame in such a file. Not thread-safe.
class Unwinder {
 public:
  static constexpr std::size_t max_frames = 256;  ///< limit for one stack

  Unwinder(std::int32_t pid, const std::vector<MappedRange>& ranges);
  ~Unwinder();
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  /// May be called once for each object.
  [[nodiscard]] ThreadStack unwind(const ThreadCopy& copy);

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace eventspace
