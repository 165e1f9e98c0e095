#include "tuplespace/system/session_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <span>

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
  constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
  if (socket_.native().size() > longest) {
    throw EnvironmentError(fmt::format(
        "{} has {} bytes, and the path of a socket at most {}: set XDG_RUNTIME_DIR to a directory "
        "with a shorter path",
        socket_.string(), socket_.native().size(), longest));
  }
  endpoint_ = "ipc://" + socket_.string();
}

bool SessionSocket::is_served() const { return is_in_use(lock_); }

SessionSocket::Taken::~Taken() {
  if (lock_.valid()) ::unlink(socket_.c_str());
}

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
  return Taken(std::move(handle), socket_);
}

}  // namespace eventspace
