#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectors/kinds/event_kinds.h"
#include "scopes/expressions/expression.h"
#include "scopes/metrics/events/event_condition.h"
#include "scopes/metrics/events/timed_events.h"
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/language/definition.h"
#include "scopes/tree/field_reader.h"

namespace eventspace::metrics {

/// The handling of all events of a class (class_of). Plain data.
struct EventClass {
  std::uint32_t of{0};               ///< the bits of the class, plus 1; 0: unused
  bool is_needed{false};             ///< the definition can need an event of the class
  const FieldPlace* bytes{nullptr};  ///< null: it has to be searched
  const FieldPlace* calls{nullptr};  ///< null: each record is one call
  /// Only the number, bytes or time of the events are needed, and not at probes, so that they may be counted
  /// before earlier events.
  bool is_plain{false};
  /// The counters that count the events without needing further fields.
  std::vector<std::uint32_t> counters{};
};

/// A counter of a definition as it applies to events: which events it counts, and the amount of each. Keeps
/// no totals (CounterTotals). Plain data.
///
/// 1. The amount of an event that began before the start is the part of it after the start, for a delay, and
///    otherwise all of it.
/// 2. The amounts of records that follow each other (amount_of) are those of amount(), to the last digit.
struct EventCounter {
  /// `names` must outlive it. Throws ConfigurationError if an expression has a fault.
  EventCounter(const Counter& counter, const PlanNames& names);

  Source source;
  Messages messages;
  bool by_partner;
  bool by_region;
  bool is_sampled{false};  ///< at a probe, so that the order of events matters
  EventCondition condition;
  std::optional<Expression> quantity;
  FieldReader bytes{"bytes"};

  /// Whether amount_of() suffices for the events of a class, whose other properties are known.
  [[nodiscard]] bool is_plain_for(const EventClass& known, const TraceTuple& record) const;
  /// `known`: the class of the event's last record. Without a start (before_all), all of the event counts.
  [[nodiscard]] double amount(const TimedEvents::Event& event, const EventClass& known,
                              std::int64_t start_ns) const;
  /// The amount of an event of a plain class that consists of one record and began after the start.
  [[nodiscard]] double amount_of(const TraceTuple& record, const ProcessReport& process,
                                 const EventClass& known) const;
};

}  // namespace eventspace::metrics
