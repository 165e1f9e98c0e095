#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "paths/views/view.h"

namespace eventspace {

/// Decides whether a view of a subscription (ScopeTree::look) has news for its reader: records, or results
/// computed from them; names; lost events; a process's use of its machine; and changes since the last noted
/// view in the state of a process, its operations in flight, and missing parts.
///
/// Values of an idle process that always change, such as the time of its clock, are not news, and neither is
/// the amount that a filter dropped. Not thread-safe.
class ViewNews {
 public:
  /// The maximum number of processes whose last report is kept; beyond it, all of them count as news once.
  static constexpr std::size_t max_processes = 65'536;

  [[nodiscard]] bool is_in(const View& view) const;
  /// The reader gets the view.
  void note(const View& view);
  /// The reader may not have received the last views: their content is news again.
  void forget();
  /// The missing parts of the last noted view.
  [[nodiscard]] const std::vector<Missing>& missing() const noexcept { return missing_; }

 private:
  struct Told {
    std::uint64_t start_ticks{0};
    RunState state{RunState::running};
    CollectState collecting{};
    std::vector<TraceTuple> in_flight{};
    friend bool operator==(const Told&, const Told&) = default;
  };
  using Run = std::pair<std::uint32_t, std::int32_t>;  // the numbers of a process and its id
  [[nodiscard]] static Told told_by(const ProcessReport& report);
  [[nodiscard]] bool is_new(const ProcessReport& report) const;

  std::map<Run, Told> processes_;
  std::vector<Missing> missing_;
};

}  // namespace eventspace
