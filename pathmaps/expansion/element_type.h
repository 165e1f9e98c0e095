#pragma once

// Private to pathmaps/.

#include <array>

#include "pathmaps/reading/mapping.h"
#include "tuplespace/element.h"

namespace eventspace::expansion {

inline constexpr reading::IntegerRange threshold_range{1, 1 << 24};
/// `threshold` of a trace element.
std::optional<std::uint32_t> read_threshold(const reading::Mapping& mapping);
inline constexpr std::array<std::pair<std::string_view, WhenFull>, 2> when_full_words{
    {{"discard", WhenFull::discard}, {"wait", WhenFull::wait}}};

/// `tuple: [int, bytes]`; nothing, with faults, when a word is no type or there are too many.
std::optional<Signature> read_signature(const std::vector<reading::Word>& words, const reading::Place& place,
                                        reading::Faults& faults);

/// The keys of an element that are not its name; an empty signature after a fault.
ElementConfig read_element_type(const reading::Mapping& element);

}  // namespace eventspace::expansion
