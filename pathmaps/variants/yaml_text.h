#pragma once

// Private to pathmaps/.

#include <string>
#include <string_view>

#include "pathmaps/expansion/scopes/scope_wrapping.h"
#include "pathmaps/reading/document.h"

namespace eventspace::variants {

// What was read from a pathmap, written again as YAML on one line, so that it reads as the same. Aliases and
// merge keys are followed.

/// `text` as a word; in quotes where YAML, or its `quoted` reader, would take it for something else.
std::string yaml_word(std::string_view text, bool quoted = false);
std::string yaml_text(const reading::Value& value);
/// NAME, or {NAME: {parameter: value, ...}}.
std::string yaml_text(const expansion::WrapperUse& wrapper);

}  // namespace eventspace::variants
