#pragma once

// Private to monitors/.

#include <string>
#include <vector>

namespace eventspace {

/// Names as people write many of them: runs of numbered ones as ranges, the others as they are, in the order
/// given: {t0, t1, t2, main} is "t0..t2, main".
std::string collapse_numbered(const std::vector<std::string>& names);

/// Path names that differ in their last part only, together: {send/n, send/s, result} is
/// "result, send/{n,s}". Sorted; each once.
std::string collapse_paths(std::vector<std::string> names);

}  // namespace eventspace
