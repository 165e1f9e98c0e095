#include "monitors/web/timeline/own_folder.h"

#include <cerrno>
#include <cstdlib>

#include <eventspace/error.h>
#include "tuplespace/system/temporary_folder.h"

namespace eventspace::web {

OwnFolder::OwnFolder() : place_((temporary_folder() / "eventspace-web-XXXXXX").string()) {
  if (::mkdtemp(place_.data()) == nullptr)
    throw EnvironmentError::from_errno("cannot make a temporary folder", errno);
}

OwnFolder::~OwnFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(place_, ignored);
}

}  // namespace eventspace::web
