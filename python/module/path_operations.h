#pragma once

#include <eventspace/operation.h>
#include <eventspace/stage.h>

namespace eventspace::python {

/// Carries out an operation without the GIL, which the caller holds. In the main thread Python handles
/// signals during the wait; if a handler raises, such as KeyboardInterrupt, the operation is given up as at
/// its deadline, and this is thrown. An exchange that is given up breaks its collective.
void perform(Stage& stage, Operation& operation);

}  // namespace eventspace::python
