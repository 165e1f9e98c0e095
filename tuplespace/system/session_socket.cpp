#include "tuplespace/system/session_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <span>
#include <thread>

#include "tuplespace/system/error.h"
#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/shared_file.h"

namespace eventspace {
namespace {

std::string hash_of(std::string_view session) {
  return fmt::format("{:016x}", checksum_of(checksum_seed, std::as_bytes(std::span(session))));
}

}  // namespace

SessionSocket::SessionSocket(std::string_view session)
    : session_(session), socket_(runtime_directory() / (hash_of(session) + ".socket")) {
  lock_ = socket_;
  lock_.replace_extension(".lock");
  hidden_ = socket_;
  hidden_.replace_extension(".ending");  // no longer than ".socket", whose length is checked
  constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
  if (socket_.native().size() > longest) {
    throw EnvironmentError(fmt::format(
        "{} has {} bytes, and the path of a socket at most {}: set XDG_RUNTIME_DIR to a directory "
        "with a shorter path",
        socket_.string(), socket_.native().size(), longest));
  }
  endpoint_ = "ipc://" + socket_.string();
}

// The lock first: a server that was killed leaves its socket without it.
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

// While the lock is held: afterwards the socket may be that of another server.
SessionSocket::Taken::~Taken() {
  if (!lock_.valid()) return;
  ::unlink(socket_.c_str());
  ::unlink(hidden_.c_str());
}

bool SessionSocket::Taken::hide() const noexcept { return ::rename(socket_.c_str(), hidden_.c_str()) == 0; }
bool SessionSocket::Taken::show() const noexcept { return ::rename(hidden_.c_str(), socket_.c_str()) == 0; }

std::optional<SessionSocket::Taken> SessionSocket::take() const {
  FileHandle handle(::open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!handle.valid())
    throw EnvironmentError::from_errno(fmt::format("cannot open {}", lock_.string()), errno);
  if (const int error = take_lock(handle); error != 0) {
    if (error == EAGAIN || error == EACCES) return std::nullopt;
    throw EnvironmentError::from_errno(fmt::format("cannot lock {}", lock_.string()), error);
  }
  (void)!::ftruncate(handle.get(), 0);  // the text is for people only
  (void)!::pwrite(handle.get(), session_.data(), session_.size(), 0);
  ::unlink(socket_.c_str());
  ::unlink(hidden_.c_str());
  return Taken(std::move(handle), socket_, hidden_);
}

}  // namespace eventspace
