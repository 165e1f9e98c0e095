#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <string>

#include "pathmaps/sessions/consumer.h"

namespace eventspace::tune {

/// How far the application is, by the events of paths that it goes through once a step.
struct StepReading {
  std::chrono::steady_clock::time_point at;
  std::uint64_t steps{0};  ///< the events of all these paths since the start
  std::string missing;     ///< what could not be read; then `steps` does not count
  bool over{false};        ///< none of its processes runs any more
};

/// Reads them through a scope that yields the newest event of each path.
class StepCount {
 public:
  explicit StepCount(EventScope scope) : scope_(std::move(scope)) {}
  StepReading read();

 private:
  EventScope scope_;
};

}  // namespace eventspace::tune
