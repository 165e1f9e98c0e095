#pragma once

// Private to monitors/.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/system/session_files.h"

namespace eventspace {

/// What is known of a process for choosing it.
struct ProcessFacts {
  std::int32_t pid{0};
  std::string name;                     ///< of its program
  std::string host;                     ///< the name of its machine
  std::optional<std::uint64_t> rank{};  ///< in its parallel job
  /// The variables with which it was started. Empty for processes of other users.
  std::map<std::string, std::string, std::less<>> environment{};
  std::vector<std::int32_t> ancestors{};  ///< its parent first, without those of init
  std::vector<std::int32_t> launchers{};  ///< in whose tables of processes it is (add_launched())
  std::uint64_t threads{0};
  std::uint64_t memory{0};  ///< bytes in main memory
  bool is_own{true};        ///< of this user; for root all are
  // These are known once add_recorded() has looked:
  std::vector<std::string> recorded{};       ///< its sessions with its names there: "job/app.3"
  std::vector<std::string> communicators{};  ///< of MPI, that it has been a member of: "solver (4)"

  /// The value of a variable; empty if it has none.
  [[nodiscard]] std::string_view variable(std::string_view name) const;
  /// The session in which it records, the first by name if its environment names none of several; or, if
  /// `recorded` is not known, the one that its environment names. Empty: none.
  [[nodiscard]] std::string_view session() const;
  /// The id of its parallel job, as its launcher or batch system has told it; empty: none.
  [[nodiscard]] std::string_view job() const;
  /// Whether it is a rank of the job: one of its ids of jobs is `id`, or the process with this pid, such as
  /// `mpirun`, has started it or has it in its table.
  [[nodiscard]] bool is_of_job(std::string_view id) const;
};

/// The rank in a parallel job that an environment says, of the launchers of Open MPI, MPICH, Intel MPI and
/// Slurm.
std::optional<std::uint64_t> rank_in(const std::map<std::string, std::string, std::less<>>& environment);

/// Looks at the processes of this machine, but this one. Those that end meanwhile are left out.
std::vector<ProcessFacts> facts_here();
/// Looks into the tables of launchers (process_table.h): of those ids of jobs that are pids. The processes of
/// this machine that are there are ranks of these jobs, whatever is in their environment.
void add_launched(std::vector<ProcessFacts>& processes, const std::vector<std::string>& jobs);
/// Looks into the segments of this user in `directory`: in which sessions the processes record. Those that
/// cannot be read, and those of `eventspace attach`, which are not the processes' own, are left out.
void add_recorded(std::vector<ProcessFacts>& processes,
                  const std::filesystem::path& directory = segment_directory());
/// The name of this machine.
std::string own_host();

}  // namespace eventspace
