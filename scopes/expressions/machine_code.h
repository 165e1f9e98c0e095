#pragma once

// Private to scopes/ and monitors/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "collectors/kinds/event_field.h"

namespace eventspace {

/// What the bits of a number mean.
enum class MachineForm : std::uint8_t {
  whole,      ///< all 64, with their sign
  half,       ///< the lower 32, with their sign
  real,       ///< IEEE 754 of 64 bits, `double`
  short_real  ///< the lower 32: IEEE 754 of 32 bits, `float`
};

/// A number that machine code of an expression finds in memory.
struct MachineField {
  std::string_view name;
  ValueType type{ValueType::number};  ///< number or duration
  std::uint8_t place{0};              ///< index in the array of 64-bit numbers that the code gets, at most 31
  MachineForm form{MachineForm::whole};
};

/// An expression as machine code of x86-64: a function
///
///     struct { std::int64_t value; std::uint64_t has_value; } f(const std::int64_t* fields);
///
/// by the calling convention of Linux. It has no loop, calls nothing, writes nothing but the stack (less than
/// 1 KiB of it), changes no register but rax, rcx, rdx and the flags, and can run at any address. Where it
/// calculates with real numbers it uses registers of SSE2 and their modes, and restores them; no exception of
/// floating-point numbers traps, and it rounds to the nearest.
struct MachineCode {
  std::vector<std::byte> code;
  ValueType type{ValueType::boolean};  ///< a truth value is 0 or 1, and is never missing
  bool is_real{false};                 ///< the value's bits are those of a `double`, which is finite
  std::uint32_t places{0};             ///< which places of the array it reads: one bit for each
};

/// Compiles an expression of the house's language (docs/expressions.md) over these fields instead of those of
/// events. Its numbers are 64-bit integers, of which a division yields the whole number towards zero, or real
/// ones (`double`): fields of these forms, constants with a point, and what is calculated from at least one.
/// The result of an overflow and of a division by zero is missing, and so is a field that is infinite or not
/// a number; a comparison with a missing number is false.
///
/// Throws ExpressionError if the expression is malformed, has a type that is not `allowed`, a field that is
/// none of these, a text, or `%` of real numbers. Pure.
MachineCode compile_to_machine_code(std::string_view text, std::span<const ValueType> allowed,
                                    std::span<const MachineField> fields);

}  // namespace eventspace
