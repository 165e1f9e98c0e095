#include "monitors/metrics/measure_monitor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "monitors/charts/plot_file.h"
#include "monitors/cli/command.h"
#include "monitors/metrics/alert_group.h"
#include "monitors/metrics/alerts.h"
#include "monitors/metrics/divided_metrics.h"
#include "monitors/metrics/live_table.h"
#include "monitors/metrics/value_lines.h"
#include "monitors/questions/asked_watch.h"
#include "monitors/servers/shell_commands.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "monitors/text/text_format.h"
#include "monitors/top/terminal/live_screen.h"
#include "monitors/watching/own_pace.h"
#include "scopes/metrics/measured_metric.h"
#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

using metrics::Definition;
using metrics::Measurement;
using metrics::MeasurementChoice;

std::vector<Definition> definitions_for(const MeasureOptions& options) {
  const MetricFiles read = read_metric_files(options.files);
  if (!read.faults.empty()) throw ConfigurationError(fmt::format("{}", fmt::join(read.faults, "\n")));
  std::vector<Definition> definitions =
      definitions_of(options.metrics, read.library, preparation_for(options));
  for (const AlertRule& rule : options.rules) {
    for (const Definition& definition : definitions)
      if (definition.name == rule.metric) check_unit(rule, unit_for(options, definition));
  }
  if (!options.alert_group.empty())
    for (const Definition& definition : definitions)
      if (std::ranges::find(options.rules, definition.name, &AlertRule::metric) != options.rules.end())
        (void)place_of_process(definition);
  for (const Definition& definition : definitions) check_plot(options, definition);
  return definitions;
}

std::vector<MeasurementChoice> choices_for(const MeasureOptions& options,
                                           const std::vector<Definition>& definitions) {
  std::vector<MeasurementChoice> choices;
  choices.reserve(definitions.size());
  for (const Definition& definition : definitions) choices.push_back(choice_for(options, definition));
  return choices;
}

bool is_of_events(const Definition& definition) {
  return !definition.counters.empty() || !definition.samplers.empty() || !definition.collections.empty();
}

