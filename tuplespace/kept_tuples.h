#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include <eventspace/operation.h>
#include <eventspace/tuple.h>

namespace eventspace {

struct KeptTuple {
  std::uint64_t sequence;
  Tuple tuple;
};

/// Returns whether `tuple` matches the template of `fetch`; without a template every tuple does.
bool selects(const Operation& fetch, const Tuple& tuple) noexcept;

/// The reason for refusing to deliver tuple `sequence`, which has `bytes` bytes, to a caller that can receive
/// at most `most` (Operation::max_bytes).
std::string text_of_too_large(std::uint64_t sequence, std::size_t bytes, std::size_t most);

/// The tuples that an element keeps, in ascending order of their sequence numbers. Numbers are missing where
/// a tuple was taken from the middle. Positions count from 0, the oldest tuple.
///
/// Not thread-safe.
class KeptTuples {
 public:
  using Position = std::size_t;

  void append(KeptTuple tuple) { tuples_.push_back(std::move(tuple)); }
  /// Removes and returns the tuple at `position`. Constant time at both ends, linear between them.
  KeptTuple remove(Position position);
  /// Removes every tuple up to and including `sequence` and returns their number.
  std::size_t drop_through(std::uint64_t sequence);

  /// Returns the position of the tuple that a read or take From::oldest, newest or after yields now, if any.
  [[nodiscard]] std::optional<Position> find(const Operation& fetch) const noexcept;
  [[nodiscard]] std::optional<Position> find_number(std::uint64_t sequence) const noexcept;

  [[nodiscard]] const KeptTuple& operator[](Position position) const noexcept { return tuples_[position]; }
  [[nodiscard]] std::size_t size() const noexcept { return tuples_.size(); }

 private:
  [[nodiscard]] Position start_of(const Operation& fetch) const noexcept;
  [[nodiscard]] Position first_after(std::uint64_t sequence) const noexcept;

  std::deque<KeptTuple> tuples_;
};

}  // namespace eventspace
