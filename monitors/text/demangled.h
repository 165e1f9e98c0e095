#pragma once

// Private to monitors/.

#include <string>

namespace eventspace {

/// What a person calls a function: the demangled name of a C++ symbol, else the symbol itself. Symbols of more than
/// 4096 bytes stay as they are.
std::string demangled(const std::string& symbol);

}  // namespace eventspace
