#include "tuplespace/kept_tuples.h"

#include <fmt/format.h>

#include <algorithm>

namespace eventspace {

bool selects(const Operation& fetch, const Tuple& tuple) noexcept {
  return fetch.match == nullptr || fetch.match->matches(tuple);
}

std::string text_of_too_large(std::uint64_t sequence, std::size_t bytes, std::size_t most) {
  return fmt::format("tuple {} has {} bytes; `limits: message` leaves {} for it in a reply", sequence, bytes,
                     most);
}

KeptTuple KeptTuples::remove(Position position) {
  KeptTuple removed = std::move(tuples_[position]);
  tuples_.erase(tuples_.begin() + static_cast<std::ptrdiff_t>(position));
  return removed;
}

std::size_t KeptTuples::drop_through(std::uint64_t sequence) {
  const Position end = first_after(sequence);
  tuples_.erase(tuples_.begin(), tuples_.begin() + static_cast<std::ptrdiff_t>(end));
  return end;
}

std::optional<KeptTuples::Position> KeptTuples::find(const Operation& fetch) const noexcept {
  for (Position position = start_of(fetch); position < tuples_.size(); ++position)
    if (selects(fetch, tuples_[position].tuple)) return position;
  return std::nullopt;
}

std::optional<KeptTuples::Position> KeptTuples::find_number(std::uint64_t sequence) const noexcept {
  const Position after = first_after(sequence);
  if (after == 0 || tuples_[after - 1].sequence != sequence) return std::nullopt;
  return after - 1;
}

KeptTuples::Position KeptTuples::start_of(const Operation& fetch) const noexcept {
  if (fetch.from == From::after) return first_after(fetch.sequence);
  // The newest tuple or none: an older match is not valid.
  if (fetch.from == From::newest && !tuples_.empty()) return tuples_.size() - 1;
  return 0;
}

KeptTuples::Position KeptTuples::first_after(std::uint64_t sequence) const noexcept {
  const auto found =
      std::upper_bound(tuples_.begin(), tuples_.end(), sequence,
                       [](std::uint64_t number, const KeptTuple& kept) { return number < kept.sequence; });
  return static_cast<Position>(found - tuples_.begin());
}

}  // namespace eventspace