std::int64_t ns_of(Timeline::Time time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

class MeasureMonitor {
 public:
  explicit MeasureMonitor(const MeasureOptions& options)
      : options_(options),
        kind_(top::TerminalKind::of_environment()),
        definitions_(definitions_for(options_)),
        choices_(choices_for(options_, definitions_)),
        divided_(definitions_, choices_, options_.centralised),
        takes_usage_(std::ranges::any_of(definitions_, &Definition::takes_usage)),
        takes_in_flight_(std::ranges::any_of(
            definitions_, [](const Definition& definition) { return !definition.counters.empty(); })),
        watch_(options_,
               {Played::Part::all, options_.push ? 0 : options_.count, options_.count, wants_screen()},
               [this](const Plan& /*plan*/) { return asked(); }),
        start_ns_(ns_of(watch_.loop().now())),
        alerts_(options_.rules),
        commands_(options_.alert_run, {"--alert-run", "alert", wants_screen() && !watch_.is_recorded(),
                                       [this](const std::string& line) { say(line); }}) {
    if (options_.push && watch_.is_recorded())
      throw ConfigurationError("--push: a recording has no servers that could send; leave it out");
    if (!options_.alert_group.empty() && watch_.is_recorded())
      throw ConfigurationError("--alert-group: a recording has no processes that could be in a group");
    const std::vector<Definition>& evaluated = is_divided() ? divided_.front_ends() : definitions_;
    for (std::size_t i = 0; i < evaluated.size(); ++i) {
      measurements_.push_back(std::make_unique<Measurement>(evaluated[i], choices_[i], watch_.names()));
      measurements_.back()->start(start_ns_);
      taking_.push_back(measurements_.back().get());
    }
    together_.emplace(taking_, watch_.names());
    if (!options_.alert_group.empty()) group_.emplace(options_.alert_group, watch_.session());
  }

  int run() {
    if (wants_screen() && !watch_.is_recorded()) {
      show();
    } else {
      write();
    }
    commands_.conclude();
    if (group_ && !options_.quiet) print_message(group_->text());
    for (const auto& measurement : measurements_) explain(*measurement);
    explain_servers();
    notify_begin();
    const int status = watch_.conclude();
    return was_alerted_ ? exit_found_wrong : status;
  }

  [[nodiscard]] PlotData& plotted() noexcept { return plotted_; }

 private:
  // With --push, how long this waits for news before it handles keys, or commands of alerts.
  static constexpr std::chrono::milliseconds between_keys{50};
  static constexpr std::chrono::milliseconds between_commands{500};

  [[nodiscard]] bool wants_screen() const {
    return kind_.is_screen && options_.format == Format::text && !options_.lines;
  }
  [[nodiscard]] bool has_colour() const {
    return options_.colour == ColourUse::automatic ? kind_.has_colour : wants_colour(options_.colour);
  }

  /// Whether servers evaluate parts of the metrics. For a recording, all parts are evaluated here.
  [[nodiscard]] bool is_divided() const { return divided_.is_divided() && !watch_.is_recorded(); }

  /// The question for exactly the events that the metrics need.
  [[nodiscard]] AskedScope asked() const {
    AskedScope asked = options_.asked;
    asked.question.where = condition_for(definitions_);
    if (!divided_.is_divided() && !options_.push) return asked;
    asked.finish = [this](ScopeTree& scope) {
      if (options_.push) scope.look = options_.interval;
      if (!divided_.is_divided()) return;
      // Events that ended before are not needed, with two exceptions: in regions that count as a whole they
      // count, and with probes they show which passages were missed.
      const bool has_probes = std::ranges::any_of(
          definitions_, [](const Definition& definition) { return !definition.samplers.empty(); });
      if (options_.cut != metrics::CutRegions::whole && !has_probes)
        scope.since = std::chrono::nanoseconds(0);
      divided_.put_on(scope, condition_for(definitions_));
    };
    return asked;
  }

  void write() {
    lines_.emplace(std::cout, options_.format);
    watch_.run([this]() -> WatchLoop::Pause {
      bool is_written = true;
      for (const MetricReading& reading : look()) is_written = lines_->print(reading);
      return is_written && !is_at_end_ ? WatchLoop::Pause(pause()) : std::nullopt;
    });
  }

  // The screen waits within the look, since keys and signals must not wait for the end of the pause.
  void show() {
    table_.emplace(fmt::format("measure {}", options_.pathmap.filename().string()), kind_.charset);
    std::vector<MetricReading> last;
    {
      std::optional<top::LiveScreen> screen;
      watch_.run([&]() -> WatchLoop::Pause {
        std::vector<MetricReading> readings = look();
        if (!table_->is_paused()) {
          for (const MetricReading& reading : readings) table_->take(reading);
          if (!readings.empty()) last = std::move(readings);
        }
        if (!screen) screen.emplace(*table_, watch_.signals(), has_colour());
        const bool goes_on =
            !is_at_end_ && screen->wait(options_.push ? between_keys : own_pause(options_.interval));
        return goes_on ? WatchLoop::Pause(std::chrono::nanoseconds(0)) : std::nullopt;
      });
    }
    table_.reset();
    // Repeats the values, as the screen is gone.
    ValueLines lines(std::cout, Format::text);
    for (const MetricReading& reading : last) (void)lines.print(reading);
    for (const std::string& line : said_) print_message(line);
  }

  /// When metrics are divided, the first pull starts the servers' evaluation.
  void start() {
    if (std::exchange(has_started_, true) || !is_divided()) return;
    start_ns_ = ns_of(watch_.loop().now());
    for (const auto& measurement : measurements_) measurement->start(start_ns_);
  }

  void deliver(const View& view) {
    together_->take(view);
    refused_ += divided_.deliver(view, taking_);
  }

  /// With --push, `look` waits; otherwise the loop pauses between looks.
  [[nodiscard]] std::chrono::nanoseconds pause() const {
    return options_.push ? std::chrono::nanoseconds(0) : options_.interval;
  }

  /// Nullopt without news.
  std::optional<View> next_view() {
    const AskedWatch::Wishes wishes{.with_usage = takes_usage_, .with_in_flight = takes_in_flight_};
    if (!options_.push) return watch_.pull(wishes);
    auto view = watch_.await_news(wishes, Deadline::after(table_ ? between_keys : between_commands));
    if (view && ++readings_ == options_.count) is_at_end_ = true;
    return view;
  }

  std::vector<MetricReading> look() {
    do {
      const std::optional<View> news = next_view();
      if (!news) {
        commands_.look();
        return {};
      }
      start();
      watch_.tally().events +=
          is_divided() ? news->loss.reduced : count_events(news->records.whole()) + news->gone_ahead;
      deliver(*news);
    } while (watch_.loop().has_rest());
    return read();
  }

  std::vector<MetricReading> read() {
    const auto now = watch_.loop().now();
    const auto since = watch_.loop().since_begin(now);
    const std::uint64_t may_lack = watch_.is_recorded() ? watch_.take_losses() : 0;
    const std::int64_t start = watch_.is_recorded() ? ns_of(now) - since.count() : start_ns_;
    std::vector<MetricReading> readings;
    for (std::size_t i = 0; i < measurements_.size(); ++i) {
      Measurement* const measurement = taking_[i];
      MetricReading reading{.time = since,
                            .start_ns = start,
                            .began_ns = realtime_when_booted(watch_.watched()) + start,
                            .metric = definitions_[i].name,
                            .unit = unit_for(options_, definitions_[i]),
                            .values = measurement->read(ns_of(now))};
      reading.lost = measurement->lost();
      if (is_of_events(definitions_[i])) reading.lost = std::max(reading.lost, may_lack);
      reading.unmatched = measurement->unmatched();
      warn(reading);
      if (!options_.plot.empty()) plotted_.take(reading);
      readings.push_back(std::move(reading));
    }
    change_group();
    commands_.look();
    return readings;
  }

  void warn(const MetricReading& reading) {
    for (const RaisedAlert& alert : alerts_.take(reading)) {
      was_alerted_ = true;
      is_at_end_ = is_at_end_ || (options_.alert_run.empty() && options_.alert_group.empty());
      say("alert: " + alert.text());
      commands_.run(alert.environment());
    }
  }

  /// Puts the processes for which an alert of any metric holds into the group.
  void change_group() {
    if (!group_) return;
    std::set<std::string> processes;
    for (const Definition& definition : definitions_) {
      const auto raised = alerts_.raised_for(definition.name);
      if (raised.empty()) continue;
      const std::size_t place = place_of_process(definition);
      for (const std::vector<std::string>& objects : raised) processes.insert(objects.at(place));
    }
    group_->set(processes);
  }

  /// Shows the line on the screen, and prints it when the screen is gone; without a screen prints it on
  /// standard error.
  void say(const std::string& line) {
    if (!table_) {
      print_message(line);
      return;
    }
    constexpr std::size_t max_said = 100;
    table_->note(line);
    if (said_.size() < max_said) said_.push_back(line);
  }

  void explain_servers() const {
    if (options_.quiet) return;
    for (const std::string& reason : divided_.reasons()) print_message(reason);
    std::uint64_t restarts = 0;
    for (const auto& measurement : measurements_) restarts = std::max(restarts, measurement->restarts());
    if (restarts > 0)
      print_message(
          "the evaluation restarted on a server during the measurement, and earlier probe events were lost: "
          "values of probes are incomplete");
    if (refused_ > 0)
      print_message(fmt::format("{} from servers could not be read; check that the servers have this version",
                                counted(refused_, "result")));
  }

  /// Prints from when on events count: a recording, or a monitor that began at another time, has other
  /// values.
  void notify_begin() const {
    if (options_.quiet || watch_.is_recorded()) return;
    print_message(fmt::format("measured from {} on; events that had ended before are not counted",
                              format_realtime(realtime_when_booted(watch_.watched()) + start_ns_)));
  }

  /// Explains at the end why a metric does not have values.
  void explain(const Measurement& measurement) const {
    if (options_.quiet) return;
    const std::string& name = measurement.definition().name;
    if (!measurement.has_objects())
      print_message(fmt::format("{}: no events of the selected objects were received", name));
    for (const std::string& probe : measurement.silent_probes())
      print_message(fmt::format(
          "{}: the probe {} was not passed; docs/probes.md says how a program gets probes", name, probe));
    if (measurement.given_up() > 0)
      print_message(fmt::format("{}: {} evaluated without objects that were too far behind", name,
                                counted(measurement.given_up(), "virtual time")));
    if (measurement.unmatched_in_all() > 0)
      print_message(
          fmt::format("{}: {} left out because a probe that belongs to them was passed before the "
                      "measurement began, was not recorded, or was passed in another order; use "
                      "EVENTSPACE_PROBE_AT to give passages that belong together the same virtual time",
                      name, counted(measurement.unmatched_in_all(), "value")));
    if (measurement.repeated() > 0)
      print_message(
          fmt::format("{}: {} ignored because the probe had been passed before in the same virtual time",
                      name, counted(measurement.repeated(), "passage")));
  }

  const MeasureOptions& options_;
  const top::TerminalKind kind_;
  const std::vector<Definition> definitions_;
  const std::vector<MeasurementChoice> choices_;
  const DividedMetrics divided_;
  const bool takes_usage_;
  const bool takes_in_flight_;
  AskedWatch watch_;
  std::int64_t start_ns_;
  Alerts alerts_;
  ShellCommands commands_;
  std::optional<AlertGroup> group_;
  std::vector<std::unique_ptr<Measurement>> measurements_;
  std::vector<Measurement*> taking_;  // all of them
  std::optional<Measurement::Together> together_;
  std::optional<ValueLines> lines_;
  std::optional<LiveTable> table_;  // only with a screen
  std::vector<std::string> said_;   // lines shown on the screen
  PlotData plotted_;
  bool has_started_{false};
  std::size_t readings_{0};   // with --push
  std::uint64_t refused_{0};  // results of servers
  bool was_alerted_{false};
  bool is_at_end_{false};
};

}  // namespace

// Graphviz handles signals itself, so the monitor must be destroyed before.
int measure(const MeasureOptions& options) {
  int status = exit_fine;
  PlotData plotted;
  {
    MeasureMonitor monitor(options);
    status = monitor.run();
    plotted = std::move(monitor.plotted());
  }
  if (!options.plot.empty()) write_plot(draw_charts(plotted, options.form), options.plot);
  return status;
}

}  // namespace eventspace
