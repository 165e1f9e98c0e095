#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "pathmaps/jobs/job_directory.h"
#include "pathmaps/sessions/ending_server.h"

namespace eventspace {

/// The server of one machine of an MPI job (job_directory.h): through it, monitors on other machines pull the
/// records of the session's processes on this machine, and switch their recording. It listens at a TCP port
/// of all addresses and admits clients with the job's keys (CURVE). It has an entry in the directory of the
/// job until it is destroyed. After its server was killed, a machine keeps its number, and its port if that
/// is free, so that monitors find the next server.
class JobServer final : public EndingServer {
 public:
  /// The server's thread calls `warn` if new processes are found only when a monitor pulls. Throws
  /// EnvironmentError if this machine already has a server of the job, or if the directory, the keys or a
  /// port are unavailable. In the latter case, the reason is also written to the directory.
  JobServer(const std::string& session, const JobDirectory& directory,
            std::function<void(const std::string&)> warn);
  ~JobServer() override;
  JobServer(const JobServer&) = delete;
  JobServer& operator=(const JobServer&) = delete;

  void start() override;
  [[nodiscard]] const std::string& endpoint() const noexcept override;
  /// Whether a process of the session runs on this machine.
  [[nodiscard]] bool is_needed() override;
  void hide() override;
  [[nodiscard]] bool show() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the name under which the server of a job on this machine takes its socket (SessionSocket). It
/// begins with job_server_scheme. Throws EnvironmentError like own_machine.
inline constexpr std::string_view job_server_scheme = "local://job/";
std::string name_of_job_server(const std::filesystem::path& directory);

/// If $EVENTSPACE_JOB names the directory of a job, starts this machine's server, unless it runs, or
/// according to the launcher ($OMPI_COMM_WORLD_LOCAL_RANK, $MPI_LOCALRANKID) another process of the job is
/// the first on this machine. The server is started like in require_session_server, and ends by itself a
/// while after the last process of the session on this machine. Does not wait until it serves: if it fails,
/// the reason is in the directory. Throws EnvironmentError if it cannot be started.
void start_job_server(const std::string& session);

}  // namespace eventspace
