#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "monitors/export/reading/model.h"

namespace eventspace::exports {

/// The layout of the fields of events in a trace of the Common Trace Format 1.8
/// (https://diamon.org/ctf/v1.8.3/): a text in TSDL, and the order of fields for the sink. Pure.
///
/// Each kind has three events: KIND:begin and KIND:end of a slice, and KIND:point of an instant; in addition
/// there is "lost". Texts are strings, empty if the event lacks them. A number is a sequence of one element,
/// or empty if the event lacks it.

enum class CtfEdge : std::uint8_t { begin = 0, end = 1, point = 2 };
inline constexpr std::uint16_t ctf_lost_event = 0;
inline constexpr std::uint16_t ctf_counter_event = 1;
constexpr std::uint16_t ctf_event(std::uint8_t kind, CtfEdge edge) noexcept {
  return static_cast<std::uint16_t>(4 * kind + static_cast<unsigned>(edge) + 4);
}

/// The encoding of a number: there is one sequence for each encoding that a field can have.
enum class CtfNumber : std::uint8_t { natural, integer, real };
struct CtfField {
  FieldId field{0};
  bool is_text{false};
  std::vector<CtfNumber> numbers{};  ///< of a number
};
/// The fields of the events of a kind, in order.
std::vector<CtfField> ctf_fields(std::uint8_t kind);

using CtfUuid = std::array<std::uint8_t, 16>;
/// A UUID for the trace, derived from the recording: the same recording has the same UUID.
CtfUuid ctf_uuid(const Recorded& recorded);
/// The file `metadata`.
std::string ctf_metadata(const Recorded& recorded, const CtfUuid& uuid);

}  // namespace eventspace::exports
