// Operations of the tunnel's threads on their paths: they succeed, or throw and so end the run.
#pragma once

#include <string_view>

#include <eventspace/path.h>

namespace eventspace::windtunnel {

// They block without a time limit, and throw OperationError, which names thread and path, if the operation
// does not succeed.
void write(std::string_view thread, Path& path, Tuple tuple);
Tuple take(std::string_view thread, Path& path);

// Takes part in a collective operation, in the same way.
Tuple exchange(std::string_view thread, Path& path, Tuple tuple);

}  // namespace eventspace::windtunnel
