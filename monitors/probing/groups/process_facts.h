#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/system/session_files.h"

namespace eventspace {

/// Facts about a process by which it can be chosen.
struct ProcessFacts {
  std::int32_t pid{0};
  std::string name;                     ///< of its program
  std::string host;                     ///< the name of its machine
  std::optional<std::uint64_t> rank{};  ///< in its parallel job
  /// The environment with which it was started. Empty for processes of other users.
  std::map<std::string, std::string, std::less<>> environment{};
  std::vector<std::int32_t> ancestors{};  ///< its parent first, up to init (exclusive)
  std::vector<std::int32_t> launchers{};  ///< launchers whose process tables contain it (add_launched())
  std::uint64_t threads{0};
  std::uint64_t memory{0};  ///< bytes in main memory
  bool is_own{true};        ///< whether it belongs to this user; for root always true
  // Set by add_recorded():
  std::vector<std::string> recorded{};       ///< its sessions with its names there: "job/app.3"
  std::vector<std::string> communicators{};  ///< MPI communicators that it has joined: "solver (4)"

  /// The value of a variable; empty if it has none.
  [[nodiscard]] std::string_view variable(std::string_view wanted) const;
  /// The session in which it records. If there are several, the one that its environment names, otherwise the
  /// first by name. If `recorded` is not known, the one that its environment names. Empty if there is none.
  [[nodiscard]] std::string_view session() const;
  /// The id of its parallel job, as set by its launcher or batch system; empty if it has none.
  [[nodiscard]] std::string_view job() const;
  /// Whether it is a rank of the job: one of its job ids is `id`, or the process with this pid, such as
  /// `mpirun`, is its ancestor or has it in its process table.
  [[nodiscard]] bool is_of_job(std::string_view id) const;
};

/// The rank in a parallel job according to an environment that was set by Open MPI, MPICH, Intel MPI or
/// Slurm.
std::optional<std::uint64_t> rank_in(const std::map<std::string, std::string, std::less<>>& environment);

/// Inspects all other processes of this machine. Processes that end during this are left out.
std::vector<ProcessFacts> facts_here();
/// Reads the process tables (process_table.h) of launchers: of those job ids that are pids. The processes of
/// this machine in such a table are ranks of that job, whatever their environment is.
void add_launched(std::vector<ProcessFacts>& processes, const std::vector<std::string>& jobs);
/// Reads the segments of this user in `directory` to find the sessions in which the processes record. Skips
/// segments that cannot be read, and segments of `eventspace attach`, which belong to the tool.
void add_recorded(std::vector<ProcessFacts>& processes,
                  const std::filesystem::path& directory = segment_directory());
/// The name of this machine.
std::string own_host();

}  // namespace eventspace
