#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "monitors/probing/stacks/thread_stack.h"
#include "paths/views/view.h"

namespace eventspace {

struct HealthReport;

/// Where a thread is that others wait for.
struct CulpritStack {
  std::uint32_t thread{0};
  ThreadStack stack;
  std::string refusal;  ///< why its stack is not known; empty: it is
};

/// Yields the stack of a thread of a process. Throws EnvironmentError with the reason if it cannot. Tests
/// have others than the program.
class StackSource {
 public:
  StackSource() = default;
  virtual ~StackSource() = default;
  StackSource(const StackSource&) = delete;
  StackSource& operator=(const StackSource&) = delete;

  virtual ThreadStack stack_of(const ProcessReport& process, std::int32_t tid) = 0;
};

/// The stacks of threads on this machine, by stack_of_thread().
class StacksHere final : public StackSource {
 public:
  ThreadStack stack_of(const ProcessReport& process, std::int32_t tid) override;
};

/// The most stacks of one report: each makes a thread stand still, and takes some milliseconds.
inline constexpr std::size_t max_culprit_stacks = 4;

/// The stacks of the threads that `report` blames, which was made from `view`: of its culprits, the one that
/// most threads wait for first, and of the causes of verdicts on an MPI job. Threads that have ended, or are
/// of a dead process, have none. No more than max_culprit_stacks.
std::vector<CulpritStack> stacks_of_culprits(const HealthReport& report, const View& view,
                                             StackSource& source);

}  // namespace eventspace
