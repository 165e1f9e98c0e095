#pragma once

#include "paths/wrappers.h"

namespace eventspace {

/// `delay: {for: 2ms}` delays each operation before it forwards it: it simulates a slow link or a slow peer,
/// to try out monitors. The delay counts against the operation's deadline. docs/extending.md uses this
/// wrapper as its template.
WrapperInfo delay_wrapper();

}  // namespace eventspace
