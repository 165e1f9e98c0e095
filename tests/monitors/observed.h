#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "monitors/heartbeat/heartbeat_analysis.h"
#include "monitors/servers/child_process.h"
#include "pathmaps/sessions/consumer.h"
#include "tests/monitors/workplace.h"

namespace eventspace::testing_commands {

/// An application under observation: node servers and the application's processes on the ground's nodes, and
/// a heartbeat monitor in the test itself.
class Observed : public Workplace {
 protected:
  void TearDown() override;

  /// Observes the threads with the numbers `threads` through the pathmap's scope "heartbeat". A thread is
  /// stalled after a second and a half without an event.
  void observe(const std::filesystem::path& pathmap, const std::vector<std::uint32_t>& threads);

  // --- processes ---

  /// Starts a command on `node`; empty: on this machine. Its output goes to the file `log`. The destructor
  /// kills it.
  ChildProcess& launch(const std::string& node, std::vector<std::string> command, const std::string& log);
  ChildProcess& serve(const std::string& node);
  /// Starts `eventspace ARGUMENTS...` on this machine.
  ChildProcess& monitor(const std::vector<std::string>& arguments, const std::string& log);
  /// The node of a process of the application.
  [[nodiscard]] const std::string& node_of(const std::string& process) const;

  // --- watching ---

  HealthReport look();
  /// Looks until `wanted` holds or the patience ends. The last report then shows the actual state.
  HealthReport see(const std::function<bool(const HealthReport&)>& wanted);
  static std::function<bool(const HealthReport&)> verdict_is(std::size_t thread, Verdict verdict);
  HealthReport see_all_running();
  /// Expects that the application makes progress: waits until `thread` has a later event than now.
  void see_progress(std::size_t thread);
  [[nodiscard]] std::string logs() const;

  std::filesystem::path pathmap_;
  std::list<ChildProcess> children_;
  std::unique_ptr<Consumer> consumer_;
  std::unique_ptr<HeartbeatAnalysis> analysis_;
  std::unique_ptr<EventScope> scope_;
  View view_;  ///< of the last look
};

}  // namespace eventspace::testing_commands
