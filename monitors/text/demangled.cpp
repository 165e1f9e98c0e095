#include "monitors/text/demangled.h"

#include <cxxabi.h>

#include <cstdlib>

namespace eventspace {

std::string demangled(const std::string& symbol) {
  // "clock_nanosleep@@GLIBC_2.17": the version concerns only the linker.
  if (const std::size_t version = symbol.find('@'); version != std::string::npos && version > 0)
    return demangled(symbol.substr(0, version));
  constexpr std::size_t longest = 4096;  // limit for the demangler
  if (!symbol.starts_with("_Z") || symbol.size() > longest) return symbol;
  int status = 0;
  char* const plain = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 && plain != nullptr ? plain : symbol;
  std::free(plain);  // NOLINT(cppcoreguidelines-no-malloc)
  return text;
}

}  // namespace eventspace
