#pragma once

#include <ostream>
#include <string_view>

#include "paths/views/view.h"

namespace eventspace {

/// Prints which events a monitor did not see, a sentence per line for each cause; nothing if it saw all.
/// `reader` is the subject of "began" to read: "this monitor". Events that a reduction replaced do not count
/// as missing.
void print_loss(std::ostream& out, const Loss& loss, std::string_view reader);

}  // namespace eventspace
