#include "monitors/export/sinks/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "tuplespace/system/error.h"

namespace eventspace::exports {

OutputFile::OutputFile(const std::filesystem::path& file)
    : name_(file), file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) {
  if (!file_.valid()) throw EnvironmentError::from_errno("cannot write " + file.string(), errno);
}

void OutputFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t wrote = ::write(file_.get(), left.data(), left.size());
    if (wrote < 0 && errno == EINTR) continue;
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
