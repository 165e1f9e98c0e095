#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "paths/bodies/target_kind.h"
#include "tuplespace/element.h"
#include "tuplespace/element_space.h"

namespace eventspace {

/// The kind of target under which the server of a session without a pathmap offers elements by name.
inline constexpr const char* open_element_target = "open element";
/// The maximum number of elements of a session, and the maximum length of a name in bytes.
inline constexpr std::size_t max_open_elements = 4096;
inline constexpr std::size_t longest_element_name = 255;

/// Throws ConfigurationError unless `name` is a valid element name: 1 to longest_element_name bytes of UTF-8
/// without control characters.
void check_element_name(std::string_view name);

/// Encodes an element's configuration as the spec of an open request.
std::vector<std::byte> open_element_spec(const ElementConfig& config);

/// Returns the target kind. The first request for a name creates the element in `elements` according to its
/// spec. A later request is refused if it needs another type, size or behaviour. A spec without a type agrees
/// with any type, and an element made by such a spec adopts the type of its first tuple, or of the first
/// later spec with a type, whichever comes first. Elements stay until `elements` is destroyed, which must
/// outlive the server. The spec comes from a peer and is validated.
std::shared_ptr<const TargetKind> open_element_kind(ElementSpace& elements);

}  // namespace eventspace
