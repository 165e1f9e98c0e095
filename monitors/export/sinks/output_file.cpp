#include "monitors/export/sinks/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include <eventspace/error.h>

namespace eventspace::exports {

namespace {

int opened(const std::filesystem::path& file) {
  if (file == standard_output) return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

// Standard output may be a non-blocking pipe; the caller of this program decides that.
void wait_until_writable(int file) {
  pollfd one{file, POLLOUT, 0};
  ::poll(&one, 1, -1);
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& file) : name_(file), file_(opened(file)) {
  if (!file_.valid()) throw EnvironmentError::from_errno("cannot write " + file.string(), errno);
}

void OutputFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t wrote = ::write(file_.get(), left.data(), left.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) {
      wait_until_writable(file_.get());
      continue;
    }
    if (wrote <= 0) {
      throw EnvironmentError::from_errno(
          fmt::format("cannot write {}, after {} bytes", name_.string(), written_), wrote < 0 ? errno : EIO);
    }
    written_ += static_cast<std::uint64_t>(wrote);
    left.remove_prefix(static_cast<std::size_t>(wrote));
  }
  buffer_.clear();
}

}  // namespace eventspace::exports
