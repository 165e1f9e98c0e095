#include "pathmaps/jobs/job_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <eventspace/error.h>
#include "pathmaps/plan/session_plan.h"
#include "paths/security/key_file.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* keys_name = "keys";

/// Why an entry cannot be used; empty if it is an ordinary file of this user.
std::string fault_of(const FileHandle& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return "it cannot be inspected";
  if (!S_ISREG(status.st_mode)) return "it is not a regular file";
  if (status.st_uid != ::geteuid()) return fmt::format("it belongs to user {}", status.st_uid);
  if (static_cast<std::size_t>(status.st_size) > max_job_node_bytes)
    return fmt::format("it has {} bytes; at most {} are expected", status.st_size, max_job_node_bytes);
  return {};
}

std::string text_of_file(const FileHandle& file) {
  std::string text(max_job_node_bytes, '\0');
  const ssize_t bytes = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return text;
}

void write_draft(const fs::path& draft, const std::string& text) {
  ::unlink(draft.c_str());  // of a killed process with this id
  const FileHandle file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid() || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    const int error = errno;
    ::unlink(draft.c_str());
    throw EnvironmentError::from_errno(fmt::format("cannot write {}", draft.string()), error);
  }
}

}  // namespace

JobDirectory JobDirectory::make(const fs::path& shared, const std::string& session) {
  std::error_code error;
  const fs::path place = fs::canonical(shared, error);
  if (error || !fs::is_directory(place, error))
    throw EnvironmentError(fmt::format(
        "--shared: directory {} does not exist; expected a directory that all machines of the job share",
        shared.string()));
  std::string name = (place / fmt::format("eventspace-job-{}-XXXXXX", session_files::escaped(session)));
  if (::mkdtemp(name.data()) == nullptr)
    throw EnvironmentError::from_errno(fmt::format("cannot make {}", name), errno);
  JobDirectory made{fs::path(name)};
  const char* const given = std::getenv("EVENTSPACE_KEYS");
  if (given != nullptr && *given != '\0') return made;
  std::string text = to_text(make_session_keys());
  write_secret_file(made.path_ / keys_name, text);
  overwrite(text);
  return made;
}

JobDirectory::JobDirectory(fs::path directory) : path_(std::move(directory)) {
  struct stat status {};
  if (::lstat(path_.c_str(), &status) != 0)
    throw EnvironmentError::from_errno(fmt::format("cannot use the directory of the job, {}; check that this "
                                                   "machine has its file system. Cannot inspect it",
                                                   path_.string()),
                                       errno);
  if (S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 077) == 0) return;
  throw EnvironmentError(fmt::format(
      "cannot use the directory of the job, {} (mode {:o}, user {}): expected a directory of this "
      "user alone, of mode 0700",
      path_.string(), status.st_mode & 07777, status.st_uid));
}

fs::path JobDirectory::key_file() const {
  const char* const given = std::getenv("EVENTSPACE_KEYS");
  return given != nullptr && *given != '\0' ? fs::path(given) : path_ / keys_name;
}

fs::path JobDirectory::entry(std::uint32_t number) const { return path_ / fmt::format("node-{:03}", number); }

std::optional<JobNode> JobDirectory::read_entry(std::uint32_t number, std::string& fault) const {
  const fs::path name = entry(number);
  // O_NONBLOCK: opening a FIFO must not wait for its writer.
  const FileHandle file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.valid()) {
    if (errno != ENOENT) fault = fmt::format("{} cannot be opened", name.string());
    return std::nullopt;
  }
  if (const std::string why = fault_of(file); !why.empty()) {
    fault = fmt::format("{}: {}", name.string(), why);
    return std::nullopt;
  }
  try {
    JobNode node = parse_job_node(text_of_file(file), name.string());
    node.number = number;
    return node;
  } catch (const ConfigurationError& error) {
    fault = error.what();
    return std::nullopt;
  }
}

std::uint32_t JobDirectory::enter(const JobNode& node) const {
  const fs::path draft = path_ / fmt::format("draft-{}-{}", node.machine, ::getpid());
  write_draft(draft, to_text(node));
  int error = ENOSPC;
  for (std::uint32_t number = 0; number < max_job_nodes && error == ENOSPC; ++number) {
    std::string fault;
    const auto there = read_entry(number, fault);
    const bool is_own = there && there->machine == node.machine && there->session == node.session;
    const int failed = is_own ? ::rename(draft.c_str(), entry(number).c_str())
                              : ::link(draft.c_str(), entry(number).c_str());
    if (failed != 0 && errno != EEXIST) error = errno;
    if (failed != 0) continue;
    ::unlink(draft.c_str());
    return number;
  }
  ::unlink(draft.c_str());
  throw EnvironmentError::from_errno(fmt::format("cannot enter machine {} into {}, which has room for {}",
                                                 node.node, path_.string(), max_job_nodes),
                                     error);
}

void JobDirectory::leave(std::uint32_t number, const std::string& machine) const noexcept {
  try {
    std::string fault;
    const auto there = read_entry(number, fault);
    if (there && there->machine == machine) ::unlink(entry(number).c_str());
  } catch (...) {  // it stays until the directory is removed
  }
}

JobDirectory::Contents JobDirectory::read(const std::string& session) const {
  Contents contents;
  if (::access(path_.c_str(), R_OK | X_OK) != 0)
    throw EnvironmentError::from_errno(fmt::format("cannot read {}", path_.string()), errno);
  for (std::uint32_t number = 0; number < max_job_nodes; ++number) {
    std::string fault;
    auto node = read_entry(number, fault);
    if (node && node->session != session)
      fault = fmt::format("{} is of session '{}', not '{}'", entry(number).string(), node->session, session);
    if (!fault.empty())
      contents.faults.push_back(std::move(fault));
    else if (node)
      contents.nodes.push_back(std::move(*node));
  }
  return contents;
}

// Renames it first, so that a server that is just starting does not find it and write to it.
void JobDirectory::remove() const noexcept {
  try {
    fs::path ended = path_;
    ended += ".ended";
    if (::rename(path_.c_str(), ended.c_str()) != 0) return;
    for (std::uint32_t number = 0; number < max_job_nodes; ++number)
      ::unlink((ended / entry(number).filename()).c_str());
    ::unlink((ended / keys_name).c_str());
    for (const auto& draft : session_files::find(ended, "draft-")) ::unlink(draft.c_str());
    ::rmdir(ended.c_str());
  } catch (...) {  // it stays
  }
}

}  // namespace eventspace
