#pragma once

#include <cstddef>
#include <string_view>

#include "monitors/web/http/site.h"

namespace eventspace::web {

/// Parses the target of a request, "/path?name=value&...", and sets the path and the parameters of `request`,
/// decoded. Returns false for any other form, for a percent sign without two hexadecimal digits, and for more
/// parameters than `max_parameters`. The path is a name to compare: "..", "//" and encoded slashes stay as
/// they are.
bool parse_target(std::string_view target, std::size_t max_parameters, Request& request);

}  // namespace eventspace::web
