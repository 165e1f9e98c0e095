#include "monitors/export/reading/unnamed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/system/transfers.h"

namespace eventspace::exports {

UnnamedFile::UnnamedFile(std::filesystem::path directory) : directory_(std::move(directory)) {
  std::string name = (directory_ / ".eventspace-export-XXXXXX").string();
  file_ = FileHandle(::mkostemp(name.data(), O_CLOEXEC));
  if (!file_.valid())
    throw EnvironmentError::from_errno("cannot make a temporary file in " + directory_.string(), errno);
  ::unlink(name.c_str());
}

void UnnamedFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (write_fully(file_.get(), bytes, offset) < bytes.size())
    throw EnvironmentError::from_errno("cannot write a temporary file in " + directory_.string(),
                                       errno != 0 ? errno : EIO);
}

void UnnamedFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (read_fully(file_.get(), bytes, offset) < bytes.size())
    throw EnvironmentError::from_errno("cannot read a temporary file in " + directory_.string(),
                                       errno != 0 ? errno : EIO);
}

}  // namespace eventspace::exports
