#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <eventspace/deadline.h>
#include "monitors/metrics/alerts.h"
#include "monitors/metrics/readings/metric_reading.h"
#include "monitors/watching/timeline.h"
#include "monitors/watching/view_source.h"
#include "monitors/watching/watched.h"
#include "monitors/web/documents/document.h"
#include "pathmaps/sessions/consumer.h"
#include "scopes/metrics/metric_files.h"

namespace eventspace::web {

/// The metrics that pages can choose, and the rules of alerts.
struct MetricChoice {
  MetricFiles files;
  std::vector<AlertRule> rules;
};
/// Reads the files and the rules. Throws ConfigurationError for a fault; EnvironmentError if a file cannot be
/// read.
std::shared_ptr<const MetricChoice> metric_choice(const std::vector<std::filesystem::path>& files,
                                                  const std::vector<std::string>& alerts);

/// Measures the metrics that pages show, and the metrics of alerts, as `measure` does: of a running session
/// from the time at which a page first asks for the metric; of a recording from its beginning to the shown
/// time. A metric that no page shows is measured for another `kept`. Used by one thread.
class MetricWatch {
 public:
  static constexpr std::size_t max_measured = 16;  ///< pages that ask for more get a reason
  static constexpr std::chrono::minutes kept{1};

  explicit MetricWatch(std::shared_ptr<const MetricChoice> choice);

  /// The session to measure. `watched`, `consumer` and `timeline` must outlive it, or the call of stop().
  void start(const Watched& watched, Consumer& consumer, Timeline& timeline);
  /// Forgets the values.
  void stop();

  /// Measures until `now`. The parts "metrics" and "metric/NAME", as far as they are wanted.
  Document::Parts read(const WantedParts& wanted, Timeline::Time now, std::chrono::nanoseconds patience);
  /// Whether a metric of a recording has not been read to the shown time.
  [[nodiscard]] bool has_rest() const;
  /// The alerts that the last reads have raised.
  std::vector<RaisedAlert> take_alerts();

 private:
  static constexpr std::size_t max_virtual_values = 4096;
  static constexpr std::size_t max_objects = 1U << 16;  // whose values are published
  struct Measured {
    explicit Measured(metrics::Definition what) : definition(std::move(what)) {}
    metrics::Definition definition;
    metrics::DisplayUnit unit;
    std::optional<ScopeViews> views{};
    std::unique_ptr<metrics::Measurement> measurement{};
    std::int64_t start_ns{0};
    MetricReading reading{};
    std::deque<metrics::MetricValue> values{};  // the newest, of a metric with virtual times
    std::size_t left_out{0};                    // values of further objects
    bool has_rest{false};                       // of a recording
    Deadline end{Deadline::never()};            // unless a page wants it again
  };
  using Entry = std::unique_ptr<Measured>;

  void note_wanted(const WantedParts& wanted, Timeline::Time now);
  void measure(const std::string& name, Timeline::Time now);
  Entry begin(const std::string& name, Timeline::Time now);
  void take(Measured& measured, Timeline::Time now, Deadline limit);
  void pull(Measured& measured, Deadline limit);
  static void keep(Measured& measured);
  static Json json_of(const Measured& measured);
  const Json& list();

  std::shared_ptr<const MetricChoice> choice_;
  const Watched* watched_{nullptr};
  Consumer* consumer_{nullptr};
  Timeline* timeline_{nullptr};
  std::set<std::string> names_;  // of all metrics
  std::optional<Json> list_;     // the part "metrics", once it was wanted
  std::map<std::string, Entry> measured_;
  std::map<std::string, std::string> refused_;  // the reasons
  Alerts alerts_;
  std::vector<RaisedAlert> raised_;
};

}  // namespace eventspace::web
