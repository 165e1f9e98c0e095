#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pathmaps/jobs/job_directory.h"
#include "pathmaps/plan/plan.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {

/// The directory of an MPI job while `eventspace run --shared` runs it. The file "job" in the session's
/// directory on this machine (paths/security/key_file.h) has the name of the session, the process id of `run`
/// and the path of the directory, each on a line, so that monitors on this machine find it by the name of the
/// session. It is locked while `run` lives. The destructor removes both.
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

/// Returns the directory of the job of `session`: $EVENTSPACE_JOB, or the directory of the `run` on this
/// machine; nullopt if it is not a job on several machines. If there is a directory that cannot be used,
/// reports that on standard error and returns nullopt.
std::optional<JobDirectory> find_job(const std::string& session);

/// Returns the sessions of `run --shared` on this machine, sorted.
std::vector<std::string> sessions_with_jobs();

/// Returns the plan for monitors of the job, with the machines in its directory. Waits up to three seconds
/// for machines whose ranks are missing there, as far as the launcher's data shows, and reports if some stay
/// missing. Tries for up to two seconds which of their addresses can be reached. Reports on standard error
/// the faulty entries, which are left out, the machines without a server and why, and the unreachable
/// machines, which views name as missing.
std::shared_ptr<const Plan> plan_of_found_job(const JobDirectory& job, const std::string& session);

}  // namespace eventspace
