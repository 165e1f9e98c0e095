#pragma once

// Private to pathmaps/.

#include <span>

#include "pathmaps/expansion/draft.h"
#include "pathmaps/reading/document.h"

namespace eventspace::expansion {

/// Gives every element its home: the process or node that the last matching one of `rules` says, or else the
/// process of the first thread with a path to it. Reports elements without any.
void place_elements(std::span<const reading::Value* const> rules, Draft& draft);

}  // namespace eventspace::expansion
