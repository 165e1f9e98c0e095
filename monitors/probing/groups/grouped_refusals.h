#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// Reasons for failures, each with the number of processes that it applies to and the names of the first few.
/// A report has a line for each reason, not for each process. Not thread-safe.
class GroupedRefusals {
 public:
  static constexpr std::size_t max_named = 5;
  static constexpr std::size_t max_reasons = 64;  ///< later ones are counted together

  struct Processes {
    std::uint64_t count{0};
    std::vector<std::string> named{};  ///< the first few: "4711", "n1:4711"
  };

  /// Adds a refusal. A process's own pid in the reason ("process 4711 has ended") does not make reasons
  /// different. `who` names the process; empty: by its pid.
  void add(std::int32_t pid, const std::string& reason, std::string_view who = {});
  /// Adds refusals of others, such as another machine. `reason` is as in by_reason().
  void add(const std::string& reason, const Processes& processes);

  [[nodiscard]] bool is_empty() const noexcept { return by_reason_.empty(); }
  /// In a reason, "process {}" stands for the process itself.
  [[nodiscard]] const std::map<std::string, Processes>& by_reason() const noexcept { return by_reason_; }
  /// A line for each reason.
  [[nodiscard]] std::vector<std::string> lines() const;
  /// Prints the lines on standard error.
  void report() const;

 private:
  std::map<std::string, Processes> by_reason_;
};

}  // namespace eventspace
