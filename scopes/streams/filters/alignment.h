#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "scopes/streams/filters/columns.h"

namespace eventspace::streams {

/// The part of `values` that falls into [from, to) of an interval of `length`, if they are spread evenly over
/// it: 0 <= from <= to <= length, 0 < length. The parts of one sample add up to the sample: exactly for
/// integers, and within rounding of its last digit for floating-point numbers.
[[nodiscard]] Columns part_of(const Columns& values, std::int64_t from, std::int64_t to, std::int64_t length);

/// Sums of samples over intervals of one length, which begin at its multiples, so that all processes of a
/// tree have the same intervals (Roth, Arnold, Miller: MRNet, SC'03, section 3.2). A sample is spread over
/// the intervals that it overlaps, in proportion. An interval is full when each source has sent samples up to
/// its end. Nothing is lost: samples for an interval that was already passed on count in the first one that
/// was not.
///
/// Bounded: up to `backlog` intervals, and about 32 MiB of numbers, are kept. If one source has samples for
/// more, the oldest intervals are passed on without the sources that are behind. Does no I/O; not
/// thread-safe.
class Alignment {
 public:
  /// Limit for the bytes of numbers of a sample that covers more than two intervals, over all of them.
  static constexpr std::size_t max_spread_bytes = std::size_t{16} << 20;
  static constexpr std::size_t max_waiting_bytes = std::size_t{32} << 20;
  /// Times of samples are from minus this value to this value.
  static constexpr std::int64_t latest_time = std::int64_t{1} << 61;

  using Source = std::uint32_t;
  struct Sum {
    std::int64_t begin{0};  ///< the interval is [begin, begin + interval)
    Columns values;
  };

  Alignment(std::int64_t interval, std::int64_t backlog) : interval_(interval), backlog_(backlog) {}

  /// Adds a source, which full intervals need.
  void join(Source source) { covered_.try_emplace(source, std::nullopt); }
  /// The source sends no more samples.
  void leave(Source source) { covered_.erase(source); }
  /// Adds a sample over [begin, end). Throws PacketError, without effect, if the sample is empty, exceeds the
  /// backlog or one of the limits above, has another form than the others, or if a sum exceeds 64 bits.
  void add(Source source, std::int64_t begin, std::int64_t end, const Columns& values);
  /// The next interval that is full, or that exceeds the backlog.
  [[nodiscard]] std::optional<Sum> next();

 private:
  using Index = std::int64_t;  // an interval begins at index times its length

  /// Throws PacketError if a sample must not be added.
  void check(std::int64_t begin, std::int64_t end, const Columns& values) const;
  [[nodiscard]] bool has_room() const noexcept;
  [[nodiscard]] Index index_of(std::int64_t time) const noexcept;
  [[nodiscard]] bool is_full(Index index) const noexcept;

  std::int64_t interval_;
  std::int64_t backlog_;
  std::map<Source, std::optional<std::int64_t>> covered_;  // the end of the source's last sample
  std::map<Index, Columns> waiting_;
  std::optional<Index> first_;  // the first one that was not passed on; nullopt before the first sample
};

}  // namespace eventspace::streams
