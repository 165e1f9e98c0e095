#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <eventspace/stream_filter.h>
#include "scopes/plugins/watched_thread.h"

namespace eventspace::streams {

/// Runs a filter with a time limit in a thread of its own, and waits for it no longer than the limit.
///
/// If the filter does not return in time, its wave is lost (apply throws). Until it has returned, later waves
/// are lost without waiting. So a filter that hangs delays the process once, by the limit, and other streams
/// continue. A late result is dropped, as its wave was reported as lost. The filter gets children that join
/// or leave in that time afterwards.
///
/// If it never returns, its thread remains when this object is destroyed. Not thread-safe.
class WatchedFilter final : public Filter {
 public:
  /// `name` is for messages. Throws EnvironmentError if too many threads hang already.
  WatchedFilter(std::string name, std::unique_ptr<Filter> filter, std::chrono::nanoseconds limit);

  void apply(const Wave& wave, std::vector<Packet>& out) override;
  void join(Child child, const RankSet& ranks) override;
  void leave(Child child, std::vector<Packet>& out) override;

 private:
  using Work = std::function<void(Filter& filter, std::vector<Packet>& out)>;
  /// The state that the thread uses: it may outlive this object.
  struct Call;

  /// Whether the thread can take work: its last call has returned.
  [[nodiscard]] bool is_back();
  /// Runs `work`; appends to `out`. Passes on its exceptions, and throws if it is late.
  void run(Work work, std::vector<Packet>& out);
  /// Passes on the children that have joined and left.
  void catch_up(std::vector<Packet>& out);

  std::string name_;
  std::shared_ptr<Filter> filter_;
  std::chrono::nanoseconds limit_;
  bool is_late_{false};
  std::map<Child, std::optional<RankSet>> untold_;  // nullopt: the child has left
  std::set<Child> told_;
  WatchedThread thread_;
};

}  // namespace eventspace::streams
