#include <eventspace/metric.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <eventspace/error.h>
#include "pathmaps/observing/monitor_state.h"
#include "paths/parameters/glob.h"
#include "scopes/metrics/evaluation/measurement.h"
#include "scopes/metrics/measured_metric.h"
#include "scopes/metrics/metric_files.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using metrics::Definition;
using metrics::Measurement;
using metrics::MeasurementChoice;

Summary summary_of(MetricQuery::Each each) {
  switch (each) {
    case MetricQuery::Each::as_defined:
      return Summary::as_defined;
    case MetricQuery::Each::objects:
      return Summary::objects;
    case MetricQuery::Each::partners:
      return Summary::partners;
    case MetricQuery::Each::regions:
      return Summary::regions;
  }
  return Summary::as_defined;
}

Definition definition_for(const MetricQuery& query) {
  MetricFiles read = read_metric_files(query.files);
  if (!query.text.empty()) {
    for (const metrics::MetricFault& fault : read.library.add(query.text))
      read.faults.push_back(fmt::format("text:{}:{}: {}", fault.line, fault.column, fault.text));
  }
  if (!read.faults.empty()) throw ConfigurationError(fmt::format("{}", fmt::join(read.faults, "\n")));
  const Summary summary = summary_of(query.each);
  return definitions_of({query.metric}, read.library,
                        {.summary = summary,
                         .with_partners = !query.partners.empty() || summary == Summary::partners,
                         .with_regions = !query.regions.empty() || summary == Summary::regions,
                         .option_prefix = ""})
      .front();
}

void choose(MeasurementChoice& choice, const Definition& definition, Summary of, const std::string& pattern,
            std::string_view option) {
  const std::string_view fault = pattern.empty() ? std::string_view() : glob_fault(pattern);
  if (!fault.empty())
    throw ConfigurationError(fmt::format("{} '{}': the pattern {}", option, pattern, fault));
  choose_objects(choice, definition, of, pattern, option);
}

bool is_per_second(const MetricQuery& query, const Definition& definition) {
  return query.per_second && definition.is_over_time();
}

MeasurementChoice choice_for(const MetricQuery& query, const Definition& definition) {
  MeasurementChoice choice;
  choice.span = query.since_last ? metrics::Span::since_last : metrics::Span::since_start;
  choice.per_second = is_per_second(query, definition);
  choose(choice, definition, Summary::objects, query.objects, "objects");
  choose(choice, definition, Summary::partners, query.partners, "partners");
  choose(choice, definition, Summary::regions, query.regions, "regions");
  return choice;
}

// The longest time that the first pull may take to arrive where the events are.
constexpr std::chrono::seconds on_the_way{1};

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

struct MetricReader::State {
  State(std::shared_ptr<Monitor::State> of_monitor, const MetricQuery& query, const Definition& of_metric)
      : definition(of_metric),
        unit(is_per_second(query, definition) ? metrics::per_second(definition.unit) : definition.unit),
        monitor(std::move(of_monitor)),
        start_ns(monitor->replay() == nullptr ? now_ns() : monitor->replay()->begin_ns()),
        tree(monitor->tree_for({.where = condition_for({definition})}, false)),
        measurement(definition, choice_for(query, definition), *monitor->names) {
    measurement.start(start_ns);
    open();
  }

  /// Opens the scope at the events since the start, if earlier ones are not needed.
  void open();

  [[nodiscard]] std::vector<MetricSample> read(std::optional<Deadline> deadline,
                                               std::optional<std::int64_t> at);

  const Definition definition;
  const metrics::DisplayUnit unit;
  std::shared_ptr<Monitor::State> monitor;
  const std::int64_t start_ns;
  ScopeTree tree;
  std::optional<Scope::State> scope;
  bool has_read{false};
  Measurement measurement;
};

// Servers look back from when the first pull arrives, so it looks back further by the time that this may
// take. Earlier probes show which passages were missed.
void MetricReader::State::open() {
  if (monitor->replay() == nullptr && definition.samplers.empty())
    tree.since = std::chrono::nanoseconds(now_ns() - start_ns) + on_the_way;
  scope.emplace(monitor, monitor->consumer.open(tree), false);
}

std::vector<MetricSample> MetricReader::State::read(std::optional<Deadline> deadline,
                                                    std::optional<std::int64_t> at) {
  const Replay* const replay = monitor->replay();
  const bool takes_in_flight = !definition.counters.empty();
  if (!std::exchange(has_read, true) && replay == nullptr) open();
  // A program may make records as fast as they are read.
  const Deadline limit =
      replay != nullptr ? Deadline::never() : deadline.value_or(Deadline::after(scope->timeout()));
  do measurement.take(scope->pull(limit, at, {definition.takes_usage, takes_in_flight}));
  while (scope->take_rest() && !limit.passed());
  const std::int64_t now = replay == nullptr ? now_ns() : replay->now_ns();
  std::vector<MetricSample> samples;
  for (metrics::MetricValue& value : measurement.read(now)) {
    MetricSample sample{.time_ns = saturating::add(now, monitor->realtime_ns),
                        .objects = std::move(value.objects)};
    sample.virtual_time = value.virtual_time;
    sample.value = number_of(value.datum, unit);
    sample.problem = problem_of(value.datum, unit);
    samples.push_back(std::move(sample));
  }
  return samples;
}

MetricReader::MetricReader(Monitor& monitor, const MetricQuery& query)
    : state_(std::make_unique<State>(monitor.state_, query, definition_for(query))) {}
MetricReader::~MetricReader() = default;
MetricReader::MetricReader(MetricReader&& other) noexcept = default;
MetricReader& MetricReader::operator=(MetricReader&& other) noexcept = default;

const std::string& MetricReader::metric() const noexcept { return state_->definition.name; }
const std::string& MetricReader::unit() const noexcept { return state_->unit.label; }
std::uint64_t MetricReader::lost() const noexcept { return state_->measurement.lost(); }

std::vector<MetricSample> MetricReader::read() { return state_->read(std::nullopt, std::nullopt); }
std::vector<MetricSample> MetricReader::read(Deadline deadline) {
  return state_->read(deadline, std::nullopt);
}
std::vector<MetricSample> MetricReader::read_at(std::int64_t realtime_ns) {
  return state_->read(std::nullopt, state_->scope->of_recorder(realtime_ns));
}

}  // namespace eventspace
