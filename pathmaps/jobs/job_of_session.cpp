#include "pathmaps/jobs/job_of_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include <eventspace/deadline.h>
#include <eventspace/error.h>
#include "pathmaps/jobs/own_machine.h"
#include "pathmaps/jobs/reachable.h"
#include "pathmaps/plan/session_plan.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/private_directory.h"
#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/session_files.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* record_name = "job";

fs::path record_of(const std::string& session) {
  return runtime_directory() / session_files::escaped(session) / record_name;
}

struct Record {
  std::string session;
  std::int32_t pid{0};  ///< of `run`
  fs::path directory;
};

// Only programs of this user write there; any other file is treated as missing.
Record read_record(const fs::path& file) {
  const FileHandle handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  std::array<char, PATH_MAX + 128> bytes{};
  const ssize_t count = handle.valid() ? ::read(handle.get(), bytes.data(), bytes.size()) : 0;
  const std::string text(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::size_t session = text.find('\n');
  const std::size_t pid = session == std::string::npos ? session : text.find('\n', session + 1);
  if (pid == std::string::npos) return {};
  return {text.substr(0, session), leading_number<std::int32_t>(text.substr(session + 1, pid - session - 1)),
          text.substr(pid + 1)};
}

// Returns the file, locked, so that the `run` is seen to be alive also from other PID namespaces.
FileHandle write_record(const fs::path& file, const Record& record) {
  make_private_directory(file.parent_path());
  fs::path draft = file;
  draft += fmt::format(".{}.new", ::getpid());
  FileHandle handle(::open(draft.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (handle.valid()) (void)take_lock(handle);  // without locks, its id must suffice
  const std::string text = fmt::format("{}\n{}\n{}", record.session, record.pid, record.directory.native());
  if (!handle.valid() ||
      ::write(handle.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::rename(draft.c_str(), file.c_str()) != 0)
    throw EnvironmentError::from_errno(fmt::format("cannot write {}", file.string()), errno);
  return handle;
}

// Removes the files of a `run` that was killed.
void require_no_earlier(const fs::path& file) {
  const Record earlier = read_record(file);
  if (earlier.directory.empty()) return;
  const bool has_its_id = earlier.pid > 0 && (::kill(earlier.pid, 0) == 0 || errno != ESRCH);
  if (is_in_use(file) || has_its_id) {
    throw EnvironmentError(
        fmt::format("session {} is already a job on several machines (process {}); choose another --session",
                    earlier.session, earlier.pid));
  }
  try {
    JobDirectory(earlier.directory).remove();
  } catch (const EnvironmentError&) {  // it is gone, or no longer ours
  }
}

fs::path record_without_earlier(const std::string& session) {
  fs::path file = record_of(session);
  require_no_earlier(file);
  return file;
}

fs::path named_directory(const std::string& session) {
  const char* const given = std::getenv(JobDirectory::variable);
  if (given != nullptr && *given != '\0') return given;
  return existing_runtime_directory() ? read_record(record_of(session)).directory : fs::path();
}

/// The number of ranks on the machines in the directory, and in the job; equal if the latter is unknown.
struct Ranks {
  std::uint64_t entered{0};
  std::uint64_t of_job{0};
  [[nodiscard]] bool are_all() const noexcept { return entered >= of_job; }
};

Ranks ranks_of(const JobDirectory::Contents& contents) {
  Ranks ranks;
  for (const JobNode& node : contents.nodes) {
    ranks.entered += node.ranks;
    ranks.of_job = std::max<std::uint64_t>(ranks.of_job, node.ranks_of_job);
  }
  return ranks;
}

// At the beginning of a job, its machines appear one after the other.
JobDirectory::Contents read_whole(const JobDirectory& job, const std::string& session, const Warn& warn) {
  const Deadline deadline = Deadline::after(std::chrono::seconds(3));
  JobDirectory::Contents contents = job.read(session);
  while ((contents.nodes.empty() || !ranks_of(contents).are_all()) && !deadline.passed()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    contents = job.read(session);
  }
  if (contents.nodes.empty()) {
    warn("no machine is registered in the directory of the job: no rank has started, or no rank is recorded");
  } else if (const Ranks ranks = ranks_of(contents); !ranks.are_all()) {
    warn(
        fmt::format("the directory of the job lists the machines of only {} of {} ranks; the other ranks are "
                    "not observed",
                    ranks.entered, ranks.of_job));
  }
  return contents;
}

void say_faults(const JobDirectory::Contents& contents, const Warn& warn) {
  for (const std::string& fault : contents.faults) warn(fmt::format("{}; it is ignored", fault));
  for (const JobNode& node : contents.nodes) {
    if (node.failure.empty()) continue;
    warn(fmt::format("machine {} has no server, so its ranks are not visible from other machines: {}",
                     node.node, node.failure));
  }
}

// A machine that cannot be reached stays in the plan, so that each view names it as missing.
JobPeer peer_of(const JobNode& node, const std::string& address, const Warn& warn) {
  if (address.empty()) {
    warn(fmt::format(
        "the server of machine {} cannot be reached at {} (port {}); set $EVENTSPACE_ADDRESS there "
        "to another address",
        node.node, fmt::join(node.addresses, ", "), node.port));
  }
  return {node.number, node.node, address.empty() ? node.addresses.front() : address, node.port};
}

}  // namespace

JobOfRun::JobOfRun(const fs::path& shared, const std::string& session)
    : record_(record_without_earlier(session)), directory_(JobDirectory::make(shared, session)) {
  lock_ = write_record(record_, {session, ::getpid(), directory_.path()});
}

JobOfRun::~JobOfRun() {
  if (read_record(record_).directory == directory_.path()) ::unlink(record_.c_str());
  directory_.remove();
}

std::optional<JobDirectory> find_job(const std::string& session, const Warn& warn) {
  try {
    const fs::path directory = named_directory(session);
    if (directory.empty()) return std::nullopt;
    return JobDirectory(directory);
  } catch (const EnvironmentError& error) {
    warn(fmt::format("only the processes of session {} on this machine are observed: {}", session,
                     error.what()));
    return std::nullopt;
  }
}

std::vector<std::string> sessions_with_jobs() {
  std::vector<std::string> sessions;
  const auto directory = existing_runtime_directory();
  if (!directory) return sessions;
  std::error_code error;
  for (fs::directory_iterator it(*directory, error), end; !error && it != end; it.increment(error))
    if (Record record = read_record(it->path() / record_name); !record.session.empty())
      sessions.push_back(std::move(record.session));
  std::ranges::sort(sessions);
  return sessions;
}

std::shared_ptr<const Plan> plan_of_found_job(const JobDirectory& job, const std::string& session,
                                              const Warn& warn) {
  const JobDirectory::Contents contents = read_whole(job, session, warn);
  say_faults(contents, warn);
  const std::string machine = own_machine();
  std::uint32_t local_id = max_job_nodes;
  std::vector<JobNode> others;
  for (const JobNode& node : contents.nodes) {
    if (node.machine == machine)
      local_id = node.number;
    else if (node.failure.empty())
      others.push_back(node);
  }
  const std::vector<std::string> addresses = reachable_addresses(others, std::chrono::seconds(2));
  std::vector<JobPeer> peers;
  for (std::size_t i = 0; i < others.size(); ++i) peers.push_back(peer_of(others[i], addresses[i], warn));
  return plan_of_job(session, local_id, peers, job.key_file());
}

}  // namespace eventspace
