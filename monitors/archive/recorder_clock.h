#pragma once

#include <string>

namespace eventspace {

/// A name of this process's CLOCK_MONOTONIC: the same in all processes of this machine since it was started,
/// unless they are in another time namespace. Empty if /proc does not have it.
std::string name_of_own_clock();

}  // namespace eventspace
