#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "pathmaps/sessions/consumer.h"

namespace eventspace::tune {

/// The progress of the application: the events of paths that it uses once per step.
struct StepReading {
  std::chrono::steady_clock::time_point at;
  std::uint64_t steps{0};  ///< events of all these paths since the start
  std::string missing;     ///< parts that could not be read; `steps` is invalid if not empty
  bool over{false};        ///< no process of the application runs any more
};

/// Reads the progress through a scope that yields the newest event of each path. A trace element that the
/// application has emptied lacks a newest event until its next event; until then the previous event counts.
class StepCount {
 public:
  explicit StepCount(EventScope scope) : scope_(std::move(scope)) {}
  StepReading read();

 private:
  EventScope scope_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint64_t> newest_;  // by path and point
};

}  // namespace eventspace::tune
