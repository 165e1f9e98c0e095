#include "scopes/metrics/history/event_history.h"

#include <unordered_set>

#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"
#include "scopes/metrics/records/moved_messages.h"
#include "scopes/metrics/records/region_records.h"

namespace eventspace::metrics {
namespace {

/// Calls `use` with the number of each counter that an expression needs.
template <class Use>
void for_counters(const TypedNode& node, std::unordered_set<const TypedNode*>& seen, const Use& use) {
  if (!seen.insert(&node).second) return;
  if (node.kind == TypedNode::Kind::built_in && node.index < Definition::first_sampled) use(node.index);
  for (const Typed& operand : node.operands) for_counters(*operand, seen, use);
  if (node.condition) for_counters(*node.condition, seen, use);
}

std::vector<EventCounter> counters_of(const Definition& definition, const PlanNames& names) {
  std::vector<EventCounter> counters;
  for (const Counter& counter : definition.counters) counters.emplace_back(counter, names);
  std::unordered_set<const TypedNode*> seen;
  for (const Sampler& sampler : definition.samplers) {
    if (sampler.value)
      for_counters(*sampler.value, seen,
                   [&counters](std::uint32_t counter) { counters[counter].is_sampled = true; });
  }
  return counters;
}

/// The number of an event's thread in records.
std::uint32_t thread_of(const TraceTuple& record) { return static_cast<std::uint32_t>(record.words[2]); }

}  // namespace

EventHistory::EventHistory(const Definition& definition, const PlanNames& names, CutRegions cut)
    : names_(&names),
      cut_(cut),
      partners_(names),
      samples_(definition, names),
      counters_(counters_of(definition, names)),
      totals_(counters_.size()),
      classes_(counters_, samples_.has_samplers()) {}

std::optional<ProbeSamples::Passage> EventHistory::add(const TimedEvents::Event& event,
                                                       std::int64_t start_ns) {
  const std::uint32_t thread = count_all(event, start_ns);
  const bool is_probe = header_of(*event.last).kind == probe_kind;
  if (!is_probe || !samples_.has_samplers()) return std::nullopt;
  auto passage = samples_.passage(event, thread, objects_.threads()[thread].process);
  if (passage) passage->is_before = event.end_ns < start_ns;
  return passage;
}

std::uint32_t EventHistory::count_all(const TimedEvents::Event& event, std::int64_t start_ns) {
  const std::uint32_t thread = this->thread(thread_of(*event.last), event.process->process);
  const EventClass& known = classes_.of(*event.last);
  for (const std::uint32_t counter : known.counters) count(counter, event, known, thread, start_ns);
  for (const std::uint32_t counter : classes_.of_no_class()) {
    if (counters_[counter].condition.holds(event.observed())) count(counter, event, known, thread, start_ns);
  }
  if (classes_.has_regions() && is_region(*event.last)) end_region(event, thread, start_ns);
  return thread;
}

// Adds in the same order as add(), so that the sums are the same to the last digit.
void EventHistory::count_run(const TimedEvents::Event& event, std::span<const TraceTuple> run) {
  const EventClass& known = classes_.of(*event.last);
  if (known.counters.empty()) return;
  const std::uint32_t thread = this->thread(thread_of(*event.last), event.process->process);
  for (const std::uint32_t counter : known.counters) {
    double& place = totals_[counter].of(thread);
    double total = place;
    for (const TraceTuple& record : run) total += counters_[counter].amount_of(record, *event.process, known);
    place = total;
  }
}

// Whole numbers add up exactly, in any order.
void EventHistory::add_sum(const TraceTuple& record, std::uint32_t process, const Sum& sum) {
  const EventClass& known = classes_.of(record);
  if (known.counters.empty()) return;
  const std::uint32_t thread = this->thread(thread_of(record), process);
  for (const std::uint32_t counter : known.counters) {
    const std::uint64_t number = known.calls == nullptr ? sum.events : sum.calls;
    const std::uint64_t more = counters_[counter].source == Source::volume ? sum.bytes : number;
    totals_[counter].of(thread) += static_cast<double>(more);
  }
}

void EventHistory::count(std::uint32_t counter, const TimedEvents::Event& event, const EventClass& known,
                         std::uint32_t thread, std::int64_t start_ns) {
  const EventCounter& of = counters_[counter];
  if (of.messages == Messages::received && header_of(*event.last).kind == mpi_kind)
    return count_messages(counter, event, thread, start_ns);
  if (of.by_region) return count_by_region(counter, event, known, thread, start_ns);
  if (event.end_ns < start_ns) return;
  if (!of.by_partner) {
    totals_[counter].of(thread) += of.amount(event, known, start_ns);
    return;
  }
  if (const auto partner = partners_.of(event.observed()))
    totals_[counter].add(thread, *partner, of.amount(event, known, start_ns));
}

/// Counts received messages when the call that has received them ends.
void EventHistory::count_messages(std::uint32_t counter, const TimedEvents::Event& event,
                                  std::uint32_t thread, std::int64_t start_ns) {
  const EventCounter& of = counters_[counter];
  CounterTotals& totals = totals_[counter];
  const bool counts_before = of.by_region && cut_ == CutRegions::whole;
  if (event.end_ns < start_ns && !counts_before) return;
  const Received received = received_by(event.records());
  totals.leave_out(received.unknown);
  for (const ReceivedMessages& each : received.messages) {
    const auto amount = static_cast<double>(of.source == Source::count ? each.messages : each.bytes);
    std::optional<Partner> partner;
    if (of.by_partner) partner = partners_.of_rank(each.communicator, each.partner);
    if (of.by_partner && !partner) {
      // The senders of messages that are listed together are not known.
      if (each.messages > 1) totals.leave_out(each.messages);
      continue;
    }
    const RecordHeader header = header_of(*event.last);
    if (of.by_region)
      totals.regions().add(thread, partner, {header.start, header.end}, amount);
    else if (partner)
      totals.add(thread, *partner, amount);
    else
      totals.of(thread) += amount;
  }
}

std::uint64_t EventHistory::left_out() const {
  std::uint64_t all = samples_.left_out() + regions_left_out_;
  for (const CounterTotals& totals : totals_) all += totals.left_out();
  return all;
}

void EventHistory::mark_read(std::int64_t last_ns) {
  usages_.mark_read();
  for (CounterTotals& totals : totals_) totals.mark_read(last_ns);
}

}  // namespace eventspace::metrics
