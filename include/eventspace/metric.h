#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/deadline.h>
#include <eventspace/monitor.h>

namespace eventspace {

/// Which metric to evaluate (docs/metrics.md), and for which objects. Plain data.
///
///     MetricReader share(monitor, {.metric = "Imbalance"});
///     MetricReader writes(monitor, {.metric = "Writes", .text = R"(
///       Writes(Process p, TimeInterval time) { RETURN Event_count(p, "verb == 'write'", time); })"});
struct MetricQuery {
  std::string metric;  ///< its name: a metric of `text` or `files`, or one that comes with EventSpace
  std::string text{};  ///< definitions of further metrics
  std::vector<std::filesystem::path>
      files{};  ///< with definitions; later files can use those of earlier ones

  /// For which objects of a metric there is a separate value.
  enum class Each : std::uint8_t {
    as_defined,
    objects,   ///< for each object of the first parameter for objects
    partners,  ///< for each object of the second parameter for objects
    regions    ///< for each region of the first parameter for regions
  };
  Each each{Each::as_defined};
  std::string objects{};   ///< a glob over the names of the first parameter's objects; empty: all
  std::string partners{};  ///< the same for the second parameter for objects
  std::string regions{};   ///< the same for the first parameter for regions

  bool since_last{false};  ///< values are about the time since the last reading instead of since the start
  bool per_second{false};  ///< values are divided by the seconds of that time
};

/// A value of a metric at a reading.
struct MetricSample {
  std::int64_t time_ns{0};           ///< of the reading, in nanoseconds since 1970 (UTC)
  std::vector<std::string> objects;  ///< the names for which the value is; empty for one value over all
  std::optional<std::int64_t> virtual_time{};  ///< of a metric that has a value for each
  std::optional<double> value{};               ///< in MetricReader::unit(); nothing if it is missing
  std::string problem{};                       ///< why it is missing; otherwise empty
};

/// Evaluates a metric on a running session or a recording, in this process. Only the events that the metric
/// needs are sent here. Measuring starts when the reader is made; of a recording, at its beginning.
///
/// Shares the session with its Monitor, which it may outlive. Not thread-safe: one thread at a time uses a
/// Monitor, its scopes and its readers.
class MetricReader {
 public:
  /// Throws ConfigurationError, with one line for each fault, for faulty definitions, an unknown metric, with
  /// near names, or a metric that lacks a parameter for a member of `query`; EnvironmentError if a file
  /// cannot be read. Does not wait.
  MetricReader(Monitor& monitor, const MetricQuery& query);
  ~MetricReader();
  MetricReader(MetricReader&& other) noexcept;
  MetricReader& operator=(MetricReader&& other) noexcept;

  [[nodiscard]] const std::string& metric() const noexcept;
  [[nodiscard]] const std::string& unit() const noexcept;  ///< such as "s" or "%"; empty for a plain number

  /// Reads the events until now, and returns the values: one for each object, or, of a metric with virtual
  /// times, those of the virtual times that are complete and that no earlier call returned. Blocks until all
  /// sources have answered, at most until `deadline`; without one, for 1 s or the time-out of the pathmap's
  /// scope. Of a recording: reads until its end, without a deadline.
  [[nodiscard]] std::vector<MetricSample> read();
  [[nodiscard]] std::vector<MetricSample> read(Deadline deadline);
  /// Of a recording: reads the events that had ended by `realtime_ns`, in nanoseconds since 1970, which must
  /// not be less than in the call before. Throws ConfigurationError for a running session.
  [[nodiscard]] std::vector<MetricSample> read_at(std::int64_t realtime_ns);

  /// The number of events that the values lack, in the time that they are about.
  [[nodiscard]] std::uint64_t lost() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace
