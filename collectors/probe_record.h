#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "collectors/number_form.h"
#include "collectors/record_header.h"
#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// The kind of the records of probes (RecordHeader::kind). The words that record_header.h leaves to the kind:
///
///     word 3   what it is (bits 12 to 15: ProbeVerb), the forms of the two values (28, 29 and 30, 31:
///              NumberForm), the number of the probe's name (32 to 63)
///     word 5   a value
///     word 6   another value
///     word 7   virtual time (bits 0 to 62), if the program has given one; else bit 63 is set, and the other
///     bits
///              are the number of the passage: how often the thread had passed the probe before, from 0
///
/// The record of an event holds values 1 and 2, the continuation record with part 1 holds values 3 and 4, and
/// so on.
///
/// The process counts all passages, recorded or not. So a reader that has not seen all of them can match
/// passages of two probes. A record with word 7 = 0 has neither, or has the virtual time 0.
inline constexpr std::uint8_t probe_kind = 2;

enum class ProbeVerb : std::uint8_t {
  point = 1,  ///< an instant: start and end are equal
  region = 2  ///< from begin to end of the region
};

/// A value that the program gave to a probe.
struct ProbeValue {
  std::uint64_t bits{0};
  NumberForm form{NumberForm::absent};
};

inline constexpr std::size_t max_probe_values = 8;

/// Bit of word 7 that marks the number of a passage.
inline constexpr std::uint64_t passage_mark = std::uint64_t{1} << 63;

/// Word 7 of a passage without a virtual time whose number is unknown.
inline constexpr std::uint64_t uncounted_passage = ~std::uint64_t{0};

/// Whether word 7 of a record of this kind, also EventRecord::virtual_time, is a virtual time.
constexpr bool has_virtual_time(std::uint64_t word7) noexcept { return (word7 & passage_mark) == 0; }

/// The number of the passage in word 7; nullopt if the word is a virtual time or the number is unknown.
constexpr std::optional<std::uint64_t> passage_in(std::uint64_t word7) noexcept {
  if (has_virtual_time(word7) || word7 == uncounted_passage) return std::nullopt;
  return word7 & ~passage_mark;
}

/// The number of the name of a probe, in a record of this kind.
constexpr std::uint32_t probe_name_of(const TraceTuple& record) noexcept {
  return static_cast<std::uint32_t>(record.words[3] >> 32);
}

}  // namespace eventspace
