#include "monitors/export/reading/unnamed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "tuplespace/system/error.h"

namespace eventspace::exports {

UnnamedFile::UnnamedFile(std::filesystem::path directory) : directory_(std::move(directory)) {
  std::string name = (directory_ / ".eventspace-export-XXXXXX").string();
  file_ = FileHandle(::mkostemp(name.data(), O_CLOEXEC));
  if (!file_.valid())
    throw EnvironmentError::from_errno("cannot make a temporary file in " + directory_.string(), errno);
  ::unlink(name.c_str());
}

void UnnamedFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      throw EnvironmentError::from_errno("cannot write a temporary file in " + directory_.string(),
                                         wrote < 0 ? errno : EIO);
    }
    offset += static_cast<std::uint64_t>(wrote);
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

void UnnamedFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw EnvironmentError::from_errno("cannot read a temporary file in " + directory_.string(),
                                         got < 0 ? errno : EIO);
    }
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace eventspace::exports
