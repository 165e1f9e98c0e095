#pragma once

// Private to scopes/.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scopes/metrics/evaluation/evaluator.h"
#include "scopes/metrics/evaluation/event_history.h"
#include "scopes/metrics/evaluation/events_in_order.h"
#include "scopes/metrics/evaluation/timed_events.h"

namespace eventspace::metrics {

/// One pass over the records of a view for all that evaluate its events, however many these are. What is to
/// be done about the events of a class (their kind, verb and point) is found out once. Of most classes,
/// nothing but the number of events or their bytes is asked: these are summed up while the pass goes over
/// their records, and the counters get the sums at its end. Not thread-safe.
class EventPass {
 public:
  /// One that evaluates events: what it has counted, and when its measurement began.
  struct Consumer {
    EventHistory* history{nullptr};
    const Moments* moments{nullptr};
  };

  /// All that `consumers` and `names` refer to must outlive it.
  EventPass(const PlanNames& names, std::vector<Consumer> consumers)
      : consumers_(std::move(consumers)),
        events_(names),
        has_samples_(std::ranges::any_of(
            consumers_, [](const Consumer& consumer) { return consumer.history->has_samples(); })) {}

  /// Counts what nothing more than a number, bytes or a time is asked of, and returns the other ended events
  /// that one of the consumers needs (EventHistory::needs), those of each process in the order of their ends.
  /// If one of the consumers samples values at probes, those that ended later than others which only the next
  /// view has come with that one (EventsInOrder). The view must not change while they are used; they are valid
  /// until the next call.
  std::span<const TimedEvents::Event> take(const View& view) {
    return take(view, [](std::span<const TraceTuple>) {});
  }
  /// The same. `look` is called with the records before they are taken, piece by piece: what is looked at
  /// twice is still in the cache then.
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
  /// The same, but calls `use` with the others, in the order of the view.
  template <class Look, class Use>
  void for_each(const View& view, const Look& look, const Use& use) {
    needed_ = 0;
    forget_sums();  // of a view in which a function has thrown
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
  /// How many records of the last view a consumer needs.
  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }

 private:
  struct ClassOfEvents {
    std::uint32_t of{0};  // the bits of the class, plus 1; 0: unused
    bool is_needed{false};
    bool is_plain{false};  // to all that need it
    std::vector<Consumer> needed_by{};
    std::optional<SummedFields> fields{};  // what is summed up of them; none: they are taken one by one
    // What is summed up of one trace element, of events that began at `from` or later.
    std::uint64_t element{0};  // thread and path, as in records
    std::uint64_t from{0};
    const TraceTuple* first{nullptr};  // null: nothing
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
  /// The first ones, up to the end of an event.
  static std::span<const TraceTuple> piece_of(std::span<const TraceTuple> records) noexcept;

  ClassOfEvents& class_with(const TraceTuple& record) {
    const std::uint32_t of = class_of(record) + 1;
    ClassOfEvents& known = classes_[place_of_class(of, classes_.size())];
    if (known.of != of) learn(known, record);
    return known;
  }
  void learn(ClassOfEvents& known, const TraceTuple& record);
  void forget_sums() noexcept;
  /// Whether the run could be counted.
  bool count(const TimedEvents::Event& event, std::span<const TraceTuple> run);
  /// Adds up what goes on with what was added up last. Returns how many records that are.
  std::size_t add_up(std::span<const TraceTuple> records) noexcept;
  /// Gives what was added up to the counters.
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
