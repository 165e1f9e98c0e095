#include "scopes/metrics/evaluation/measurement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "paths/parameters/glob.h"
#include "scopes/tree/view_events.h"

namespace eventspace::metrics {
namespace {

/// Converts times of one process after the other to the clock of the observer: along the line through two
/// times that its report converts.
class EndTimes {
 public:
  std::int64_t of(const ObservedEvent& event) noexcept {
    if (event.process != process_) use(*event.process);
    const auto since = static_cast<std::int64_t>(event.end() - event.process->now_ticks);
    return base_ns_ + static_cast<std::int64_t>(std::llround(static_cast<double>(since) * ns_per_tick_));
  }

 private:
  void use(const ProcessReport& process) noexcept {
    constexpr std::uint64_t apart = std::uint64_t{1} << 32;
    process_ = &process;
    base_ns_ = process.here(process.now_ticks).ns;
    ns_per_tick_ = static_cast<double>(process.here(process.now_ticks + apart).ns - base_ns_) /
                   static_cast<double>(apart);
  }

  const ProcessReport* process_{nullptr};
  std::int64_t base_ns_{0};
  double ns_per_tick_{1.0};
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
  for (const ProcessReport& report : view.processes) {
    history_.add_process(report.process);
    if (definition_.takes_usage) history_.add_usage(report);
  }
  std::vector<Chosen> objects;
  for (const TimedEvent& each : in_order(view)) {
    if (each.end_ns < moments_.start_ns) continue;
    const auto passage = history_.add(observed(each), each.end_ns, moments_.start_ns);
    if (!passage) continue;
    Moments at = moments_;
    at.now_ns = each.end_ns;
    if (objects.empty()) objects = chosen();
    evaluator_.sample(*passage, at, objects);
  }
}

ObservedEvent Measurement::observed(const TimedEvent& event) {
  return {*event.last, processes_.of(header_of(*event.last)), {event.last + 1 - event.size, event.size - 1}};
}

/// The ended events of a view, those of each process in the order of their ends. Of different processes, the
/// order does not matter.
std::vector<Measurement::TimedEvent> Measurement::in_order(const View& view) {
  EndTimes times;
  std::vector<TimedEvent> events;
  events.reserve(view.records.size());
  std::map<const ProcessReport*, std::int64_t> last_of;
  const ProcessReport* process = nullptr;
  std::int64_t* last_ns = nullptr;
  bool is_in_order = true;
  for_each_event(view.records, [&](std::span<const TraceTuple> records) {
    TimedEvent timed{0, &records.back(), records.size()};
    const ObservedEvent event = observed(timed);
    if (event.process == nullptr || event.in_flight()) return;
    timed.end_ns = times.of(event);
    if (event.process != process) {
      process = event.process;
      last_ns = &last_of.try_emplace(process, timed.end_ns).first->second;
    }
    is_in_order = is_in_order && timed.end_ns >= *last_ns;
    *last_ns = timed.end_ns;
    events.push_back(timed);
  });
  if (!is_in_order) std::ranges::stable_sort(events, {}, &TimedEvent::end_ns);
  return events;
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
