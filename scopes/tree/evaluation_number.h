#pragma once

#include <cstdint>

namespace eventspace {

/// Returns a number for an evaluation at a server that is unique across evaluations, servers and runs. A
/// consumer uses it to detect that counts restart. Thread-safe.
std::uint64_t new_evaluation_number();

}  // namespace eventspace
