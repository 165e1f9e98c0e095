#pragma once

#include <eventspace.h>

#include <string>
#include <utility>
#include <vector>

#include <eventspace/monitor.h>
#include "tuplespace/processes/of_this_process.h"

namespace eventspace::c_api {

/// The monitor of a handle. Throws Misuse for null, and in a forked child.
Monitor& need_monitor(es_monitor* monitor);

}  // namespace eventspace::c_api

struct es_monitor {
  explicit es_monitor(eventspace::Monitor of)
      : session(of.session()), scopes(of.scopes()), monitor(std::in_place, std::move(of)) {}
  const std::string session;
  const std::vector<std::string> scopes;
  eventspace::OfThisProcess<eventspace::Monitor> monitor;
};
