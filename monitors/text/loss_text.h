#pragma once

// Private to monitors/.

#include <ostream>
#include <string_view>

#include "paths/views/view.h"

namespace eventspace {

/// Says for people which events a monitor did not see, a sentence on a line for each cause; nothing if it saw
/// all. `reader` is what "began" to read: "this monitor". Events that a reduction replaced are not missing.
void print_loss(std::ostream& out, const Loss& loss, std::string_view reader);

}  // namespace eventspace
