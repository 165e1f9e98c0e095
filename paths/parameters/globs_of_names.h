#pragma once

#include <string>
#include <vector>

namespace eventspace {

/// Returns globs (paths/parameters/glob.h) that match these names, as few as the length of a glob allows.
/// Special characters in a name match any character. Pure.
std::vector<std::string> globs_of_names(const std::vector<std::string>& names);

}  // namespace eventspace
