#pragma once

// Private to scopes/ and monitors/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "collectors/kinds/event_field.h"

namespace eventspace {

/// A number that machine code of an expression finds in memory.
struct MachineField {
  std::string_view name;
  ValueType type{ValueType::number};  ///< number or duration
  std::uint8_t place{0};              ///< index in the array of 64-bit numbers that the code gets, at most 15
  bool is_half{false};                ///< only the lower 32 bits of that number count, with their sign
};

/// An expression as machine code of x86-64: a function
///
///     struct { std::int64_t value; std::uint64_t has_value; } f(const std::int64_t* fields);
///
/// by the calling convention of Linux. It has no loop, calls nothing, writes nothing but the stack (less than
/// 1 KiB of it), changes no register but rax, rcx, rdx and the flags, and can run at any address.
struct MachineCode {
  std::vector<std::byte> code;
  ValueType type{ValueType::boolean};  ///< a truth value is 0 or 1, and is never missing
  std::uint32_t places{0};             ///< which places of the array it reads: one bit for each
};

/// Compiles an expression of the house's language (docs/expressions.md) over these fields instead of those of
/// events. Its numbers are 64-bit integers: a division yields the whole number towards zero. The result of an
/// overflow and of a division by zero is missing; a comparison with a missing number is false.
///
/// Throws ExpressionError if the expression is malformed, has a type that is not `allowed`, a field that is
/// none of these, a text, or a number with a fraction. Pure.
MachineCode compile_to_machine_code(std::string_view text, std::span<const ValueType> allowed,
                                    std::span<const MachineField> fields);

}  // namespace eventspace
