#pragma once

#include <array>

#include "pathmaps/reading/mapping.h"
#include "tuplespace/element.h"

namespace eventspace::expansion {

inline constexpr reading::IntegerRange threshold_range{1, 1 << 24};
/// Reads the key `threshold` of a trace element.
std::optional<std::uint32_t> read_threshold(const reading::Mapping& mapping);
inline constexpr std::array<std::pair<std::string_view, WhenFull>, 2> when_full_words{
    {{"discard", WhenFull::discard}, {"wait", WhenFull::wait}}};

/// Reads the value of `tuple:`, such as [int, bytes]. Returns nothing, with faults, if there are unknown
/// types or too many fields.
std::optional<Signature> read_signature(const std::vector<reading::Word>& words, const reading::Place& place,
                                        reading::Faults& faults);

/// Reads all keys of an element except its name. After a fault in `tuple:` the signature is empty.
ElementConfig read_element_type(const reading::Mapping& element);

}  // namespace eventspace::expansion
