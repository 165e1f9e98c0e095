#pragma once

// Private to paths/.
// Also used by scopes/. A ClockRelation as words of a block.

#include "paths/views/clock_relation.h"
#include "paths/wire/words.h"

namespace eventspace::msgpack_body {

inline constexpr std::size_t words_of_relation = 10;
inline constexpr double min_drift_ppm = -5e5;  ///< ClockRelation::there divides by the rate, 1 + drift
inline constexpr double max_drift_ppm = 1e6;

template <std::size_t words>
void write_relation(WordWriter<words>& writer, const ClockRelation& relation) noexcept {
  writer.integer(relation.known);
  writer.integer(relation.jumps);
  writer.integer(relation.reference_ns);
  writer.integer(relation.offset_ns);
  writer.real(relation.drift_ppm);
  writer.integer(relation.error_ns);
  writer.real(relation.growth_ppm);
  writer.integer(relation.covered_since_ns);
  writer.integer(relation.covered_error_ns);
  writer.integer(relation.bounded_since_ns);
}

/// Throws BodyError for an impossible relation: negative bounds, or drifts that are NaN or out of range.
template <std::size_t words>
ClockRelation read_relation(WordReader<words>& reader) {
  ClockRelation relation;
  relation.known = reader.boolean();
  relation.jumps = reader.template integer<std::uint32_t>();
  relation.reference_ns = reader.template integer<std::int64_t>();
  relation.offset_ns = reader.template integer<std::int64_t>();
  relation.drift_ppm = reader.real(min_drift_ppm, max_drift_ppm);
  relation.error_ns = reader.error();
  relation.growth_ppm = reader.real(0, max_drift_ppm);
  relation.covered_since_ns = reader.template integer<std::int64_t>();
  relation.covered_error_ns = reader.error();
  relation.bounded_since_ns = reader.template integer<std::int64_t>();
  return relation;
}

}  // namespace eventspace::msgpack_body
