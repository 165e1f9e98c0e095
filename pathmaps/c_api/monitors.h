#pragma once

#include <eventspace.h>

#include <string>
#include <utility>
#include <vector>

#include <eventspace/monitor.h>

struct es_monitor {
  explicit es_monitor(eventspace::Monitor of) : monitor(std::move(of)), scopes(monitor.scopes()) {}
  eventspace::Monitor monitor;
  std::vector<std::string> scopes;
};
