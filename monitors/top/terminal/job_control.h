#pragma once

namespace eventspace::top {

/// Stops this process until it is continued, as Ctrl-Z does by default. SIGTSTP must be blocked. Has no
/// effect without job control.
void stop_this_process();

}  // namespace eventspace::top
