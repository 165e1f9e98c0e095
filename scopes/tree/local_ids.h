#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace eventspace {

/// Process-local ids: numbers of threads, paths and trace elements that a process assigns while it runs, for
/// example for its probes. They lie above all numbers of plans, and each process has its own range, so they
/// are unique in a session:
///
///     bit 31     1
///     bits 14-30 the process's number
///     bits 0-13  chosen by the process
///
/// A process of a plan uses its number in the plan. A dynamic process, which is not in the plan, does not
/// know its number: it uses `dynamic_process`, and the reader of its segment replaces that by a number that
/// is unique in the session (scopes/reading/local_numbering.h).
///
/// A path with a process-local id has one trace element, which has the same id.
inline constexpr std::uint32_t first_local_id = 1u << 31;
inline constexpr std::uint32_t local_ids_per_process = 1u << 14;
inline constexpr std::uint32_t max_processes = first_local_id / local_ids_per_process;
/// The process in the process-local ids that a dynamic process writes. The last number of all, ~0, means "no
/// thread" in records and belongs to the range after this one, which is not used.
inline constexpr std::uint32_t dynamic_process = max_processes - 2;

constexpr bool is_local_id(std::uint32_t number) noexcept { return number >= first_local_id; }
/// The process that assigned a process-local id.
constexpr std::uint32_t process_of_local_id(std::uint32_t number) noexcept {
  return (number - first_local_id) / local_ids_per_process;
}
/// The first number of a process's range; nothing if the process's number is too large for a range.
constexpr std::optional<std::uint32_t> local_ids_of(std::uint32_t process) noexcept {
  if (process > dynamic_process) return std::nullopt;
  return first_local_id + process * local_ids_per_process;
}

/// The number in the scope of a place in a program (OwnNameOf::site), whose number in its process is `site`
/// and which `thread` has passed: a process-local id of the thread's process. `no_site` if the thread does
/// not have a process-local id, or `site` is not less than local_ids_per_process.
inline constexpr std::uint32_t no_site = 0;
constexpr std::uint32_t site_in_scope(std::uint32_t thread, std::uint32_t site) noexcept {
  if (!is_local_id(thread) || site >= local_ids_per_process) return no_site;
  return (thread & ~(local_ids_per_process - 1)) | site;
}

/// The process numbers that the readers of one node give to dynamic processes.
struct ProcessRange {
  std::uint32_t first{0};
  std::uint32_t count{0};
  [[nodiscard]] constexpr bool has(std::uint32_t process) const noexcept {
    return process >= first && process - first < count;
  }
  friend bool operator==(const ProcessRange&, const ProcessRange&) = default;
};

/// Divides the numbers after those of a plan equally among its nodes. `planned`: the number of processes and
/// node servers in the plan. The range is empty if there are too many of them.
constexpr ProcessRange dynamic_range(std::size_t planned, std::size_t nodes, std::size_t node) noexcept {
  if (nodes == 0 || node >= nodes || planned >= dynamic_process) return {};
  const std::size_t each = (dynamic_process - planned) / nodes;
  return {static_cast<std::uint32_t>(planned + node * each), static_cast<std::uint32_t>(each)};
}

}  // namespace eventspace
