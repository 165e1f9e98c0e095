#include "monitors/web/timeline/own_folder.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <eventspace/error.h>

namespace eventspace::web {

std::filesystem::path temporary_folder() {
  std::error_code fault;
  std::filesystem::path folder = std::filesystem::temp_directory_path(fault);
  if (fault) {
    throw EnvironmentError("cannot use the folder for temporary files: " + fault.message() +
                           "; set TMPDIR to a folder that exists, or unset it");
  }
  return folder;
}

OwnFolder::OwnFolder() : place_((temporary_folder() / "eventspace-web-XXXXXX").string()) {
  if (::mkdtemp(place_.data()) == nullptr)
    throw EnvironmentError::from_errno("cannot make a temporary folder", errno);
}

OwnFolder::~OwnFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(place_, ignored);
}

}  // namespace eventspace::web
