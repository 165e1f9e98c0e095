#include "tuplespace/sockets/session_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <span>
#include <thread>

#include <eventspace/error.h>
#include "tuplespace/sockets/served_sockets.h"
#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

// Names do not contain zero bytes, so two pairs of names never give the same text.
std::string hash_of(std::string_view session, std::string_view server) {
  std::string text(session);
  if (!server.empty()) text.append(1, '\0').append(server);
  return fmt::format("{:016x}", checksum_of(checksum_seed, std::as_bytes(std::span(text))));
}

// No longer than ".socket", whose length is checked.
std::filesystem::path hidden(std::filesystem::path socket) { return socket.replace_extension(".ending"); }
std::filesystem::path lock_of(std::filesystem::path socket) { return socket.replace_extension(".lock"); }

// Only used in messages.
std::string identity_text() {
  try {
    return to_text(own_identity());
  } catch (const EnvironmentError&) {
    return {};
  }
}

void remove_left(const std::filesystem::path& socket) noexcept {
  ::unlink(socket.c_str());
  ::unlink(hidden(socket).c_str());
}

}  // namespace

SessionSocket::SessionSocket(std::string_view session, std::string_view server)
    : text_(fmt::format("\n{}\n{}\n", session, server)),
      socket_(runtime_directory() / (hash_of(session, server) + ".socket")),
      lock_(lock_of(socket_)),
      endpoint_("ipc://" + socket_.string()) {
  constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
  if (socket_.native().size() > longest) {
    throw EnvironmentError(fmt::format(
        "{} has {} bytes, and the path of a socket at most {}: set XDG_RUNTIME_DIR to a directory "
        "with a shorter path",
        socket_.string(), socket_.native().size(), longest));
  }
}

// Lock first: a killed server leaves its socket without the lock.
bool SessionSocket::is_served() const { return is_taken() && ::access(socket_.c_str(), F_OK) == 0; }
bool SessionSocket::is_taken() const { return is_in_use(lock_); }

bool SessionSocket::is_served_soon(Deadline deadline) const {
  constexpr std::chrono::milliseconds pause{2};
  while (is_taken()) {
    if (is_served()) return true;
    if (deadline.passed()) return false;
    std::this_thread::sleep_for(pause);
  }
  return false;
}

std::optional<ProcessIdentity> SessionSocket::holder() const {
  const auto served = read_served_socket(lock_);
  return served ? std::optional(served->process) : std::nullopt;
}

SessionSocket::Taken::Taken(FileHandle lock, std::filesystem::path socket) noexcept
    : lock_(std::move(lock)), socket_(std::move(socket)), owner_(::getpid()) {}

// While the lock is held: afterwards the files may belong to another server.
SessionSocket::Taken::~Taken() {
  if (!lock_.valid() || owner_ != ::getpid()) return;
  remove_left(socket_);
  ::unlink(lock_of(socket_).c_str());
}

bool SessionSocket::Taken::hide() const noexcept {
  return ::rename(socket_.c_str(), hidden(socket_).c_str()) == 0;
}
bool SessionSocket::Taken::show() const noexcept {
  return ::rename(hidden(socket_).c_str(), socket_.c_str()) == 0;
}

void SessionSocket::Taken::announce() const {
  const FileHandle made(::open(socket_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!made.valid())
    throw EnvironmentError::from_errno(fmt::format("cannot make {}", socket_.string()), errno);
}

std::optional<SessionSocket::Taken> SessionSocket::take() const {
  constexpr int max_attempts = 100;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    FileHandle handle(::open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!handle.valid())
      throw EnvironmentError::from_errno(fmt::format("cannot open {}", lock_.string()), errno);
    if (const int error = take_lock(handle); error != 0) {
      if (error == EAGAIN || error == EACCES) return std::nullopt;
      throw EnvironmentError::from_errno(fmt::format("cannot lock {}", lock_.string()), error);
    }
    // The previous server may have removed the file after it was opened here: then others cannot find the
    // locked file.
    if (!is_named(handle, lock_)) continue;
    const std::string text = fmt::format("{}{}{}\n", ::getpid(), text_, identity_text());
    (void)!::ftruncate(handle.get(), 0);  // the text is only used in messages
    (void)!::pwrite(handle.get(), text.data(), text.size(), 0);
    remove_left(socket_);
    return Taken(std::move(handle), socket_);
  }
  return std::nullopt;
}

SessionSocket::Taken SessionSocket::require(std::string_view what) const {
  if (auto taken = take()) return std::move(*taken);
  const auto process = holder();
  throw EnvironmentError(fmt::format("{} is served already on this machine, by {}", what,
                                     process ? fmt::format("process {}", process->pid) : "another process"));
}

}  // namespace eventspace
