#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "monitors/probing/stacks/thread_stack.h"
#include "paths/views/view.h"

namespace eventspace {

struct HealthReport;

/// The stack of a thread for which others wait.
struct CulpritStack {
  std::uint32_t thread{0};
  ThreadStack stack;
  std::string refusal;  ///< why its stack is not known; empty if it is
};

/// Returns the stack of a thread of a process, or throws EnvironmentError with the reason. Tests use their
/// own sources.
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

/// Maximum number of stacks in one report: each stack stops a thread for some milliseconds.
inline constexpr std::size_t max_culprit_stacks = 4;

/// The stacks of the threads that `report`, made from `view`, blames: the culprits, those with most waiting
/// threads first, and the causes of verdicts on an MPI job. Leaves out threads that have ended and threads of
/// dead processes. Returns up to max_culprit_stacks.
std::vector<CulpritStack> stacks_of_culprits(const HealthReport& report, const View& view,
                                             StackSource& source);

}  // namespace eventspace
