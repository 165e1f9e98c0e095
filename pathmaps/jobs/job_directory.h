#pragma once

// Private to pathmaps/.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pathmaps/jobs/job_node.h"

namespace eventspace {

/// The directory by which the machines of one MPI job, and monitors, find each other: on a file system that
/// all of them share, of mode 0700. `eventspace run --shared` makes and removes it, and names it in
/// $EVENTSPACE_JOB.
///
///     keys        the keys of the job's connections (paths/security/key_file.h), unless $EVENTSPACE_KEYS
///                 names others
///     node-NNN    one for each machine, see JobNode; NNN is its number
///
/// An entry is written under another name, and then linked to the lowest number that is free, which fails for
/// all but one on a network file system too. So readers see an entry whole or not at all. Whoever may write
/// there is this user, but what is read is checked all the same: a faulty entry hides no other one.
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

  /// Writes the entry of this machine, in the place of an earlier one of the same machine. Returns its
  /// number. Throws EnvironmentError if all numbers are taken or the directory cannot be written.
  [[nodiscard]] std::uint32_t enter(const JobNode& node) const;
  /// Removes the entry `number` if `machine` has it.
  void leave(std::uint32_t number, const std::string& machine) const noexcept;

  struct Contents {
    std::vector<JobNode> nodes;       ///< of the session, by number
    std::vector<std::string> faults;  ///< one line for each entry that cannot be used, with its file
  };
  /// Reads all entries. Throws EnvironmentError if the directory cannot be read.
  [[nodiscard]] Contents read(const std::string& session) const;

  /// Removes the directory with all that this class puts there; what else is in it stays, and so it.
  void remove() const noexcept;

 private:
  [[nodiscard]] std::filesystem::path entry(std::uint32_t number) const;
  [[nodiscard]] std::optional<JobNode> read_entry(std::uint32_t number, std::string& fault) const;

  std::filesystem::path path_;
};

}  // namespace eventspace
