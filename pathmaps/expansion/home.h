#pragma once

#include <span>

#include "pathmaps/expansion/draft.h"
#include "pathmaps/reading/document.h"

namespace eventspace::expansion {

/// Places every element of the application. The last of `rules` (`placement: elements:`) that matches an
/// element gives its process or node. An element without a rule goes to the process of the first thread with
/// a path to it. Reports elements that have neither.
void place_elements(std::span<const reading::Value* const> rules, Draft& draft);

}  // namespace eventspace::expansion
