#include "tuplespace/system/temporary_folder.h"

#include <string>
#include <system_error>

#include <eventspace/error.h>

namespace eventspace {

std::filesystem::path temporary_folder() {
  std::error_code fault;
  std::filesystem::path folder = std::filesystem::temp_directory_path(fault);
  if (fault) {
    throw EnvironmentError("cannot use the folder for temporary files: " + fault.message() +
                           "; set TMPDIR to a folder that exists, or unset it");
  }
  return folder;
}

}  // namespace eventspace
