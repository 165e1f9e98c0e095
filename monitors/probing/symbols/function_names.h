#pragma once

#include <string>
#include <string_view>

#include "monitors/probing/symbols/module_symbols.h"

namespace eventspace {

/// The part of a name that is compared with a glob: a glob matches only texts up to a limit, so longer names,
/// which only templates have, match by their beginning. A view of `name`.
std::string_view cut_for_glob(const std::string& name);

/// Whether one of the function's names matches: the linker's name, the demangled name, or that without
/// parameters. An empty pattern matches all. A pattern that begins with '=' is not a glob: it matches only
/// the function with exactly this name, as the linker has it or demangled. Pure.
bool name_matches(const std::string& pattern, const Function& function);

/// Throws ConfigurationError if a pattern of functions (name_matches()) is invalid.
void require_function_pattern(const std::string& pattern);

/// Throws ConfigurationError, which calls it `what`, if the pattern is invalid; an empty one is valid.
void require_glob(const std::string& what, const std::string& pattern);

}  // namespace eventspace
