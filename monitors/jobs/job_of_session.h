#pragma once

// Private to monitors/.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pathmaps/jobs/job_directory.h"
#include "pathmaps/plan/plan.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {

/// The directory of an MPI job while `eventspace run --shared` runs it. The file "job" in the session's own
/// directory on this machine (paths/security/key_file.h) has the name of the session, the process id of `run`
/// and the path of the directory, a line each, so that monitors here find it by the name of the session; it
/// is locked as long as `run` lives. The destructor removes both.
class JobOfRun {
 public:
  /// Throws EnvironmentError, also if another `run` of the session has one. Removes the directory that a
  /// killed `run` has left.
  JobOfRun(const std::filesystem::path& shared, const std::string& session);
  ~JobOfRun();
  JobOfRun(const JobOfRun&) = delete;
  JobOfRun& operator=(const JobOfRun&) = delete;

  [[nodiscard]] const JobDirectory& directory() const noexcept { return directory_; }

 private:
  std::filesystem::path record_;
  JobDirectory directory_;
  FileHandle lock_;
};

/// Returns the directory of the job that `session` is: $EVENTSPACE_JOB, or that of the `run` on this machine;
/// nullopt if it is no job of several machines. Says on standard error, and returns nullopt, if there is a
/// directory that cannot be used.
std::optional<JobDirectory> find_job(const std::string& session);

/// Returns the sessions of `run --shared` on this machine, sorted.
std::vector<std::string> sessions_with_jobs();

/// Returns the plan for monitors of the job, with the machines that are in its directory. Waits up to three
/// seconds for those whose ranks are missing there, as far as launchers tell, and says if some stay away.
/// Tries which of their addresses can be reached, for up to two seconds. Says on standard error which entries
/// are faulty and left out, which machines have no server and why, and which cannot be reached; the views
/// name the last as missing.
std::shared_ptr<const Plan> plan_of_found_job(const JobDirectory& job, const std::string& session);

}  // namespace eventspace
