#pragma once

#include <string>
#include <vector>

namespace eventspace {

/// Joins names, in the given order, and shortens runs of consecutively numbered names to ranges: {t0, t1, t2,
/// main} becomes "t0..t2, main".
std::string collapse_numbered(const std::vector<std::string>& names);

/// Joins path names, sorted and without duplicates, and combines those that differ only after the last slash:
/// {send/n, send/s, result} becomes "result, send/{n,s}".
std::string collapse_paths(std::vector<std::string> names);

}  // namespace eventspace
