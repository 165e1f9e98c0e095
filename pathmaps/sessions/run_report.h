#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// The report of a command's processes to the `eventspace run` that started it: whether their MPI or PVM
/// calls are recorded. `run` makes a file and names it in $EVENTSPACE_RUN_REPORT; each process into which our
/// MPI or PVM library is preloaded counts itself there. Processes on other machines do not reach the file.
///
///     0   magic        8 bytes
///     8   version      4
///     12  counts       4 each, in the order of RunEvent; changed with atomic operations
///     32  text state   4, 0: none, 1: being written, 2: whole
///     36  text         up to 476, ends with a zero byte: why the first process could not join
///
/// The file has its full length and memory from the beginning, so that a store to it cannot fail.
enum class RunEvent : std::uint8_t {
  loaded,            ///< our MPI or PVM library was loaded into a process of any kind
  has_library,       ///< that process has the MPI of the library, or PVM
  is_other_library,  ///< it has another MPI
  joined,            ///< it has joined the session: its calls are recorded
  failed             ///< it could not join
};

class RunReport {
 public:
  static constexpr const char* variable = "EVENTSPACE_RUN_REPORT";

  /// Makes the file, mode 0600, in this user's runtime directory. Throws EnvironmentError.
  RunReport();
  ~RunReport();  ///< removes the file
  RunReport(const RunReport&) = delete;
  RunReport& operator=(const RunReport&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// The numbers of processes by report. Plain data.
  struct Counts {
    std::uint32_t loaded{0};
    std::uint32_t has_library{0};
    std::uint32_t is_other_library{0};
    std::uint32_t joined{0};
    std::uint32_t failed{0};
    std::string why{};  ///< why the first process failed; without control characters
  };
  [[nodiscard]] Counts counts() const;

  /// Reports an event of this process to the file in $EVENTSPACE_RUN_REPORT; `why` is for `failed`. Does
  /// nothing if there is no such file of this user. Makes system calls, and never waits.
  static void tell(RunEvent event, std::string_view why = {}) noexcept;

 private:
  std::filesystem::path path_;
  Mapping memory_;
};

}  // namespace eventspace
