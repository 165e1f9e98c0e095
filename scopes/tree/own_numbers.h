#pragma once

#include <cstdint>
#include <optional>

namespace eventspace {

/// Numbers of threads, paths and trace elements that a process gives itself while it runs, such as those of
/// its probes. They lie above all numbers of plans, and each process of the plan has a range of its own, so
/// they are unique in a session:
///
///     bit 31     1
///     bits 16-30 the process's number in the plan
///     bits 0-15  chosen by the process
///
/// A path of its own number has one trace element, which has the same number.
inline constexpr std::uint32_t first_own_number = 1u << 31;
inline constexpr std::uint32_t own_numbers_of_a_process = 1u << 16;

constexpr bool is_own_number(std::uint32_t number) noexcept { return number >= first_own_number; }
/// The process that gave itself an own number.
constexpr std::uint32_t process_of_own_number(std::uint32_t number) noexcept {
  return (number - first_own_number) / own_numbers_of_a_process;
}
/// The first number of a process's range; none if the process's number is too large to have one.
constexpr std::optional<std::uint32_t> own_numbers_of(std::uint32_t process) noexcept {
  if (process >= first_own_number / own_numbers_of_a_process) return std::nullopt;
  return first_own_number + process * own_numbers_of_a_process;
}

}  // namespace eventspace
