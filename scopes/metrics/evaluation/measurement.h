#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paths/views/view.h"
#include "scopes/metrics/evaluation/evaluator.h"
#include "scopes/metrics/evaluation/event_pass.h"
#include "scopes/metrics/evaluation/metric_value.h"
#include "scopes/metrics/evaluation/receiver.h"
#include "scopes/metrics/events/timed_events.h"

namespace eventspace::metrics {

/// The choice of a measurement: the objects for each parameter, as globs over their names, and the mode.
struct MeasurementChoice {
  ObjectPatterns objects{};
  Span span{Span::since_start};
  /// Values are divided by the seconds of their interval. Values of virtual times are divided by the time
  /// between their probes, as RATE does, and not at all if they were taken at one probe.
  bool per_second{false};
  CutRegions cut{CutRegions::partly};
};

/// A metric that is being measured: it takes views of unread events, or tokens of servers, and yields values
/// at each reading. Not thread-safe.
///
/// Operations in flight count when they end. Until then, an interval in which nothing else ended has no
/// value, and the next value covers all the time since the last one. Lost events make later values since the
/// start, and the next values since the last reading, incomplete: lost() returns how many there are.
class Measurement {
 public:
  /// `names` must outlive it. Throws ConfigurationError for an expression with a fault.
  Measurement(Definition definition, MeasurementChoice choice, const PlanNames& names);
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

  /// The measurement starts at this moment, in nanoseconds of CLOCK_MONOTONIC of the process that holds the
  /// views. Events that ended before do not count. Call it once, before the first view.
  void start(std::int64_t now_ns) noexcept;
  /// Takes the events of a view, in the order of their ends.
  void take(const View& view) { alone_.take(view); }

  /// Gives views to several measurements, in one pass over their records. Not thread-safe.
  class Together {
   public:
    /// All must outlive it.
    Together(std::vector<Measurement*> all, const PlanNames& names);
    void take(const View& view);

   private:
    std::vector<Measurement*> all_;
    EventPass pass_;
    bool have_order_{false};  // whether one of the measurements needs it
  };

  /// Takes tokens that a server evaluated and that came with `view`. The definition must be the front-end's
  /// part of a divided metric (scopes/metrics/distribution).
  void take(const Tokens& tokens, const View& view) { receiver_.take(tokens, view); }

  /// The values at this moment: one for each object that is given for a parameter. For a metric with a
  /// virtual time, the values of the virtual times that are complete and new.
  std::vector<MetricValue> read(std::int64_t now_ns);

  [[nodiscard]] const Definition& definition() const noexcept { return definition_; }
  /// The number of events that the views did not show: since the start, or between the last two readings. For
  /// a metric that does not use events, the passages of probes that could not be taken since the start.
  [[nodiscard]] std::uint64_t lost() const noexcept {
    if (!is_of_events_) return receiver_.dropped() + history_.left_out();
    return choice_.span == Span::since_start ? lost_ + receiver_.dropped() + history_.left_out() : lost_last_;
  }
  /// How often a server was restarted, which makes values of probes incomplete.
  [[nodiscard]] std::uint64_t restarts() const noexcept { return receiver_.restarts(); }
  [[nodiscard]] std::uint64_t given_up() const noexcept {
    return evaluator_.given_up() + receiver_.given_up();
  }
  /// How often a probe was passed again in one virtual time; only the first passage counts.
  [[nodiscard]] std::uint64_t repeated() const;
  /// The number of values of virtual times that were left out because some of their inputs were not seen
  /// (Evaluator::unmatched), at the last reading: since the start, or since the reading before.
  [[nodiscard]] std::uint64_t unmatched() const noexcept {
    return choice_.span == Span::since_start ? unmatched_read_ : unmatched_last_;
  }
  /// The same since the start.
  [[nodiscard]] std::uint64_t unmatched_in_all() const noexcept { return unmatched_read_; }
  /// The probes that the metric needs and that no object has passed.
  [[nodiscard]] std::vector<std::string> silent_probes() const;
  /// Whether each parameter has an object with an event.
  [[nodiscard]] bool has_objects() const;

 private:
  /// Takes everything in a view except events; call it before these.
  void begin(const View& view);
  /// Takes an event, and the samples at it if it is the passage of a probe.
  void take(const TimedEvents::Event& event);
  /// Brings `chosen_` up to date.
  void choose();
  /// Divides a value by the seconds of its interval.
  void divide_by_time(MetricValue& value) const;

  Definition definition_;
  MeasurementChoice choice_;
  EventHistory history_;
  Evaluator evaluator_;
  Receiver receiver_;
  const bool is_of_events_;     // not only samples and the clock
  std::vector<Chosen> chosen_;  // by parameter
  bool is_chosen_{false};       // since the last view
  Moments moments_;
  Together alone_;
  std::uint64_t lost_{0};
  std::uint64_t unmatched_read_{0};
  std::uint64_t unmatched_last_{0};
  std::uint64_t lost_new_{0};   // since the last reading
  std::uint64_t lost_last_{0};  // between the last two readings
};

}  // namespace eventspace::metrics
