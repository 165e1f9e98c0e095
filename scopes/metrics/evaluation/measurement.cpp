#include "scopes/metrics/evaluation/measurement.h"

#include <algorithm>
#include <utility>

#include "paths/parameters/glob.h"
#include "scopes/tree/view_events.h"

namespace eventspace::metrics {
namespace {

/// An event of a view, and when it ended.
struct TimedEvent {
  std::int64_t end_ns{0};
  ObservedEvent event;
};

std::uint64_t lost_in(const Loss& loss) noexcept {
  return loss.discarded + loss.torn + loss.emptied + loss.failed;
}

}  // namespace

Measurement::Measurement(Definition definition, MeasurementChoice choice, const PlanNames& names)
    : definition_(std::move(definition)),
      choice_(std::move(choice)),
      processes_(names),
      history_(definition_, names),
      evaluator_(definition_, history_) {
  moments_.span = choice_.span;
}

void Measurement::start(std::int64_t now_ns) noexcept { moments_.start_ns = moments_.last_ns = now_ns; }

void Measurement::take(const View& view) {
  lost_ += lost_in(view.loss);
  lost_new_ += lost_in(view.loss);
  processes_.learn(view);
  // A process takes part before it has an event that the metric needs.
  for (const ProcessReport& report : view.processes) history_.add_process(report.process);
  std::vector<TimedEvent> events;
  for_each_event(view.records, [&](std::span<const TraceTuple> records) {
    const ObservedEvent event{records.back(), processes_.of(header_of(records.back())),
                              records.first(records.size() - 1)};
    if (event.process == nullptr || event.in_flight()) return;
    events.push_back({event.process->here(event.end()).ns, event});
  });
  std::ranges::stable_sort(events, {}, &TimedEvent::end_ns);
  std::vector<Chosen> objects;
  for (const TimedEvent& each : events) {
    if (each.end_ns < moments_.start_ns) continue;
    const auto passage = history_.add(each.event, each.end_ns, moments_.start_ns);
    if (!passage) continue;
    Moments at = moments_;
    at.now_ns = each.end_ns;
    if (objects.empty()) objects = chosen();
    evaluator_.sample(*passage, at, objects);
  }
}

std::vector<Measurement::Value> Measurement::read(std::int64_t now_ns) {
  moments_.now_ns = now_ns;
  const auto objects = chosen();
  std::vector<Value> values;
  for (const Evaluator::Result& result : evaluator_.read(moments_, objects))
    values.push_back(value_of(result));
  // By their names, p2 before p10; those of one object stay in the order of their virtual times.
  const auto place = [](const Value& value) {
    std::vector<std::pair<std::size_t, std::string_view>> names;
    for (const std::string& name : value.objects) names.emplace_back(name.size(), name);
    return names;
  };
  std::ranges::stable_sort(values, {}, place);
  moments_.last_ns = now_ns;
  history_.mark_read();
  lost_last_ = std::exchange(lost_new_, 0);
  return values;
}

std::vector<Chosen> Measurement::chosen() const {
  std::vector<Chosen> all(definition_.parameters.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const Base base = definition_.parameters[i].type.base;
    if (!is_object(base)) continue;
    const auto glob = choice_.objects.find(i);
    for (std::uint32_t object = 0; object < history_.objects().count(base); ++object) {
      all[i].push_back(glob == choice_.objects.end() ||
                       glob_match(glob->second, history_.objects().name(base, object)));
    }
  }
  return all;
}

Measurement::Value Measurement::value_of(const Evaluator::Result& result) const {
  constexpr double ns_per_second = 1e9;
  Value value{{}, std::nullopt, result.value};
  std::size_t given = 0;
  for (std::uint32_t i = 0; i < definition_.parameters.size(); ++i) {
    if (i == definition_.time || !definition_.given.contains(i)) continue;
    value.objects.emplace_back(
        history_.objects().name(definition_.parameters[i].type.base, result.objects[given++]));
  }
  if (result.step) value.virtual_time = result.step->virtual_time;
  const auto seconds =
      static_cast<double>(moments_.now_ns -
                          (choice_.span == Span::since_start ? moments_.start_ns : moments_.last_ns)) /
      ns_per_second;
  if (choice_.per_second && seconds > 0.0) value.datum.number /= seconds;
  return value;
}

std::uint64_t Measurement::repeated() const {
  std::uint64_t all = 0;
  for (const auto& [of, samples] : history_.samples()) all += samples.repeated();
  return all;
}

std::vector<std::string> Measurement::silent_probes() const {
  std::vector<std::string> silent;
  for (std::uint32_t i = 0; i < definition_.samplers.size(); ++i) {
    const auto passed = history_.samples().lower_bound({i, 0});
    const bool was_passed = passed != history_.samples().end() && passed->first.first == i;
    const std::string& probe = definition_.samplers[i].probe;
    if (!was_passed && std::ranges::find(silent, probe) == silent.end()) silent.push_back(probe);
  }
  return silent;
}

bool Measurement::has_objects() const {
  const auto objects = chosen();
  for (std::uint32_t i = 0; i < objects.size(); ++i) {
    const bool is_needed = is_object(definition_.parameters[i].type.base);
    if (is_needed && std::ranges::find(objects[i], true) == objects[i].end()) return false;
  }
  return true;
}

}  // namespace eventspace::metrics
