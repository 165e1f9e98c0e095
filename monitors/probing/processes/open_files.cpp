#include "monitors/probing/processes/open_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "tuplespace/parsing/number_in.h"

namespace eventspace {

std::vector<OpenFile> open_files_of(std::int32_t pid, std::string_view start) {
  std::vector<OpenFile> files;
  std::error_code error;
  const std::filesystem::path directory = fmt::format("/proc/{}/fd", pid);
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    OpenFile file;
    file.descriptor = leading_number<int>(at->path().filename().string());
    std::error_code closed;  // the file was closed after it was listed
    file.path = std::filesystem::read_symlink(at->path(), closed);
    struct ::stat facts {};
    if (!closed && !file.path.starts_with(start)) continue;
    if (closed || ::stat(at->path().c_str(), &facts) != 0) continue;
    file.inode = facts.st_ino;
    // The mode bits of the link are the access mode of the open file, see proc(5).
    if (::lstat(at->path().c_str(), &facts) != 0) continue;
    file.is_writable = (facts.st_mode & S_IWUSR) != 0;
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace eventspace
