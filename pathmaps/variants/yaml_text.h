#pragma once

#include <string>
#include <string_view>

#include "pathmaps/expansion/scopes/scope_wrapping.h"
#include "pathmaps/reading/document.h"

namespace eventspace::variants {

// Conversion of values read from a pathmap back to YAML, on one line. Reading the result gives an equal
// value. Aliases and merge keys are expanded.

/// Returns `text` as a YAML scalar, in quotes if `quoted`, or if YAML would read the plain text differently.
std::string yaml_word(std::string_view text, bool quoted = false);
std::string yaml_text(const reading::Value& value);
/// Returns "NAME", or "{NAME: {parameter: value, ...}}".
std::string yaml_text(const expansion::WrapperUse& wrapper);

}  // namespace eventspace::variants
