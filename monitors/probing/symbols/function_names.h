#pragma once

// Private to monitors/.

#include <string>
#include <string_view>

#include "monitors/probing/symbols/module_symbols.h"

namespace eventspace {

/// What a glob is compared with: a glob matches no longer text than this, and longer names, which only
/// templates have, match by how they begin. A view of `name`.
std::string_view cut_for_glob(const std::string& name);

/// Whether one of the function's names matches: as the linker knows it, as a person reads it, or that without
/// the parameters. An empty pattern matches all. One that begins with '=' is no glob: it matches the function
/// of exactly this name, as the linker knows it or with its parameters. Pure.
bool name_matches(const std::string& pattern, const Function& function);

/// Throws ConfigurationError if a pattern of functions (name_matches()) has a fault.
void require_function_pattern(const std::string& pattern);

/// Throws ConfigurationError, which calls it `what`, if the pattern has a fault; an empty one has none.
void require_glob(const std::string& what, const std::string& pattern);

}  // namespace eventspace
