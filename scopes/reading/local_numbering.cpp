#include "scopes/reading/local_numbering.h"

#include "collectors/kinds/event_kinds.h"

namespace eventspace {
namespace {

// A number of fewer than 32 bits cannot hold a process-local id.
bool holds_number(const FieldPlace& place, const TraceTuple& record) noexcept {
  const bool has_place = place.bits == 32 && place.is_in_part(header_of(record).part);
  return has_place && place.bits_of(record).has_value();
}

void replace_bits(const FieldPlace& place, std::uint32_t number, TraceTuple& record) noexcept {
  std::uint64_t& word = record.words[place.word];
  word &= ~(std::uint64_t{0xffff'ffff} << place.shift);
  word |= std::uint64_t{number} << place.shift;
}

}  // namespace

void LocalNumbering::apply(std::span<TraceTuple> records) const noexcept {
  const EventKinds& kinds = EventKinds::instance();
  for (TraceTuple& record : records) {
    for (const FieldPlace* const place : kinds.numbered(header_of(record).kind)) {
      if (!holds_number(*place, record)) continue;
      replace_bits(*place, (*this)(static_cast<std::uint32_t>(*place->bits_of(record))), record);
    }
  }
}

}  // namespace eventspace
