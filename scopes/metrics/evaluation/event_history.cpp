#include "scopes/metrics/evaluation/event_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/probe_record.h"
#include "scopes/metrics/language/built_in_metrics.h"

namespace eventspace::metrics {
namespace {

constexpr std::array quantity_type{ValueType::number};
constexpr double seconds_per_ns = 1e-9;

std::optional<Expression> quantity_of(const std::string& text, const PlanNames& names) {
  if (text.empty()) return std::nullopt;
  return Expression(text, quantity_type, names);
}

/// Greater ones than a shift can be added to count as the greatest.
std::int64_t virtual_time_of(std::uint64_t bits) noexcept {
  constexpr std::uint64_t greatest = std::uint64_t{1} << 62;
  return static_cast<std::int64_t>(std::min(bits, greatest));
}

double sum(const std::vector<double>& values, const std::vector<std::uint32_t>& threads) {
  double total = 0.0;
  for (const std::uint32_t thread : threads) total += thread < values.size() ? values[thread] : 0.0;
  return total;
}

}  // namespace

Step Samples::next(std::int64_t virtual_time) noexcept {
  has_virtual_time_ = has_virtual_time_ || virtual_time != 0;
  const std::int64_t passage = passages_++;
  Step step{last_ ? last_->epoch : 0, has_virtual_time_ ? virtual_time : passage};
  if (last_ && step.virtual_time < last_->virtual_time) ++step.epoch;
  return step;
}

void Samples::keep(const Step& step, const Datum& value) {
  if (last_ && step == *last_) {
    ++repeated_;
    return;
  }
  last_ = step;
  kept_.emplace_back(step, value);
  if (kept_.size() > most) kept_.pop_front();
}

Datum Samples::at(const Step& step) const {
  Datum none;
  if (!last_ || *last_ < step) {
    none.state = Datum::State::later;
    return none;
  }
  const auto found = std::ranges::lower_bound(kept_, step, {}, &std::pair<Step, Datum>::first);
  return found == kept_.end() || found->first != step ? none : found->second;
}

EventHistory::EventHistory(const Definition& definition, const PlanNames& names)
    : definition_(&definition), names_(&names), partners_(names) {
  for (const Counter& counter : definition.counters) {
    countings_.push_back({built_in_metrics()[counter.built_in].source,
                          EventCondition(counter.condition, names),
                          quantity_of(counter.quantity, names),
                          {},
                          {},
                          counter.by_partner});
  }
  for (int i = 1; i <= 8; ++i) values_.emplace_back(fmt::format("value{}", i));
}

std::optional<EventHistory::Passage> EventHistory::add(const ObservedEvent& event, std::int64_t end_ns,
                                                       std::int64_t start_ns) {
  if (event.process == nullptr) return std::nullopt;
  const std::uint32_t thread = objects_.thread(event.header().thread, event.process->process, *names_);
  for (Counting& counting : countings_) {
    if (counting.condition.holds(event))
      count(counting, event, thread, amount(counting, event, end_ns, start_ns));
  }
  return definition_->samplers.empty() ? std::nullopt : passage(event, thread);
}

double EventHistory::amount(const Counting& counting, const ObservedEvent& event, std::int64_t end_ns,
                            std::int64_t start_ns) const {
  switch (counting.source) {
    case Source::count:
      return 1.0;
    case Source::volume:
      return bytes_.number(event).value_or(0.0);
    case Source::delay:
      return seconds_per_ns * std::min(event.duration_ns().value_or(0.0),
                                       static_cast<double>(std::max(end_ns - start_ns, std::int64_t{0})));
    case Source::quantity:
      return counting.quantity->number(event).value_or(0.0);
    case Source::time:
    case Source::used:
    case Source::present:
      break;  // not made of events
  }
  return 0.0;
}

void EventHistory::count(Counting& counting, const ObservedEvent& event, std::uint32_t thread,
                         double amount) {
  if (counting.by_partner) {
    if (const auto partner = partners_.of(event)) counting.of_partners[{thread, *partner}].total += amount;
    return;
  }
  if (counting.totals.size() <= thread) {
    counting.totals.resize(thread + 1);
    counting.last.resize(thread + 1);
  }
  counting.totals[thread] += amount;
}

std::optional<EventHistory::Passage> EventHistory::passage(const ObservedEvent& event,
                                                           std::uint32_t thread) const {
  if (event.header().kind != probe_kind) return std::nullopt;
  const auto name = probe_.text(event, *names_);
  if (!name) return std::nullopt;
  const bool is_sampled =
      std::ranges::find(definition_->samplers, *name, &Sampler::probe) != definition_->samplers.end();
  if (!is_sampled) return std::nullopt;
  Passage made;
  made.probe = *name;
  made.thread = thread;
  made.process = objects_.threads()[thread].process;
  made.virtual_time = virtual_time_of(virtual_time_.bits(event).value_or(0));
  for (std::size_t i = 0; i < made.values.size(); ++i) made.values[i] = values_[i].number(event);
  return made;
}

double EventHistory::total(std::uint32_t counter, const std::vector<std::uint32_t>& threads) const {
  return sum(countings_[counter].totals, threads);
}

double EventHistory::since_last(std::uint32_t counter, const std::vector<std::uint32_t>& threads) const {
  return sum(countings_[counter].totals, threads) - sum(countings_[counter].last, threads);
}

EventHistory::Sums EventHistory::sums(std::uint32_t counter, const std::vector<std::uint32_t>& threads,
                                      const std::set<Partner>& partners) const {
  Sums all;
  const auto& known = countings_[counter].of_partners;
  for (const std::uint32_t thread : threads) {
    for (auto at = known.lower_bound({thread, Partner{}}); at != known.end() && at->first.first == thread;
         ++at) {
      if (!partners.contains(at->first.second)) continue;
      all.total += at->second.total;
      all.until_last += at->second.until_last;
    }
  }
  return all;
}

void EventHistory::mark_read() {
  usages_.mark_read();
  for (Counting& counting : countings_) {
    counting.last = counting.totals;
    for (auto& [of, amounts] : counting.of_partners) amounts.until_last = amounts.total;
  }
}

}  // namespace eventspace::metrics
