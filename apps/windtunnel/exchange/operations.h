// What the threads of the tunnel do on their paths: operations that succeed, or end the run.
#pragma once

#include <string_view>

#include "paths/path.h"

namespace eventspace::windtunnel {

// They wait as long as it takes, and throw OperationError, which names thread and path, when the operation
// does not succeed.
void write(std::string_view thread, Path& path, Tuple tuple);
Tuple take(std::string_view thread, Path& path);

// Takes part in a collective operation; the same.
Tuple exchange(std::string_view thread, Path& path, Tuple tuple);

}  // namespace eventspace::windtunnel
