#pragma once

#include <string_view>
#include <vector>

#include "paths/bodies/element_states.h"
#include "tuplespace/element_space.h"

namespace eventspace {

/// Returns the states of the elements in `elements`, by name. Takes the lock of one element after another,
/// like any operation.
std::vector<ElementState> states_of(const ElementSpace& elements);
/// Returns the states of the shared elements that processes of `session` on `node` have on this machine. Does
/// not take a lock (tuplespace/shared/element_peek.h). Refused files are left out.
std::vector<ElementState> states_of_shared(std::string_view session, std::string_view node);

}  // namespace eventspace
