#pragma once

#include <string>
#include <vector>

#include "monitors/questions/question_scope.h"
#include "monitors/watching/watch_options.h"
#include "scopes/requests/request_action.h"

namespace eventspace {

/// A conditional request: WHEN an event IF a condition DO actions.
struct RequestOptions : WatchOptions {
  RequestOptions() : WatchOptions{.scope = "events", .interval = std::chrono::milliseconds(200)} {}

  AskedScope asked{.name = "events"};
  std::string event;      ///< an expression over the fields of events
  std::string condition;  ///< a further expression; empty: none
  std::vector<std::string> actions;
  std::string name;  ///< empty: made from the id of this process
};

/// Runs the request until it is ended or deleted, or a limit is reached. The servers of the nodes evaluate
/// event and condition, count and sum up the events for which both hold, and steer their processes. Only
/// events that are printed, or for which a command is run, are sent here. For a recording, everything is done
/// here. Returns the exit status. Throws ConfigurationError and EnvironmentError.
int stand(const RequestOptions& options);

}  // namespace eventspace
