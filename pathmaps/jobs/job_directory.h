#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pathmaps/jobs/job_node.h"

namespace eventspace {

/// The directory by which the machines of an MPI job and monitors find each other: on a shared file system,
/// with mode 0700. `eventspace run --shared` creates and removes it, and puts its name in $EVENTSPACE_JOB.
///
///     keys        the keys of the job's connections (paths/security/key_file.h), unless $EVENTSPACE_KEYS
///                 names others
///     node-NNN    one for each machine, see JobNode; NNN is its number
///
/// An entry is written under another name, and then linked to the lowest free number, which succeeds for only
/// one process, even on a network file system. So readers see an entry completely or not at all. Only this
/// user may write there, but entries are checked anyway: a faulty entry does not hide others.
///
/// Thread-safe.
class JobDirectory {
 public:
  static constexpr const char* variable = "EVENTSPACE_JOB";

  /// Makes a directory for a job of `session` in `shared`, with keys. Throws EnvironmentError.
  static JobDirectory make(const std::filesystem::path& shared, const std::string& session);
  /// Throws EnvironmentError unless it is a directory of this user that is closed to others (mode 0700).
  explicit JobDirectory(std::filesystem::path directory);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Returns $EVENTSPACE_KEYS, or the file of keys in the directory.
  [[nodiscard]] std::filesystem::path key_file() const;

  /// Writes the entry of this machine, replacing an earlier entry of the same machine. Returns its number.
  /// Throws EnvironmentError if all numbers are taken or the directory cannot be written.
  [[nodiscard]] std::uint32_t enter(const JobNode& node) const;
  /// Removes the entry `number` if `machine` has it.
  void leave(std::uint32_t number, const std::string& machine) const noexcept;

  struct Contents {
    std::vector<JobNode> nodes;       ///< of the session, by number
    std::vector<std::string> faults;  ///< one line for each entry that cannot be used, with its file
  };
  /// Reads all entries. Throws EnvironmentError if the directory cannot be read.
  [[nodiscard]] Contents read(const std::string& session) const;

  /// Removes the files of this class, and the directory if it is then empty.
  void remove() const noexcept;

 private:
  [[nodiscard]] std::filesystem::path entry(std::uint32_t number) const;
  [[nodiscard]] std::optional<JobNode> read_entry(std::uint32_t number, std::string& fault) const;

  std::filesystem::path path_;
};

}  // namespace eventspace
