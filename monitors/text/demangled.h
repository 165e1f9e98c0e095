#pragma once

#include <string>

namespace eventspace {

/// The readable name of a function: the demangled name of a C++ symbol, otherwise the symbol itself, both
/// without its version ("@@GLIBC_2.17"). Symbols of C++ of more than 4096 bytes are not demangled.
std::string demangled(const std::string& symbol);

}  // namespace eventspace
