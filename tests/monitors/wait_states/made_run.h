#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "monitors/wait_states/run_activities.h"

/// Runs that are made up call by call, in virtual time, in microseconds. A call lasts as long as its work,
/// from the last begin among the calls on which it depends.
namespace eventspace::test {

inline constexpr std::int64_t us = 1000;  // nanoseconds

class MadeRun {
 public:
  explicit MadeRun(std::uint32_t locations, const RunActivities::Limits& limits = {})
      : run(limits), time_(locations) {
    for (std::uint32_t location = 0; location < locations; ++location)
      run.add_location("rank " + std::to_string(location), {});
  }

  /// Computes, in a region if one is named.
  MadeRun& work(std::uint32_t location, std::int64_t duration, const std::string& region = "") {
    if (!region.empty()) run.change_region(location, {time_[location] * us, run.region(region)});
    time_[location] += duration;
    if (!region.empty()) run.change_region(location, {time_[location] * us, 0});
    return *this;
  }
  /// A call that depends on no other.
  ActivityRef call(std::uint32_t location, std::int64_t duration, const std::string& site = "MPI_Wtime") {
    return add(location, time_[location] + duration, site);
  }
  /// A send that does not wait.
  MadeRun& send(std::uint32_t from, std::uint32_t to, std::int64_t duration = 2) {
    sent_[{from, to}].push_back({add(from, time_[from] + duration, "MPI_Send"), begin_});
    return *this;
  }
  /// Receives the oldest message from there.
  MadeRun& receive(std::uint32_t at, std::uint32_t from, std::int64_t duration = 5) {
    auto& sent = sent_[{from, at}];
    const auto [cause, sent_at] = sent.front();
    sent.erase(sent.begin());
    const ActivityRef waiting = add(at, std::max(time_[at], sent_at) + duration, "MPI_Recv");
    run.link({.kind = WaitKind::late_sender, .waiting = waiting, .cause = cause});
    return *this;
  }
  /// A send that waits for its receive.
  MadeRun& hand_over(std::uint32_t from, std::uint32_t to, std::int64_t duration = 5) {
    const std::int64_t end = std::max(time_[from], time_[to]) + duration;
    const ActivityRef sent = add(from, end, "MPI_Ssend");
    const ActivityRef received = add(to, end, "MPI_Recv");
    run.link({.kind = WaitKind::late_sender, .waiting = received, .cause = sent});
    run.link({.kind = WaitKind::late_receiver, .waiting = sent, .cause = received});
    return *this;
  }
  /// All locations take part.
  MadeRun& meet(WaitKind kind, std::int64_t duration = 3, std::uint32_t root = 0) {
    const std::int64_t last = *std::ranges::max_element(time_);
    const std::int64_t roots = time_[root];
    Meeting meeting{.kind = kind};
    for (std::uint32_t location = 0; location < time_.size(); ++location) {
      const std::int64_t own = time_[location];
      const bool waits = kind != WaitKind::early_reduce || location == root;
      const std::int64_t since =
          kind == WaitKind::late_broadcast ? std::max(own, roots) : (waits ? last : own);
      const ActivityRef made = add(location, since + duration, std::string(to_string(kind)));
      meeting.members.push_back({made, made, waits});
    }
    if (kind != WaitKind::late_broadcast) {
      run.meet(std::move(meeting));
      return *this;
    }
    for (const Meeting::Member& member : meeting.members)
      if (member.comes.location != root)
        run.link({.kind = kind, .waiting = member.leaves, .cause = meeting.members[root].comes});
    return *this;
  }

  [[nodiscard]] std::int64_t now(std::uint32_t location) const { return time_[location]; }

  RunActivities run;

 private:
  ActivityRef add(std::uint32_t location, std::int64_t end, const std::string& site) {
    begin_ = time_[location];
    Activity activity;
    activity.begin_ns = begin_ * us;
    activity.end_ns = end * us;
    activity.site = run.site(site);
    time_[location] = end;
    return run.add(location, activity);
  }

  std::vector<std::int64_t> time_;
  std::int64_t begin_{0};  // of the newest call
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::pair<ActivityRef, std::int64_t>>> sent_;
};

}  // namespace eventspace::test
