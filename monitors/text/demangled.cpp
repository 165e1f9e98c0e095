#include "monitors/text/demangled.h"

#include <cxxabi.h>

#include <cstdlib>

namespace eventspace {

std::string demangled(const std::string& symbol) {
  constexpr std::size_t longest = 4096;  // what the demangler is trusted with
  if (!symbol.starts_with("_Z") || symbol.size() > longest) return symbol;
  int status = 0;
  char* const plain = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 && plain != nullptr ? plain : symbol;
  std::free(plain);  // NOLINT(cppcoreguidelines-no-malloc)
  return text;
}

}  // namespace eventspace
