#include "scopes/metrics/history/event_history.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "collectors/mpi/mpi_record.h"
#include "collectors/probe_record.h"
#include "scopes/metrics/history/exact_sum.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/records/moved_messages.h"
#include "scopes/metrics/records/region_records.h"

namespace eventspace::metrics {
namespace {

constexpr std::array quantity_type{ValueType::number};
std::optional<Expression> quantity_of(const std::string& text, const PlanNames& names) {
  if (text.empty()) return std::nullopt;
  return Expression(text, quantity_type, names);
}

/// Returns a place in a list, which grows if needed.
double& put(std::vector<double>& values, std::uint32_t place) {
  if (values.size() <= place) values.resize(place + 1);
  return values[place];
}

/// Calls `use` with the number of each counter that an expression needs.
template <class Use>
void for_counters(const TypedNode& node, std::unordered_set<const TypedNode*>& seen, const Use& use) {
  if (!seen.insert(&node).second) return;
  if (node.kind == TypedNode::Kind::built_in && node.index < Definition::first_sampled) use(node.index);
  for (const Typed& operand : node.operands) for_counters(*operand, seen, use);
  if (node.condition) for_counters(*node.condition, seen, use);
}

/// The sum does not depend on the order in which threads are numbered.
double sum(const std::vector<double>& values, const std::vector<std::uint32_t>& threads) {
  ExactSum total;
  for (const std::uint32_t thread : threads) total.add(thread < values.size() ? values[thread] : 0.0);
  return total.value();
}

}  // namespace

EventHistory::EventHistory(const Definition& definition, const PlanNames& names, CutRegions cut)
    : names_(&names), cut_(cut), partners_(names), samples_(definition, names) {
  for (const Counter& counter : definition.counters) {
    countings_.push_back({built_in_metrics()[counter.built_in].source,
                          EventCondition(counter.condition, names),
                          quantity_of(counter.quantity, names),
                          {},
                          {},
                          counter.by_partner,
                          counter.by_region,
                          built_in_metrics()[counter.built_in].messages});
    has_regions_ = has_regions_ || counter.by_region;
    if (!countings_.back().condition.is_of_class())
      of_no_class_.push_back(static_cast<std::uint32_t>(countings_.size() - 1));
  }
  std::unordered_set<const TypedNode*> seen;
  for (const Sampler& sampler : definition.samplers) {
    if (sampler.value)
      for_counters(*sampler.value, seen,
                   [this](std::uint32_t counter) { countings_[counter].is_sampled = true; });
  }
}

std::optional<ProbeSamples::Passage> EventHistory::add(const TimedEvents::Event& event,
                                                       std::int64_t start_ns) {
  const std::uint32_t thread = count_all(event, start_ns);
  const bool is_probe = header_of(*event.last).kind == probe_kind;
  if (!is_probe || !samples_.has_samplers()) return std::nullopt;
  auto passage = samples_.passage(event, thread, objects_.threads()[thread].process);
  if (passage) passage->is_before = event.end_ns < start_ns;
  return passage;
}

/// Returns the number of the thread.
std::uint32_t EventHistory::count_all(const TimedEvents::Event& event, std::int64_t start_ns) {
  const auto in_records = static_cast<std::uint32_t>(event.last->words[2]);
  const std::uint32_t thread = objects_.thread(in_records, event.process->process, *names_);
  for (const std::uint32_t counter : class_with(*event.last).counters)
    count(countings_[counter], event, thread, start_ns);
  for (const std::uint32_t counter : of_no_class_) {
    if (countings_[counter].condition.holds(event.observed()))
      count(countings_[counter], event, thread, start_ns);
  }
  if (has_regions_ && is_region(*event.last)) end_region(event, thread, start_ns);
  return thread;
}

/// Determines the handling of all events of the class of a record.
void EventHistory::learn(ClassOfEvents& known, const TraceTuple& record) {
  const RecordHeader header = header_of(record);
  const ObservedEvent event{record};
  known.of = class_of(record) + 1;
  known.counters.clear();
  for (std::uint32_t i = 0; i < countings_.size(); ++i) {
    const EventCondition& condition = countings_[i].condition;
    if (condition.is_of_class() && condition.holds(event)) known.counters.push_back(i);
  }
  const bool is_sampled = header.kind == probe_kind && samples_.has_samplers();
  known.is_needed =
      is_sampled || !of_no_class_.empty() || !known.counters.empty() || (has_regions_ && is_region(record));
  const auto place_of = [&](std::string_view field) {
    const FieldPlace* const place =
        EventKinds::instance().place(header.kind, EventKinds::instance().field_named(field).value());
    return place != nullptr && place->is_in_part(header.part) ? place : nullptr;
  };
  known.bytes = place_of("bytes");
  known.calls = place_of("calls");
  if (known.calls != nullptr && !known.calls->number(record)) known.calls = nullptr;
  known.is_plain = is_plain_class(known, record);
}

bool EventHistory::is_plain_class(const ClassOfEvents& known, const TraceTuple& record) const {
  const bool is_for_others = header_of(record).kind == probe_kind &&
                             (samples_.has_samplers() || (has_regions_ && is_region(record)));
  return !is_for_others && of_no_class_.empty() &&
         std::ranges::all_of(known.counters, [&](std::uint32_t counter) {
           const Counting& counting = countings_[counter];
           if (counting.by_partner || counting.by_region || counting.is_sampled) return false;
           const bool is_of_messages = counting.messages != Messages::calls;
           if (is_of_messages && header_of(record).kind == mpi_kind) return false;
           const bool has_bytes = counting.source == Source::volume && known.bytes != nullptr;
           return has_bytes || counting.source == Source::count || counting.source == Source::delay;
         });
}

/// Adds in the same order as add(), so that the sums are the same to the last digit.
void EventHistory::count_run(const TimedEvents::Event& event, std::span<const TraceTuple> run) {
  const ClassOfEvents& known = class_with(*event.last);
  if (known.counters.empty()) return;
  const auto in_records = static_cast<std::uint32_t>(event.last->words[2]);
  const std::uint32_t thread = objects_.thread(in_records, event.process->process, *names_);
  for (const std::uint32_t counter : known.counters) {
    Counting& counting = countings_[counter];
    double& place = put(counting.totals, thread);
    double total = place;
    for (const TraceTuple& record : run) total += amount_of_run(counting, known, *event.process, record);
    place = total;
  }
}

double EventHistory::amount_of_run(const Counting& counting, const ClassOfEvents& known,
                                   const ProcessReport& process, const TraceTuple& record) {
  if (counting.source == Source::delay)
    return seconds_per_ns * process.clock.ns_between(record.words[1], record.words[4]);
  if (counting.source == Source::volume) return known.bytes->number(record).value_or(0.0);
  return known.calls == nullptr ? 1.0 : known.calls->number(record).value_or(1.0);
}

std::optional<WholeField> EventHistory::whole(const FieldPlace& place, const TraceTuple& record) noexcept {
  const bool is_whole =
      place.form == NumberForm::natural && place.form_shift == 0 && !place.absent && place.mark_bits == 0;
  if (!is_whole || (place.classes >> (record.words[3] >> 12 & 0xf) & 1) == 0) return std::nullopt;
  return WholeField{place.word, place.shift, ~std::uint64_t{0} >> (64 - place.bits)};
}

std::optional<SummedFields> EventHistory::summed_up(const TraceTuple& record) {
  const ClassOfEvents& known = class_with(record);
  SummedFields fields;
  for (const std::uint32_t counter : known.counters) {
    const Source source = countings_[counter].source;
    if (source == Source::count && known.calls == nullptr) continue;
    if (source != Source::count && source != Source::volume) return std::nullopt;
    const auto found = whole(source == Source::count ? *known.calls : *known.bytes, record);
    if (!found) return std::nullopt;
    (source == Source::count ? fields.calls : fields.bytes) = *found;
  }
  return fields;
}

// Whole numbers add up exactly, in any order.
void EventHistory::add(const TraceTuple& record, std::uint32_t process, const Sum& sum) {
  const ClassOfEvents& known = class_with(record);
  if (known.counters.empty()) return;
  const std::uint32_t thread = objects_.thread(static_cast<std::uint32_t>(record.words[2]), process, *names_);
  for (const std::uint32_t counter : known.counters) {
    Counting& counting = countings_[counter];
    const std::uint64_t number = known.calls == nullptr ? sum.events : sum.calls;
    const std::uint64_t more = counting.source == Source::volume ? sum.bytes : number;
    put(counting.totals, thread) += static_cast<double>(more);
  }
}

double EventHistory::amount(const Counting& counting, const TimedEvents::Event& event,
                            std::int64_t start_ns) {
  switch (counting.source) {
    case Source::count: {
      const FieldPlace* const place = class_with(*event.last).calls;
      return place == nullptr ? 1.0 : place->number(*event.last).value_or(1.0);
    }
    case Source::volume: {
      if (counting.messages == Messages::moved && header_of(*event.last).kind == mpi_kind)
        return static_cast<double>(moved_bytes(event.records()));
      const FieldPlace* const place = class_with(*event.last).bytes;
      return (place != nullptr ? place->number(*event.last) : bytes_.number(event.observed())).value_or(0.0);
    }
    case Source::delay:
      return seconds_per_ns *
             std::min(event.observed().duration_ns().value_or(0.0),
                      start_ns == before_all
                          ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(std::max(event.end_ns - start_ns, std::int64_t{0})));
    case Source::quantity:
      return counting.quantity->number(event.observed()).value_or(0.0);
    case Source::time:
    case Source::used:
    case Source::present:
      break;  // not made of events
  }
  return 0.0;
}

void EventHistory::count(Counting& counting, const TimedEvents::Event& event, std::uint32_t thread,
                         std::int64_t start_ns) {
  if (counting.messages == Messages::received && header_of(*event.last).kind == mpi_kind)
    return count_messages(counting, event, thread, start_ns);
  if (counting.by_region) return count_by_region(counting, event, thread, start_ns);
  if (event.end_ns < start_ns) return;
  if (!counting.by_partner) {
    put(counting.totals, thread) += amount(counting, event, start_ns);
    return;
  }
  if (const auto partner = partners_.of(event.observed()))
    count_with_partner(counting, thread, *partner, amount(counting, event, start_ns));
}

/// Counts received messages when the call that has received them ends.
void EventHistory::count_messages(Counting& counting, const TimedEvents::Event& event, std::uint32_t thread,
                                  std::int64_t start_ns) {
  const bool counts_before = counting.by_region && cut_ == CutRegions::whole;
  if (event.end_ns < start_ns && !counts_before) return;
  const Received received = received_by(event.records());
  counting.without_place += received.unknown;
  for (const ReceivedMessages& each : received.messages) {
    const auto amount = static_cast<double>(counting.source == Source::count ? each.messages : each.bytes);
    std::optional<Partner> partner;
    if (counting.by_partner) partner = partners_.of_rank(each.communicator, each.partner);
    if (counting.by_partner && !partner) {
      // The senders of messages that are listed together are not known.
      if (each.messages > 1) counting.without_place += each.messages;
      continue;
    }
    const RecordHeader header = header_of(*event.last);
    if (counting.by_region)
      counting.of_regions.add(thread, partner, {header.start, header.end}, amount);
    else if (partner)
      count_with_partner(counting, thread, *partner, amount);
    else
      put(counting.totals, thread) += amount;
  }
}

void EventHistory::count_with_partner(Counting& counting, std::uint32_t thread, const Partner& partner,
                                      double amount) {
  const std::pair key(thread, partner);
  if (counting.of_partners.size() >= max_partner_sums && !counting.of_partners.contains(key))
    ++counting.without_place;
  else
    counting.of_partners[key].total += amount;
}

void EventHistory::receive(const Count& count) {
  Counting& counting = countings_[count.counter];
  if (count.region)
    counting.of_regions.receive({count.thread, count.partner, *count.region}, count.total);
  else if (count.partner && (counting.of_partners.size() < max_partner_sums ||
                             counting.of_partners.contains({count.thread, *count.partner})))
    counting.of_partners[{count.thread, *count.partner}].total = count.total;
  else if (count.partner)
    ++counting.without_place;
  else
    put(counting.totals, count.thread) = count.total;
}

std::vector<EventHistory::Count> EventHistory::changed(std::uint32_t counter) const {
  const Counting& counting = countings_[counter];
  std::vector<Count> all;
  for (std::uint32_t thread = 0; thread < counting.totals.size(); ++thread) {
    const double before = thread < counting.last.size() ? counting.last[thread] : 0.0;
    if (counting.totals[thread] != before)
      all.push_back({counter, thread, std::nullopt, counting.totals[thread]});
  }
  for (const auto& [key, amounts] : counting.of_regions.all()) {
    if (amounts.total() != amounts.until_last)
      all.push_back({counter, key.thread, key.partner, amounts.total(), key.region});
  }
  for (const auto& [of, sums] : counting.of_partners) {
    if (sums.total != sums.until_last) all.push_back({counter, of.first, of.second, sums.total});
  }
  return all;
}

double EventHistory::total(std::uint32_t counter, const std::vector<std::uint32_t>& threads) const {
  return sum(countings_[counter].totals, threads);
}

double EventHistory::since_last(std::uint32_t counter, const std::vector<std::uint32_t>& threads) const {
  return sum(countings_[counter].totals, threads) - sum(countings_[counter].last, threads);
}

EventHistory::Sums EventHistory::sums(std::uint32_t counter, const Over& over) const {
  const Counting& counting = countings_[counter];
  if (over.regions != nullptr) {
    const auto amounts = counting.of_regions.sum(over.threads, *over.regions, over.partners);
    return {amounts.total(), amounts.until_last};
  }
  ExactSum total;
  ExactSum until_last;
  const auto& known = counting.of_partners;
  for (const std::uint32_t thread : over.threads) {
    for (auto at = known.lower_bound({thread, Partner{}}); at != known.end() && at->first.first == thread;
         ++at) {
      if (!over.partners->contains(at->first.second)) continue;
      total.add(at->second.total);
      until_last.add(at->second.until_last);
    }
  }
  return {total.value(), until_last.value()};
}

std::uint64_t EventHistory::left_out() const {
  std::uint64_t all = samples_.left_out() + regions_left_out_;
  for (std::uint32_t i = 0; i < countings_.size(); ++i) all += left_out(i);
  return all;
}

void EventHistory::mark_read(std::int64_t last_ns) {
  usages_.mark_read();
  for (Counting& counting : countings_) {
    std::map<std::uint32_t, std::int64_t> held;
    for (const auto& [thread, since_ns] : counting.in_flight) {
      if (since_ns > last_ns || counting.since_last(thread) != 0.0) continue;
      const auto before = counting.held_since.find(thread);
      held[thread] = before == counting.held_since.end() ? last_ns : before->second;
    }
    counting.held_since = std::move(held);
    counting.last = counting.totals;
    for (auto& [of, amounts] : counting.of_partners) amounts.until_last = amounts.total;
    counting.of_regions.mark_read();
  }
}

}  // namespace eventspace::metrics
