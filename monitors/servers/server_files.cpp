#include "monitors/servers/server_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <fstream>
#include <thread>

#include <eventspace/error.h>
#include "tuplespace/processes/process_sight.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

using std::chrono::steady_clock;
using std::filesystem::path;

}  // namespace

ServerFiles::ServerFiles(const std::string& session)
    : directory_(runtime_directory() / session_files::escaped(session)) {
  make_private_directory(directory_);
}

path ServerFiles::file(const std::string& node, const char* extension) const {
  return directory_ / (session_files::escaped(node) + extension);
}

path ServerFiles::log(const std::string& node) const { return file(node, ".log"); }

std::string ServerFiles::log_tail(const std::string& node, std::size_t bytes) const {
  std::ifstream in(log(node), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() <= bytes) return text;
  const std::size_t line = text.find('\n', text.size() - bytes);
  return text.substr(line == std::string::npos ? text.size() - bytes : line + 1);
}

void ServerFiles::remember(const std::string& node, std::int32_t pid) const {
  const auto stat =
      require_process_stat(pid, fmt::format("to note when the server of node {} started", node));
  const path target = file(node, ".pid");
  const path draft = file(node, ".pid.new");
  std::ofstream out(draft, std::ios::trunc);
  out << to_text({pid, stat ? stat->start_ticks : 0, own_origin()}) << '\n';
  out.close();
  if (!out) throw EnvironmentError(fmt::format("cannot write {}", draft.string()));
  std::filesystem::rename(draft, target);
}

void ServerFiles::forget(const std::string& node) const {
  std::error_code ignored;
  std::filesystem::remove(file(node, ".pid"), ignored);
}

std::optional<ServerProcess> ServerFiles::find(const std::string& node) const {
  const path source = file(node, ".pid");
  std::ifstream in(source);
  if (!in && std::filesystem::exists(source))
    throw EnvironmentError(
        fmt::format("cannot read {}, which names the server's process: check its owner, and the limit on "
                    "open files (ulimit -n)",
                    source.string()));
  std::string line;
  const auto identity = std::getline(in, line) ? identity_in(line) : std::nullopt;
  if (!identity) return std::nullopt;
  const ProcessSight seen(*identity);
  const Presence presence = seen.look([] { return FileLock::not_shared; });
  if (presence != Presence::running && presence != Presence::stopped) return std::nullopt;
  return ServerProcess{seen.pid(), seen.start_ticks()};
}

FileHandle ServerFiles::lock(const std::string& node, std::chrono::nanoseconds patience) const {
  const path name = file(node, ".lock");
  FileHandle handle(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!handle.valid())
    throw EnvironmentError::from_errno(fmt::format("cannot open {}", name.string()), errno);
  const auto until = steady_clock::now() + patience;
  while (::flock(handle.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      throw EnvironmentError::from_errno(fmt::format("cannot lock {}", name.string()), errno);
    }
    if (steady_clock::now() >= until) {
      throw EnvironmentError(
          fmt::format("another `eventspace` is starting or stopping the server of node {}", node));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return handle;
}

}  // namespace eventspace
