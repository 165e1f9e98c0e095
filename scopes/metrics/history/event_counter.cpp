#include "scopes/metrics/history/event_counter.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "collectors/mpi/mpi_record.h"
#include "scopes/metrics/records/moved_messages.h"
#include "scopes/metrics/records/region_records.h"

namespace eventspace::metrics {
namespace {

constexpr std::array quantity_type{ValueType::number};
std::optional<Expression> quantity_of(const std::string& text, const PlanNames& names) {
  if (text.empty()) return std::nullopt;
  return Expression(text, quantity_type, names);
}

double delay_of(const TimedEvents::Event& event, std::int64_t start_ns) {
  const double after_start_ns = start_ns == before_all
                                    ? std::numeric_limits<double>::infinity()
                                    : static_cast<double>(std::max(event.end_ns - start_ns, std::int64_t{0}));
  return seconds_per_ns * std::min(event.observed().duration_ns().value_or(0.0), after_start_ns);
}

}  // namespace

EventCounter::EventCounter(const Counter& counter, const PlanNames& names)
    : source(built_in_metrics()[counter.built_in].source),
      messages(built_in_metrics()[counter.built_in].messages),
      by_partner(counter.by_partner),
      by_region(counter.by_region),
      condition(counter.condition, names),
      quantity(quantity_of(counter.quantity, names)) {}

bool EventCounter::is_plain_for(const EventClass& known, const TraceTuple& record) const {
  if (by_partner || by_region || is_sampled) return false;
  if (messages != Messages::calls && header_of(record).kind == mpi_kind) return false;
  return source == Source::count || source == Source::delay ||
         (source == Source::volume && known.bytes != nullptr);
}

double EventCounter::amount(const TimedEvents::Event& event, const EventClass& known,
                            std::int64_t start_ns) const {
  switch (source) {
    case Source::count:
      return known.calls == nullptr ? 1.0 : known.calls->number(*event.last).value_or(1.0);
    case Source::volume:
      if (messages == Messages::moved && header_of(*event.last).kind == mpi_kind)
        return static_cast<double>(moved_bytes(event.records()));
      return (known.bytes != nullptr ? known.bytes->number(*event.last) : bytes.number(event.observed()))
          .value_or(0.0);
    case Source::delay:
      return delay_of(event, start_ns);
    case Source::quantity:
      return quantity->number(event.observed()).value_or(0.0);
    case Source::time:
    case Source::used:
    case Source::present:
      break;  // not made of events
  }
  return 0.0;
}

double EventCounter::amount_of(const TraceTuple& record, const ProcessReport& process,
                               const EventClass& known) const {
  if (source == Source::delay)
    return seconds_per_ns * process.clock.ns_between(record.words[1], record.words[4]);
  if (source == Source::volume) return known.bytes->number(record).value_or(0.0);
  return known.calls == nullptr ? 1.0 : known.calls->number(record).value_or(1.0);
}

}  // namespace eventspace::metrics
