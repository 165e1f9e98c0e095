#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "collectors/kinds/event_field.h"

namespace eventspace {

/// The meaning of the bits of a number.
enum class MachineForm : std::uint8_t {
  whole,      ///< all 64, with their sign
  half,       ///< the lower 32, with their sign
  real,       ///< IEEE 754 of 64 bits, `double`
  short_real  ///< the lower 32: IEEE 754 of 32 bits, `float`
};

/// A number in memory that the machine code of an expression reads.
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
/// by the calling convention of Linux. It does not loop, calls nothing, writes only to the stack (less than 1
/// KiB), changes only the registers rax, rcx, rdx and the flags, and can run at any address. To calculate
/// with real numbers, it uses registers of SSE2 and their modes, and restores them; floating-point exceptions
/// do not trap, and rounding is to nearest.
struct MachineCode {
  std::vector<std::byte> code;
  ValueType type{ValueType::boolean};  ///< a truth value is 0 or 1, and is never missing
  bool is_real{false};                 ///< the value's bits are those of a `double`, which is finite
  std::uint32_t places{0};             ///< which places of the array it reads: one bit for each
};

/// Compiles an expression (docs/expressions.md) over these fields instead of the fields of events. Its
/// numbers are 64-bit integers, whose division truncates towards zero, or real numbers (`double`): fields of
/// these forms, constants with a point, and results calculated from at least one of them. The result of an
/// overflow and of a division by zero is missing, and so is a field that is infinite or not a number; a
/// comparison with a missing number is false.
///
/// Throws ExpressionError if the expression is malformed, has a type that is not `allowed`, an unknown field,
/// a text, or `%` of real numbers. Pure.
MachineCode compile_to_machine_code(std::string_view text, std::span<const ValueType> allowed,
                                    std::span<const MachineField> fields);

}  // namespace eventspace
