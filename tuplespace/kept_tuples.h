#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "tuplespace/operation.h"
#include "tuplespace/tuple.h"

namespace eventspace {

struct KeptTuple {
  std::uint64_t sequence;
  Tuple tuple;
};

/// Whether the template of `fetch`, if any, lets `tuple` through.
bool selects(const Operation& fetch, const Tuple& tuple) noexcept;

/// Why tuple `sequence` of `bytes` bytes is not handed out to who can receive `most` (Operation::most_bytes).
std::string text_of_too_large(std::uint64_t sequence, std::size_t bytes, std::size_t most);

/// The tuples that an element keeps, in ascending sequence order; numbers are missing where a tuple went
/// from the middle. Positions count from 0 at the oldest. Not thread-safe.
class KeptTuples {
 public:
  using Position = std::size_t;

  void append(KeptTuple tuple) { tuples_.push_back(std::move(tuple)); }
  /// Hands out the tuple at `position`: constant time at the ends, linear between.
  KeptTuple remove(Position position);
  /// Drops every tuple up to and including `sequence`; says how many.
  std::size_t drop_through(std::uint64_t sequence);

  /// The tuple that a read or take From::oldest, newest or after gets now, if there is one.
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
