#pragma once

// Private to scopes/.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scopes/plugins/watched_thread.h"
#include "scopes/streams/filters/filter.h"

namespace eventspace::streams {

/// A filter with a limit: it works in a thread of its own, and the process waits for it no longer than that.
///
/// If it does not return in time, its wave is lost (apply throws), and so are the waves that come until it
/// has returned, for which the process does not wait at all. So a filter that hangs delays all that the
/// process does once, by the limit, and other streams go on. The result that comes too late is dropped, as
/// its wave was reported as lost. Children that join or leave meanwhile are told afterwards.
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
  /// What the thread uses: it may outlive this object.
  struct Call;

  /// Whether the thread can be given work: its last call has returned.
  [[nodiscard]] bool is_back();
  /// Does `work`; appends to `out`. Throws what it throws, or if it is late.
  void run(Work work, std::vector<Packet>& out);
  /// Tells about children that have joined and left.
  void catch_up(std::vector<Packet>& out);

  std::string name_;
  std::shared_ptr<Filter> filter_;
  std::chrono::nanoseconds limit_;
  bool is_late_{false};
  std::map<Child, std::optional<RankSet>> untold_;  // without ranks: it has left
  std::set<Child> told_;
  WatchedThread thread_;
};

}  // namespace eventspace::streams
