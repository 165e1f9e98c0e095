#include "monitors/web/documents/metric_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <eventspace/error.h>
#include "monitors/metrics/measure_options.h"
#include "monitors/web/documents/parts.h"
#include "pathmaps/questions/question_scope.h"
#include "scopes/metrics/measured_metric.h"

namespace eventspace::web {
namespace {

using metrics::Measurement;

std::int64_t ns_of(Timeline::Time time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

std::shared_ptr<const MetricChoice> metric_choice(const std::vector<std::filesystem::path>& files,
                                                  const std::vector<std::string>& alerts) {
  auto choice = std::make_shared<MetricChoice>(MetricChoice{read_metric_files(files), {}});
  if (!choice->files.faults.empty())
    throw ConfigurationError(fmt::format("{}", fmt::join(choice->files.faults, "\n")));
  for (const std::string& text : alerts) {
    const AlertRule rule = alert_rule(text);
    const auto definition = definitions_of({rule.metric}, choice->files.library).front();
    check_unit(rule, unit_for({}, definition));
    choice->rules.push_back(rule);
  }
  return choice;
}

MetricWatch::MetricWatch(std::shared_ptr<const MetricChoice> choice)
    : choice_(std::move(choice)), alerts_(choice_->rules) {
  const auto names = metric_names(choice_->files.library);
  names_.insert(names.begin(), names.end());
}

void MetricWatch::start(const Watched& watched, Consumer& consumer, Timeline& timeline) {
  watched_ = &watched;
  consumer_ = &consumer;
  timeline_ = &timeline;
}

void MetricWatch::stop() {
  measured_.clear();
  alerts_ = Alerts(choice_->rules);
}

Json MetricWatch::json_of(const Measured& measured) {
  const MetricReading& reading = measured.reading;
  Json objects = Json::array(), virtual_times = Json::array(), numbers = Json::array(),
       problems = Json::array();
  for (const metrics::MetricValue& value : measured.values) {
    Json of_value = Json::array();
    for (const std::string& object : value.objects) of_value.add(object);
    const auto number = number_of(value.datum, measured.unit);
    objects.add(std::move(of_value));
    virtual_times.add(value.virtual_time ? Json(*value.virtual_time) : Json());
    numbers.add(number ? Json(*number) : Json());
    problems.add(std::string(problem_of(value.datum, measured.unit)));
  }
  return Json::object({{"metric", measured.definition.name},
                       {"unit", measured.unit.label},
                       {"time_s", seconds_of(reading.time)},
                       {"began_ns", reading.began_ns},
                       {"is_whole", !measured.has_rest},
                       {"lost", reading.lost},
                       {"unmatched", reading.unmatched},
                       {"left_out", measured.left_out},
                       {"objects", std::move(objects)},
                       {"virtual_time", std::move(virtual_times)},
                       {"value", std::move(numbers)},
                       {"problem", std::move(problems)}});
}

// The metrics share the patience, so that none of many events takes the time of others.
Document::Parts MetricWatch::read(const WantedParts& wanted, Timeline::Time now,
                                  std::chrono::nanoseconds patience) {
  note_wanted(wanted, now);
  const std::chrono::nanoseconds share = patience / std::max<std::size_t>(measured_.size(), 1);
  Document::Parts parts;
  if (wanted.has("metrics")) parts.emplace_back("metrics", list());
  for (const auto& [name, measured] : measured_) {
    take(*measured, now, Deadline::after(share));
    parts.emplace_back("metric/" + name, json_of(*measured));
  }
  for (const auto& [name, reason] : refused_) parts.emplace_back("metric/" + name, no_part(reason));
  return parts;
}

bool MetricWatch::has_rest() const {
  return std::ranges::any_of(measured_, [](const auto& entry) { return entry.second->has_rest; });
}

std::vector<RaisedAlert> MetricWatch::take_alerts() { return std::exchange(raised_, {}); }

// Parts stay in a document, so only names of metrics may become parts.
void MetricWatch::note_wanted(const WantedParts& wanted, Timeline::Time now) {
  constexpr std::string_view prefix = "metric/";
  refused_.clear();
  for (const AlertRule& rule : choice_->rules) measure(rule.metric, now);
  for (auto name = wanted.names.lower_bound(std::string(prefix));
       name != wanted.names.end() && name->starts_with(prefix); ++name)
    if (const std::string metric = name->substr(prefix.size()); names_.contains(metric)) measure(metric, now);
  std::erase_if(measured_, [](const auto& entry) { return entry.second->end.passed(); });
}

void MetricWatch::measure(const std::string& name, Timeline::Time now) {
  auto found = measured_.find(name);
  try {
    if (found == measured_.end()) {
      if (measured_.size() >= max_measured)
        throw ConfigurationError(
            fmt::format("{} metrics are measured, which is the limit; wait a minute after others "
                        "are left out",
                        max_measured));
      found = measured_.emplace(name, begin(name, now)).first;
    }
    found->second->end = Deadline::after(kept);
  } catch (const ConfigurationError& error) {
    if (refused_.size() < max_measured) refused_.emplace(name, error.what());
  }
}

MetricWatch::Entry MetricWatch::begin(const std::string& name, Timeline::Time now) {
  const MeasureOptions options;
  auto definition = definitions_of({name}, choice_->files.library).front();
  AskedScope asked{.name = "events"};
  asked.question.where = condition_for({definition});
  auto measured = std::make_unique<Measured>(definition);
  measured->unit = unit_for(options, definition);
  measured->views.emplace(consumer_->open(asked_scope(watched_->pathmap, *watched_->plan, asked)));
  measured->measurement =
      std::make_unique<Measurement>(definition, choice_for(options, definition), consumer_->names());
  measured->start_ns = watched_->recorded ? watched_->recorded->replay().begin_ns() : ns_of(now);
  measured->measurement->start(measured->start_ns);
  return measured;
}

// A recording is read to the shown time, which `measure` does, too, by one pull in each look, so that a large
// one does not hold up the other parts. A program may make records as fast as they are read, so the time is
// limited for a running session.
void MetricWatch::pull(Measured& measured, Deadline limit) {
  const ScopeTree& tree = measured.views->scope().tree();
  const bool is_recorded = watched_->recorded != nullptr;
  (void)timeline_->has_rest();  // of pulls of others
  bool goes_on = true;
  while (goes_on) {
    const View view = measured.views->pull({.deadline = is_recorded ? Deadline::never() : limit,
                                            .with_usage = measured.definition.takes_usage,
                                            .with_in_flight = !measured.definition.counters.empty()});
    measured.measurement->take(view);
    goes_on = !is_recorded && tree.next && view.records.size() >= tree.batch && !limit.passed();
  }
  measured.has_rest = is_recorded && timeline_->has_rest();
}

// Values and alerts are of whole readings.
void MetricWatch::take(Measured& measured, Timeline::Time now, Deadline limit) {
  pull(measured, limit);
  if (measured.has_rest) return;
  MetricReading& reading = measured.reading;
  reading = {.time = std::chrono::nanoseconds(ns_of(now) - measured.start_ns),
             .start_ns = measured.start_ns,
             .began_ns = realtime_when_booted(*watched_) + measured.start_ns,
             .metric = measured.definition.name,
             .unit = measured.unit,
             .values = measured.measurement->read(ns_of(now))};
  reading.lost = measured.measurement->lost();
  reading.unmatched = measured.measurement->unmatched();
  keep(measured);
  for (RaisedAlert& alert : alerts_.take(reading)) raised_.push_back(std::move(alert));
}

// A metric of virtual times yields each value once, so the last ones are kept.
void MetricWatch::keep(Measured& measured) {
  const MetricReading& reading = measured.reading;
  std::deque<metrics::MetricValue>& values = measured.values;
  const bool replaces = reading.values.empty() || !reading.values.front().virtual_time;
  if (replaces && (values.empty() || !values.front().virtual_time)) values.clear();
  values.insert(values.end(), reading.values.begin(), reading.values.end());
  if (values.empty()) return;
  if (values.front().virtual_time) {
    while (values.size() > max_virtual_values) values.pop_front();
  } else {
    measured.left_out = values.size() - std::min(values.size(), max_objects);
    while (values.size() > max_objects) values.pop_back();
  }
}

const Json& MetricWatch::list() {
  if (list_) return *list_;
  Json all = Json::array();
  for (const std::string& name : names_) {
    try {
      const auto definition = definitions_of({name}, choice_->files.library).front();
      all.add(Json::object({{"name", name}, {"unit", definition.unit.label}}));
    } catch (const ConfigurationError&) {  // it is of use only inside other metrics
    }
  }
  Json rules = Json::array();
  for (const AlertRule& rule : choice_->rules) rules.add(rule.text);
  return list_.emplace(Json::object({{"metrics", std::move(all)}, {"alerts", std::move(rules)}}));
}

}  // namespace eventspace::web
