#include "monitors/budget/record_costs.h"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <memory>
#include <new>
#include <vector>

#include <eventspace/tuple.h>
#include "collectors/event_collector.h"
#include "collectors/kinds/event_kinds.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {
namespace {

constexpr std::uint32_t threshold = 200;
constexpr std::size_t elements = 2500;  // together more than caches of one core hold
constexpr std::size_t rounds = 15;

// The end of a path.
class DoNothing final : public Stage {
 public:
  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override { operation.status = Status::ok; }
  void call(Operation& operation) override { operation.status = Status::ok; }
};

double thread_time_ns() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Memory for trace elements, touched, so that page faults are not measured.
class Scratch {
 public:
  Scratch() : memory_(elements * TraceRing::bytes(threshold) + TraceRing::line_bytes) {
    void* begin = memory_.data();
    std::size_t room = memory_.size();
    block_ = static_cast<std::byte*>(
        std::align(TraceRing::line_bytes, elements * TraceRing::bytes(threshold), begin, room));
  }
  [[nodiscard]] TraceWriter writer(std::size_t element) const noexcept {
    return {block_ + element * TraceRing::bytes(threshold), threshold};
  }

 private:
  std::vector<std::byte> memory_;
  std::byte* block_{nullptr};
};

// Calls that go to several paths in turn, and the time of one call.
class Calls {
 public:
  Calls(const Scratch& scratch, std::size_t first, std::size_t paths, const CollectSwitch& collecting)
      : thread_{&collecting} {
    for (std::size_t i = 0; i < paths; ++i)
      paths_.push_back(make_event_collector(std::make_unique<DoNothing>(), scratch.writer(first + i), {},
                                            thread_, Clock::instance()));
    operation_.tuple = Tuple::of({std::int64_t{1}});
  }

  [[nodiscard]] double ns_of_one(std::size_t times) {
    const double begun = thread_time_ns();
    for (std::size_t i = 0; i < times; ++i) paths_[i % paths_.size()]->call(operation_);
    return (thread_time_ns() - begun) / static_cast<double>(times);
  }
  // The median of some rounds: an interrupt counts in one of them.
  [[nodiscard]] double median_ns(std::size_t times) {
    std::vector<double> found;
    for (std::size_t round = 0; round < rounds; ++round) found.push_back(ns_of_one(times));
    std::ranges::nth_element(found, found.begin() + rounds / 2);
    return found[rounds / 2];
  }

 private:
  RecordedThread thread_;
  std::vector<std::unique_ptr<Stage>> paths_;
  Operation operation_;
};

}  // namespace

RecordCosts measure_record_costs() {
  constexpr std::size_t times = 10'000;
  const Scratch scratch;
  const CollectSwitch everything;
  CollectSwitch counted;
  counted.set({}, 1'000'000'000);
  CollectSwitch off;
  off.set({}, CollectSwitch::off);
  const auto median_of = [&](std::size_t paths, const CollectSwitch& collecting) {
    return Calls(scratch, 0, paths, collecting).median_ns(times);
  };
  const auto range_of = [](double one, double other) {
    return Range{std::min(one, other), std::max(one, other)};
  };
  return {range_of(median_of(1, everything), median_of(elements, everything)),
          range_of(median_of(1, counted), median_of(elements, counted)),
          range_of(median_of(1, off), median_of(elements, off))};
}

}  // namespace eventspace
