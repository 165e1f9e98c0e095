#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "monitors/heartbeat/heartbeat_analysis.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/plan_names.h"
#include "tests/pathmaps/valid_plan.h"

namespace eventspace::testing_commands {

/// One look of a heartbeat monitor, at 100 s, at the threads of a pathmap: a view that tests fill with
/// records. In the view all processes run, with all threads bound and no records; no real process runs.
class MadeUpLook {
 public:
  /// `processes` includes the servers of nodes if they should be in the view.
  MadeUpLook(const std::string& yaml, const std::string& scope, std::uint32_t processes)
      : plan_(plan_of(yaml)), analysis_(*plan_, *plan_->find_scope(scope), std::chrono::seconds(2)) {
    for (std::uint32_t number = 0; number < processes; ++number) {
      ProcessReport report;
      report.process = number;
      report.pid = 100;
      report.now_ticks = ticks(100);
      view_.processes.push_back(report);
    }
    for (std::uint32_t thread = 0; thread < plan_->thread_count(); ++thread) {
      const std::uint32_t process = number_of_process(*plan_, plan_->threads[ThreadIndex(thread)].host());
      view_.processes[process].threads.push_back({thread, 1000 + static_cast<int>(thread), 'S', 0});
    }
  }

  const HealthReport& look() {
    report_ = analysis_.observe(view_, std::chrono::steady_clock::time_point(std::chrono::seconds(100)));
    return report_;
  }
  /// The culprits of a look, each with the number of threads that wait for it. Threads that are only stalled
  /// are left out.
  std::map<std::string, std::size_t> blamed() {
    look();
    std::map<std::string, std::size_t> all;
    for (const Culprit& culprit : report_.culprits)
      if (culprit.waiting > 0) all.emplace(names_.thread_name(culprit.thread), culprit.waiting);
    return all;
  }

 protected:
  static std::uint64_t ticks(std::uint64_t second) { return second * 1'000'000'000; }
  void add(const EventRecord& record) { view_.records.push_back(encode(record)); }
  /// The record of an operation of `thread`, which may be a joint, on its path.
  [[nodiscard]] EventRecord record_of(const std::string& thread, const std::string& path, Verb verb) const {
    const PathIndex number = path_of(thread, path);
    EventRecord record;
    record.thread = plan_->paths[number].thread.number32();
    record.path = number.number32();
    record.verb = verb;
    if (const auto& peer = plan_->paths[number].peer) record.peer = peer->number32();
    return record;
  }
  [[nodiscard]] PathIndex path_of(const std::string& thread, const std::string& path) const {
    for (const PathIndex number : plan_->paths.indices()) {
      const PathPlan& one = plan_->paths[number];
      if (one.name == path && plan_->threads[one.thread].name == thread) return number;
    }
    throw std::out_of_range(thread + "/" + path);
  }

 private:
  static std::shared_ptr<const Plan> plan_of(const std::string& yaml) {
    return test::shared_plan(parse_plan(yaml, "look.yaml"));
  }

 protected:
  std::shared_ptr<const Plan> plan_;
  NamesOfPlan names_{plan_};
  HeartbeatAnalysis analysis_;
  View view_;
  HealthReport report_;
};

}  // namespace eventspace::testing_commands
