#pragma once

// Private to monitors/.

#include <string>

namespace eventspace {

/// What a person calls a function: the demangled name of a C++ symbol, else the symbol itself, both without
/// the version of the symbol ("@@GLIBC_2.17"). Symbols of C++ of more than 4096 bytes are not demangled.
std::string demangled(const std::string& symbol);

}  // namespace eventspace
