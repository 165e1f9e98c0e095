#include "scopes/streams/filters/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>

#include <eventspace/packet.h>
#include "scopes/streams/filters/built_in.h"

namespace eventspace::streams {
namespace {

/// The share of `value` for the first `passed` of `length`. Parts are differences of shares, so that they add
/// up.
template <class Number>
Number given(Number value, std::int64_t passed, std::int64_t length) {
  if (passed == length) return value;
  if constexpr (std::is_floating_point_v<Number>) {
    return value * (static_cast<Number>(passed) / static_cast<Number>(length));
  } else {
    __extension__ using Wide = __int128;  // a product of two numbers of 64 bits
    return static_cast<Number>(static_cast<Wide>(value) * passed / length);
  }
}

Columns zeros_like(const Columns& values) {
  Columns zeros = values;
  for (Column& column : zeros)
    std::visit([](auto& numbers) { std::ranges::fill(numbers, 0); }, column.numbers);
  return zeros;
}

std::size_t bytes_in(const Columns& values) noexcept {
  std::size_t bytes = 0;
  for (const Column& column : values)
    std::visit([&](const auto& numbers) { bytes += numbers.size() * sizeof(numbers[0]); }, column.numbers);
  return bytes;
}

}  // namespace

Columns part_of(const Columns& values, std::int64_t from, std::int64_t to, std::int64_t length) {
  Columns part = values;
  for (Column& column : part) {
    std::visit(
        [&](auto& numbers) {
          for (auto& number : numbers) number = given(number, to, length) - given(number, from, length);
        },
        column.numbers);
  }
  return part;
}

// Rounds down, also for times before zero.
Alignment::Index Alignment::index_of(std::int64_t time) const noexcept {
  return time / interval_ - (time % interval_ < 0 ? 1 : 0);
}

void Alignment::check(std::int64_t begin, std::int64_t end, const Columns& values) const {
  if (end <= begin) throw PacketError(fmt::format("a sample from {} to {} covers no time", begin, end));
  if (begin < -latest_time || end > latest_time)
    throw PacketError(fmt::format("a sample from {} to {} is beyond all times", begin, end));
  const std::int64_t intervals = index_of(end - 1) - index_of(begin) + 1;
  if (intervals > backlog_) {
    throw PacketError(
        fmt::format("a sample covers {} intervals; a backlog of {} is allowed", intervals, backlog_));
  }
  // Each interval gets numbers of its own, so a long sample would multiply its sender's numbers without
  // limit.
  constexpr std::int64_t few = 2;
  if (intervals > few && bytes_in(values) > max_spread_bytes / static_cast<std::size_t>(intervals)) {
    throw PacketError(fmt::format("a sample covers {} intervals with {} bytes each; {} in all are allowed",
                                  intervals, bytes_in(values), max_spread_bytes));
  }
}

void Alignment::add(Source source, std::int64_t begin, std::int64_t end, const Columns& values) {
  check(begin, end, values);
  const std::int64_t length = end - begin;
  // All samples must have the form of the waiting ones, or they could not be summed later.
  if (!waiting_.empty()) {
    Columns form = zeros_like(waiting_.begin()->second);
    combine(form, zeros_like(values), Combine::sum);
  }
  std::map<Index, Columns> changed;
  for (Index index = index_of(begin); index <= index_of(end - 1); ++index) {
    const bool begins_here = index == index_of(begin);
    const bool ends_here = index == index_of(end - 1);
    const std::int64_t from = begins_here ? 0 : index * interval_ - begin;
    const std::int64_t to = ends_here ? length : (index + 1) * interval_ - begin;
    const Index into = first_ ? std::max(index, *first_) : index;
    auto sum = changed.find(into);
    if (sum == changed.end()) {
      const auto there = waiting_.find(into);
      sum = changed.emplace(into, there != waiting_.end() ? there->second : zeros_like(values)).first;
    }
    combine(sum->second, part_of(values, from, to, length), Combine::sum);
  }
  for (auto& [index, sum] : changed) waiting_.insert_or_assign(index, std::move(sum));
  std::optional<std::int64_t>& covered = covered_[source];
  covered = std::max(covered.value_or(end), end);
}

bool Alignment::is_full(Index index) const noexcept {
  return std::ranges::all_of(
      covered_, [&](const auto& source) { return source.second && index_of(*source.second) > index; });
}

// All waiting samples have the same form.
bool Alignment::has_room() const noexcept {
  return waiting_.rbegin()->first - waiting_.begin()->first < backlog_ &&
         waiting_.size() * bytes_in(waiting_.begin()->second) <= max_waiting_bytes;
}

std::optional<Alignment::Sum> Alignment::next() {
  if (waiting_.empty()) return std::nullopt;
  const auto oldest = waiting_.begin();
  if (has_room() && !is_full(oldest->first)) return std::nullopt;
  Sum sum{oldest->first * interval_, std::move(oldest->second)};
  first_ = oldest->first + 1;
  waiting_.erase(oldest);
  return sum;
}

namespace filters {
namespace {

constexpr std::size_t times = 2;  // the first values of a packet

class Aligned final : public Filter {
 public:
  Aligned(std::chrono::nanoseconds interval, std::int64_t backlog)
      : interval_(interval.count()), alignment_(interval.count(), backlog) {}

  void apply(const Wave& wave, std::vector<Packet>& out) override {
    for (const Contribution& one : wave.packets) add(one);
    pass_on(out);
  }
  void join(Child child, const RankSet& /*ranks*/) override { alignment_.join(child); }
  void leave(Child child, std::vector<Packet>& out) override {
    alignment_.leave(child);
    pass_on(out);
  }

 private:
  void add(const Contribution& one) {
    const PacketView view(one.packet);
    if (view.size() <= times)
      throw PacketError("a sample is the times of its begin and end as i64, and at least one number");
    const auto begin = view.number<std::int64_t>(0);
    const auto end = view.number<std::int64_t>(1);
    Columns values = read_columns(view, view.size());
    values.erase(values.begin(), values.begin() + times);
    alignment_.add(one.child, begin, end, values);
    tag_ = one.packet.tag;
  }

  void pass_on(std::vector<Packet>& out) {
    while (const auto sum = alignment_.next()) {
      Signature signature(times, ValueType::i64);
      for (const Column& column : sum->values) signature.push_back(column.wide_type());
      PacketWriter writer(signature);
      writer.number(sum->begin);
      writer.number(sum->begin + interval_);
      for (const Column& column : sum->values) write_column(writer, column, column.wide_type());
      out.push_back(writer.finish(tag_));
    }
  }

  std::int64_t interval_;
  Alignment alignment_;
  std::int32_t tag_{0};
};

}  // namespace

FilterInfo aligned() {
  const ParameterSpec interval{.name = "interval",
                               .kind = ParameterKind::duration,
                               .default_value = std::chrono::nanoseconds(std::chrono::milliseconds(200)),
                               .least = 1e-9,
                               .most = 86400,
                               .help = "the length of the intervals of the result"};
  const ParameterSpec backlog{.name = "backlog",
                              .kind = ParameterKind::integer,
                              .default_value = std::int64_t{1024},
                              .least = 1,
                              .most = 1e6,
                              .help = "how many intervals may wait for the slowest back-end"};
  return {"aligned",
          "sums of samples over equal intervals; each sample counts where it was taken",
          {interval, backlog},
          false,
          [](const Parameters& given, const FilterPlace&) {
            return std::make_unique<Aligned>(parameter<std::chrono::nanoseconds>(given, "interval"),
                                             parameter<std::int64_t>(given, "backlog"));
          }};
}

}  // namespace filters
}  // namespace eventspace::streams
