#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "collectors/pvm/pvm_calls.h"

namespace eventspace::test {

/// A call of the function of this name, without other facts.
inline PvmCallRecord pvm_call_named(std::string_view name) {
  const auto* const found = std::ranges::find(pvm_calls, name, &PvmCall::name);
  if (found == pvm_calls.end()) throw std::invalid_argument("no function of PVM: " + std::string(name));
  PvmCallRecord call;
  call.call = static_cast<std::uint16_t>(found - pvm_calls.begin() + 1);
  call.of = found->of;
  return call;
}

}  // namespace eventspace::test
