#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "monitors/cli/options.h"
#include "scopes/requests/request_action.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/observed_event.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Writes the events and the numbers of a conditional request to standard output. Not thread-safe.
class RequestLines {
 public:
  /// `request`: its name. Writes the head of CSV.
  RequestLines(Format format, std::string request);

  /// Writes an event for which the request holds.
  void print(const ObservedEvent& event, const PlanNames& names, std::chrono::nanoseconds time) const;
  /// Writes the numbers of the actions that have one: the count of events, or the sum. `sums`: one for each
  /// action.
  void tell(const std::vector<RequestAction>& actions, std::uint64_t matches, const std::vector<double>& sums,
            std::chrono::nanoseconds time) const;

 private:
  Format format_;
  std::string request_;
  FieldReader thread_{"thread"};
};

}  // namespace eventspace
