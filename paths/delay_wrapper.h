#pragma once

#include "paths/wrappers.h"

namespace eventspace {

/// `delay: {for: 2ms}` holds each operation back before it forwards it: a slow link or a slow partner to
/// try monitors with. The time counts against the operation's deadline. It is the template that
/// docs/extending.md walks through.
WrapperInfo delay_wrapper();

}  // namespace eventspace
