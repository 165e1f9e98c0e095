#include "scopes/metrics/evaluation/measurement.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace eventspace::metrics {
namespace {

std::uint64_t lost_in(const Loss& loss) noexcept {
  return loss.discarded + loss.torn + loss.emptied + loss.failed;
}

}  // namespace

Measurement::Measurement(Definition definition, MeasurementChoice choice, const PlanNames& names)
    : definition_(std::move(definition)),
      choice_(std::move(choice)),
      history_(definition_, names, choice_.cut),
      evaluator_(definition_, history_),
      receiver_(definition_, history_, evaluator_),
      is_of_events_(!definition_.counters.empty() || !definition_.samplers.empty() ||
                    !definition_.collections.empty()),
      chosen_(definition_.parameters.size()),
      alone_({this}, names) {
  moments_.span = choice_.span;
}

void Measurement::start(std::int64_t now_ns) noexcept { moments_.start_ns = moments_.last_ns = now_ns; }

void Measurement::begin(const View& view) {
  lost_ += lost_in(view.loss);
  lost_new_ += lost_in(view.loss);
  // A process takes part before it has an event that the metric needs.
  for (const ProcessReport& report : view.processes) {
    (void)history_.process(report.process);
    if (definition_.takes_usage) history_.add_usage(report);
  }
  is_chosen_ = false;
}

void Measurement::take(const TimedEvents::Event& event) {
  if (!history_.needs(*event.last)) return;  // only another measurement needs it
  const auto passage = history_.add(event, moments_.start_ns);
  if (!passage) return;
  Moments at = moments_;
  at.now_ns = event.end_ns;
  if (!std::exchange(is_chosen_, true)) choose();
  evaluator_.sample(*passage, at, chosen_);
}

Measurement::Together::Together(std::vector<Measurement*> all, const PlanNames& names)
    : all_(std::move(all)),
      pass_(names,
            [this] {
              std::vector<EventPass::Consumer> consumers;
              for (Measurement* const each : all_) consumers.push_back({&each->history_, &each->moments_});
              return consumers;
            }()),
      // Counts alone do not depend on the order.
      have_order_(std::ranges::any_of(
          all_, [](const Measurement* each) { return each->history_.samples().has_samplers(); })) {}

void Measurement::Together::take(const View& view) {
  for (Measurement* const each : all_) each->begin(view);
  const auto use = [this](const TimedEvents::Event& event) {
    for (Measurement* const each : all_) each->take(event);
  };
  if (have_order_)
    std::ranges::for_each(pass_.take(view), use);
  else
    pass_.for_each(
        view, [](std::span<const TraceTuple>) {}, use);
  for (Measurement* const each : all_) each->history_.take_in_flight(view, each->moments_.start_ns);
}

std::vector<MetricValue> Measurement::read(std::int64_t now_ns) {
  moments_.now_ns = now_ns;
  choose();
  std::vector<MetricValue> values = evaluator_.read(moments_, chosen_);
  if (choice_.per_second) {
    for (MetricValue& value : values) divide_by_time(value);
  }
  // By name, p2 before p10; values of one object stay in the order of their virtual times.
  const auto place = [](const MetricValue& value) {
    std::vector<std::pair<std::size_t, std::string_view>> names;
    for (const std::string& name : value.objects) names.emplace_back(name.size(), name);
    return names;
  };
  std::ranges::stable_sort(values, {}, place);
  history_.mark_read(std::exchange(moments_.last_ns, now_ns));
  lost_last_ = std::exchange(lost_new_, 0);
  const std::uint64_t unmatched = evaluator_.unmatched() + receiver_.unmatched();
  unmatched_last_ = unmatched - std::exchange(unmatched_read_, unmatched);
  return values;
}

void Measurement::choose() { choose_objects(definition_, choice_.objects, history_.objects(), chosen_); }

void Measurement::divide_by_time(MetricValue& value) const {
  constexpr double ns_per_second = 1e9;
  Datum& datum = value.datum;
  std::int64_t begin_ns = choice_.span == Span::since_start ? moments_.start_ns : moments_.last_ns;
  std::int64_t end_ns = moments_.now_ns;
  // Operations that were in flight at readings have counted for longer.
  if (datum.begin_ns > 0) begin_ns = std::min(begin_ns, datum.begin_ns);
  // A value of a virtual time was taken at probes, over its own time, as with RATE.
  if (value.virtual_time) std::tie(begin_ns, end_ns) = std::pair(datum.begin_ns, datum.end_ns);
  const auto seconds = static_cast<double>(end_ns - begin_ns) / ns_per_second;
  if (seconds > 0.0) datum.number /= seconds;
}

std::uint64_t Measurement::repeated() const {
  std::uint64_t all = receiver_.repeated();
  for (std::uint32_t i = 0; i < definition_.samplers.size(); ++i) {
    for (const Samples& samples : history_.samples().of_all(i)) all += samples.repeated();
  }
  return all;
}

std::vector<std::string> Measurement::silent_probes() const {
  std::vector<std::string> silent;
  for (std::uint32_t i = 0; i < definition_.samplers.size(); ++i) {
    const std::string& probe = definition_.samplers[i].probe;
    if (!probe.empty() && !history_.samples().was_passed(i) &&
        std::ranges::find(silent, probe) == silent.end())
      silent.push_back(probe);
  }
  return silent;
}

bool Measurement::has_objects() const {
  for (std::uint32_t i = 0; i < chosen_.size(); ++i) {
    const bool is_needed = is_object(definition_.parameters[i].type.base);
    if (is_needed && std::ranges::find(chosen_[i], true) == chosen_[i].end()) return false;
  }
  return true;
}

}  // namespace eventspace::metrics
