#pragma once

// Private to scopes/.

#include <cstdint>

namespace eventspace {

/// A number for an evaluation at a server that no other evaluation has, also not one of another server, or
/// of this one's next run: by it, a consumer notices that counts begin anew. Thread-safe.
std::uint64_t new_evaluation_number();

}  // namespace eventspace
