#pragma once

#include <cstddef>
#include <cstdint>

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
///     word 7   virtual time
///
/// The record of an event holds its values 1 and 2, the continuation record with part 1 the values 3 and 4,
/// and so on.
inline constexpr std::uint8_t probe_kind = 2;

enum class ProbeVerb : std::uint8_t {
  point = 1,  ///< a moment: starts when it ends
  region = 2  ///< from where the region began to where it ended
};

/// A value that the program gave to a probe.
struct ProbeValue {
  std::uint64_t bits{0};
  NumberForm form{NumberForm::absent};
};

inline constexpr std::size_t most_probe_values = 8;

/// The number of the name of a probe, in a record of this kind.
constexpr std::uint32_t probe_name_of(const TraceTuple& record) noexcept {
  return static_cast<std::uint32_t>(record.words[3] >> 32);
}

}  // namespace eventspace
