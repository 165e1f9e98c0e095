#pragma once

#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"

namespace eventspace::test {

/// A new directory in which the processes of one test have their segments. Construct it before the first
/// session or server.
class SegmentDirectory : public TemporaryDirectory {
 private:
  Variable variable_{"EVENTSPACE_SHM_DIR", path()};
};

}  // namespace eventspace::test
