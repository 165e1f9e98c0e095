#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "scopes/metrics/language/definition.h"

namespace eventspace {

/// A named group (monitors/probing/groups/named_groups.h) of the processes of a session for which an alert
/// holds, so that commands that take groups can follow a metric. Not thread-safe.
class AlertGroup {
 public:
  static constexpr std::size_t max_processes = 4096;

  /// Makes an empty group, or empties one that another AlertGroup has made. Throws ConfigurationError for an
  /// invalid name, and for the name of a group with another purpose; EnvironmentError if the group cannot be
  /// stored.
  AlertGroup(std::string name, std::string session);
  /// Sets the members of the group: these processes of the session, by name; beyond max_processes only the
  /// first ones. Throws EnvironmentError if it cannot be stored.
  void set(const std::set<std::string>& processes);
  /// The members, and how many processes were left out. The group is kept when this object is destroyed.
  [[nodiscard]] std::string text() const;

 private:
  void store() const;

  std::string name_;
  std::string session_;
  std::set<std::string> processes_;
  std::size_t left_out_{0};
};

/// The position of a process among the objects of a value: the first one. Throws ConfigurationError if the
/// metric does not have a value for each process.
std::size_t place_of_process(const metrics::Definition& definition);

}  // namespace eventspace
