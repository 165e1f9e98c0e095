#pragma once

#include <string>
#include <type_traits>

namespace eventspace::test {

/// Returns the text of the `E` that `call` throws. If it throws none, returns the text that it returns, or
/// `otherwise` if it returns nothing.
template <class E, class Call>
std::string error_text(const Call& call, const std::string& otherwise = "") {
  try {
    if constexpr (std::is_void_v<decltype(call())>)
      call();
    else
      return call();
  } catch (const E& error) {
    return error.what();
  }
  return otherwise;
}

}  // namespace eventspace::test
