#pragma once

// Private to monitors/.

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "monitors/cli/colour_option.h"
#include "monitors/metrics/alert_rule.h"
#include "monitors/metrics/measured_metric.h"
#include "monitors/metrics/plots/charts.h"
#include "monitors/questions/question_scope.h"
#include "monitors/watching/watch_options.h"
#include "scopes/metrics/evaluation/measurement.h"

namespace eventspace {

/// What the user asks of `measure`.
struct MeasureOptions : WatchOptions {
  MeasureOptions() : WatchOptions{.scope = "events", .interval = std::chrono::seconds(1)} {}

  /// The aggregation modes of grid-distributed-evaluation, section 6.4.
  enum class Mode : std::uint8_t { since_start, since_last, since_start_per_second, since_last_per_second };

  AskedScope asked{.name = "events"};
  std::vector<std::string> metrics;  ///< with those of the alerts
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
  std::vector<AlertRule> rules;  ///< made of `alerts`
  std::filesystem::path plot;    ///< empty: none
  ChartForm form{ChartForm::curves};
  ColourUse colour{ColourUse::automatic};
  bool lines{false};
  bool list{false};
  bool centralised{false};  ///< events travel, and all is evaluated here
  bool push{false};         ///< servers send what is new by themselves, at most once in an interval

  [[nodiscard]] bool is_list() const noexcept { return list || metrics.empty(); }
};

/// Adds the options; `options` must outlive the parsing.
void add_measure_options(CLI::App& app, MeasureOptions& options);
/// Checks patterns, and reads the alerts, whose metrics are measured, too. Throws ConfigurationError.
void complete(MeasureOptions& options);

/// Throws ConfigurationError if the metric has no values that the form of the plot can show.
void check_plot(const MeasureOptions& options, const metrics::Definition& definition);

/// Returns how the metrics are made ready.
Preparation preparation_for(const MeasureOptions& options);
/// Returns the unit in which the values of a metric are written, for the mode that the options name.
metrics::DisplayUnit unit_for(const MeasureOptions& options, const metrics::Definition& definition);
/// Returns what is measured of a metric. Throws ConfigurationError if it has no parameter for a given option.
metrics::MeasurementChoice choice_for(const MeasureOptions& options, const metrics::Definition& definition);

}  // namespace eventspace
