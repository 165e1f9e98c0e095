#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "monitors/probing/work/probe_plan.h"

namespace eventspace {

/// A process with probes of this tool. The destructor removes them, also if an earlier attempt was refused.
/// Not thread-safe.
class ProbedProcess {
 public:
  struct Counted {
    std::string module;
    std::string function;
    PlacedProbe placed;
    std::uint64_t calls{0};  ///< at the last reading
    MeasuredCalls measured;  ///< at the last reading; empty if the task only counts
  };

  /// A function of the plan that could not be probed.
  struct Refused {
    std::size_t function{0};  ///< its index in the plan
    std::string why;
  };

  /// Puts the probes in. Throws EnvironmentError as place_probes() does.
  ProbedProcess(std::int32_t pid, const ProbePlan& plan, const CompiledTask& task = {},
                const std::optional<RecordedProbes>& recorded = std::nullopt);
  ~ProbedProcess();
  ProbedProcess(ProbedProcess&& other) noexcept;
  ProbedProcess& operator=(ProbedProcess&& other) = delete;

  /// Reads the counters. Returns false if the process has ended or runs another program. The counts are then
  /// final, or, if the memory could not be kept, those of the reading before.
  bool look();
  /// Whether the last reading found the process unchanged.
  [[nodiscard]] bool is_there() const noexcept { return is_there_; }
  /// False if the process has ended and its last calls may be missing: those since the reading before the
  /// last.
  [[nodiscard]] bool has_exact_counts() const noexcept { return has_exact_counts_; }
  /// Whether the process has ended. Another one may have its id.
  [[nodiscard]] bool has_ended() const;
  /// False once this object has removed them.
  [[nodiscard]] bool has_probes() const noexcept { return has_probes_; }
  /// Whether one of them is at a requested function, and not only for a variable.
  [[nodiscard]] bool has_asked_for() const noexcept;
  /// Removes this tool's probes from the process, after a last reading. No effect if that was done before.
  /// Throws EnvironmentError with the reason if it fails; has_probes() then stays true.
  Removal remove();
  /// Removes only the probes of this object, and leaves those of other objects in the process.
  Removal remove_these();
  /// remove() for several processes, in their order, in much less time than one after the other
  /// (process_probes.h). A refusal has the reason of a failure.
  static std::vector<InProcess<Removal>> remove_all(const std::vector<ProbedProcess*>& processes);

  /// The ids of the recording threads, by ring; 0: unused. Nullopt if the process has ended, does not record,
  /// or its probes were removed.
  [[nodiscard]] std::optional<std::vector<std::int32_t>> recording_threads() const;

  /// The bits of the variables, in the order of the task, at the last reading; empty if there are none.
  [[nodiscard]] const std::vector<std::uint64_t>& variables() const noexcept { return variables_; }
  [[nodiscard]] std::int32_t pid() const noexcept { return pid_; }
  [[nodiscard]] const std::vector<Counted>& functions() const noexcept { return functions_; }
  /// In words, with the name of the function.
  [[nodiscard]] const std::vector<std::string>& refusals() const noexcept { return refusals_; }
  [[nodiscard]] const std::vector<Refused>& refused() const noexcept { return refused_; }
  [[nodiscard]] std::chrono::nanoseconds longest_stop() const noexcept { return longest_stop_; }

 private:
  void note_removed();
  /// Returns whether all could be read.
  template <class Memory>
  bool read_from(const Memory& memory);

  std::int32_t pid_;
  std::uint64_t start_ticks_;  // 0: unreadable
  bool is_counting_;
  std::uint32_t real_values_;
  ProcessMemory memory_;
  std::vector<Counted> functions_;
  std::vector<std::string> refusals_;
  std::vector<Refused> refused_;
  std::chrono::nanoseconds longest_stop_{};
  std::uint64_t rings_{0};
  std::uint64_t variables_at_{0};
  std::set<std::uint64_t> areas_;
  KeptMemory kept_;
  bool has_exact_counts_{true};
  std::vector<std::uint64_t> variables_;
  bool is_there_{true};
  bool has_probes_{true};
};

}  // namespace eventspace
