#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "python/module/source.h"
#include "python/module/waits.h"

namespace eventspace::python {

// The analyses of commands, made by the same classes, on a source. Each returns the lines of JSON that its
// command writes (docs/json.md), and ends early when it is given up. They throw as the commands do.

struct HeartbeatChoice {
  std::chrono::nanoseconds stall{};  ///< `--stall`
  std::optional<double> at{};        ///< of a recording: seconds since its beginning; nullopt: its end
  std::string threads{};             ///< `--threads`
};
/// `eventspace heartbeat --once`
std::string heartbeat_lines(const Source& source, const HeartbeatChoice& choice, GivenUp& given_up);

struct CollectivesChoice {
  std::vector<std::string> only{};  ///< `--collective`
  std::chrono::nanoseconds
      duration{};     ///< `--for`; of a running session; 0: only the events that are kept now
  bool each{true};    ///< `--each`
  bool total{false};  ///< `--total`, whatever `each` is
};
/// `eventspace collectives`
std::string collectives_lines(const Source& source, const CollectivesChoice& choice, GivenUp& given_up);

struct ProfileChoice {
  std::chrono::nanoseconds duration{};  ///< `--for`; 0: only the events that are kept now
  std::string threads{};                ///< `--threads`
  std::string where{};                  ///< `--where`
};
/// `eventspace profile`
std::string profile_lines(const Source& source, const ProfileChoice& choice, GivenUp& given_up);

}  // namespace eventspace::python
