#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "paths/views/view.h"

namespace eventspace {

/// Judges whether a view of a standing scope (ScopeTree::look) tells its reader something that the views
/// before did not: records, or what was made of them; names; events that were lost; what a process used of
/// its machine; and, where they are not the same as in the last view that told them, the state of a process,
/// its operations in flight, and what is missing.
///
/// What a process without news only has in other words, such as the time of its clock, is no news. Nor is how
/// much a filter dropped. Not thread-safe.
class ViewNews {
 public:
  /// For how many processes the last report is kept; when there are more, all of them count as news once.
  static constexpr std::size_t most_processes = 65'536;

  [[nodiscard]] bool is_in(const View& view) const;
  /// The reader gets the view.
  void note(const View& view);
  /// The reader may not have got the last views: what they told is news again.
  void forget();
  /// What was missing in the last view that was noted.
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
