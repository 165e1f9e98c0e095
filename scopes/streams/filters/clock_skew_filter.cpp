#include "scopes/streams/filters/clock_skew_filter.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "scopes/streams/filters/built_in.h"

namespace eventspace::streams::skew {
namespace {

/// A process's measurements of its children's clocks. The filter for the way down notes when a question
/// passed; the filter for the way up compares the answers with it.
struct Measured {
  struct Offset {
    std::int64_t ahead{0};  ///< the child's clock minus this process's
    std::int64_t bound{0};  ///< upper bound of the error
  };

  static constexpr std::size_t max_questions = 64;  ///< limit for stored times

  std::map<std::uint64_t, std::int64_t> passed;  // when questions passed, by number
  std::map<Child, Offset> offsets;
};

class Down final : public Filter {
 public:
  Down(FilterPlace place, ReadClock clock)
      : place_(std::move(place)),
        clock_(std::move(clock)),
        measured_(place_.share->get<Measured>(std::string(name))) {}

  void apply(const Wave& wave, std::vector<Packet>& out) override {
    for (const Contribution& one : wave.packets) out.push_back(one.packet);
    if (measured_->passed.size() >= Measured::max_questions)
      measured_->passed.erase(measured_->passed.begin());
    measured_->passed[wave.number] = clock_(place_);
  }

 private:
  FilterPlace place_;
  ReadClock clock_;
  std::shared_ptr<Measured> measured_;
};

class Up final : public Filter {
 public:
  Up(FilterPlace place, ReadClock clock)
      : place_(std::move(place)),
        clock_(std::move(clock)),
        measured_(place_.share->get<Measured>(std::string(name))) {}

  void apply(const Wave& wave, std::vector<Packet>& out) override {
    if (wave.packets.empty()) return;
    const std::int32_t tag = wave.packets.front().packet.tag;
    const bool is_sum = Sums::matches(PacketView(wave.packets.front().packet));
    out.push_back(is_sum ? sums(wave, tag) : times(wave, tag));
  }
  void leave(Child child, std::vector<Packet>& /*out*/) override { measured_->offsets.erase(child); }

 private:
  Packet times(const Wave& wave, std::int32_t tag) {
    const auto passed = measured_->passed.find(wave.number);
    if (passed == measured_->passed.end()) throw PacketError("an answer to a question that was not asked");
    for (const Contribution& one : wave.packets) compare(one, passed->second);
    return Times::make(tag, passed->second, clock_(place_));
  }

  // Uses four times, like the network time protocol: the sum of both ways is known, and neither can be
  // negative. The fastest answer is kept.
  void compare(const Contribution& one, std::int64_t sent) {
    const Times::Read read(one.packet);
    const auto [got, answered] = read.values();
    const std::int64_t waited = std::chrono::nanoseconds(std::chrono::steady_clock::now() - one.came).count();
    const std::int64_t came = clock_(place_) - waited;
    const std::int64_t there = difference(got, sent);
    const std::int64_t back = difference(came, answered);
    const Measured::Offset now{(there - back) / 2, (there + back + 1) / 2};
    const auto kept = measured_->offsets.find(one.child);
    if (kept == measured_->offsets.end() || now.bound < kept->second.bound)
      measured_->offsets.insert_or_assign(one.child, now);
  }

  // Times come from other processes and may have any value.
  static std::int64_t difference(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(a, b, &result) || result > farthest || result < -farthest)
      throw PacketError("clocks that are more than a century apart");
    return result;
  }

  // Back-ends below a child without a measured offset are left out.
  Packet sums(const Wave& wave, std::int32_t tag) const {
    std::vector<std::uint32_t> ranks;
    std::vector<std::int64_t> ahead;
    std::vector<std::int64_t> bounds;
    for (const Contribution& one : wave.packets) {
      const Sums::Read read(one.packet);
      const auto [below, their_ahead, their_bounds] = read.values();
      if (below.size() != their_ahead.size() || below.size() != their_bounds.size())
        throw PacketError("clock skews without ranks");
      const auto offset = measured_->offsets.find(one.child);
      if (offset == measured_->offsets.end()) continue;
      for (std::size_t i = 0; i < below.size(); ++i) {
        ranks.push_back(below[i]);
        ahead.push_back(difference(their_ahead[i], -offset->second.ahead));
        bounds.push_back(difference(their_bounds[i], -offset->second.bound));
      }
    }
    return Sums::make(tag, ranks, ahead, bounds);
  }

  static constexpr std::int64_t farthest = std::int64_t{100} * 366 * 86400 * 1'000'000'000;

  FilterPlace place_;
  ReadClock clock_;
  std::shared_ptr<Measured> measured_;
};

}  // namespace

FilterInfo filter(std::string name, ReadClock clock) {
  return {std::move(name),
          "measures how far the clocks of back-ends are ahead, in both directions of a stream",
          {},
          true,
          [clock = std::move(clock)](const Parameters&, FilterPlace place) -> std::unique_ptr<Filter> {
            if (place.down) return std::make_unique<Down>(std::move(place), clock);
            return std::make_unique<Up>(std::move(place), clock);
          }};
}

std::int64_t time_of_day() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace eventspace::streams::skew

namespace eventspace::streams::filters {

FilterInfo clock_skew() {
  return skew::filter(std::string(skew::name), [](const FilterPlace&) { return skew::time_of_day(); });
}

}  // namespace eventspace::streams::filters
