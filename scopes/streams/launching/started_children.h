#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <list>
#include <string>
#include <vector>

#include <eventspace/topology.h>
#include "scopes/streams/launching/start_sheet.h"
#include "scopes/streams/launching/started_process.h"

namespace eventspace::streams {

/// The children that a process of a launched network has started. Not thread-safe.
class StartedChildren {
 public:
  struct Parent {
    std::uint32_t process{0};
    std::string endpoint;        ///< where the children attach
    std::filesystem::path keys;  ///< the file for back-ends on this machine; empty: no keys
  };

  /// Starts all children of `parent`; `sheet` is the parent's. A child that cannot be started is reported as
  /// a failure, and the others are started anyway.
  StartedChildren(const StartSheet& sheet, const Topology& topology, Parent parent);

  /// The failures since the last call: commands that could not be started, or that ended with a status other
  /// than 0. Each has host and command.
  [[nodiscard]] std::vector<std::string> take_failures();
  /// The network has ended: waits until the children have ended, and kills those that have not in time
  /// (LaunchOptions::patience).
  void end();

 private:
  void start(const StartSheet& sheet, const TreeProcess& child, std::uint32_t number);
  [[nodiscard]] std::vector<std::string> behind_launcher(const LaunchOptions& options,
                                                         const std::string& host) const;

  Parent parent_;
  std::string host_;
  std::chrono::nanoseconds patience_;
  std::list<StartedProcess> running_;
  std::vector<std::string> failures_;
};

}  // namespace eventspace::streams
