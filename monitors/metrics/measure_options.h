#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "monitors/cli/colour_option.h"
#include "monitors/metrics/alert_rule.h"
#include "monitors/metrics/measured_metric.h"
#include "monitors/metrics/plots/metric_charts.h"
#include "monitors/questions/question_scope.h"
#include "monitors/watching/watch_options.h"
#include "scopes/metrics/evaluation/measurement.h"

namespace eventspace {

/// The options of `measure`.
struct MeasureOptions : WatchOptions {
  MeasureOptions() : WatchOptions{.scope = "events", .interval = std::chrono::seconds(1)} {}

  /// The aggregation modes of grid-distributed-evaluation, section 6.4.
  enum class Mode : std::uint8_t { since_start, since_last, since_start_per_second, since_last_per_second };

  AskedScope asked{.name = "events"};
  std::vector<std::string> metrics;  ///< including the alerts' metrics
  std::vector<std::filesystem::path> files;
  std::string objects;   ///< a glob; empty: all
  std::string partners;  ///< a glob; empty: all
  std::string regions;   ///< a glob; empty: all
  Summary summary{Summary::as_defined};
  metrics::CutRegions cut{metrics::CutRegions::partly};
  Mode mode{Mode::since_start};
  std::vector<std::string> alerts;
  std::string alert_run;
  std::string alert_group;
  std::vector<AlertRule> rules;  ///< parsed from `alerts`
  std::filesystem::path plot;    ///< empty: no plot
  ChartForm form{ChartForm::curves};
  ColourUse colour{ColourUse::automatic};
  bool lines{false};
  bool list{false};
  bool centralised{false};  ///< all events are sent, and metrics are evaluated here only
  bool push{false};         ///< servers send new data by themselves, once in an interval at most

  [[nodiscard]] bool is_list() const noexcept { return list || metrics.empty(); }
};

/// Adds the options; `options` must outlive the parsing.
void add_measure_options(CLI::App& app, MeasureOptions& options);
/// Checks patterns, and reads the alerts, whose metrics are measured, too. Throws ConfigurationError.
void complete(MeasureOptions& options);

/// Throws ConfigurationError if the form of the plot cannot show the metric's values.
void check_plot(const MeasureOptions& options, const metrics::Definition& definition);

/// Returns how the metrics are prepared.
Preparation preparation_for(const MeasureOptions& options);
/// Returns the unit in which the values of a metric are written, for the mode that the options name.
metrics::DisplayUnit unit_for(const MeasureOptions& options, const metrics::Definition& definition);
/// Returns the objects and regions for which a metric is measured. Throws ConfigurationError if it lacks the
/// parameter for a given option.
metrics::MeasurementChoice choice_for(const MeasureOptions& options, const metrics::Definition& definition);

}  // namespace eventspace
