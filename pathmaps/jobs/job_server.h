#pragma once

// Private to pathmaps/.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "pathmaps/jobs/job_directory.h"
#include "pathmaps/sessions/ending_server.h"

namespace eventspace {

/// The server of one machine of an MPI job (job_directory.h): monitors on other machines pull from it what
/// the processes of the session here have recorded, and switch that. It listens at a TCP port of all
/// addresses and lets in who has the job's keys (CURVE); it enters itself into the directory of the job, and
/// leaves it when it is destroyed. A machine of which a server was killed keeps its number, and its port if
/// that is free, so that monitors find the next one.
class JobServer final : public EndingServer {
 public:
  /// `warn` is told, by the server's thread, if processes that start are found only when a monitor pulls.
  /// Throws EnvironmentError if this machine has a server of the job already, or the directory, the keys or a
  /// port cannot be had. If this machine has none already, the reason is left in the directory, too.
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
/// begins with job_server_scheme. Throws EnvironmentError as own_machine does.
inline constexpr std::string_view job_server_scheme = "local://job/";
std::string name_of_job_server(const std::filesystem::path& directory);

/// If $EVENTSPACE_JOB names the directory of a job, starts this machine's server, unless it runs, or another
/// process of the job is the first one on this machine, as far as the launcher tells
/// ($OMPI_COMM_WORLD_LOCAL_RANK, $MPI_LOCALRANKID). The server is started as require_session_server does it,
/// and ends by itself a while after the last process of the session on this machine. Does not wait until it
/// serves: why it cannot is then in the directory. Throws EnvironmentError if it cannot be started.
void start_job_server(const std::string& session);

}  // namespace eventspace
