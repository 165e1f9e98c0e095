#pragma once

#include <eventspace.h>

#include <string>
#include <utility>
#include <vector>

#include <eventspace/events.h>

/// The events of a pull. A column's handle is the address of an EventColumn, which its Events keep.
struct es_events {
  explicit es_events(eventspace::Events of);

  eventspace::Events events;
  std::vector<std::string> fields;
  std::vector<std::string> missing;  // sentences
};
