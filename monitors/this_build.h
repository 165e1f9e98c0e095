#pragma once

#include "monitors/cli/build_info.h"

namespace eventspace {

/// The build of the program that it is linked into. Each build rewrites its source (cmake/BuildInfo.cmake),
/// so only the program `eventspace` has it, and not the library: a commit compiles and links one file.
BuildInfo this_build();

}  // namespace eventspace
