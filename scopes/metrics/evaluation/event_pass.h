#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scopes/metrics/evaluation/moments.h"
#include "scopes/metrics/events/events_in_order.h"
#include "scopes/metrics/events/timed_events.h"
#include "scopes/metrics/history/event_history.h"

namespace eventspace::metrics {

/// One pass over the records of a view for all consumers of its events, however many there are. The handling
/// of a class of events (their kind, verb and point) is determined once. For most classes, only the number of
/// events or their bytes are needed. The pass sums these while it reads the records, and gives the sums to
/// the counters at the end. Not thread-safe.
class EventPass {
 public:
  /// A consumer of events: its history, and when its measurement began.
  struct Consumer {
    EventHistory* history{nullptr};
    const Moments* moments{nullptr};
  };

  /// All objects that `consumers` and `names` refer to must outlive it.
  EventPass(const PlanNames& names, std::vector<Consumer> consumers)
      : consumers_(std::move(consumers)),
        events_(names),
        has_samples_(std::ranges::any_of(consumers_, [](const Consumer& consumer) {
          return consumer.history->samples().has_samplers();
        })) {}

  /// Counts the events if only their number, bytes or time is needed. Returns the other ended events that one
  /// of the consumers needs (EventHistory::needs). The events of each process are in the order of their ends.
  /// If a consumer samples values at probes, events that ended later than events that only the next view has
  /// are returned with that view (EventsInOrder). The view must not change while they are used; they are
  /// valid until the next call.
  std::span<const TimedEvents::Event> take(const View& view) {
    return take(view, [](std::span<const TraceTuple>) {});
  }
  /// The same. Calls `look` with the records before they are taken, piece by piece, so that records read
  /// twice are still in the cache.
  template <class Look>
  std::span<const TimedEvents::Event> take(const View& view, const Look& look) {
    in_order_.clear();
    for_each(view, look, [this](const TimedEvents::Event& event) { in_order_.push_back(event); });
    if (has_samples_)
      order_.take(view, in_order_);
    else
      sort_by_ends(in_order_);
    return in_order_;
  }
  /// The same, but calls `use` with the other events, in the order of the view.
  template <class Look, class Use>
  void for_each(const View& view, const Look& look, const Use& use) {
    needed_ = 0;
    forget_sums();  // from a view in which a function has thrown
    events_.begin(view);
    for (std::span<const TraceTuple> left(view.records.whole()); !left.empty();) {
      const auto piece = piece_of(left);
      left = left.subspan(piece.size());
      look(piece);
      take_piece(piece, use);
    }
    for (ClassOfEvents& known : classes_) conclude(known);
    adding_ = nullptr;
  }
  /// The number of records of the last view that a consumer needs.
  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }

 private:
  struct ClassOfEvents {
    std::uint32_t of{0};  // the bits of the class, plus 1; 0: unused
    bool is_needed{false};
    bool is_plain{false};  // to all that need it
    std::vector<Consumer> needed_by{};
    std::optional<SummedFields> fields{};  // the fields that are summed; none: events are taken one by one
    // The sums of one trace element, over events that began at `from` or later.
    std::uint64_t element{0};  // thread and path, as in records
    std::uint64_t from{0};
    const TraceTuple* first{nullptr};  // null: no sums
    std::uint32_t process{0};
    EventHistory::Sum sum{};
  };

  template <class Use>
  void take_piece(std::span<const TraceTuple> piece, const Use& use) {
    events_.for_each(
        piece, [this](std::span<const TraceTuple> records) { return add_up(records); },
        [this](const TraceTuple& record) { return class_with(record).is_needed; },
        [this](const TimedEvents::Event& event, std::span<const TraceTuple> run) {
          return count(event, run);
        },
        [&](const TimedEvents::Event& event) {
          needed_ += event.size;
          use(event);
        });
  }
  /// The first records, up to the end of an event.
  static std::span<const TraceTuple> piece_of(std::span<const TraceTuple> records) noexcept;

  ClassOfEvents& class_with(const TraceTuple& record) {
    const std::uint32_t of = class_of(record) + 1;
    ClassOfEvents& known = classes_[place_of_class(of, classes_.size())];
    if (known.of != of) learn(known, record);
    return known;
  }
  void learn(ClassOfEvents& known, const TraceTuple& record);
  void forget_sums() noexcept;
  /// Returns whether the run could be counted.
  bool count(const TimedEvents::Event& event, std::span<const TraceTuple> run);
  /// Adds up the records that continue the class and element summed last. Returns how many records that are.
  std::size_t add_up(std::span<const TraceTuple> records) noexcept;
  /// Gives the sums to the counters.
  void conclude(ClassOfEvents& known);

  std::vector<Consumer> consumers_;
  std::array<ClassOfEvents, 64> classes_{};
  ClassOfEvents* adding_{nullptr};  // null: none
  TimedEvents events_;
  bool has_samples_{false};
  EventsInOrder order_;
  std::vector<TimedEvents::Event> in_order_;
  std::size_t needed_{0};
};

}  // namespace eventspace::metrics
