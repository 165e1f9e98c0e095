#include "monitors/probing/code/code_padding.h"

namespace eventspace {

std::uint64_t padding_behind(const EntryCheck& check, std::uint64_t end, std::uint64_t wanted) {
  constexpr std::uint64_t alignment = 16;  // to which compilers pad
  const std::uint64_t most = (alignment - end % alignment) % alignment;
  std::uint64_t padding = 0;
  while (padding < wanted && padding < most) {
    const auto next = decode(check.module().image.bytes_at(end + padding, most - padding), end + padding);
    if (!next || !next->is_padding) break;
    padding += next->length;
  }
  const Function* const next_function = check.first_from(end);
  const bool is_free = (next_function == nullptr || next_function->address >= end + padding) &&
                       !check.is_led_into(end, end + padding);
  return is_free ? padding : 0;
}

}  // namespace eventspace
