#pragma once

// Private to monitors/.

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "scopes/metrics/evaluation/definition.h"

namespace eventspace {

/// A named group (monitors/probing/groups/named_groups.h) of those processes of a session for which an alert
/// holds, so that commands which take groups can follow a metric. Not thread-safe.
class AlertGroup {
 public:
  static constexpr std::size_t most_processes = 4096;

  /// Makes the group, which is empty at first, or empties one that another AlertGroup has made. Throws
  /// ConfigurationError for a faulty name, and for that of a group of another meaning; EnvironmentError if
  /// the group cannot be stored.
  AlertGroup(std::string name, std::string session);
  /// The group has these processes of the session, by name, from now on; of more than most_processes the
  /// first ones. Throws EnvironmentError if it cannot be stored.
  void set(const std::set<std::string>& processes);
  /// What it has, and how many processes were left out. It stays as it is, also behind this object.
  [[nodiscard]] std::string text() const;

 private:
  void store() const;

  std::string name_;
  std::string session_;
  std::set<std::string> processes_;
  std::size_t left_out_{0};
};

/// Which of the objects of a value is a process: the first one. Throws ConfigurationError if the metric has
/// no value for each process.
std::size_t place_of_process(const metrics::Definition& definition);

}  // namespace eventspace
